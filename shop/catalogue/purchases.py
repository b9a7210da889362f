"""Which purchases “also bought” counts: those whose latest order of the product was delivered.

Anybody can place orders and cancel them. If those counted, a few accounts of one person could make
up the buyers that a list needs, and so read off the purchases of another one.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial

from dynamo.calls.client import client, pool
from dynamo.items import Item, table_key
from dynamo.writes.actions import Action, check, update
from dynamo.writes.transactions import ConditionFailed, write_together
from shop import keys
from shop.catalogue.edge_keys import purchase_data
from shop.catalogue.edge_shards import writable_shards
from shop.models import Order, Purchase
from shop.order_status import Status
from shop.table import set_or_remove

DERIVED = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


def list_purchases(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> None:
    """Put the purchases of an order into the indexes, or take them out unless it is ``delivered``.

    ``moment`` is that of placing. A purchase with a later order stays as it is, and so do all when
    the order has moved on meanwhile.
    """
    shards = writable_shards()
    order = order_check(username, order_id, delivered=delivered)
    changes = [
        update(
            Purchase,
            table_key(keys.user(username), keys.bought(username, product_id)),
            set_or_remove(
                Purchase,
                DERIVED,
                purchase_data(username, product_id, moment, shards=shards) if delivered else {},
            ),
            Purchase.order_id == order_id,
        )
        for product_id in product_ids
    ]
    pool().gather([partial(_write, [order, change]) for change in changes])


def order_check(username: str, order_id: str, *, delivered: bool) -> Action:
    """Build the condition that an order is delivered, or is not."""
    key: Item = table_key(keys.user(username), keys.order(order_id))
    is_other = (Order.status != Status.DELIVERED.value) | Order.status.does_not_exist()
    return check(Order, key, Order.status == Status.DELIVERED.value if delivered else is_other)


def _write(actions: list[Action]) -> None:
    with suppress(ConditionFailed):
        write_together(client(), actions)
