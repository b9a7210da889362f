"""Which orders of an import the table has already, as they are to be.

Reading a hundred orders in one call takes a fraction of what it takes DynamoDB to refuse to write
each of them again; so an import that is repeated, or goes on, passes over them quickly.
"""

from collections.abc import Sequence

from shop import keys
from shop.orders.items import NewOrder, derived_keys
from shop.table import read_items


def unchanged_among(orders: Sequence[NewOrder]) -> set[str]:
    """Return the ids of the orders that are stored in the same status since the same moment.

    An order is written with all that belongs to it in one transaction: what is there is whole.
    """
    found = read_items((keys.user(order.username), keys.order(order.id)) for order in orders)
    stored = {key: item["order_status_date"]["S"] for (_, key), item in found.items()}
    return {order.id for order in orders if stored.get(keys.order(order.id)) == _place_of(order)}


def _place_of(order: NewOrder) -> str:
    derived = derived_keys(
        order_id=order.id,
        status=order.now_in.status,
        entered_at=order.now_in.moment,
        placed_at=order.placed_at,
        shard=0,  # of no concern to the place
    )
    return derived["order_status_date"]
