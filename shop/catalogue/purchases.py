"""Which purchases “also bought” counts: those whose latest order of the product was delivered.

Anybody can place orders and cancel them. If those counted, a few accounts of one person could make
up the buyers that a list needs, and so read off the purchases of another one.
"""

from collections.abc import Iterable
from datetime import datetime

from dynamo.items import table_key
from dynamo.writes.actions import Action, update
from shop import keys
from shop.catalogue.edge_keys import EDGES, purchase_data
from shop.models import Purchase
from shop.table import set_or_remove

DERIVED = ("order_status_date", "data_partition", "data")
"""The keys of a purchase in two indexes; one that is not counted has none."""


def purchase_updates(
    product_ids: Iterable[str], *, username: str, order_id: str, moment: datetime, delivered: bool
) -> list[Action]:
    """Build the updates that list the purchases of an order, or unless ``delivered`` unlist them.

    They belong into the transaction that moves the order. ``moment`` is that of placing. Each is
    on condition that the purchase has no later order: one that has is never this order's again, so
    that its update may be left out.
    """
    shards = EDGES.writable()
    return [
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
        for product_id in dict.fromkeys(product_ids)
    ]
