"""Changes of single products and categories, in the transactions of imports.

Who changes one names the version that they read. A category's name and way are copied to all below
it: docs/adr/0040-a-change-of-a-category-is-bounded.md.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from django.utils.translation import gettext as _

from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp
from dynapages.process import client, pool
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete, write_together
from shop import keys
from shop.catalogue.items import (
    EDGES,
    MOST_DEEP,
    MOST_IN_ONE,
    CategoryTree,
    NewCategory,
    NewProduct,
    category_item,
    description_item,
    parent_edge,
)
from shop.catalogue.queries import (
    OFF,
    NoSuchCategory,
    NoSuchProduct,
    category_of,
    first_products,
    trail_in,
)
from shop.catalogue.services import (
    ATTEMPTS,
    actions_of_change,
    put_shelf,
    shown,
    slugs_of,
    stored_categories,
)
from shop.models import Category, CategoryEdge, Description, Product
from shop.table import key_of, put_of, read_items, unless_changed

MOST_CATEGORIES = 10
"""That a product is put into, so that all of it is one transaction."""
MOST_AT_ONCE = 25
"""Categories below one, and products, that a change of it brings up to date."""
Content = TypeVar("Content", NewProduct, NewCategory)


@dataclass(frozen=True, slots=True)
class Stored(Generic[Content]):
    """A product or a category as it is stored, with its own item."""

    content: Content
    node: Item = field(repr=False)

    @property
    def version(self) -> str:
        return blake2b(repr(self.content).encode(), digest_size=8).hexdigest()


class Changed(DynamoError):
    """It was changed since it was read, or created; ``stored`` is as it is now."""

    def __init__(self, stored: Stored[Any]) -> None:
        super().__init__(_("Somebody else has changed this meanwhile. Nothing was saved."))
        self.stored = stored


class CategoryRefused(DynamoError):
    """A category cannot be changed like that; the text says why."""


def find_editables(product_ids: Iterable[str]) -> dict[str, Stored[NewProduct]]:
    """Read products with their descriptions, strongly, by id; missing ones are left out."""
    ids = {keys.product(one): one for one in product_ids}
    texts = {key: (key, keys.description(one)) for key, one in ids.items()}
    found = read_items([*((key, key) for key in ids), *texts.values()])
    nodes = ((one, found.get((key, key)), found.get(texts[key], {})) for key, one in ids.items())
    return {one: Stored(_content(one, node, text), node) for one, node, text in nodes if node}


def _content(product_id: str, node: Item, description: Item) -> NewProduct:
    name, cents, currency = shown(node)
    priced_at = node.get(Product.priced_at.attr_name)
    return NewProduct(
        product_id,
        name,
        tuple(sorted(slugs_of(node))),
        description.get("text", {"S": ""})["S"],
        cents,
        currency,
        parse_timestamp(priced_at["S"]) if priced_at else None,
        node.get("external_id", {}).get("S"),
        OFF in node,
    )


def find_editable(product_id: str) -> Stored[NewProduct]:
    """Read a product, strongly. Raises NoSuchProduct."""
    if found := find_editables([product_id]).get(product_id):
        return found
    raise NoSuchProduct(product_id)


def find_editable_category(slug: str) -> Stored[NewCategory]:
    """Read a category, strongly. Raises NoSuchCategory."""
    key = keys.category(slug), keys.category(slug)
    if not (node := read_items([key]).get(key)):
        raise NoSuchCategory(slug)
    parent = [None, *(step.slug for step in trail_in(node))][-1]
    return Stored(NewCategory(slug, node["name"]["S"], parent, OFF in node), node)


def save_product(product: NewProduct, *, version: str = "") -> None:
    """Create a product (without a version), or change the one read in it, sold or not.

    Raises Changed unless just that is stored, NoSuchProduct, NoSuchCategory, and Contended.
    """

    def wanted(stored: Stored[NewProduct] | None) -> NewProduct:
        new = replace(product, category_slugs=tuple(sorted({*product.category_slugs})))
        if stored and shown(stored.node)[1:] == (new.unit_price_cents, new.currency):
            new = replace(new, priced_at=stored.content.priced_at)
        return _unless_changed(new, stored, version)

    rewrite_product(product.id, wanted, may_be_new=not version)


def take_off(product_id: str) -> None:
    """Sell a product no more: only its page, comments and past orders stay. Repeatable.

    Raises NoSuchProduct, and Contended.
    """
    rewrite_product(product_id, lambda stored: replace(stored.content, is_off=True))


def put_back(product_id: str) -> None:
    """Sell a product again that was taken off; like `take_off`."""
    rewrite_product(product_id, lambda stored: replace(stored.content, is_off=False))


def rewrite_product(
    product_id: str, wanted: Callable[[Any], NewProduct], *, may_be_new: bool = False
) -> None:
    """Write what ``wanted`` makes of a product as it is stored, and the front page's shelves."""
    put_shelves(settle_product(product_id, wanted, may_be_new=may_be_new))


