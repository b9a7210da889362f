"""The check of the catalogue: categories, the ways to them, products and their edges, shelves.

`CatalogueItems` notes what the Scan finds, and names what looks wrong; the comparisons are in
`shop.integrity.catalogue_differences`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from dynapages.items import Item
from dynapages.lists import SEPARATOR, id_at
from dynapages.process import write_actions
from dynapages.upkeep import Candidate, Derived, Difference, Handlers, Kind, texts_in
from shop import keys
from shop.catalogue.changes import (
    ALL_PRODUCTS_KEYS,
    keys_among_all,
    update_among_all,
    words_of,
)
from shop.catalogue.content import DEEPEST, BrokenTree, CategoryTree
from shop.catalogue.items import (
    EDGE_SHARDS,
    EDGES,
    MOST_SHARDS,
    category_item,
    parent_edge,
    shard_in,
)
from shop.catalogue.shelves import SHELF_LENGTH, root_key
from shop.catalogue.stored import category_in
from shop.catalogue.tiles import CATEGORIES, steps_in
from shop.integrity.bought_products import BoughtProducts
from shop.integrity.catalogue_differences import (
    Edge,
    category_at,
    differing_edge,
    differing_item,
    differing_product,
    differing_shelf,
    differing_words,
    expected_edges,
    is_node,
    reread_category,
    reread_shelf,
    slug_in,
)
from shop.integrity.purchases import PurchaseItems
from shop.integrity.shards import PARTITION, ShardNumber, in_stored_shard, read_item
from shop.models import ShopItem
from shop.table import Key, key_of, read_items


def catalogue_kinds() -> Sequence[Kind]:
    """Return the shards of ``by_data``, categories and products, and purchases with their keys."""
    shards = ShardNumber(
        subject="edges",
        starts=("", ""),
        shard_in=_shard_of_edge,
        count=EDGES.count,
        raise_to=EDGES.raise_to,
        least=EDGE_SHARDS,
    )
    among_all = Derived(
        kind="listed",
        starts=(keys.PRODUCT_PREFIX, keys.PRODUCT_PREFIX),
        subject=_product_subject,
        names=ALL_PRODUCTS_KEYS,
        derive=_derived_keys_among_all,
        actions=update_among_all,
        read=read_item,
        write=write_actions,
    )
    return shards, CatalogueItems(shards), among_all, BoughtProducts(), PurchaseItems()


def _shard_of_edge(item: Item) -> int | None:
    """Return the shard of an item in ``by_data``; None for a number that there cannot be."""
    if PARTITION not in item:
        return 0
    shard = shard_in(item[PARTITION]["S"])
    return shard if shard < MOST_SHARDS else None


def _product_subject(item: Item) -> str:
    return f"product {key_of(item)[0].removeprefix(keys.PRODUCT_PREFIX)}"


def _derived_keys_among_all(item: Item) -> Mapping[str, str]:
    """Return the keys by which a product should be among all, in the shard that it is in."""
    return in_stored_shard(texts_in(item, ALL_PRODUCTS_KEYS), keys_among_all(item))


class CatalogueItems:
    """Compares the items of the catalogue: categories first, as the ways to products lead by them.

    ``shards`` is the number of those of the index ``by_data``.
    """

    def __init__(self, shards: ShardNumber) -> None:
        self._shards = shards
        self._items: dict[Key, Item] = {}

    def handlers(self) -> Handlers:
        return {
            (keys.CATEGORY_PREFIX, keys.CATEGORY_PREFIX): self.add,
            (keys.CATEGORY_PREFIX, keys.PRODUCT_PREFIX): self.add,
            (keys.CATEGORY_PREFIX, keys.NAME_PREFIX): self.add,
            (keys.PRODUCT_PREFIX, keys.PRODUCT_PREFIX): self.add,
            (keys.WORDS_PREFIX, ""): self.add,
        }

    def add(self, item: Item) -> None:
        """Note a category, a product's own item, an edge to either, or a product by a word."""
        self._items[key_of(item)] = item

    def candidates(self) -> Iterator[Candidate]:
        """Yield what looks wrong, in the order in which repairs build on one another."""
        tree = self._tree()
        yield from self._category_candidates(tree)
        yield from self._product_candidates(tree)
        yield from self._word_candidates()
        yield from self._shelf_candidates(tree)

    def _tree(self) -> CategoryTree:
        """Return the tree of categories; one whose way from the root is broken is at its top."""
        categories = {}
        for key, item in self._items.items():
            if is_node(key):
                categories[slug_in(key)] = category_in(item)
        tree = CategoryTree(categories)
        unbroken = {}
        for slug, category in categories.items():
            if _is_broken(tree, slug):
                unbroken[slug] = replace(category, parent=None)
            else:
                unbroken[slug] = category
        return CategoryTree(unbroken)

    def _category_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        """Yield categories' own items and edges to them that are not as the tree says."""
        expected: dict[Key, ShopItem] = {}
        for slug in sorted(tree.by_slug):
            path = tree.path(slug)
            items: list[ShopItem] = [category_item(path, shards=self._shards.number)]
            if not path[-1].is_off:
                items.append(parent_edge(path))
            for item in items:
                expected[item.pk, item.sk] = item
        stored = {key for key in self._items if key[1].startswith(keys.CATEGORY_PREFIX)}
        for key in sorted(stored | expected.keys()):
            expected_item = expected.get(key)
            if any(differing_item("category", key, self._items, expected_item)):
                # The Scan took a while: what has changed since is not judged by it.
                seen = {category_at(key, self._items), tree.by_slug.get(slug_in(key))}
                yield Candidate(partial(reread_category, key, seen, expected_item))

    def _product_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        """Yield edges that differ from products, then products that differ from categories."""
        edges_by_product: dict[str, list[Edge]] = {}
        for edge in self._edges():
            edges_by_product.setdefault(edge.product_id, []).append(edge)
            yield from self._if_wrong(differing_edge, edge, tree.names, self._shards.number)
        # After edges, as a product that lists no categories gets those of its edges.
        for edges in edges_by_product.values():
            for candidate in self._if_wrong(differing_product, edges, tree):
                yield candidate
                self._items |= read_items([edges[0].product_key])  # for its words

    def _word_candidates(self) -> Iterator[Candidate]:
        """Yield products whose items by words are not those of their names."""
        words: defaultdict[str, set[Key]] = defaultdict(set)
        for key, item in self._items.items():
            if key[0].startswith(keys.WORDS_PREFIX):
                words[id_at(key[1])].add(key)
            elif key[0].startswith(keys.PRODUCT_PREFIX):
                words[id_at(key[1])] |= words_of(item).keys()
        for product_id, word_keys in sorted(words.items()):
            yield from self._if_wrong(differing_words, product_id, word_keys)

    def _shelf_candidates(self, tree: CategoryTree) -> Iterator[Candidate]:
        """Yield shelves that are not the first products of their categories."""
        edges_by_slug: dict[str, list[Item]] = {}
        for edge in self._edges():
            built = expected_edges(edge, tree.names, 1, self._items)
            if built:  # the first of both is by id, as on a shelf
                edges_by_slug.setdefault(edge.slug, []).append(built[0].serialize())
        for slug in sorted(self._on_front_page(tree)):
            # The edge from the root that has the shelf may have been put by a repair just now.
            item = self._items.get(root_key(slug), {})
            on_shelf = edges_by_slug.get(slug, [])[:SHELF_LENGTH]
            # Shelf and edges are not written together: two reads in a row must agree.
            scanned = list(differing_shelf(slug, item, on_shelf))
            if scanned:
                yield Candidate(partial(reread_shelf, slug), scanned)

    def _on_front_page(self, tree: CategoryTree) -> Iterator[str]:
        """Yield the slugs of categories that an edge leads to from the root, or should."""
        for slug in tree.by_slug:
            path = tree.path(slug)
            is_at_top = len(path) == 1 and not path[0].is_off
            if is_at_top or root_key(slug) in self._items:
                yield slug

    def _if_wrong(
        self, differing: Callable[..., Iterator[Difference]], *arguments: object
    ) -> Iterator[Candidate]:
        """Yield a candidate if a comparison finds a difference among what the Scan has found."""
        # The same comparison twice: of what the Scan found, then of what is stored now.
        if any(differing(*arguments, read=self._items_of_scan)):
            yield Candidate(partial(differing, *arguments))

    def _items_of_scan(self, _keys: Iterable[Key]) -> Mapping[Key, Item]:
        """Return the items that the Scan has found, in place of a read."""
        return self._items

    def _edges(self) -> list[Edge]:
        """Return the edges that are stored, and those that products' own items list, sorted."""
        edges: set[Edge] = set()
        for (partition_key, sort_key), item in self._items.items():
            prefix, _separator, product_id = sort_key.partition(SEPARATOR)
            if prefix + SEPARATOR == keys.CATEGORY_PREFIX:
                continue
            if partition_key.startswith(keys.CATEGORY_PREFIX):
                edges.add(Edge(partition_key.removeprefix(keys.CATEGORY_PREFIX), product_id))
            else:
                for step in steps_in(item, CATEGORIES):
                    edges.add(Edge(step.slug, product_id))
        return sorted(edges)


def _is_broken(tree: CategoryTree, slug: str) -> bool:
    """Return whether the way from the root to a category is missing, endless or too long."""
    try:
        return len(tree.path(slug)) > DEEPEST
    except BrokenTree:
        return True
