"""Writes of the catalogue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from types import MappingProxyType
from typing import Generic, TypeVar

from dynapages.calls import Batches
from dynapages.items import Item, Value, table_key
from dynapages.lists import Page, parse_timestamp
from dynapages.process import client, pool
from dynapages.pynamodb import set_or_remove, unchanged, update
from dynapages.writes import (
    Action,
    ConditionFailed,
    Contended,
    delete,
    write_item,
    write_transaction,
)
from shop import keys
from shop.catalogue.items import (
    EDGE_SHARDS,
    EDGES,
    CategoryTree,
    NewCategory,
    NewProduct,
    all_products_data,
    category_item,
    description_item,
    parent_edge,
    product_edges,
    product_item,
    word_items,
)
from shop.catalogue.queries import (
    CATEGORIES,
    OFF,
    Category,
    ProductTile,
    category_of,
    first_products,
    product_keys,
    steps_in,
    tile_of,
    trail_in,
)
from shop.models import CategoryEdge, Product, ProductWord, ShopItem
from shop.table import TABLE, Key, key_of, put_of, read_items
from shop.table import set_or_remove as set_or_remove_all

ON_A_SHELF = 6
"""Products shown of each category."""
ATTEMPTS = 5
SHELF = CategoryEdge.shelf.attr_name
_SHOWN = ("sk", "name", "unit_price_cents", "currency")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A category with its first products."""

    category: Category
    products: tuple[ProductTile, ...]


def shelves_in(categories: Page) -> tuple[Shelf, ...]:
    """Return the categories of a page with their shelves."""
    return tuple(_shelf(entry.item) for entry in categories.entries)


def _shelf(edge: Item) -> Shelf:
    category = category_of(edge)
    tiles = (replace(tile_of(item), trail=(category,)) for item in items_on(edge))
    return Shelf(category, tuple(tiles))


def put_shelf(slug: str, name: str = "") -> bool:
    """Derive a category's shelf, and put the category on the front page if it has a ``name``.

    Without one it must be there. Returns whether it is. Raises Contended, and botocore's errors.
    """
    key = root_key(slug)
    for _ in range(ATTEMPTS):
        stored = read_items([key]).get(key, {})
        if not stored and not name:
            return False
        shelf = shelf_of(first_products(slug, ON_A_SHELF))
        wanted = {"name": {"S": name} if name else stored["name"], SHELF: shelf}
        if wanted.items() <= stored.items():
            return True
        attributes = CategoryEdge.name, CategoryEdge.shelf
        changes = [set_or_remove(each, wanted[each.attr_name]) for each in attributes]
        same = unchanged(stored, CategoryEdge.pk, CategoryEdge.name, CategoryEdge.shelf)
        with suppress(ConditionFailed):
            write_item(client(), update(CategoryEdge, table_key(*key), changes, same))
            return True
    raise Contended("This category is being changed by others at the moment.")


def put_shelves(slugs: Iterable[str]) -> None:
    """Derive the shelves of those of some categories that the front page has."""
    pool().gather([partial(put_shelf, slug) for slug in sorted(slugs)])


def root_key(slug: str) -> Key:
    """Return the key of the edge from the root to a category."""
    return keys.ROOT, keys.category(slug)


def shelf_of(edges: Sequence[Item]) -> Value:
    """Build a category's shelf from the edges to its first products."""
    shown = ({name: edge[name] for name in _SHOWN if name in edge} for edge in edges)
    return {"L": [{"M": product} for product in shown]}


def items_on(edge: Item) -> list[Item]:
    """Return the products on the shelf of an edge from the root, as `tile_of` reads them."""
    return [product["M"] for product in edge.get(SHELF, {"L": []})["L"]]


name_copies = set[Callable[[str, str], Sequence[Action]]]()
"""Each builds the actions that write a product's new name, by its id, into up to four copies.

A product that is off has the name ``""`` there. They are added where Django makes apps ready.
"""


SHOWN = (Product.name, Product.unit_price_cents, Product.currency, Product.trail, Product.is_off)
"""What edges and words show of a product, and whether it has any."""
WRITTEN = (*SHOWN, Product.categories, Product.priced_at, Product.external_id)
"""What writers of a product's own item change."""


Content = TypeVar("Content", NewProduct, NewCategory)


@dataclass(frozen=True, slots=True)
class Stored(Generic[Content]):
    """A product or a category as it is stored, with its own item."""

    content: Content
    node: Item = field(repr=False)

    @property
    def version(self) -> str:
        return blake2b(repr(self.content).encode(), digest_size=8).hexdigest()


def stored_products(
    product_ids: Iterable[str], *, is_whole: bool = False
) -> dict[str, Stored[NewProduct]]:
    """Read products by id, strongly, if whole with descriptions; missing ones are left out."""
    wanted = {one: product_keys(one, is_whole=is_whole) for one in product_ids}
    found = read_items(chain.from_iterable(wanted.values()))
    return {
        one: Stored(product_of(*(found.get(key, {}) for key in both)), found[both[0]])
        for one, both in wanted.items()
        if both[0] in found
    }


