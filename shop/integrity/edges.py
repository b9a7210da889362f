"""The integrity of products' edges: what they show, their keys, and the way to each product.

A product's own item tells in which categories it is: edges from others are strays, and those that
are missing are put. An item of an older version that lists no categories gets those of its edges.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pynamodb.attributes import Attribute

from dynamo.items import Item, table_key
from dynamo.lists.places import SEPARATOR
from dynamo.upkeep.differences import difference
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import Action, unchanged, update
from shop import keys
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.changes import shown
from shop.catalogue.items import NewCategory, NewProduct, product_edges, product_item
from shop.catalogue.queries import edges_of, steps_in, trail_in
from shop.integrity.comparing import put_or_delete, spelled, write_to_shards, wrong_in
from shop.models import Product, ProductEdge, ShopItem
from shop.table import EDGES, Key, key_of, put_of, read_items, set_or_remove, unless_changed

_CATEGORIES = Product.categories.attr_name
SHOWN = (Product.name, Product.unit_price_cents, Product.currency)
EDGE = (
    ProductEdge.pk,
    ProductEdge.name,
    ProductEdge.unit_price_cents,
    ProductEdge.currency,
    ProductEdge.category,
    ProductEdge.data,
)


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
        """Build both items as they should be: none when the product is not in the category."""
        node = items.get(self.product_key)
        named = _names_of(node, [self], items, names)
        if node is None or self.slug not in named:
            return {}
        name, cents, currency = shown(node)
        product = NewProduct(
            self.product_id, name, (self.slug,), unit_price_cents=cents, currency=currency
        )
        built = product_edges(product, names=named, shards=shards)
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
        by_product: dict[str, list[_Edge]] = {}
        for edge in self._edges():
            by_product.setdefault(edge.product_id, []).append(edge)
            if any(_wrong(edge, self.items, names, shards)):
                again = read_items([edge.product_key, edge.edge_key, edge.by_name_key])
                yield from _wrong(edge, again, names, shards)
        for edges in by_product.values():
            if any(_wrong_node(edges, self.items, tree)):
                again = read_items([edges[0].product_key, *(edge.edge_key for edge in edges)])
                yield from _wrong_node(edges, again, tree)

    def by_category(self, tree: CategoryTree) -> dict[str, list[Item]]:
        """Return the edges there should be by the slugs of their categories, in order of ids."""
        names = tree.names
        found: dict[str, list[Item]] = {}
        for edge in self._edges():
            if item := edge.expected(self.items, names, 1).get(edge.edge_key):
                found.setdefault(edge.slug, []).append(item.serialize())
        return found

    def _edges(self) -> list[_Edge]:
        found = set[tuple[str, str]]()
        for (partition, sort_key), item in self.items.items():
            product_id = sort_key.partition(SEPARATOR)[2]
            if partition.startswith(keys.CATEGORY_PREFIX):
                found.add((partition.removeprefix(keys.CATEGORY_PREFIX), product_id))
            else:
                found |= {(step.slug, product_id) for step in steps_in(item, _CATEGORIES)}
        return [_Edge(*pair) for pair in sorted(found)]


def _wrong(
    edge: _Edge, items: Mapping[Key, Item], names: Mapping[str, str], shards: int
) -> Iterator[Difference]:
    expected = edge.expected(items, names, shards)
    for key in (edge.edge_key, edge.by_name_key):
        wrong, right = wrong_in(items.get(key), expected.get(key))
        if wrong:
            node = items.get(edge.product_key)
            seen = unless_changed(edge.product_key, node, *SHOWN, Product.categories)
            yield difference(
                "edge",
                f"product {edge.product_id} in {edge.slug}",
                wrong,
                right,
                repair=partial(write_to_shards, [put_or_delete(key, expected.get(key)), seen]),
            )


def _wrong_node(
    edges: Sequence[_Edge], items: Mapping[Key, Item], tree: CategoryTree
) -> Iterator[Difference]:
    """Compare a product's trail, and the names of its categories, with the categories."""
    key = edges[0].product_key
    node = items.get(key)
    if node is None:
        return
    names = _names_of(node, edges, items, tree.names)
    attributes, built = _differing(node, names, tree)
    for attribute in attributes:
        name = attribute.attr_name
        yield difference(
            name,
            f"product {edges[0].product_id}",
            {name: _spelled(node, name)},
            {name: _spelled(built, name)},
            repair=partial(write_to_shards, [_renewed(node, built, [attribute])]),
        )


