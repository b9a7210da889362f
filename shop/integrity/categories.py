"""The integrity of categories: the ways to them, and the edges they are found by."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.upkeep.differences import difference
from dynamo.upkeep.integrity import Difference
from dynamo.writes.transactions import write_together
from shop import keys
from shop.catalogue.category_tree import MOST_DEEP, BrokenTree, CategoryTree
from shop.catalogue.changes import put
from shop.catalogue.items import NewCategory, category_item, parent_edge
from shop.catalogue.queries import trail_in
from shop.integrity.edge_items import Key, delete, key_of, read_again, unless_changed, wrong_in
from shop.models import ShopItem


@dataclass(slots=True)
class CategoriesFound:
    """Categories by their slugs, and the edges between them; ``~`` is the root."""

    nodes: dict[str, Item] = field(default_factory=dict)
    edges: dict[Key, Item] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        """Note a category, or an edge to one."""
        partition, sort_key = item["pk"]["S"], item["sk"]["S"]
        if partition == sort_key:
            self.nodes[sort_key.removeprefix(keys.CATEGORY_PREFIX)] = item
        else:
            self.edges[partition, sort_key] = item

    def tree(self) -> CategoryTree:
        """Give the categories as they lie in each other; one whose way is broken is at the top."""
        tree = CategoryTree({slug: _category(slug, node) for slug, node in self.nodes.items()})
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
                expected[key_of(item)] = item
        stored = {(node["pk"]["S"], node["sk"]["S"]): node for node in self.nodes.values()}
        stored |= self.edges
        for key in sorted(stored.keys() | expected.keys()):
            if any(wrong_in(stored.get(key), expected.get(key))):
                slug = key[1].removeprefix(keys.CATEGORY_PREFIX)
                node = self.nodes.get(slug)
                seen = {_category(slug, node) if node else None, tree.by_slug.get(slug)}
                yield from _checked(key, seen, expected.get(key))


def _category(slug: str, node: Item) -> NewCategory:
    trail = trail_in(node)
    return NewCategory(slug, node["name"]["S"], trail[-1].slug if trail else None)


def _is_broken(tree: CategoryTree, slug: str) -> bool:
    try:
        return len(tree.path(slug)) > MOST_DEEP
    except BrokenTree:
        return True


def _checked(
    key: Key, seen: Collection[NewCategory | None], expected: ShopItem | None
) -> Iterator[Difference]:
    """Compare again what looked wrong, unless its category has changed since it was ``seen``.

    It may have been mended a moment ago.
    """
    slug = key[1].removeprefix(keys.CATEGORY_PREFIX)
    node_key = (key[1], key[1])
    again = read_again([key, node_key])
    node = again.get(node_key)
    wrong, right = wrong_in(again.get(key), expected)
    if not wrong or (_category(slug, node) if node else None) not in seen:
        return
    actions = [delete(key) if expected is None else put(expected)]
    if key != node_key:
        actions.append(unless_changed(node_key, node, ["name", "trail"]))
    where = "" if key == node_key else f" in {key[0].removeprefix(keys.CATEGORY_PREFIX)}"
    repair = partial(write_together, client(), actions)
    yield difference("category", f"{slug}{where}", wrong, right, repair=repair)
