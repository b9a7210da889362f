"""The comparisons of the catalogue's check: each yields what differs, with its repair.

A product's own item says in which categories it is: edges from others are strays, and those that
are missing are put. One that lists no categories gets those of its edges.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pynamodb.attributes import Attribute

from dynapages.items import Item, table_key
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Difference, compare
from dynapages.writes import Action
from shop import keys
from shop.catalogue.changes import SHOWN, edge_keys, words_of
from shop.catalogue.content import CategoryTree, NewCategory, NewProduct
from shop.catalogue.items import EDGES, product_edges, product_item
from shop.catalogue.queries import first_edges
from shop.catalogue.shelves import SHELF, SHELF_LENGTH, items_on, put_shelf, root_key, shelf_of
from shop.catalogue.stored import category_in, product_of
from shop.catalogue.tiles import CATEGORIES, steps_in, trail_in
from shop.integrity.shards import PARTITION, in_stored_shard, put_or_delete, read_item
from shop.models import Category, CategoryEdge, Product, ProductEdge, ShopItem
from shop.table import Key, key_of, read_items, set_or_remove, unless_changed

SHOWN_NAMES = (
    "name",
    "unit_price_cents",
    "currency",
    "category",
    "trail",
    "words",
    "before",
    "rated",
    "stars",
)
"""What lists show of the catalogue and what keys are derived from; items may hold more."""
DECISIVE = Category.name, Category.trail, Category.is_off
"""What is derived from a category's own item depends on these."""
Read = Callable[[Iterable[Key]], Mapping[Key, Item]]
"""Reads items by their keys: again from the table, or from what the Scan has found."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A product in a category: two items, which must show what the product's own does."""

    slug: str
    product_id: str

    @property
    def item_keys(self) -> tuple[Key, Key]:
        """The keys of both items: by the product's id, and by its name."""
        return edge_keys(self.slug, self.product_id)

    @property
    def product_key(self) -> Key:
        """The key of the product's own item."""
        return keys.product(self.product_id), keys.product(self.product_id)


# Any item, and categories


def differing_item(
    kind: str,
    key: Key,
    items: Mapping[Key, Item],
    expected: ShopItem | None,
    *,
    subject: str = "",
    unless: Sequence[Action] = (),
) -> Iterator[Difference]:
    """Yield how a stored item differs from what it should be, each with its repair.

    ``expected`` is None where no item should be. ``unless`` are condition checks that the repair
    sends in its transaction: without it, a change made meanwhile would be lost. ``subject`` names
    what the item belongs to in the report.
    """
    stored = items.get(key)
    stored_values: Mapping[str, str]
    expected_values: Mapping[str, str]
    if stored is None or expected is None:
        stored_values = {"item": "none" if stored is None else "there"}
        expected_values = {"item": "none" if expected is None else "there"}
    else:
        stored_values = _values(stored)
        expected_values = in_stored_shard(stored_values, _values(expected.serialize()))
    if expected is not None and key[0] == keys.ROOT:
        # The edge from the root to a category also stores its shelf (the products that the front
        # page shows of it), which a put would delete.
        name = CategoryEdge.name.set(expected.serialize()["name"]["S"])
        write_expected = update(CategoryEdge, table_key(*key), [name])
    else:
        write_expected = put_or_delete(key, expected)
    repair = partial(_repair, [write_expected, *unless])
    yield from compare(kind, subject, stored_values, expected_values, repair=repair)


def _repair(actions: list[Action], _wrong: dict[str, Any]) -> None:
    """Write actions, after every shard of ``by_data`` in use is known to readers."""
    EDGES.writable()
    write_actions(actions)


def reread_category(
    key: Key, seen: Collection[NewCategory | None], expected: ShopItem | None
) -> Iterator[Difference]:
    """Compare again what looked wrong, unless its category changed since it was ``seen``."""
    node_key = key[1], key[1]
    items = read_items([key, node_key])
    if category_at(key, items) not in seen:
        return
    subject = slug_in(key)
    unless = []
    if not is_node(key):
        subject += f" in {key[0].removeprefix(keys.CATEGORY_PREFIX)}"
        unless.append(unless_changed(node_key, items.get(node_key), *DECISIVE))
    yield from differing_item("category", key, items, expected, subject=subject, unless=unless)


# Products


def expected_edges(
    edge: Edge, names: Mapping[str, str], shards: int, items: Mapping[Key, Item]
) -> list[ProductEdge]:
    """Build both items of an edge: none when the product is not in the category."""
    node = items.get(edge.product_key)
    names_of_product = _names_of(node, [edge], items, names)
    if node is None or edge.slug not in names_of_product:
        return []
    # As if it were in this category alone: its other edges are compared by themselves.
    product = replace(product_of(node), category_slugs=(edge.slug,))
    return product_edges(product, names=names_of_product, shards=shards)


