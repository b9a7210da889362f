"""Changes of single products and categories, in the transactions of imports.

Who changes one names the version that they read. A category's name is copied to what is below it
(`shop.catalogue.below`): docs/adr/0040-a-change-of-a-category-is-bounded.md.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from dynapages.errors import DynamoError
from dynapages.items import Item, table_key
from dynapages.process import client
from dynapages.pynamodb import unchanged, update
from dynapages.work import Owed, worker
from dynapages.writes import Action, ConditionFailed, Contended, delete, write_transaction
from shop import keys
from shop.catalogue import below, queries, services, shelves
from shop.catalogue.changes import actions_of_change
from shop.catalogue.content import (
    DEEPEST,
    MOST_CHILDREN,
    CategoryTree,
    NewCategory,
    NewProduct,
)
from shop.catalogue.items import EDGES, category_item, description_item, parent_edge
from shop.catalogue.stored import (
    Content,
    Stored,
    category_in,
    category_key,
    stored_categories,
    stored_products,
)
from shop.catalogue.tiles import OFF, NoSuchCategory, NoSuchProduct
from shop.models import Category as StoredCategory
from shop.models import CategoryEdge, Description
from shop.table import Key, put_of, read_items, unless_changed
from shop.work import QUEUE

NEW = ""
"""The version of what is not there yet."""
MOST_CATEGORIES = 10
"""That a product is put into, so that all of it is one transaction."""


class Changed(DynamoError):
    """It was changed since it was read, or created; ``stored`` is as it is now."""

    def __init__(self, stored: Stored[Any]) -> None:
        super().__init__(_("Somebody else has changed this meanwhile. Nothing was saved."))
        self.stored = stored


class CategoryRefused(DynamoError):
    """A category cannot be changed like that; the text says why."""


class NoSuchParent(CategoryRefused):
    """The category that it is to lie in does not exist, or is hidden."""


class CategoryNotEmpty(CategoryRefused):
    """There are categories in one that is to be moved or hidden."""


class CategoryInItself(CategoryRefused):
    """A category is to lie in itself."""


class CategoryTooDeep(CategoryRefused):
    """A category is to lie in more than `DEEPEST` others, itself included."""


class CategoryFull(CategoryRefused):
    """The category that it is to lie in holds `MOST_CHILDREN` already."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a write has done: whether it created something, and whether copies of that wait."""

    is_new: bool
    copies_wait: bool = False


# Products


def find_editable(product_id: str) -> Stored[NewProduct]:
    """Return a product as its form shows it, with its description; a strongly consistent read.

    Raises NoSuchProduct.
    """
    product = stored_products([product_id], is_whole=True).get(product_id)
    if product is None:
        raise NoSuchProduct(product_id)
    return product


def save_product(product: NewProduct, *, version: str | None = NEW) -> Saved:
    """Create a product (`NEW`), or replace the one that was read in a version, None for any.

    Raises Changed unless just that is stored, NoSuchProduct, NoSuchCategory, and Contended.
    """
    # In the order of what is stored, as both are compared.
    product = replace(product, category_slugs=tuple(sorted({*product.category_slugs})))

    def content_for(stored: Stored[NewProduct] | None) -> NewProduct:
        new = product.keep_priced_at(stored.content) if stored else product
        return _unless_changed(new, stored, version=version)

    return _save_product(product.id, content_for, may_be_new=version == NEW)


def change_product(product_id: str, changes: Mapping[str, Any], *, version: str | None) -> Saved:
    """Change some fields of a product, by the names of `NewProduct`; raises as `save_product`."""

    def content_for(stored: Stored[NewProduct]) -> NewProduct:
        new = replace(stored.content, **changes)
        new = replace(new, category_slugs=tuple(sorted({*new.category_slugs})))
        return _unless_changed(new.keep_priced_at(stored.content), stored, version=version)

    return _save_product(product_id, content_for)


def _save_product(
    product_id: str, content_for: Callable[[Any], NewProduct], *, may_be_new: bool = False
) -> Saved:
    """Write what ``content_for`` makes of a product, and the shelves of its categories."""
    stored, slugs = _settle_product(product_id, content_for, may_be_new=may_be_new)
    shelves.put_shelves(slugs)
    return Saved(is_new=stored is None)


