"""Writes of the catalogue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from dynapages.calls import Batches
from dynapages.items import Item, Value, table_key
from dynapages.lists import Page
from dynapages.process import client, pool
from dynapages.pynamodb import set_or_remove, unchanged, update
from dynapages.upkeep import MigrationStep
from dynapages.writes import Action, ConditionFailed, Contended, delete, write_one, write_together
from shop import keys
from shop.catalogue.items import (
    EDGES,
    CategoryTree,
    NewCategory,
    NewProduct,
    also_bought,
    category_item,
    description_item,
    parent_edge,
    product_edges,
    product_item,
    word_items,
)
from shop.catalogue.queries import (
    ALSO,
    CATEGORIES,
    Category,
    ProductTile,
    bought_before,
    category_of,
    first_products,
    steps_in,
    tile_of,
)
from shop.models import CategoryEdge, Product, ProductWord, Purchase, ShopItem
from shop.table import TABLE, Key, key_of, put_of, read_items, unless_changed

ON_A_SHELF = 6
"""Products shown of each category."""
SHELF_ATTEMPTS = 5
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
    for _ in range(SHELF_ATTEMPTS):
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
            write_one(client(), update(CategoryEdge, table_key(*key), changes, same))
            return True
    raise Contended("This category is being changed by others at the moment.")


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


Renaming = Callable[[str, str], Sequence[Action]]
"""Builds the actions that write a product's new name, by its id, into up to four copies."""

_renamings: list[Renaming] = []


def register_name_copies(renaming: Renaming) -> None:
    """Have ``renaming`` change copies of names; the same one again changes nothing."""
    if renaming not in _renamings:  # Django makes apps ready again for other INSTALLED_APPS
        _renamings.append(renaming)


ATTEMPTS = 5


def stored_products(product_ids: Iterable[str]) -> dict[str, Item]:
    """Read products' own items, strongly; those that do not exist are left out."""
    own_keys = map(keys.product, product_ids)
    found = read_items((key, key) for key in own_keys)
    return {key.removeprefix(keys.PRODUCT_PREFIX): item for (key, _), item in found.items()}


def shown(item: Item) -> tuple[str, int | None, str | None]:
    """Return name, price in cents and currency from a product's item or edge."""
    cents: str | None = item.get("unit_price_cents", {}).get("N")
    currency: str | None = item.get("currency", {}).get("S")
    return item["name"]["S"], None if cents is None else int(cents), currency


def is_as_stored(product: NewProduct, stored: Item) -> bool:
    """Return whether a product has the name, price, currency and categories of its own item."""
    own = product.name, product.unit_price_cents, product.currency
    return shown(stored) == own and slugs_of(stored) == set(product.category_slugs)


def slugs_of(stored: Item) -> frozenset[str]:
    """Return the slugs of the categories that a stored product is in."""
    return frozenset(category.slug for category in steps_in(stored, CATEGORIES))


def product_node(product: NewProduct, tree: CategoryTree) -> Product:
    """Build a product's own item."""
    names = {slug: tree.names[slug] for slug in product.category_slugs}
    path = tree.deepest_path(product.category_slugs)
    return product_item(product, path=path, categories=names)


def _edges(product: NewProduct, tree: CategoryTree, shards: int) -> list[ShopItem]:
    """Build what leads to a product: its edges from categories, and its words."""
    edges = product_edges(product, names=tree.names, shards=shards)
    return [*edges, *word_items(product_node(product, tree))]


def words_of(node: Item) -> dict[Key, ProductWord]:
    """Build the items by the words of a stored product's name, by their keys."""
    return {(word.pk, word.sk): word for word in word_items(Product.from_raw_data({**node}))}


