"""The check of the catalogue: categories, the ways to them, products and their edges, shelves.

A product's own item tells in which categories it is: edges from others are strays, and those that
are missing are put. One that lists no categories gets those of its edges.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pynamodb.attributes import Attribute

from dynapages.items import Item, table_key
from dynapages.lists import SEPARATOR, id_at
from dynapages.process import write
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Candidate, Difference, Handlers, compare
from dynapages.writes import Action, delete
from shop import keys
from shop.catalogue.changes import SHOWN, edge_keys, words_of
from shop.catalogue.content import DEEPEST, BrokenTree, CategoryTree, NewCategory, NewProduct
from shop.catalogue.items import (
    EDGES,
    MOST_SHARDS,
    category_item,
    parent_edge,
    product_edges,
    product_item,
    shard_in,
)
from shop.catalogue.queries import first_edges
from shop.catalogue.shelves import SHELF, SHELF_LENGTH, items_on, put_shelf, root_key, shelf_of
from shop.catalogue.stored import category_in, product_of
from shop.catalogue.tiles import steps_in, trail_in
from shop.models import Category, CategoryEdge, Product, ProductEdge, ShopItem
from shop.table import Key, key_of, put_of, read_items, set_or_remove, unless_changed

PARTITION = ProductEdge.data_partition.attr_name
SHOWN_NAMES = "name", "unit_price_cents", "currency", "category", "trail", "words", "before"
"""What lists show of the catalogue and what keys are derived from; items may hold more."""
_CATEGORIES = Product.categories.attr_name
Edge = tuple[str, str]
"""A category's slug and a product's id: two items, which must show what the product's own does."""
Read = Callable[[Iterable[Key]], Mapping[Key, Item]]
"""Reads items by their keys: again from the table, or from what the Scan has found."""


@dataclass(slots=True)
class ShardNumber:
    """The number of shards that readers read, which must hold all that items are in.

    ``shard_in`` returns the shard of an item, or None. ``number`` is known with the candidates.
    """

    subject: str
    starts: Key
    shard_in: Callable[[Item], int | None]
    count: Callable[[], int]
    raise_to: Callable[[int], object]
    least: int = 1
    needed: int = 1
    number: int = 1

    def handlers(self) -> Handlers:
        return {self.starts: self.add}

    def add(self, item: Item) -> None:
        """Note the shard that an item is in."""
        if (shard := self.shard_in(item)) is not None:
            self.needed = max(self.needed, shard + 1)

    def candidates(self) -> Iterator[Candidate]:
        yield Candidate(self._reread)

    def _reread(self) -> Iterator[Difference]:
        stored = self.count()
        self.number = max(stored, self.needed, self.least)
        if stored < self.needed:
            yield from compare(
                "shards",
                self.subject,
                {"number": stored},
                {"number": self.needed},
                repair=lambda expected: self.raise_to(expected["number"]),
            )


