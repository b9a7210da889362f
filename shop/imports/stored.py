"""What an import's orders meet in the table.

Reading in batches is much faster than conditional writes that fail.
"""

from collections.abc import Sequence
from functools import partial

from dynamo.calls.client import pool
from shop import keys
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, derived_keys
from shop.orders.queries import NoSuchOrder, owner_of
from shop.table import read_items


def unchanged_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of the orders that are stored in the same status since the same moment."""
    found = read_items((keys.user(order.username), keys.order(order.id)) for order in orders)
    stored = {key: item["order_status_date"]["S"] for (_, key), item in found.items()}
    return {order.id for order in orders if stored.get(keys.order(order.id)) == _place_of(order)}


def taken_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of the orders that are stored otherwise.

    These are those whose foreign id belongs to another order, and those that kept an id of this
    shop which is that of an order of another customer.
    """
    wanted = {keys.foreign(order.foreign_id): order for order in orders if order.foreign_id}
    found = read_items((key, key) for key in wanted)
    taken = {
        wanted[key].id
        for (key, _), item in found.items()
        if item["order_id"]["S"] != wanted[key].id
    }
    kept = [order for order in orders if not _is_derived(order)]
    elsewhere = pool().gather([partial(_is_of_another, order) for order in kept])
    return taken | {order.id for order, is_taken in zip(kept, elsewhere, strict=True) if is_taken}


def _is_derived(order: NewOrder) -> bool:
    foreign_id = order.foreign_id
    return foreign_id is not None and order.id == imported_order_id(order.placed_at, foreign_id)


def _is_of_another(order: NewOrder) -> bool:
    try:
        return owner_of(order.id) != order.username
    except NoSuchOrder:
        return False


def _place_of(order: NewOrder) -> str:
    derived = derived_keys(
        order_id=order.id,
        status=order.now_in.status,
        entered_at=order.now_in.moment,
        placed_at=order.placed_at,
        shard=0,  # which the status date does not depend on
    )
    return derived["order_status_date"]
