"""Products of an import: missing ones are created, stored ones change only when that is asked for.

The rules are in docs/importing-orders.md.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from django.utils.text import slugify

from dynapages.django.files.identifiers import identifier_of
from dynapages.items import Item
from dynapages.lists import parse_timestamp
from shop import keys
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.queries import CATEGORIES, Category, steps_in, trail_in
from shop.catalogue.services import (
    EVERYTHING_ELSE,
    is_as_stored,
    put_catalogue,
    shown,
    stored_products,
)
from shop.models import Product
from shop.table import read_items


class Update(Enum):
    """Which stored products an import may change."""

    NONE = "none"
    IMPORTED = "those that an import priced"
    ALL = "also those that the shop put itself"


@dataclass(frozen=True, slots=True)
class ImportedProduct:
    """A product as files tell of it, with its price in the latest order and when that was placed.

    Unless it ``is_named``, the name is for a new one only; without a price it was never ordered.
    """

    id: str
    name: str
    is_named: bool
    category: NewCategory | None
    price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Products that a file of products lists, by id, and what it tells of any product."""

    listed: Collection[str]
    describe: Callable[[str], ImportedProduct]


class Outcome(Enum):
    """What became of a product."""

    CREATED = "created"
    UPDATED = "updated"
    LEFT = "left as it is"


def put_products(products: Sequence[ImportedProduct], update: Update) -> Counter[Outcome]:
    """Put products of one category, and count their outcomes. Repeatable.

    Stored categories keep their names and parents. Raises like `put_catalogue`.
    """
    stored = stored_products(product.id for product in products)
    outcomes: Counter[Outcome] = Counter()
    shelves: dict[tuple[NewCategory, ...], list[NewProduct]] = {}
    for product in products:
        known = stored.get(product.id)
        may_change = known is not None and _may_change(product, known, update)
        outcome = Outcome.UPDATED if may_change else Outcome.LEFT
        outcomes[outcome if known else Outcome.CREATED] += 1
        categories, new = _wanted(product, known, may_change=may_change)
        if may_change or known is None or is_as_stored(new, known):
            shelves.setdefault(categories, []).append(new)
    for categories, some in shelves.items():
        put_catalogue(categories=_with_parents(categories), products=some)
    return outcomes


def category_named(name: str) -> NewCategory:
    """Build the category of a name."""
    return NewCategory(slug=slugify(name) or identifier_of(name).lower(), name=name)


def _may_change(product: ImportedProduct, known: Item, update: Update) -> bool:
    if product.priced_at is None:
        return False
    stored_at = _priced_at(known)
    if stored_at is None:
        return update is Update.ALL
    return update is not Update.NONE and product.priced_at > stored_at


def _wanted(
    product: ImportedProduct, known: Item | None, *, may_change: bool
) -> tuple[tuple[NewCategory, ...], NewProduct]:
    """Return a product's categories, and the product as it should be."""
    categories: tuple[NewCategory, ...] = (product.category or EVERYTHING_ELSE,)
    if may_change and known is not None and product.category is None:
        found = steps_in(known, CATEGORIES)
        categories = tuple(NewCategory(category.slug, category.name) for category in found)
    new = NewProduct(
        id=product.id,
        name=product.name,
        category_slugs=tuple(category.slug for category in categories),
        unit_price_cents=product.price_cents,
        currency=product.currency,
        priced_at=product.priced_at,
        external_id=product.external_id,
    )
    if known is None:
        return categories, new
    if may_change:
        return categories, new if product.is_named else replace(new, name=shown(known)[0])
    return categories, replace(new, priced_at=_priced_at(known))


def _priced_at(known: Item) -> datetime | None:
    attribute = known.get(Product.priced_at.attr_name)
    return None if attribute is None else parse_timestamp(attribute["S"])


def _with_parents(categories: Iterable[NewCategory]) -> list[NewCategory]:
    """Return categories as they are stored, with those above them; new ones are in the root."""
    by_key = {keys.category(category.slug): category for category in categories}
    stored = {key: item for (key, _), item in read_items((key, key) for key in by_key).items()}
    found = {category.slug: category for key, category in by_key.items() if key not in stored}
    for key, item in stored.items():
        parent: str | None = None
        own = Category(by_key[key].slug, item["name"]["S"])
        for step in (*trail_in(item), own):
            found[step.slug] = NewCategory(step.slug, step.name, parent)
            parent = step.slug
    return list(found.values())