def settle_product(
    product_id: str, content_for: Callable[[Any], NewProduct], *, may_be_new: bool = False
) -> set[str]:
    """Write what ``content_for`` makes of a product as it is stored, None for a new one.

    Returns the slugs of its categories, before and after, for `shelves.put_shelves`.
    """
    _stored, slugs = _settle_product(product_id, content_for, may_be_new=may_be_new)
    return slugs


def _settle_product(
    product_id: str, content_for: Callable[[Any], NewProduct], *, may_be_new: bool
) -> tuple[Stored[NewProduct] | None, set[str]]:
    """Do what `settle_product` does; return what was stored, too."""

    def find() -> Stored[NewProduct]:
        return find_editable(product_id)

    stored, product = _write_settled(find, content_for, _write_product, may_be_new=may_be_new)
    slugs = {*product.category_slugs}
    if stored:
        slugs.update(stored.content.category_slugs)
    return stored, slugs


def _write_product(product: NewProduct, stored: Stored[NewProduct] | None) -> None:
    """Write a product and its description in one transaction. Raises NoSuchCategory."""
    tree = CategoryTree(stored_categories(product.category_slugs))
    for slug in {*product.category_slugs} - tree.by_slug.keys():
        raise NoSuchCategory(slug)
    actions = actions_of_change(product, stored, tree, EDGES.writable())
    # The description is an item of its own, so its condition is its own too.
    before = stored.content.description if stored else ""
    same_text = unchanged({"text": {"S": before}} if before else {}, Description.text)
    description = description_item(product)
    if description:
        actions.append(put_of(description, same_text))
    else:
        key = table_key(keys.product(product.id), keys.description(product.id))
        actions.append(delete(Description, key, same_text))
    write_transaction(client(), actions)


# Categories


def find_editable_category(slug: str) -> Stored[NewCategory]:
    """Read a category, strongly. Raises NoSuchCategory."""
    key = category_key(slug)
    node = read_items([key]).get(key)
    if node is None:
        raise NoSuchCategory(slug)
    return Stored(category_in(node), node)


def save_category(category: NewCategory, *, version: str | None = NEW) -> Saved:
    """Create a category (`NEW`), or replace the one that was read in a version, None for any.

    Where not all that is below it is up to date, its copies wait: the worker does the rest soon.
    Raises Changed unless just that is stored, NoSuchCategory, CategoryRefused, and Contended.
    """

    def content_for(stored: Stored[NewCategory] | None) -> NewCategory:
        return _unless_changed(category, stored, version=version)

    return _settle_category(category.slug, content_for, may_be_new=version == NEW)


def change_category(slug: str, changes: Mapping[str, Any], *, version: str | None) -> Saved:
    """Change some fields of a category, by the names of `NewCategory`, as `save_category`."""

    def content_for(stored: Stored[NewCategory]) -> NewCategory:
        return _unless_changed(replace(stored.content, **changes), stored, version=version)

    return _settle_category(slug, content_for)


def _settle_category(
    slug: str, content_for: Callable[[Any], NewCategory], *, may_be_new: bool = False
) -> Saved:
    """Write what ``content_for`` makes of a category as it is stored, None for a new one."""
    owed = below.owed_below(slug, patience=below.PATIENCE)

    def find() -> Stored[NewCategory]:
        return find_editable_category(slug)

    def write(content: NewCategory, stored: Stored[NewCategory] | None) -> None:
        _write_category(content, stored, owed=owed)

    stored, _content = _write_settled(find, content_for, write, may_be_new=may_be_new)
    # What is below a small category is shown right at once; of a large one that takes a while.
    is_done = below.refresh_first(slug)
    if is_done:
        # Nobody has to wait until it is struck off.
        worker().later(0, partial(QUEUE.done, owed))
    else:
        worker().wake(owed)
    return Saved(is_new=stored is None, copies_wait=not is_done)