def _differing(
    node: Item, names: Mapping[str, str], tree: CategoryTree
) -> tuple[list[Attribute[Any]], Item]:
    """Return the attributes of a product that do not follow from its categories, and the right."""
    known = sorted(slug for slug in names if slug in tree.by_slug)
    is_led = not known or _leads_to(node, known, tree)
    path = () if is_led else tree.deepest_path(known)
    built = product_item(NewProduct("", "", ()), path=path, categories=names).serialize()
    derived = (Product.categories, *(() if is_led else (Product.trail,)))
    return [
        each for each in derived if node.get(each.attr_name) != built.get(each.attr_name)
    ], built


def _renewed(node: Item, built: Item, attributes: Sequence[Attribute[Any]]) -> Action:
    changes = set_or_remove(Product, [each.attr_name for each in attributes], built)
    same = unchanged(node, Product.pk, *attributes)
    return update(Product, table_key(*key_of(node)), changes, same)


def edge_changes(item: Item) -> list[Action]:
    """Build the puts of the edges of a product from a category that lists by price or name lack.

    Edges to a product that does not exist stay.
    """
    partition, sort_key = key_of(item)
    slug, product_id = partition.removeprefix(keys.CATEGORY_PREFIX), sort_key.partition("#")[2]
    edge = _Edge(slug, product_id)
    items = read_items([edge.product_key, edge.edge_key, edge.by_name_key])
    expected = edge.expected(items, {}, EDGES.writable())
    lacking = [
        put_of(built, unchanged(items.get(key, {}), *EDGE))
        for key, built in expected.items()
        if key not in items or _is_unlisted(items[key], built)
    ]
    if not lacking:
        return []
    return [*lacking, unless_changed(edge.product_key, items.get(edge.product_key), *SHOWN)]


def _is_unlisted(edge: Item, expected: ShopItem) -> bool:
    name = ProductEdge.data.attr_name
    return name not in edge and name in expected.serialize()


def way_changes(node: Item) -> list[Action]:
    """Build the update that adds the categories and trail that a product lacks.

    Its edges are found by an index, which lags behind the table by a moment, so that it knows no
    better than a product that has them.
    """
    if all(each.attr_name in node for each in (Product.categories, Product.trail)):
        return []
    product_id = node["pk"]["S"].removeprefix(keys.PRODUCT_PREFIX)
    edges = [_Edge(category.slug, product_id) for category in edges_of(product_id)]
    own_keys = [(keys.category(edge.slug),) * 2 for edge in edges]
    items = read_items([*(edge.edge_key for edge in edges), *own_keys])
    tree = _tree_of(items[key] for key in own_keys if key in items)
    attributes, built = _differing(node, _names_of(node, edges, items, tree.names), tree)
    lacking = [each for each in attributes if each.attr_name not in node]
    return [_renewed(node, built, lacking)] if lacking else []


def _tree_of(nodes: Iterable[Item]) -> CategoryTree:
    """Build the tree of some categories and of those above them."""
    found: dict[str, NewCategory] = {}
    for node in nodes:
        own = node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX), node["name"]["S"]
        parent = None
        for slug, name in (*((step.slug, step.name) for step in trail_in(node)), own):
            found[slug] = NewCategory(slug, name, parent)
            parent = slug
    return CategoryTree(found)


def _names_of(
    node: Item | None, edges: Iterable[_Edge], items: Mapping[Key, Item], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the names of the categories that a product is in; of old ones, among ``edges``."""
    if node is not None and _CATEGORIES in node:
        listed = {step.slug: step.name for step in steps_in(node, _CATEGORIES)}
    else:
        found = {edge.slug: items[edge.edge_key] for edge in edges if edge.edge_key in items}
        listed = {slug: item.get("category", {"S": slug})["S"] for slug, item in found.items()}
    return {slug: names.get(slug) or name for slug, name in listed.items()}


def _spelled(item: Item, name: str) -> str:
    return spelled((step.slug, step.name) for step in steps_in(item, name)) or "none"


def _leads_to(node: Item | None, slugs: Iterable[str], tree: CategoryTree) -> bool:
    """Return whether a product's trail is the way to any of its categories."""
    stored = [(step.slug, step.name) for step in trail_in(node or {})]
    return any(stored == [(step.slug, step.name) for step in tree.path(slug)] for slug in slugs)