def product_of(node: Item, description: Item = MappingProxyType({})) -> NewProduct:
    """Return the product that its own item tells of."""
    texts = {name: value["S"] for name, value in {**description, **node}.items() if "S" in value}
    cents, moment = node.get("unit_price_cents"), texts.get("priced_at")
    return NewProduct(
        id=texts["pk"].removeprefix(keys.PRODUCT_PREFIX),
        name=texts["name"],
        category_slugs=tuple(sorted(step.slug for step in steps_in(node, CATEGORIES))),
        description=texts.get("text", ""),
        unit_price_cents=int(cents["N"]) if cents else None,
        currency=texts.get("currency"),
        priced_at=parse_timestamp(moment) if moment else None,
        external_id=texts.get("external_id"),
        is_off=OFF in node,
    )


def category_in(node: Item) -> NewCategory:
    """Return the category that its own item tells of."""
    slug, parents = node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), trail_in(node)
    parent = parents[-1].slug if parents else None
    return NewCategory(slug, node["name"]["S"], parent, OFF in node)


def stored_categories(slugs: Iterable[str]) -> dict[str, NewCategory]:
    """Read categories strongly, and return them by slug with those above; missing ones do not.

    Those above are as the trails have them, which follow a change a moment later: see `tree_above`.
    """
    above, own = dict[str, NewCategory](), dict[str, NewCategory]()
    for item in read_items((keys.category(slug),) * 2 for slug in slugs).values():
        parent: str | None = None
        for step in trail_in(item):
            above[step.slug] = NewCategory(step.slug, step.name, parent)
            parent = step.slug
        step = category_of(item)
        own[step.slug] = NewCategory(step.slug, step.name, parent)
    # What one's own item has is newer than what the trail of another one repeats.
    return {**above, **own}


def nodes_above(slugs: Iterable[str]) -> dict[str, Item]:
    """Read the own items of categories and of all above them, strongly, by slug.

    Missing ones are left out. It takes two rounds, or a third where a trail is not up to date.
    """
    found = dict[str, Item]()
    read, wanted = set[str](), {*slugs}
    while wanted:
        items = read_items((keys.category(slug),) * 2 for slug in sorted(wanted))
        read |= wanted
        above = set[str]()
        for item in items.values():
            found[category_of(item).slug] = item
            above |= {step.slug for step in trail_in(item)}
        wanted = above - read
    return found


def tree_in(nodes: Mapping[str, Item]) -> CategoryTree:
    """Return the tree of categories that their own items tell of."""
    return CategoryTree({slug: category_in(node) for slug, node in nodes.items()})


def tree_above(slugs: Iterable[str]) -> CategoryTree:
    """Read the tree of categories and all above them, each as its own item has it."""
    return tree_in(nodes_above(slugs))


def _items_of(
    product: NewProduct, tree: CategoryTree, shards: int
) -> tuple[Product, list[ShopItem]]:
    """Build a product's own item, and what leads to it: its edges from categories, its words."""
    names = {slug: tree.by_slug[slug].name for slug in product.category_slugs}
    path = tree.deepest_path(product.category_slugs)
    own = product_item(product, path=path, categories=names, shards=shards)
    return own, [*product_edges(product, names=names, shards=shards), *word_items(own)]


def words_of(node: Item) -> dict[Key, ProductWord]:
    """Build the items by the words of a stored product's name, by their keys."""
    return {(word.pk, word.sk): word for word in word_items(Product.from_raw_data({**node}))}


def actions_of_change(
    product: NewProduct, stored: Stored[NewProduct] | None, tree: CategoryTree, shards: int
) -> list[Action]:
    """Build the transaction that writes a product with all that leads to it.

    It fails where its own item is not as ``stored``, or not missing.
    """
    seen = stored.node if stored else {}
    own, edges = _items_of(product, tree, shards)
    was_in = stored.content.category_slugs if stored else ()
    led = {key for slug in was_in for key in edge_keys(slug, product.id)}
    led |= words_of(seen).keys() if stored else set()
    gone = sorted(led - {(edge.pk, edge.sk) for edge in edges})
    copies: list[Action] = [delete(ShopItem, table_key(*key)) for key in gone]
    if stored is None or stored.content.ranked_name != product.ranked_name:
        for renaming in name_copies:
            copies += renaming(product.id, product.ranked_name)
    node = put_of(own, unchanged(seen, Product.pk, *WRITTEN))
    return [node, *map(put_of, edges), *copies]


def edge_keys(slug: str, product_id: str) -> tuple[Key, Key]:
    """Return the keys of an edge from a category by product, and by name."""
    category = keys.category(slug)
    return (category, keys.product(product_id)), (category, keys.by_name(product_id))