def settle_product(
    product_id: str, wanted: Callable[[Any], NewProduct], *, may_be_new: bool = False
) -> set[str]:
    """Write what ``wanted`` makes of a product as it is stored; return the slugs of its categories.

    Those are of before, too: their shelves on the front page are up to the caller.
    """
    find = partial(find_editable, product_id)
    stored, product = _settled(find, wanted, _write_product, may_be_new=may_be_new)
    return {*product.category_slugs, *(stored.content.category_slugs if stored else ())}


def put_shelves(slugs: Iterable[str]) -> None:
    """Derive the shelves of those of some categories that the front page has."""
    pool().gather([partial(put_shelf, slug) for slug in sorted(slugs)])


def save_category(category: NewCategory, *, version: str = "") -> bool:
    """Create a category (without a version), or rename or move the one that was read in it.

    Return whether all copies are up to date, else ``check_integrity --repair`` does the rest.
    Raises Changed unless just that is stored, NoSuchCategory, CategoryRefused, and Contended.
    """
    wanted = partial(_unless_changed, category, version=version)
    return _rewrite_category(category.slug, wanted, may_be_new=not version)


def take_off_category(slug: str) -> bool:
    """Take a category out of all lists of categories; its page and its products stay. Repeatable.

    Returns and raises like `save_category`.
    """
    if _children(slug):
        raise CategoryRefused(_("Take off or move the categories in it first."))
    return _rewrite_category(slug, lambda stored: replace(stored.content, is_off=True))


def put_back_category(slug: str) -> bool:
    """Show a category again that was taken off; like `take_off_category`."""
    return _rewrite_category(slug, lambda stored: replace(stored.content, is_off=False))


def _unless_changed(new: Content, stored: Stored[Content] | None, version: str) -> Content:
    if stored is None:
        return new
    new = replace(new, is_off=stored.content.is_off)
    if stored.version != version and new != stored.content:
        raise Changed(stored)
    return new


def _settled(
    find: Callable[[], Stored[Content]],
    wanted: Callable[[Any], Content],
    write: Callable[[Content, Stored[Content] | None], None],
    *,
    may_be_new: bool = False,
) -> tuple[Stored[Content] | None, Content]:
    for _attempt in range(ATTEMPTS):
        stored = None
        try:
            stored = find()
        except LookupError:
            if not may_be_new:
                raise
        content = wanted(stored)
        with suppress(ConditionFailed):
            write(content, stored)
            return stored, content
    raise Contended


def _write_product(product: NewProduct, stored: Stored[NewProduct] | None) -> None:
    tree = CategoryTree(stored_categories(product.category_slugs))
    if missing := [slug for slug in product.category_slugs if slug not in tree.by_slug]:
        raise NoSuchCategory(missing[0])
    seen = stored.node if stored else None
    actions = actions_of_change(product, seen, tree, EDGES.writable())
    before = stored.content.description if stored else ""
    same = unchanged({"text": {"S": before}} if before else {}, Description.text)
    key = table_key(keys.product(product.id), keys.description(product.id))
    item = description_item(product)
    text = put_of(item, same) if item else delete(Description, key, same)
    write_together(client(), [*actions, text])


