"""Walks through the orders of one customer, or of all, for exports."""

from collections.abc import Sequence

from dynamo.files.exports import Row, Walk
from dynamo.items import Item
from dynamo.management.exports import list_walk, table_walk
from shop import keys
from shop.exports.rows import rows_of
from shop.models import Order
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_orders
from shop.table import TABLE, Key, read_items

ORDERS_AT_A_TIME = 100


def walk_through(username: str | None) -> Walk:
    """Return the walk through a customer's orders, newest first, or through those of everybody.

    One customer is read by their list; everybody by a Scan of the table, in no order that means
    anything. Raises botocore's errors.
    """
    if username is None:
        return table_walk(
            TABLE,
            _rows,
            {
                "FilterExpression": "begins_with(pk, :users) AND begins_with(sk, :orders)",
                "ExpressionAttributeValues": {
                    ":users": {"S": keys.USER_PREFIX},
                    ":orders": {"S": keys.ORDER_PREFIX},
                },
            },
        )
    return list_walk(
        lambda request: list_orders(username, OrderFilter(), request).page,
        _rows,
        at_a_time=ORDERS_AT_A_TIME,
    )


def _rows(items: Sequence[Item]) -> list[Row]:
    orders = [Order.from_raw_data(dict(item)) for item in items]
    wanted = [_line_keys(order) for order in orders]
    found = read_items(key for some in wanted for key in some)
    return [
        row
        for order, some in zip(orders, wanted, strict=True)
        for row in rows_of(order, [found[key] for key in some if key in found])
    ]


def _line_keys(order: Order) -> list[Key]:
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return [(keys.item(order_id, n), order.sk) for n in range(1, int(order.line_count) + 1)]
