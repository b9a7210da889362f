"""What is below a category follows its changes: its products, and the categories in it.

They repeat its name and its way from the root. The transaction that changes a category stores what
it owes. The request brings the first products up to date, and the worker of any process the rest.

Everything is derived from the categories' own items, as they are stored then. What is right already
is read and not written, so doing it again does no harm. What is hidden is reached by no edge: it is
derived again when it is shown again.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from dynapages.calls import sentence_about
from dynapages.items import Item
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES, unchanged
from dynapages.work import Owed, worker
from dynapages.writes import ConditionFailed, Contended, write_transaction
from shop import keys
from shop.catalogue import queries, services
from shop.catalogue.changes import actions_of_change
from shop.catalogue.content import BrokenTree, CategoryTree, NewCategory, NewProduct
from shop.catalogue.items import EDGES, category_item, parent_edge
from shop.catalogue.shelves import put_shelf
from shop.catalogue.stored import Stored, nodes_above, stored_products, tree_above, tree_in
from shop.catalogue.tiles import CATEGORIES, Category, steps_in, trail_in
from shop.models import Category as StoredCategory
from shop.models import ShopItem
from shop.table import put_of, read_items, unless_changed
from shop.work import QUEUE, owe_alone

CATEGORY = "category"
"""The kind of these due items."""
PATIENCE = timedelta(seconds=10)
"""How long a change is left to the request that has made it."""
MOST_IN_REQUEST = 25
"""Products that the request brings up to date."""
MOST_IN_ATTEMPT = 300
"""Products that the worker brings up to date before it owes the rest anew."""
DECISIVE = (StoredCategory.name, StoredCategory.trail, StoredCategory.is_off)
"""What is derived from a category's own item depends on these."""

logger = logging.getLogger(__name__)


def owed_below(slug: str, *, after: str = "", patience: timedelta = timedelta(0)) -> Owed:
    """Build the due item by which a worker brings up to date what is below a changed category.

    Nothing is written. ``after`` is the id of the last product that is up to date already; without
    one none is. ``patience`` is how long the worker waits before.
    """
    payload = {"slug": slug}
    if after:
        payload["after"] = after
    return QUEUE.owe(CATEGORY, payload, after=patience)


def refresh_first(slug: str) -> bool:
    """Bring a category's shelf and first products up to date; return whether that is all below it.

    It is not where DynamoDB fails: that is logged, and left to the worker.
    """
    try:
        put_shelf(slug)
        product_ids = queries.product_ids_in(slug, MOST_IN_REQUEST + 1)
        refresh_products(product_ids[:MOST_IN_REQUEST])
        if len(product_ids) > MOST_IN_REQUEST:
            return False
        return not queries.child_slugs(slug)
    except FAILURES as failure:
        logger.warning("What is below %s was left to the worker: %s", slug, sentence_about(failure))
        return False


def refresh_below(payload: Mapping[str, Any]) -> None:
    """Bring what is below a category up to date, and owe what is left of its products anew.

    Raises Contended, and botocore's errors.
    """
    slug, after = payload["slug"], payload.get("after", "")
    if not after:
        put_shelf(slug)
        # One after the other: each transaction names those above, and would meet the others.
        for child in queries.child_slugs(slug):
            _refresh_category(child)
    product_ids = queries.product_ids_in(slug, MOST_IN_ATTEMPT + 1, after=after)
    refresh_products(product_ids[:MOST_IN_ATTEMPT])
    if len(product_ids) > MOST_IN_ATTEMPT:
        last_refreshed = product_ids[MOST_IN_ATTEMPT - 1]
        owe_alone(owed_below(slug, after=last_refreshed))


# Products


def refresh_products(product_ids: Sequence[str]) -> None:
    """Write into products the names and the trails of their categories, as these are stored now.

    Raises Contended, and botocore's errors.
    """
    for _attempt in range(services.ATTEMPTS):
        product_ids = _refresh_once(product_ids)
        if not product_ids:
            return
    raise Contended("These products are being changed by others at the moment.")