def differing_edge(
    edge: Edge, names: Mapping[str, str], shards: int, *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare both items of an edge with its product."""
    items = read([edge.product_key, *edge.item_keys])
    expected = {(item.pk, item.sk): item for item in expected_edges(edge, names, shards, items)}
    product = items.get(edge.product_key)
    same = unless_changed(edge.product_key, product, *SHOWN, Product.categories)
    subject = f"product {edge.product_id} in {edge.slug}"
    for key in edge.item_keys:
        yield from differing_item(
            "edge", key, items, expected.get(key), subject=subject, unless=[same]
        )


def differing_product(
    edges: Sequence[Edge], tree: CategoryTree, *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare a product's trail, and the names of its categories, with the categories."""
    product_key = edges[0].product_key
    items = read([product_key, *(edge.item_keys[0] for edge in edges)])
    node = items.get(product_key)
    if node is None:
        return
    names = _names_of(node, edges, items, tree.names)
    known = sorted(slug for slug in names if slug in tree.by_slug)
    path: Sequence[NewCategory] = ()
    compared: list[Attribute[Any]] = [Product.categories]
    if not _is_trail_right(node, known, tree):
        path = tree.deepest_path(known)
        compared.append(Product.trail)
    expected = product_item(NewProduct("", "", ()), path=path, categories=names).serialize()
    for attribute in compared:
        name = attribute.attr_name
        changes = set_or_remove(Product, [name], expected)
        # Its other attributes may change meanwhile: they are not written.
        same = unchanged(node, Product.pk, attribute)
        yield from compare(
            name,
            f"product {edges[0].product_id}",
            {name: _show_steps(node, name)},
            {name: _show_steps(expected, name)},
            repair=partial(_repair, [update(Product, table_key(*key_of(node)), changes, same)]),
        )


def _is_trail_right(node: Item, slugs: Sequence[str], tree: CategoryTree) -> bool:
    """Return whether a product's trail leads to one of its categories, or it is in none."""
    trail = _pairs(trail_in(node))
    return not slugs or any(trail == _pairs(tree.path(slug)) for slug in slugs)


def differing_words(
    product_id: str, words: Collection[Key], *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare the items by a product's words.

    Those of a new name are not among ``words``: who renamed it wrote them.
    """
    own_key = keys.product(product_id), keys.product(product_id)
    items = read([own_key, *words])
    own = items.get(own_key)
    expected = {} if own is None else words_of(own)
    same = unless_changed(own_key, own, *SHOWN)
    for key in sorted(words):
        subject = f"product {product_id} by “{key[1]}”"
        yield from differing_item(
            "word", key, items, expected.get(key), subject=subject, unless=[same]
        )


def _names_of(
    node: Item | None, edges: Iterable[Edge], items: Mapping[Key, Item], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the names of the categories that a product is in: if it lists none, by its edges."""
    own_names = {}
    if node is not None and CATEGORIES in node:
        for step in steps_in(node, CATEGORIES):
            own_names[step.slug] = step.name
    else:
        for edge in edges:
            item = items.get(edge.item_keys[0])
            if item:
                own_names[edge.slug] = item["category"]["S"] if "category" in item else edge.slug
    return {slug: names.get(slug) or name for slug, name in own_names.items()}


# Shelves


def differing_shelf(slug: str, item: Item, edges: Sequence[Item]) -> Iterator[Difference]:
    """Compare the shelf of an edge from the root with the edges to its first products."""
    expected = shelf_of(edges)
    if item.get(SHELF) != expected:
        yield Difference(
            "shelf",
            f"category {slug}",
            _names_on(item) if SHELF in item else "no shelf",
            _names_on({SHELF: expected}),
            repair=partial(put_shelf, slug),
        )


def reread_shelf(slug: str) -> Iterator[Difference]:
    """Compare a category's shelf again, with what both are now."""
    item = read_item(root_key(slug))
    if item:
        yield from differing_shelf(slug, item, first_edges(slug, SHELF_LENGTH))


def _names_on(edge: Item) -> str:
    """Format the products on a shelf for a report."""
    names = [product["name"]["S"] for product in items_on(edge)]
    return ", ".join(names) or "nothing on it"


# Keys and values


def is_node(key: Key) -> bool:
    """Return whether a key is of a category's own item."""
    return key[0] == key[1] and key[0].startswith(keys.CATEGORY_PREFIX)


def slug_in(key: Key) -> str:
    """Return the slug of the category that a key leads to."""
    return key[1].removeprefix(keys.CATEGORY_PREFIX)


def category_at(key: Key, items: Mapping[Key, Item]) -> NewCategory | None:
    """Return the category that a key is of, as its own item has it; None where there is none."""
    node = items.get((key[1], key[1]))
    return category_in(node) if node else None


def _values(item: Item) -> dict[str, str]:
    """Return what is compared of an item, as texts."""
    values = {}
    for name in (*SHOWN_NAMES, PARTITION, "data"):
        if name not in item:
            continue
        if "L" in item[name]:
            values[name] = _show_steps(item, name)
        else:
            (value,) = item[name].values()
            values[name] = str(value)
    return values


def _show_steps(item: Item, name: str) -> str:
    """Format a list of categories for a report."""
    steps = [f"{slug}:{category}" for slug, category in _pairs(steps_in(item, name))]
    return "/".join(steps) or "none"


def _pairs(steps: Iterable[Any]) -> list[tuple[str, str]]:
    return [(step.slug, step.name) for step in steps]