def _write_category(
    category: NewCategory, stored: Stored[NewCategory] | None, *, owed: Owed
) -> None:
    """Write a category, the edge to it, and what it owes.

    The condition is that those above it are as they were. Raises CategoryRefused.
    """
    above = list(stored_categories([category.parent])) if category.parent else []
    nodes = read_items(category_key(slug) for slug in above)
    _refuse_unless_possible(category, stored, above=above, nodes=nodes)
    path = [category_in(nodes[category_key(slug)]) for slug in above]
    path.append(category)
    node = category_item(path, shards=EDGES.writable())
    seen: Item = stored.node if stored else {}
    same = unchanged(seen, StoredCategory.pk, *below.DECISIVE)
    actions: list[Action] = [put_of(node, same), owed.action]
    # Its trail is right only as long as none of those above it changes.
    for key, item in nodes.items():
        actions.append(unless_changed(key, item, *below.DECISIVE))
    is_moved = stored is not None and stored.content.parent != category.parent
    if category.is_off or is_moved:
        left_parent = stored.content.parent if stored else category.parent
        left_partition = keys.category(left_parent) if left_parent else keys.ROOT
        actions.append(delete(CategoryEdge, table_key(left_partition, node.sk)))
    if not category.is_off:
        actions.append(_action_of_edge(path))
    write_transaction(client(), actions)


def _refuse_unless_possible(
    category: NewCategory,
    stored: Stored[NewCategory] | None,
    *,
    above: Sequence[str],
    nodes: Mapping[Key, Item],
) -> None:
    """Raise CategoryRefused where a category cannot lie in its parent, or not move away.

    ``above`` are the slugs of its parent and those above that, ``nodes`` their own items.
    """
    slug, parent = category.slug, category.parent
    siblings = {slug}
    if parent:
        siblings.update(queries.child_slugs(parent))
        parent_node = nodes.get(category_key(parent))
        is_parent_off = parent_node is None or OFF in parent_node
        if is_parent_off or len(nodes) != len(above):
            raise NoSuchParent(_("The parent category does not exist, or is hidden."))
    is_moved = stored is not None and stored.content.parent != parent
    if stored and (category.is_off or is_moved) and queries.child_slugs(slug):
        raise CategoryNotEmpty(_("Move or hide the categories in it first."))
    if slug in above:
        raise CategoryInItself(_("A category cannot lie in itself."))
    if len(above) >= DEEPEST:
        raise CategoryTooDeep(_("Categories are at most %(deep)s deep.") % {"deep": DEEPEST})
    if len(siblings) > MOST_CHILDREN:
        raise CategoryFull(_("A category holds at most %(most)s others.") % {"most": MOST_CHILDREN})


def _action_of_edge(path: Sequence[NewCategory]) -> Action:
    """Build the write of the edge to the last category of a path, from its parent or the root."""
    category = path[-1]
    if category.parent:
        return put_of(parent_edge(path))
    # An edge from the root has a shelf as well, which is derived behind the transaction.
    name = CategoryEdge.name.set(category.name)
    return update(CategoryEdge, table_key(*shelves.root_key(category.slug)), [name])


# Both


def _unless_changed(
    new: Content, stored: Stored[Content] | None, *, version: str | None
) -> Content:
    """Return the new content. Raises Changed if neither the version nor the new one is stored."""
    if stored is None or version is None:
        return new
    # What is stored already was written by a first attempt.
    if stored.version != version and new != stored.content:
        raise Changed(stored)
    return new


def _write_settled(
    find: Callable[[], Stored[Content]],
    content_for: Callable[[Any], Content],
    write: Callable[[Content, Stored[Content] | None], None],
    *,
    may_be_new: bool,
) -> tuple[Stored[Content] | None, Content]:
    """Read and write until nobody else wrote in between; return what was stored, and is now.

    Raises what ``find`` does unless it ``may_be_new``, and Contended after some attempts.
    """
    for _attempt in range(services.ATTEMPTS):
        stored = None
        try:
            stored = find()
        except LookupError:
            if not may_be_new:
                raise
        content = content_for(stored)
        with suppress(ConditionFailed):
            write(content, stored)
            return stored, content
    raise Contended