def _refresh_once(product_ids: Sequence[str]) -> Sequence[str]:
    """Write the products that are not up to date; return those that must be looked at again."""
    products = stored_products(product_ids)
    slugs: set[str] = set()
    for product in products.values():
        slugs.update(product.content.category_slugs)
    tree = tree_above(slugs)
    shards = EDGES.writable()
    stale = {each: product for each, product in products.items() if _is_stale(product, tree)}

    def write(product: Stored[NewProduct]) -> bool:
        return _write_product(product, tree, shards)

    outcomes = pool().map(write, stale.values())
    # A category that changed meanwhile owes the same, and its worker may have read these already.
    if stale and tree_above(slugs) != tree:
        return product_ids
    unwritten = []
    for product_id, is_written in zip(stale, outcomes, strict=True):
        if not is_written:
            unwritten.append(product_id)
    return unwritten


def _is_stale(product: Stored[NewProduct], tree: CategoryTree) -> bool:
    """Return whether a product shows other names or another trail than its categories have.

    What lists no categories, or lies in one whose way from the root is broken, is for the check.
    """
    if CATEGORIES not in product.node:
        return False
    slugs = product.content.category_slugs
    try:
        path = tree.deepest_path(slugs)
    except BrokenTree:
        return False
    trail = _shown(path)
    names = _shown([tree.by_slug[slug] for slug in slugs])
    has_trail = trail_in(product.node) == trail
    has_names = steps_in(product.node, CATEGORIES) == names
    return not (has_trail and has_names)


def _shown(categories: Sequence[NewCategory]) -> tuple[Category, ...]:
    """Return categories as trails show them."""
    return tuple(Category(one.slug, one.name) for one in categories)


def _write_product(product: Stored[NewProduct], tree: CategoryTree, shards: int) -> bool:
    """Write a product with all that leads to it; return False where it has changed meanwhile."""
    actions = actions_of_change(product.content, product, tree, shards)
    try:
        write_transaction(client(), actions)
    except ConditionFailed:
        return False
    return True


# Categories


def _refresh_category(slug: str) -> None:
    """Write a category in another one, with the edge to it and what it owes in turn.

    Nothing is written where both are right: whoever wrote them has stored what they owe.
    """
    for _attempt in range(services.ATTEMPTS):
        nodes = nodes_above([slug])
        path = _path_in(nodes, slug)
        # One that was hidden or moved to the root meanwhile has followed those above it.
        if len(path) <= 1 or path[-1].is_off:
            return
        own = category_item(path, shards=EDGES.writable())
        edge = parent_edge(path)
        edge_key = edge.pk, edge.sk
        stored_edge = read_items([edge_key]).get(edge_key, {})
        if _shows(nodes[slug], own) and _shows(stored_edge, edge):
            return
        owed = owed_below(slug)
        same = unchanged(nodes[slug], StoredCategory.pk, *DECISIVE)
        actions = [put_of(own, same), put_of(edge), owed.action]
        for one in path[:-1]:
            above = keys.category(one.slug)
            actions.append(unless_changed((above, above), nodes[one.slug], *DECISIVE))
        try:
            write_transaction(client(), actions)
        except ConditionFailed:
            continue
        worker().wake(owed)
        return
    raise Contended("This category is being changed by others at the moment.")


def _path_in(nodes: Mapping[str, Item], slug: str) -> tuple[NewCategory, ...]:
    """Return the way from the root to a category, () where it is broken: that is for the check."""
    try:
        return tree_in(nodes).path(slug)
    except BrokenTree:
        return ()


def _shows(stored: Item, expected: ShopItem) -> bool:
    """Return whether an item of a category has the names and the place that it should have."""
    values = expected.serialize()
    names = "name", "category", "trail", "data"
    return all(stored.get(name) == values.get(name) for name in names)


QUEUE.register(CATEGORY, refresh_below)
