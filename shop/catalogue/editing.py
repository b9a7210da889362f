"""Changes of single products and categories, in the transactions of imports.

Who changes one names the version that they read. A category's name is copied to what is below it
(`shop.catalogue.below`): docs/adr/0040-a-change-of-a-category-is-bounded.md.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from dynapages.errors import DynamoError
from dynapages.items import table_key
from dynapages.process import client
from dynapages.pynamodb import unchanged, update
from dynapages.work import Owed, worker
from dynapages.writes import Action, ConditionFailed, Contended, delete, write_transaction
from shop import keys
from shop.catalogue import below, items, queries, services
from shop.catalogue.items import CategoryTree, NewCategory, NewProduct
from shop.catalogue.queries import OFF, NoSuchCategory, NoSuchProduct
from shop.catalogue.services import Content, Stored
from shop.models import Category, CategoryEdge, Description
from shop.table import put_of, read_items, unless_changed
from shop.work import QUEUE

MOST_CATEGORIES = 10
"""That a product is put into, so that all of it is one transaction."""


class Changed(DynamoError):
    """It was changed since it was read, or created; ``stored`` is as it is now."""

    def __init__(self, stored: Stored[Any]) -> None:
        super().__init__(_("Somebody else has changed this meanwhile. Nothing was saved."))
        self.stored = stored


class CategoryRefused(DynamoError):
    """A category cannot be changed like that; the text says why."""


def find_editable(product_id: str) -> Stored[NewProduct]:
    """Read a product, strongly. Raises NoSuchProduct."""
    if found := services.stored_products([product_id], is_whole=True).get(product_id):
        return found
    raise NoSuchProduct(product_id)


def find_editable_category(slug: str) -> Stored[NewCategory]:
    """Read a category, strongly. Raises NoSuchCategory."""
    key = (keys.category(slug),) * 2
    if node := read_items([key]).get(key):
        return Stored(services.category_in(node), node)
    raise NoSuchCategory(slug)


def save_product(product: NewProduct, *, version: str = "") -> None:
    """Create a product (without a version), or change the one that was read in it.

    Raises Changed unless just that is stored, NoSuchProduct, NoSuchCategory, and Contended.
    """
    product = replace(product, category_slugs=tuple(sorted({*product.category_slugs})))

    def wanted(stored: Stored[NewProduct] | None) -> NewProduct:
        new = product.priced_like(stored.content) if stored else product
        return _unless_changed(new, stored, version=version)

    services.put_shelves(settle_product(product.id, wanted, may_be_new=not version))


def settle_product(
    product_id: str, wanted: Callable[[Any], NewProduct], *, may_be_new: bool = False
) -> set[str]:
    """Write what ``wanted`` makes of a product as it is stored, None for a new one.

    Returns the slugs of its categories, for `services.put_shelves`.
    """
    find = partial(find_editable, product_id)
    stored, product = _settled(find, wanted, _write_product, may_be_new=may_be_new)
    return {*product.category_slugs, *(stored.content.category_slugs if stored else ())}


def save_category(category: NewCategory, *, version: str = "") -> bool:
    """Create a category (without a version), or rename, move or hide the one that was read in it.

    Returns whether all that is below it is up to date, else the worker does the rest soon. Raises
    Changed unless just that is stored, NoSuchCategory, CategoryRefused, and Contended.
    """
    slug, wanted = category.slug, partial(_unless_changed, category, version=version)
    find = partial(find_editable_category, slug)
    owed = below.owed_below(slug, patience=below.PATIENCE)
    write = partial(_write_category, owed=owed)
    _settled(find, wanted, write, may_be_new=not version)
    is_done = below.refresh_first(slug)
    if is_done:
        worker().later(0, partial(QUEUE.done, owed))  # nobody waits for it
    else:
        worker().wake(owed)
    return is_done


def _unless_changed(new: Content, stored: Stored[Content] | None, *, version: str) -> Content:
    if stored and stored.version != version and new != stored.content:
        raise Changed(stored)
    return new


def _settled(
    find: Callable[[], Stored[Content]],
    wanted: Callable[[Any], Content],
    write: Callable[[Content, Stored[Content] | None], None],
    *,
    may_be_new: bool,
) -> tuple[Stored[Content] | None, Content]:
    for _attempt in range(services.ATTEMPTS):
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
    tree = CategoryTree(services.stored_categories(product.category_slugs))
    for slug in {*product.category_slugs} - tree.by_slug.keys():
        raise NoSuchCategory(slug)
    before = stored.content.description if stored else ""
    actions = services.actions_of_change(product, stored, tree, items.EDGES.writable())
    same = unchanged({"text": {"S": before}} if before else {}, Description.text)
    own, text = queries.product_keys(product.id)[1], items.description_item(product)
    last = put_of(text, same) if text else delete(Description, table_key(*own), same)
    write_transaction(client(), [*actions, last])


def _write_category(
    category: NewCategory, stored: Stored[NewCategory] | None, *, owed: Owed
) -> None:
    """Write a category, the edge to it, and what it owes.

    The condition is that those above it are as they were.
    """
    slug, parent = category.slug, category.parent
    above = list(services.stored_categories([parent])) if parent else []
    found = read_items((keys.category(each),) * 2 for each in above)
    was_in = stored.content.parent if stored else parent
    held = {*queries.child_slugs(parent), slug} if parent else set()
    if parent and (len(found) != len(above) or OFF in found.get((keys.category(parent),) * 2, OFF)):
        raise CategoryRefused(_("The parent category does not exist, or is hidden."))
    if stored and (category.is_off or was_in != parent) and queries.child_slugs(slug):
        raise CategoryRefused(_("Move or hide the categories in it first."))
    if slug in above or len(above) >= items.MOST_DEEP or len(held) > items.MOST_IN_ONE:
        sentence = _("Categories are at most %(deep)s deep, and hold at most %(most)s others.")
        raise CategoryRefused(sentence % {"deep": items.MOST_DEEP, "most": items.MOST_IN_ONE})
    path = [*(services.category_in(found[(keys.category(each),) * 2]) for each in above), category]
    seen = stored.node if stored else {}
    node = items.category_item(path, shards=items.EDGES.writable())
    same = unchanged(seen, Category.pk, *below.DECISIVE)
    actions: list[Action] = [put_of(node, same), owed.action]
    actions += [unless_changed(key, item, *below.DECISIVE) for key, item in found.items()]
    if category.is_off or was_in != parent:
        old = keys.category(was_in) if was_in else keys.ROOT
        actions.append(delete(CategoryEdge, table_key(old, node.sk)))
    if parent and not category.is_off:
        actions.append(put_of(items.parent_edge(path)))
    elif not category.is_off:
        # Its shelf is in the same item, and is derived behind the transaction.
        name = CategoryEdge.name.set(category.name)
        actions.append(update(CategoryEdge, table_key(*services.root_key(slug)), [name]))
    write_transaction(client(), actions)
