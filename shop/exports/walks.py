"""Walks through the orders of one customer, or of all, for exports."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from dynamo.calls.client import client
from dynamo.files.exports import Batch, Walk
from dynamo.items import Item
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from shop import keys
from shop.exports.rows import rows_of
from shop.models import Order
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_orders
from shop.table import TABLE, Key, read_items

ORDERS_AT_A_TIME = 100
SCANNED_AT_A_TIME = 2_000
"""Items of the table, of any kind."""


def walk_through(username: str | None) -> Walk:
    """Return the walk through a customer's orders, newest first, or through those of everybody.

    One customer is read by their list; everybody by a Scan of the table, in no order that means
    anything. Raises botocore's errors.
    """
    return _scan if username is None else partial(_list, username)


def _list(username: str, position: Sequence[str] | None) -> Iterator[Batch]:
    behind = Position(position[0], position[1]) if position else None
    request = PageRequest(ORDERS_AT_A_TIME, behind)
    while True:
        page = list_orders(username, OrderFilter(), request).page
        last = page.entries[-1].position if page.has_next else None
        items = [dict(entry.item) for entry in page.entries]
        yield _batch(items, [last.place, last.rest] if last else None)
        if last is None:
            return
        request = PageRequest(ORDERS_AT_A_TIME, last)


def _scan(position: dict[str, Any] | None) -> Iterator[Batch]:
    last = position
    while True:
        start: dict[str, Any] = {"ExclusiveStartKey": last} if last else {}
        answer = client().scan(
            TableName=TABLE,
            Limit=SCANNED_AT_A_TIME,
            FilterExpression="begins_with(pk, :users) AND begins_with(sk, :orders)",
            ExpressionAttributeValues={
                ":users": {"S": keys.USER_PREFIX},
                ":orders": {"S": keys.ORDER_PREFIX},
            },
            **start,
        )
        last = answer.get("LastEvaluatedKey")
        yield _batch(answer["Items"], last)
        if last is None:
            return


def _batch(items: Sequence[Item], position: object) -> Batch:
    orders = [Order.from_raw_data(dict(item)) for item in items]
    wanted = [_line_keys(order) for order in orders]
    found = read_items(key for some in wanted for key in some)
    rows = [
        row
        for order, some in zip(orders, wanted, strict=True)
        for row in rows_of(order, [found[key] for key in some if key in found])
    ]
    return Batch(rows, position)


def _line_keys(order: Order) -> list[Key]:
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return [(keys.item(order_id, n), order.sk) for n in range(1, int(order.line_count) + 1)]
