"""The items of the catalogue: products, categories and the edges between them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import accumulate, chain, groupby, islice
from typing import Any
from unicodedata import category, combining, normalize

from dynapages.lists import SEPARATOR, sort_key_of, timestamp
from dynapages.writes import NamedShards
from shop import keys
from shop.keys import shard_of
from shop.models import (
    Category,
    CategoryEdge,
    Description,
    Product,
    ProductEdge,
    ProductWord,
    TrailStep,
)
from shop.table import shards

LONGEST = 400
"""Bytes of a folded name: it fits a sort key of 1,024 bytes with the longest id."""
JOINT = "-"
"""Between words; sorts behind ``#`` and ``$``, so that a name sorts before longer ones."""
_WITHOUT_MARKS = str.maketrans(
    dict(zip("øđłħð\N{LATIN SMALL LETTER DOTLESS I}", "odlhdi", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters without a decomposition in Unicode."""


def folded(name: str) -> str:
    """Return a name as it sorts, such as ``cafe-creme`` for “Café  Crème!”; may be empty."""
    return cut(JOINT.join(words_in(name)))


def cut(key: str) -> str:
    """Return as much of a text as fits a sort key in front of an id."""
    return key.encode()[:LONGEST].decode(errors="ignore")


def words_in(text: str) -> list[str]:
    """Return the words of a text without case, marks and punctuation."""
    taken_apart = normalize("NFKD", normalize("NFKD", text).casefold())
    letters = "".join(letter for letter in taken_apart if not combining(letter))
    runs = groupby(
        letters.translate(_WITHOUT_MARKS),
        key=lambda letter: letter.isalnum() or category(letter).startswith("M"),
    )
    return ["".join(run) for is_word, run in runs if is_word]


DIGITS = 12
"""Of a price in cents, zeros first, so that strings sort as numbers."""
MOST_SHARDS = 64
"""The most that EDGE_SHARDS may be."""
EDGE_SHARDS = 2
"""That a category's products are spread over; fewer later lose nothing."""
EDGES = NamedShards("DATA", shards, lambda: EDGE_SHARDS)
"""The shards of the index: an edge's follows from its id and their number."""
BELOW = "$"
"""Between the names of a category and its child; sorts behind ``#`` and before names."""
MOST_ALSO = 30
"""Products that a purchase says were bought as well: the others of its order, then those before."""
ALSO_BYTES = 600
"""Of these: with ids of 32 characters a purchase is below 1 KB, which is one write unit."""


def purchase_data(username: str, product_id: str, moment: datetime) -> dict[str, str]:
    """Derive the keys of a purchase, among the product's and among the user's."""
    among_users = {"order_status_date": keys.BOUGHT_PREFIX + sort_key_of(moment, product_id)}
    return _data(keys.buyers(product_id), sort_key_of(moment, username)) | among_users


def also_bought(product_id: str, nearest: Iterable[str]) -> list[str] | None:
    """Return what the edge to a product says that its buyer bought as well, None for nothing.

    ``nearest`` are the products of the order and those bought before, as of `nearest_to`.
    """
    others = [one for one in nearest if one != product_id][:MOST_ALSO]
    sizes = accumulate(len(one.encode()) + 1 for one in others)
    return [one for one, size in zip(others, sizes, strict=True) if size <= ALSO_BYTES] or None


def nearest_to(ordered: Iterable[str], before: Iterable[str]) -> list[str]:
    """Return the products of an order and those bought before, each once, as many as count."""
    return list(islice(dict.fromkeys(chain(ordered, before)), MOST_ALSO + 1))


def shard_in(partition: str) -> int:
    """Return the shard in a partition key of ``by_data``, 0 for other text."""
    number = partition.rpartition(SEPARATOR)[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _data(partition: str, place: str) -> dict[str, Any]:
    return {"data_partition": partition, "data": place}


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category before it has keys; ``slug`` is in its URL, ``parent`` is a slug too."""

    slug: str
    name: str
    parent: str | None = None
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class NewProduct:
    """A product before it has keys; ``currency`` is an ISO 4217 code.

    ``priced_at`` (aware) is the moment of the order that an import took the price from,
    ``external_id`` the product's id in another system.
    """

    id: str
    name: str
    category_slugs: tuple[str, ...]
    description: str = ""
    unit_price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None
    is_off: bool = False

    @property
    def shown(self) -> tuple[object, ...]:
        """What lists show of the product, and where it is listed."""
        return self.name, self.unit_price_cents, self.currency, frozenset(self.category_slugs)

    @property
    def ranked_name(self) -> str:
        """The name in rankings, empty for a product that is off."""
        return "" if self.is_off else self.name

    def kept_like(self, before: "NewProduct") -> "NewProduct":
        """Return the product of an import with what it cannot tell of the one before."""
        external_id = self.external_id or before.external_id
        return replace(self, external_id=external_id, is_off=before.is_off)

    def priced_like(self, before: "NewProduct") -> "NewProduct":
        """Return the product with the moment of the price before, if it has the same one."""
        own, old = ((each.unit_price_cents, each.currency) for each in (self, before))
        return replace(self, priced_at=before.priced_at if own == old else None)


def all_products_data(product: NewProduct, *, shards: int) -> dict[str, Any]:
    """Derive the keys of a product's own item, among all products by name; {} if it is off."""
    partition = keys.products_shard(shard_of(product.id, shards))
    return {} if product.is_off else _data(partition, _by_name(product))


def _by_name(product: NewProduct) -> str:
    return f"{folded(product.name)}{SEPARATOR}{product.id}"


def product_item(
    product: NewProduct,
    *,
    path: Iterable[NewCategory] = (),
    categories: Mapping[str, str] | None = None,
    shards: int = 1,
) -> Product:
    """Build a product's own item; ``path`` leads from the root to its category.

    ``categories`` are the names of all that have an edge to it, by slug. ``shards`` is the number
    of those of ``by_data``.
    """
    key = keys.product(product.id)
    return Product(
        pk=key,
        sk=key,
        name=product.name,
        unit_price_cents=product.unit_price_cents,
        currency=product.currency,
        trail=_steps(path),
        categories=_steps(NewCategory(*each) for each in sorted((categories or {}).items())) or [],
        priced_at=product.priced_at and timestamp(product.priced_at),
        external_id=product.external_id,
        is_off=product.is_off or None,
        **all_products_data(product, shards=shards),
    )


def description_item(product: NewProduct) -> Description | None:
    """Build the item of a product's description, if it has one."""
    if not product.description:
        return None
    return Description(
        pk=keys.product(product.id), sk=keys.description(product.id), text=product.description
    )


def product_edges(
    product: NewProduct, *, names: Mapping[str, str], shards: int
) -> list[ProductEdge]:
    """Build a product's edges from its categories; ``names`` are the categories' by slug.

    One that is off has none. An edge repeats what lists show. ``shards`` is the number of those of
    ``by_data``.
    """
    edges, cents = list[ProductEdge](), product.unit_price_cents
    for slug in () if product.is_off else product.category_slugs:
        shard_by = partial(keys.category_shard, slug, shard=shard_of(product.id, shards))
        by_name = _data(shard_by("NAME"), _by_name(product))
        by_price: dict[str, Any] = {}
        if cents is not None:
            place = f"{cents:0{DIGITS}}{SEPARATOR}{product.id}"
            by_price = _data(shard_by("PRICE"), place)
        shown: dict[str, Any] = {
            "pk": keys.category(slug),
            "name": product.name,
            "unit_price_cents": cents,
            "currency": product.currency,
        }
        by_id = ProductEdge(sk=keys.product(product.id), category=names[slug], **shown, **by_price)
        edges += [by_id, ProductEdge(sk=keys.by_name(product.id), **shown, **by_name)]
    return edges


MOST_WORDS = 12
"""Of a name, that its product is found by: the first different ones, each of them an item."""


def word_items(node: Product) -> list[ProductWord]:
    """Build what a product's own item is found by: an item for each word of its name."""
    name = folded(node.name)
    words = sorted(list(dict.fromkeys(filter(None, name.split(JOINT))))[:MOST_WORDS])
    product_id = node.pk.removeprefix(keys.PRODUCT_PREFIX)
    return [
        ProductWord(
            pk=keys.words(word),
            sk=f"{cut(f'{word}{BELOW}{name}')}{SEPARATOR}{product_id}",
            name=node.name,
            unit_price_cents=node.unit_price_cents,
            currency=node.currency,
            trail=node.trail,
            words="".join(f"{JOINT}{each}" for each in words),
            before=before,
        )
        for before, word in zip([None, *words], words, strict=False)
        if not node.is_off
    ]


def category_item(path: Sequence[NewCategory], *, shards: int) -> Category:
    """Build the own item of the last category of a path from the root."""
    *parents, category = path
    key = keys.category(category.slug)
    names = cut(BELOW.join(folded(step.name) for step in path))
    place = f"{names}{SEPARATOR}{category.slug}"
    data = _data(keys.tree_shard(shard_of(category.slug, shards)), place)
    data = {"is_off": True} if category.is_off else data
    return Category(pk=key, sk=key, name=category.name, trail=_steps(parents), **data)


def parent_edge(path: Sequence[NewCategory]) -> CategoryEdge:
    """Build the edge to a category from its parent, or from the root for the front page."""
    category, parent = path[-1], path[-2] if len(path) > 1 else None
    return CategoryEdge(
        pk=keys.category(parent.slug) if parent else keys.ROOT,
        sk=keys.category(category.slug),
        name=category.name,
        category=parent.name if parent else None,
    )


def _steps(path: Iterable[NewCategory]) -> list[TrailStep] | None:
    steps = [TrailStep(slug=step.slug, name=step.name) for step in path]  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
    return steps or None


MOST_DEEP = 6
MOST_IN_ONE = 100
"""Children of one category: its page reads and links them all."""


class BrokenTree(ValueError):
    """A category's parent is missing, it is in itself or too deep, or it has too many children."""


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """Categories by their slugs."""

    by_slug: Mapping[str, NewCategory]

    @classmethod
    def of(cls, categories: Iterable[NewCategory]) -> "CategoryTree":
        """Build a tree. Raises BrokenTree."""
        tree = cls({category.slug: category for category in categories})
        for slug in tree.by_slug:
            tree.path(slug)
        parents = Counter(category.parent for category in tree.by_slug.values() if category.parent)
        for slug, number in parents.items():
            if number > MOST_IN_ONE:
                sentence = f"The category {slug!r} holds {number} others, more than {MOST_IN_ONE}"
                raise BrokenTree(sentence)
        return tree

    @property
    def names(self) -> dict[str, str]:
        """The names of the categories, by slug."""
        return {slug: category.name for slug, category in self.by_slug.items()}

    def path(self, slug: str) -> tuple[NewCategory, ...]:
        """Return the categories from the root down to one. Raises BrokenTree."""
        path: list[NewCategory] = []
        step: str | None = slug
        while step is not None:
            if step not in self.by_slug:
                raise BrokenTree(f"The category {slug!r} lies in {step!r}, which is not given")
            path.append(self.by_slug[step])
            step = path[-1].parent
            if len(path) > MOST_DEEP:
                sentence = f"The category {slug!r} lies in itself, or deeper than {MOST_DEEP}"
                raise BrokenTree(sentence)
        return tuple(reversed(path))

    def deepest_path(self, slugs: Sequence[str]) -> tuple[NewCategory, ...]:
        """Return the (first) longest of several categories' paths, () for none."""
        return max(map(self.path, slugs), key=len, default=())