class CatalogueItems:
    """Compares the items of the catalogue: categories first, as the ways to products lead by them.

    ``shards`` is the number of those of the index ``by_data``.
    """

    def __init__(self, shards: ShardNumber) -> None:
        self._shards = shards
        self._items: dict[Key, Item] = {}

    def handlers(self) -> Handlers:
        targets = (keys.CATEGORY_PREFIX, keys.PRODUCT_PREFIX, keys.NAME_PREFIX)
        starts = [(keys.CATEGORY_PREFIX, target) for target in targets]
        starts += [(keys.PRODUCT_PREFIX, keys.PRODUCT_PREFIX), (keys.WORDS_PREFIX, "")]
        return dict.fromkeys(starts, self.add)

    def add(self, item: Item) -> None:
        """Note a category, a product's own item, an edge to either, or a product by a word."""
        self._items[key_of(item)] = item

    def candidates(self) -> Iterator[Candidate]:
        tree = self._tree()
        yield from self._category_candidates(tree)
        yield from self._product_candidates(tree)
        yield from self._word_candidates()
        yield from self._shelf_candidates(tree)

    def _tree(self) -> CategoryTree:
        """Return the tree of categories; one whose way from the root is broken is at its top."""
        nodes = {_slug(key): item for key, item in self._items.items() if _is_node(key)}
        tree = CategoryTree({slug: category_in(node) for slug, node in nodes.items()})
        broken = [slug for slug in tree.by_slug if _is_broken(tree, slug)]
        tops = {slug: replace(tree.by_slug[slug], parent=None) for slug in broken}
        return CategoryTree({**tree.by_slug, **tops})

    def _category_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        expected: dict[Key, ShopItem] = {}
        for slug in sorted(tree.by_slug):
            path = tree.path(slug)
            edges = [] if path[-1].is_off else [parent_edge(path)]
            for item in (category_item(path, shards=self._shards.number), *edges):
                expected[item.pk, item.sk] = item
        stored = {key for key in self._items if key[1].startswith(keys.CATEGORY_PREFIX)}
        for key in sorted(stored | expected.keys()):
            wanted = expected.get(key)
            if any(_differing_item("category", key, self._items, wanted)):
                seen = {_category(key, self._items), tree.by_slug.get(_slug(key))}
                yield Candidate(partial(_reread_category, key, seen, wanted))

    def _product_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        by_product: dict[str, list[Edge]] = {}
        context = tree.names, self._shards.number
        for edge in self._edges():
            by_product.setdefault(edge[1], []).append(edge)
            yield from self._if_wrong(_differing_edge, edge, *context)
        for edges in by_product.values():
            for candidate in self._if_wrong(_differing_product, edges, tree):
                yield candidate
                self._items |= read_items([_product_key(edges[0])])  # for its words

    def _word_candidates(self) -> Iterator[Candidate]:
        words: defaultdict[str, set[Key]] = defaultdict(set)
        for key, item in self._items.items():
            if key[0].startswith(keys.WORDS_PREFIX):
                words[id_at(key[1])].add(key)
            elif key[0].startswith(keys.PRODUCT_PREFIX):
                words[id_at(key[1])] |= words_of(item).keys()
        for product in sorted(words.items()):
            yield from self._if_wrong(_differing_words, *product)

    def _shelf_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        edges: dict[str, list[Item]] = {}
        for edge in self._edges():
            for built in _expected_edges(edge, tree.names, 1, self._items)[:1]:
                edges.setdefault(edge[0], []).append(built.serialize())
        for key, item in sorted(self._items.items()):
            slug = _slug(key)
            if key[0] == keys.ROOT and slug in tree.by_slug:
                on_shelf = edges.get(slug, [])[:SHELF_LENGTH]
                if found := list(_differing_shelf(slug, item, on_shelf)):
                    yield Candidate(partial(_reread_shelf, slug), found)

    def _if_wrong(
        self, differing: Callable[..., Iterator[Difference]], *arguments: object
    ) -> Iterator[Candidate]:
        if any(differing(*arguments, read=lambda _keys: self._items)):
            yield Candidate(partial(differing, *arguments))

    def _edges(self) -> list[Edge]:
        found = set[Edge]()
        for (partition, sort_key), item in self._items.items():
            kind, _, product_id = sort_key.partition(SEPARATOR)
            if kind + SEPARATOR == keys.CATEGORY_PREFIX:
                continue
            if partition.startswith(keys.CATEGORY_PREFIX):
                found.add((partition.removeprefix(keys.CATEGORY_PREFIX), product_id))
            else:
                found |= {(step.slug, product_id) for step in steps_in(item, _CATEGORIES)}
        return sorted(found)


def put_or_delete(key: Key, expected: ShopItem | None) -> Action:
    """Build the action that makes an item what it should be; None stands for no item."""
    return delete(ShopItem, table_key(*key)) if expected is None else put_of(expected)