def _change(
    product: NewProduct, stored: Stored[NewProduct] | None, tree: CategoryTree, shards: int
) -> Sequence[str]:
    """Write a product's new name, price and categories; return the slugs that it was in.

    Raises Contended, and what `dynapages.writes.transactions` raises.
    """
    for _ in range(ATTEMPTS):
        wanted = product.kept_like(stored.content) if stored else product
        with suppress(ConditionFailed):
            write_transaction(client(), actions_of_change(wanted, stored, tree, shards))
            return stored.content.category_slugs if stored else ()
        stored = stored_products([product.id]).get(product.id)
    raise Contended("This product is being changed by others at the moment.")


EVERYTHING_ELSE = NewCategory(slug="everything-else", name="Everything else")
"""The category of imported products that the catalogue does not know."""


def put_catalogue(*, categories: Sequence[NewCategory], products: Sequence[NewProduct]) -> None:
    """Put a whole catalogue, replacing products and categories with the same ids.

    A product's categories and a category's parents must be among ``categories``. A stored product
    that differs changes in one transaction with its edges. Other products and categories stay. The
    edges of the root come last, so that the front page shows complete categories alone.

    Repeatable. Raises BrokenTree before anything is written, and what `dynapages.calls.batches`
    and `dynapages.writes.transactions` raise.
    """
    tree = CategoryTree.of(categories)
    shards = EDGES.writable()
    stored = stored_products(product.id for product in products)
    changed, others = list[NewProduct](), list[NewProduct]()
    for product in products:
        before = stored[product.id].content if product.id in stored else product
        same = changed if before.shown != product.shown else others
        same.append(product.kept_like(before))
    were_in = pool().gather([partial(_change, p, stored[p.id], tree, shards) for p in changed])
    built = [_items_of(product, tree, shards) for product in others]
    _put([own for own, _leading in built])
    _put([item for item in map(description_item, products) if item])
    _put([edge for _own, leading in built for edge in leading])
    _put_categories(tree, shards)
    # What changed may have left the shelves of other categories.
    put_shelves(set[str]().union(*were_in) - tree.by_slug.keys())


def ensure_products(
    product_ids: Iterable[str],
    *,
    originals: Mapping[str, str] = MappingProxyType({}),
    names: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Create missing products; return how many were created.

    ``originals`` are the ids of other systems that could not be kept, by those they were mapped to.
    A product that has none of the ``names`` is named by that, or by its id. They go into the
    category “Everything else”. Existing products are left unchanged. Repeatable.
    """
    wanted = set(product_ids)
    if not (missing := sorted(wanted - stored_products(wanted).keys())):
        return 0
    tree, shards = CategoryTree.of([EVERYTHING_ELSE]), EDGES.writable()
    _put_categories(tree, shards)
    products = [
        NewProduct(
            id=product_id,
            name=names.get(product_id) or originals.get(product_id) or product_id,
            category_slugs=(EVERYTHING_ELSE.slug,),
            external_id=originals.get(product_id),
        )
        for product_id in missing
    ]
    created = pool().gather([partial(_create, product, tree, shards) for product in products])
    put_shelf(EVERYTHING_ELSE.slug)
    return sum(created)


def _create(product: NewProduct, tree: CategoryTree, shards: int) -> bool:
    own, edges = _items_of(product, tree, shards)
    node = put_of(own, ShopItem.pk.does_not_exist())
    try:
        write_transaction(client(), [node, *map(put_of, edges)])
    except ConditionFailed:
        return False
    return True


def _put_categories(tree: CategoryTree, shards: int) -> None:
    stored = read_items((keys.category(slug),) * 2 for slug in tree.by_slug)
    off = {key.removeprefix(keys.CATEGORY_PREFIX) for (key, _), i in stored.items() if OFF in i}
    by_slug = {slug: replace(each, is_off=slug in off) for slug, each in tree.by_slug.items()}
    paths = [CategoryTree(by_slug).path(slug) for slug in by_slug]
    _put([category_item(path, shards=shards) for path in paths])
    paths = [path for path in paths if not path[-1].is_off]
    _put([parent_edge(path) for path in paths if len(path) > 1])
    roots = [path[0] for path in paths if len(path) == 1]
    pool().gather([partial(put_shelf, root.slug, root.name) for root in roots])


def _put(items: Sequence[ShopItem]) -> None:
    Batches(client(), pool()).put(TABLE, [item.serialize() for item in items])


LISTED = Product.data_partition.attr_name, Product.data.attr_name


def listed_by(node: Item) -> dict[str, str]:
    """Derive the keys by which a product is among all; {} for one that is off."""
    return all_products_data(product_of(node), shards=EDGE_SHARDS)


def actions_of_listing(node: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update by which a product is among all, or is not, unless it changed."""
    EDGES.writable()
    changes = set_or_remove_all(Product, LISTED, expected)
    same = unchanged(node, Product.pk, Product.name, Product.is_off, Product.data)
    return [update(TABLE, table_key(*key_of(node)), changes, same)]