def _rewrite_category(
    slug: str, wanted: Callable[[Any], NewCategory], *, may_be_new: bool = False
) -> bool:
    levels = _levels_below(slug)
    below = [each for level in levels for each in level]
    is_all = len(below) <= MOST_AT_ONCE

    def write(category: NewCategory, stored: Stored[NewCategory] | None) -> None:
        if stored and category.parent != stored.content.parent and not is_all:
            sentence = _("It holds more than %(most)s categories: move some of these first.")
            raise CategoryRefused(sentence % {"most": MOST_AT_ONCE})
        _write_category(category, stored, depth_below=len(levels))

    _settled(partial(find_editable_category, slug), wanted, write, may_be_new=may_be_new)
    for child in below[:MOST_AT_ONCE]:
        _settled(partial(find_editable_category, child), _as_it_is, _write_category)
    edges = [edge for one in [slug, *below] for edge in first_products(one, MOST_AT_ONCE + 1)]
    ids = sorted({edge["sk"]["S"].removeprefix(keys.PRODUCT_PREFIX) for edge in edges})
    pool().gather([partial(settle_product, one, _as_it_is) for one in ids[:MOST_AT_ONCE]])
    return is_all and len(ids) <= MOST_AT_ONCE


def _as_it_is(stored: Stored[Content]) -> Content:
    return stored.content


def _write_category(
    category: NewCategory, stored: Stored[NewCategory] | None, *, depth_below: int = 0
) -> None:
    """Write a category and the edge to it, on condition that those above it are as they were."""
    above = list(stored_categories([category.parent] if category.parent else []))
    found = read_items((keys.category(slug),) * 2 for slug in above)
    nodes = [found.get((keys.category(slug),) * 2) for slug in above]
    if category.parent and (not nodes or any(node is None or OFF in node for node in nodes[-1:])):
        raise CategoryRefused(_("The category that it is to lie in is not there."))
    if category.slug in above or len(above) + 1 + depth_below > MOST_DEEP:
        sentence = _("A category cannot lie in itself, nor deeper than %(most)s levels.")
        raise CategoryRefused(sentence % {"most": MOST_DEEP})
    was_in = stored.content.parent if stored else category.parent
    others = _children(category.parent) if category.parent else []
    if len({*others, category.slug}) > MOST_IN_ONE:
        sentence = _("A category holds at most %(most)s others.")
        raise CategoryRefused(sentence % {"most": MOST_IN_ONE})
    names = zip(above, nodes, strict=True)
    path = [*(NewCategory(slug, node["name"]["S"]) for slug, node in names if node), category]
    decisive = Category.name, Category.trail, Category.is_off
    same = unchanged(stored.node if stored else {}, Category.pk, *decisive)
    actions: list[Action] = [put_of(category_item(path, shards=EDGES.writable()), same)]
    actions += [unless_changed(key, found.get(key), *decisive) for key in found]
    if category.is_off or was_in != category.parent:
        old = keys.category(was_in) if was_in else keys.ROOT
        actions.append(delete(CategoryEdge, table_key(old, keys.category(category.slug))))
    if category.parent and not category.is_off:
        actions.append(put_of(parent_edge(path)))
    write_together(client(), actions)
    if not (category.parent or category.is_off):
        put_shelf(category.slug, category.name)


def _children(slug: str) -> list[str]:
    edges = first_products(slug, MOST_IN_ONE + 1, keys.CATEGORY_PREFIX)
    return [category_of(edge).slug for edge in edges if key_of(edge)[0] != key_of(edge)[1]]


def _levels_below(slug: str) -> list[list[str]]:
    """Read the categories below one, level by level, until they are more than `MOST_AT_ONCE`."""
    levels, level = [], _children(slug)
    while level:
        levels.append(level)
        calls = [partial(_children, one) for one in level]
        is_more = sum(map(len, levels)) > MOST_AT_ONCE
        level = [] if is_more else [one for some in pool().gather(calls) for one in some]
    return levels