def in_stored_shard(stored: Mapping[str, str], expected: Mapping[str, str]) -> Mapping[str, str]:
    """Return the expected keys in the shard of those stored, if there can be such a shard.

    An entry of ``by_data`` is right in any.
    """
    partition, wanted = stored.get(PARTITION, ""), expected.get(PARTITION, "")
    shard = min(shard_in(partition), MOST_SHARDS - 1)
    if wanted and partition == f"{wanted.rpartition(SEPARATOR)[0]}{SEPARATOR}{shard}":
        return {**expected, PARTITION: partition}
    return expected


def _differing_item(
    kind: str,
    key: Key,
    items: Mapping[Key, Item],
    expected: ShopItem | None,
    *,
    subject: str = "",
    unless: Sequence[Action] = (),
) -> Iterator[Difference]:
    """Compare an item with what it should be, None for no item; ``unless`` goes with its repair."""
    stored = items.get(key)
    if stored is None or expected is None:
        left, right = ({"item": "none" if each is None else "there"} for each in (stored, expected))
    else:
        left = _values(stored)
        right = dict(in_stored_shard(left, _values(expected.serialize())))
    put = put_or_delete(key, expected)
    if expected is not None and key[0] == keys.ROOT:  # whose edges keep their shelves
        name = CategoryEdge.name.set(expected.serialize()["name"]["S"])
        put = update(CategoryEdge, table_key(*key), [name])
    yield from compare(kind, subject, left, right, repair=partial(_repair, [put, *unless]))


def _repair(actions: list[Action], _wrong: dict[str, Any]) -> None:
    """Write actions, after telling readers of every shard of ``by_data`` in use."""
    EDGES.writable()
    write(actions)


def _reread_category(
    key: Key, seen: Collection[NewCategory | None], expected: ShopItem | None
) -> Iterator[Difference]:
    """Compare again what looked wrong, unless its category changed since it was ``seen``."""
    node_key = key[1], key[1]
    items = read_items([key, node_key])
    if _category(key, items) in seen:
        decisive = Category.name, Category.trail, Category.is_off
        subject, unless = _slug(key), [unless_changed(node_key, items.get(node_key), *decisive)]
        if _is_node(key):
            unless = []
        else:
            subject += f" in {key[0].removeprefix(keys.CATEGORY_PREFIX)}"
        yield from _differing_item("category", key, items, expected, subject=subject, unless=unless)


def _expected_edges(
    edge: Edge, names: Mapping[str, str], shards: int, items: Mapping[Key, Item]
) -> list[ProductEdge]:
    """Build both items of an edge: none when the product is not in the category."""
    slug, node = edge[0], items.get(_product_key(edge))
    named = _names_of(node, [edge], items, names)
    if node is None or slug not in named:
        return []
    product = replace(product_of(node), category_slugs=(slug,))
    return product_edges(product, names=named, shards=shards)


