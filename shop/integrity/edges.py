"""The integrity of products' edges: what they show, their keys, and the way to each product."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from dynamo.items import Item, table_key
from dynamo.lists.places import SEPARATOR
from dynamo.upkeep.differences import difference
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import unchanged, update
from shop import keys
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.changes import shown
from shop.catalogue.items import NewProduct, product_edges, product_item
from shop.catalogue.queries import trail_in
from shop.integrity.comparing import put_or_delete, spelled, write_to_shards, wrong_in
from shop.models import Product, ShopItem
from shop.table import Key, key_of, read_items, set_or_remove, unless_changed

SHOWN = (Product.name, Product.unit_price_cents, Product.currency)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A product in a category: two items, which must show what the product's own does."""

    slug: str
    product_id: str

    @property
    def product_key(self) -> Key:
        return keys.product(self.product_id), keys.product(self.product_id)

    @property
    def edge_key(self) -> Key:
        return keys.category(self.slug), keys.product(self.product_id)

    @property
    def by_name_key(self) -> Key:
        return keys.category(self.slug), keys.by_name(self.product_id)

    def expected(
        self, items: Mapping[Key, Item], names: Mapping[str, str], shards: int
    ) -> dict[Key, ShopItem]:
        """Build both items as they should be: none when there is no product or no edge to it."""
        node, edge = items.get(self.product_key), items.get(self.edge_key)
        if node is None or edge is None:
            return {}
        name, cents, currency = shown(node)
        product = NewProduct(
            self.product_id, name, (self.slug,), unit_price_cents=cents, currency=currency
        )
        known = names.get(self.slug) or edge.get("category", {"S": self.slug})["S"]
        built = product_edges(product, names={self.slug: known}, shards=shards)
        return {(item.pk, item.sk): item for item in built}


@dataclass(slots=True)
class EdgesFound:
    """Products and both edges of each from each of its categories, by their table keys."""

    items: dict[Key, Item] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        """Note a product's own item, or an edge to it."""
        self.items[key_of(item)] = item

    def differences(self, tree: CategoryTree, shards: int) -> Iterator[Difference]:
        """Compare each edge with its product, and each product's way with its categories."""
        names = tree.names
        slugs: dict[str, list[str]] = {}
        for edge in self._edges():
            slugs.setdefault(edge.product_id, []).append(edge.slug)
            if any(_wrong(edge, self.items, names, shards)):
                again = read_items([edge.product_key, edge.edge_key, edge.by_name_key])
                yield from _wrong(edge, again, names, shards)
        for product_id, found in slugs.items():
            yield from _wrong_trail(product_id, self.items, found, tree)

    def _edges(self) -> list[_Edge]:
        found = {
            (partition.removeprefix(keys.CATEGORY_PREFIX), sort_key.partition(SEPARATOR)[2])
            for partition, sort_key in self.items
            if partition.startswith(keys.CATEGORY_PREFIX)
        }
        return [_Edge(*pair) for pair in sorted(found)]


def _wrong(
    edge: _Edge, items: Mapping[Key, Item], names: Mapping[str, str], shards: int
) -> Iterator[Difference]:
    expected = edge.expected(items, names, shards)
    for key in (edge.edge_key, edge.by_name_key):
        wrong, right = wrong_in(items.get(key), expected.get(key))
        if wrong:
            seen = unless_changed(edge.product_key, items.get(edge.product_key), *SHOWN)
            yield difference(
                "edge",
                f"product {edge.product_id} in {edge.slug}",
                wrong,
                right,
                repair=partial(write_to_shards, [put_or_delete(key, expected.get(key)), seen]),
            )


def _wrong_trail(
    product_id: str, items: Mapping[Key, Item], slugs: Iterable[str], tree: CategoryTree
) -> Iterator[Difference]:
    known = sorted(slug for slug in slugs if slug in tree.by_slug)
    key = keys.product(product_id), keys.product(product_id)
    if not known or _leads_to(items.get(key), known, tree):
        return
    node = read_items([key]).get(key)
    if node is None or _leads_to(node, known, tree):
        return
    path = tree.deepest_path(known)
    built = product_item(NewProduct(product_id, "", ()), path=path).serialize()
    trail = Product.trail.attr_name
    renewed = update(
        Product,
        table_key(*key),
        set_or_remove(Product, [trail], built),
        unchanged(node, Product.pk, Product.trail),
    )
    yield difference(
        "trail",
        f"product {product_id}",
        {"way": spelled((step.slug, step.name) for step in trail_in(node)) or "none"},
        {"way": spelled((step.slug, step.name) for step in path)},
        repair=partial(write_to_shards, [renewed]),
    )


def _leads_to(node: Item | None, slugs: Iterable[str], tree: CategoryTree) -> bool:
    """Return whether a product's trail is the way to any of its categories."""
    stored = [(step.slug, step.name) for step in trail_in(node or {})]
    return any(stored == [(step.slug, step.name) for step in tree.path(slug)] for slug in slugs)