def _change(product: NewProduct, stored: Item, tree: CategoryTree, shards: int) -> frozenset[str]:
    """Write a product's new name, price and categories; return the slugs that it was in.

    Raises Contended, and what `dynapages.writes.transactions` raises.
    """
    seen: Item | None = stored
    for _ in range(ATTEMPTS):
        was_in = slugs_of(seen) if seen else frozenset()
        left = sorted(was_in - set(product.category_slugs))
        same = unchanged(seen or {}, Product.pk, Product.name, Product.categories)
        node = put_of(product_node(product, tree), same)
        edges = _edges(product, tree, shards)
        both = keys.product(product.id), keys.by_name(product.id)
        gone = [(keys.category(slug), key) for slug in left for key in both]
        gone += words_of(seen).keys() - {(edge.pk, edge.sk) for edge in edges} if seen else ()
        copies: list[Action] = [delete(ShopItem, table_key(*key)) for key in gone]
        if seen is None or seen["name"]["S"] != product.name:
            for renaming in _renamings:
                copies += renaming(product.id, product.name)
        try:
            write_together(client(), [node, *map(put_of, edges), *copies])
        except ConditionFailed:
            seen = stored_products([product.id]).get(product.id)
            continue
        return was_in
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
    changed = [p for p in products if p.id in stored and not is_as_stored(p, stored[p.id])]
    were_in = pool().gather([partial(_change, p, stored[p.id], tree, shards) for p in changed])
    others = [p for p in products if p.id not in stored or is_as_stored(p, stored[p.id])]
    _put([product_node(product, tree) for product in others])
    _put([item for item in map(description_item, products) if item])
    _put([edge for product in others for edge in _edges(product, tree, shards)])
    _put_categories(tree, shards)
    # What changed may have left the shelves of other categories.
    left = frozenset().union(*were_in) - tree.by_slug.keys()
    pool().gather([partial(put_shelf, slug) for slug in sorted(left)])


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
    node = put_of(product_node(product, tree), ShopItem.pk.does_not_exist())
    try:
        write_together(client(), [node, *map(put_of, _edges(product, tree, shards))])
    except ConditionFailed:
        return False
    return True


def _put_categories(tree: CategoryTree, shards: int) -> None:
    paths = [tree.path(slug) for slug in tree.by_slug]
    _put([category_item(path, shards=shards) for path in paths])
    _put([parent_edge(path) for path in paths if len(path) > 1])
    roots = [path[0] for path in paths if len(path) == 1]
    pool().gather([partial(put_shelf, root.slug, root.name) for root in roots])


def _put(items: Sequence[ShopItem]) -> None:
    Batches(client(), pool()).put(TABLE, [item.serialize() for item in items])


def with_also(purchase: Item) -> list[Action]:
    """Build the update of a purchase that lacks what its buyer bought as well, as of now.

    If it is listed among the product's buyers, it moves to their one partition.
    """
    username = purchase[Purchase.username.attr_name]["S"]
    product_id = key_of(purchase)[1].removeprefix(keys.bought(username, ""))
    also = also_bought(product_id, bought_before(username))
    if also is None or ALSO in purchase:
        return []
    changes = [Purchase.also.set(also)]  # type: ignore[arg-type] # PynamoDB wants attributes
    if Purchase.data_partition.attr_name in purchase:
        changes.append(Purchase.data_partition.set(keys.buyers(product_id)))
    same = unchanged(purchase, Purchase.order_id, Purchase.data_partition, Purchase.also)
    return [update(TABLE, table_key(*key_of(purchase)), changes, same)]


ALSO_BOUGHT = MigrationStep(
    name="also-bought",
    sentence="Note with each purchase what its buyer bought as well, for “also bought”.",
    table=TABLE,
    only=Purchase.sk.startswith(keys.BOUGHT_PREFIX) & Purchase.also.does_not_exist(),
    derive=with_also,
)


SHOWN = (Product.name, Product.unit_price_cents, Product.currency, Product.trail)
"""What edges and words show of a product."""


def with_words(node: Item) -> list[Action]:
    """Build the puts of a product's items by words that are missing or differ, unless it changed.

    Those of an earlier name, of which only a crash leaves any, are for ``check_integrity``.
    """
    words = words_of(node)
    stored = read_items(words)
    puts = [put_of(word) for key, word in words.items() if word.serialize() != stored.get(key)]
    return [*puts, unless_changed(key_of(node), node, *SHOWN)] if puts else []


PRODUCT_WORDS = MigrationStep(
    name="product-words",
    sentence="Write the words of products' names, by which the search finds them.",
    table=TABLE,
    only=Product.pk.startswith(keys.PRODUCT_PREFIX) & Product.sk.startswith(keys.PRODUCT_PREFIX),
    derive=with_words,
)
