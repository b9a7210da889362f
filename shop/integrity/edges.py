"""The integrity of products' edges: what they show, their keys, and the way to each product.

A product's own item tells in which categories it is: edges from others are strays, and those that
are missing are put.
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
from shop.catalogue.items import NewProduct, product_edges, product_item
from shop.catalogue.queries import CATEGORIES, steps_in, trail_in
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
        """Build both items as they should be: none when the product is not in the category."""
        node = items.get(self.product_key)
        named = _names_of(node, names) if node else {}
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
        for edge in self._edges():
            if any(_wrong(edge, self.items, names, shards)):
                again = read_items([edge.product_key, edge.edge_key, edge.by_name_key])
                yield from _wrong(edge, again, names, shards)
        products = (key for key in self.items if key[0].startswith(keys.PRODUCT_PREFIX))
        for key in sorted(products):
            if any(_wrong_node(self.items[key], tree)) and (again := read_items([key])):
                yield from _wrong_node(again[key], tree)

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
                found |= {(step.slug, product_id) for step in steps_in(item, CATEGORIES)}
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


def _wrong_node(node: Item, tree: CategoryTree) -> Iterator[Difference]:
    """Compare a product's trail, and the names of its categories, with the categories."""
    attributes, built = _differing(node, _names_of(node, tree.names), tree)
    for attribute in attributes:
        name = attribute.attr_name
        yield difference(
            name,
            f"product {node['pk']['S'].removeprefix(keys.PRODUCT_PREFIX)}",
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


def _names_of(node: Item, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the categories that a product is in."""
    listed = steps_in(node, CATEGORIES)
    return {step.slug: names.get(step.slug) or step.name for step in listed}


def _spelled(item: Item, name: str) -> str:
    return spelled((step.slug, step.name) for step in steps_in(item, name)) or "none"


def _leads_to(node: Item | None, slugs: Iterable[str], tree: CategoryTree) -> bool:
    """Return whether a product's trail is the way to any of its categories."""
    stored = [(step.slug, step.name) for step in trail_in(node or {})]
    return any(stored == [(step.slug, step.name) for step in tree.path(slug)] for slug in slugs)