def _differing_edge(
    edge: Edge, names: Mapping[str, str], shards: int, *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare both items of an edge with its product."""
    slug, product_id = edge
    product_key = _product_key(edge)
    items = read([product_key, *edge_keys(*edge)])
    expected = {(e.pk, e.sk): e for e in _expected_edges(edge, names, shards, items)}
    same = unless_changed(product_key, items.get(product_key), *SHOWN, Product.categories)
    for key in edge_keys(*edge):
        wanted, subject = expected.get(key), f"product {product_id} in {slug}"
        yield from _differing_item("edge", key, items, wanted, subject=subject, unless=[same])


def _differing_product(
    edges: Sequence[Edge], tree: CategoryTree, *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare a product's trail, and the names of its categories, with the categories."""
    items = read([_product_key(edges[0]), *(edge_keys(*edge)[0] for edge in edges)])
    node = items.get(_product_key(edges[0]))
    if node is None:
        return
    names = _names_of(node, edges, items, tree.names)
    known = sorted(slug for slug in names if slug in tree.by_slug)
    trail = _pairs(trail_in(node))
    is_led = not known or any(trail == _pairs(tree.path(slug)) for slug in known)
    path = () if is_led else tree.deepest_path(known)
    expected = product_item(NewProduct("", "", ()), path=path, categories=names).serialize()
    attributes: list[Attribute[Any]] = [Product.categories]
    for attribute in attributes if is_led else [*attributes, Product.trail]:
        name = attribute.attr_name
        changes = set_or_remove(Product, [name], expected)
        same = unchanged(node, Product.pk, attribute)
        repair = partial(_repair, [update(Product, table_key(*key_of(node)), changes, same)])
        stored, wanted = ({name: _shown_steps(one, name)} for one in (node, expected))
        yield from compare(name, f"product {edges[0][1]}", stored, wanted, repair=repair)


def _differing_words(
    product_id: str, words: Collection[Key], *, read: Read = read_items
) -> Iterator[Difference]:
    """Compare the items by a product's words.

    Those of a new name are not among ``words``: who renamed it wrote them.
    """
    own = (keys.product(product_id),) * 2
    items = read([own, *words])
    expected = words_of(items[own]) if own in items else {}
    same = unless_changed(own, items.get(own), *SHOWN)
    for key in sorted(words):
        wanted, subject = expected.get(key), f"product {product_id} by “{key[1]}”"
        yield from _differing_item("word", key, items, wanted, subject=subject, unless=[same])


def _names_of(
    node: Item | None, edges: Iterable[Edge], items: Mapping[Key, Item], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the names of the categories that a product is in: if it lists none, by its edges."""
    if node is not None and _CATEGORIES in node:
        listed = {step.slug: step.name for step in steps_in(node, _CATEGORIES)}
    else:
        found = {edge[0]: items.get(edge_keys(*edge)[0]) for edge in edges}
        listed = {s: item.get("category", {"S": s})["S"] for s, item in found.items() if item}
    return {slug: names.get(slug) or name for slug, name in listed.items()}


def _differing_shelf(slug: str, item: Item, edges: Sequence[Item]) -> Iterator[Difference]:
    expected = shelf_of(edges)
    if item.get(SHELF) != expected:
        yield Difference(
            "shelf",
            f"category {slug}",
            _names_on(item) if SHELF in item else "no shelf",
            _names_on({SHELF: expected}),
            repair=partial(put_shelf, slug),
        )


def _reread_shelf(slug: str) -> Iterator[Difference]:
    key = root_key(slug)
    if item := read_items([key]).get(key):
        yield from _differing_shelf(slug, item, first_edges(slug, SHELF_LENGTH))


def _names_on(edge: Item) -> str:
    return ", ".join(product["name"]["S"] for product in items_on(edge)) or "nothing on it"


def _product_key(edge: Edge) -> Key:
    return (keys.product(edge[1]),) * 2


def _is_node(key: Key) -> bool:
    """Return whether a key is of a category's own item."""
    return key[0] == key[1] and key[0].startswith(keys.CATEGORY_PREFIX)


def _slug(key: Key) -> str:
    return key[1].removeprefix(keys.CATEGORY_PREFIX)


def _category(key: Key, items: Mapping[Key, Item]) -> NewCategory | None:
    """Return the category that a key is of, as its own item tells it."""
    node = items.get((key[1], key[1]))
    return category_in(node) if node else None


def _is_broken(tree: CategoryTree, slug: str) -> bool:
    try:
        return len(tree.path(slug)) > DEEPEST
    except BrokenTree:
        return True


def _values(item: Item) -> dict[str, str]:
    return {
        name: _shown_steps(item, name) if "L" in item[name] else str(*item[name].values())
        for name in (*SHOWN_NAMES, PARTITION, "data")
        if name in item
    }


def _shown_steps(item: Item, name: str) -> str:
    return "/".join(f"{slug}:{named}" for slug, named in _pairs(steps_in(item, name))) or "none"


def _pairs(steps: Iterable[Any]) -> list[tuple[str, str]]:
    return [(step.slug, step.name) for step in steps]
