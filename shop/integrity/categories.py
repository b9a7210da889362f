"""The integrity of categories: the ways to them, and the edges they are found by."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from dynamo.items import Item, table_key
from dynamo.upkeep.differences import Suspect, difference, suspected
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import Action, update
from shop import keys
from shop.catalogue.category_tree import MOST_DEEP, BrokenTree, CategoryTree
from shop.catalogue.items import NewCategory, category_item, parent_edge
from shop.catalogue.queries import first_products, trail_in
from shop.catalogue.shelves import (
    ON_A_SHELF,
    SHELF,
    items_on,
    put_shelf,
    root_key,
    shelf_of,
)
from shop.integrity.comparing import put_or_delete, write_to_shards, wrong_in
from shop.models import Category, CategoryEdge, ShopItem
from shop.table import Key, key_of, read_items, unless_changed


@dataclass(slots=True)
class CategoriesFound:
    """Categories by their slugs, and the same with the edges between them by their keys."""

    nodes: dict[str, Item] = field(default_factory=dict)
    items: dict[Key, Item] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        """Note a category, or an edge to one."""
        key = key_of(item)
        self.items[key] = item
        if len(set(key)) == 1:
            self.nodes[_slug(key)] = item

    def tree(self) -> CategoryTree:
        """Return the tree of categories; one whose way from the root is broken is at its top."""
        found = {slug: _category(slug, node) for slug, node in self.nodes.items()}
        tree = CategoryTree({slug: category for slug, category in found.items() if category})
        broken = [slug for slug in tree.by_slug if _is_broken(tree, slug)]
        tops = {slug: NewCategory(slug, tree.by_slug[slug].name) for slug in broken}
        return CategoryTree({**tree.by_slug, **tops})

    def differences(self, shards: int) -> Iterator[Difference]:
        """Compare each category with its way from the root, and each edge with its category."""
        tree = self.tree()
        expected: dict[Key, ShopItem] = {}
        for slug in sorted(tree.by_slug):
            path = tree.path(slug)
            for item in (category_item(path, shards=shards), parent_edge(path)):
                expected[item.pk, item.sk] = item
        for key in sorted(self.items.keys() | expected.keys()):
            if any(wrong_in(self.items.get(key), expected.get(key))):
                slug = _slug(key)
                seen = {_category(slug, self.nodes.get(slug)), tree.by_slug.get(slug)}
                yield from _checked(key, seen, expected.get(key))

    def shelf_suspects(self, edges: Mapping[str, Sequence[Item]]) -> Iterator[Suspect]:
        """Yield the shelves of the front page that are not as the ``edges`` to products say."""
        for (partition, sort_key), item in sorted(self.items.items()):
            slug = _slug((partition, sort_key))
            if partition == keys.ROOT and slug in self.nodes:
                found = _shelf_differs(slug, item, edges.get(slug, [])[:ON_A_SHELF])
                yield from suspected(found, partial(_look_at_shelf, slug))


def _shelf_differs(slug: str, item: Item, edges: Sequence[Item]) -> Iterator[Difference]:
    expected = shelf_of(edges)
    if item.get(SHELF) != expected:
        yield Difference(
            "shelf",
            f"category {slug}",
            _on(items_on(item)) if SHELF in item else "no shelf",
            _on(items_on({SHELF: expected})),
            mend=partial(put_shelf, slug),
        )


def _look_at_shelf(slug: str) -> Iterator[Difference]:
    key = root_key(slug)
    if item := read_items([key]).get(key):
        yield from _shelf_differs(slug, item, first_products(slug, ON_A_SHELF))


def _slug(key: Key) -> str:
    return key[1].removeprefix(keys.CATEGORY_PREFIX)


def _category(slug: str, node: Item | None) -> NewCategory | None:
    if node is None:
        return None
    trail = trail_in(node)
    return NewCategory(slug, node["name"]["S"], trail[-1].slug if trail else None)


def _on(products: Sequence[Item]) -> str:
    return ", ".join(product["name"]["S"] for product in products) or "nothing on it"


def _is_broken(tree: CategoryTree, slug: str) -> bool:
    try:
        return len(tree.path(slug)) > MOST_DEEP
    except BrokenTree:
        return True


def _put_or_delete(key: Key, expected: ShopItem | None) -> Action:
    """Build the action that makes an item what it should be; a shelf on it stays."""
    if expected is None or key[0] != keys.ROOT:
        return put_or_delete(key, expected)
    return update(
        CategoryEdge, table_key(*key), [CategoryEdge.name.set(expected.serialize()["name"]["S"])]
    )


def _checked(
    key: Key, seen: Collection[NewCategory | None], expected: ShopItem | None
) -> Iterator[Difference]:
    """Compare again what looked wrong, unless its category changed since it was ``seen``."""
    slug, node_key = _slug(key), (key[1], key[1])
    again = read_items([key, node_key])
    node = again.get(node_key)
    wrong, right = wrong_in(again.get(key), expected)
    if not wrong or _category(slug, node) not in seen:
        return
    actions = [_put_or_delete(key, expected)]
    if key != node_key:
        actions.append(unless_changed(node_key, node, Category.name, Category.trail))
    where = "" if key == node_key else f" in {key[0].removeprefix(keys.CATEGORY_PREFIX)}"
    repair = partial(write_to_shards, actions)
    yield difference("category", f"{slug}{where}", wrong, right, repair=repair)
