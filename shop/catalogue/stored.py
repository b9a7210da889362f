"""Products and categories as they are stored now: read strongly, by those who change them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType
from typing import Generic, TypeVar

from dynapages.items import Item
from dynapages.lists import parse_timestamp
from shop import keys
from shop.catalogue.content import CategoryTree, NewCategory, NewProduct
from shop.catalogue.tiles import (
    CATEGORIES,
    OFF,
    CategoryNode,
    category_of,
    product_keys,
    rating_in,
    steps_in,
    trail_in,
)
from shop.table import Key, read_items

NO_ITEM: Item = MappingProxyType({})

Content = TypeVar("Content", NewProduct, NewCategory)


@dataclass(frozen=True, slots=True)
class Stored(Generic[Content]):
    """A product or a category as it is stored, with its own item."""

    content: Content
    node: Item = field(repr=False)

    @property
    def version(self) -> str:
        """A digest of the content: another one once any of it has changed."""
        return version_of(self.content)


def version_of(content: NewProduct | NewCategory) -> str:
    """Return the version of a content, as `Stored` has it."""
    return blake2b(repr(content).encode(), digest_size=8).hexdigest()


def category_key(slug: str) -> Key:
    """Return the key of a category's own item."""
    key = keys.category(slug)
    return key, key


# Products


def stored_products(
    product_ids: Iterable[str], *, is_whole: bool = False
) -> dict[str, Stored[NewProduct]]:
    """Read products by id, strongly, if whole with descriptions; missing ones are left out."""
    keys_by_id = {each: product_keys(each, is_whole=is_whole) for each in product_ids}
    all_keys: list[Key] = []
    for item_keys in keys_by_id.values():
        all_keys += item_keys
    items = read_items(all_keys)
    stored = {}
    for product_id, item_keys in keys_by_id.items():
        node = items.get(item_keys[0])
        if node is None:
            continue
        description = items.get(item_keys[1], NO_ITEM) if is_whole else NO_ITEM
        stored[product_id] = Stored(product_of(node, description), node)
    return stored


def product_of(node: Item, description: Item = NO_ITEM) -> NewProduct:
    """Return the product that its own item and that of its description store."""
    cents = None
    if "unit_price_cents" in node:
        cents = int(node["unit_price_cents"]["N"])
    priced_at = None
    if "priced_at" in node:
        priced_at = parse_timestamp(node["priced_at"]["S"])
    slugs = [category.slug for category in steps_in(node, CATEGORIES)]
    return NewProduct(
        id=node["pk"]["S"].removeprefix(keys.PRODUCT_PREFIX),
        name=node["name"]["S"],
        category_slugs=tuple(sorted(slugs)),
        description=_text_in(description, "text") or "",
        unit_price_cents=cents,
        currency=_text_in(node, "currency"),
        priced_at=priced_at,
        external_id=_text_in(node, "external_id"),
        is_off=OFF in node,
        rating=rating_in(node),
    )


def _text_in(item: Item, name: str) -> str | None:
    return item[name]["S"] if name in item else None


# Categories


def category_in(node: Item) -> NewCategory:
    """Return the category that its own item stores."""
    slug = node["pk"]["S"].removeprefix(keys.CATEGORY_PREFIX)
    return category_of_node(CategoryNode(slug, node["name"]["S"], trail_in(node), (), OFF in node))


def category_of_node(node: CategoryNode) -> NewCategory:
    """Return the category that a page shows."""
    parent = node.trail[-1].slug if node.trail else None
    return NewCategory(node.slug, node.name, parent, node.is_off)


def stored_categories(slugs: Iterable[str]) -> dict[str, NewCategory]:
    """Read categories strongly; return them by slug with those above, but without missing ones.

    Those above are as the trails have them, which follow a change a moment later: see `tree_above`.
    """
    above: dict[str, NewCategory] = {}
    own: dict[str, NewCategory] = {}
    for item in read_items(category_key(slug) for slug in slugs).values():
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
    nodes: dict[str, Item] = {}
    seen: set[str] = set()
    # A trail names all above at once, so the second round is the last, if it is right.
    unread = {*slugs}
    while unread:
        items = read_items(category_key(slug) for slug in sorted(unread))
        seen |= unread
        above: set[str] = set()
        for item in items.values():
            nodes[category_of(item).slug] = item
            above |= {step.slug for step in trail_in(item)}
        unread = above - seen
    return nodes


def tree_in(nodes: Mapping[str, Item]) -> CategoryTree:
    """Return the tree of the categories whose own items these are, by slug."""
    return CategoryTree({slug: category_in(node) for slug, node in nodes.items()})


def tree_above(slugs: Iterable[str]) -> CategoryTree:
    """Read the tree of categories and all above them, each as its own item has it."""
    return tree_in(nodes_above(slugs))
