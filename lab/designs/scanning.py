"""Lists by FilterExpression where no key sorts: read everything, sort, and cut the page out.

A Scan, and a Query whose sort key has another order than the list, return no page: any item not
read yet could belong on it. So the client reads to the end for every page.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pynamodb.expressions.condition import Condition

from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.lists.reader import Order, PageRequest


def scan(table: str, condition: Condition) -> Iterator[Item]:
    """Yield the items of a whole table that a condition keeps, in no order."""
    return every_item("scan", table, {"FilterExpression": condition})


def query(table: str, key: Condition, condition: Condition) -> Iterator[Item]:
    """Yield the items at a key condition that another one keeps."""
    conditions = {"KeyConditionExpression": key, "FilterExpression": condition}
    return every_item("query", table, conditions)


def every_item(
    operation: Literal["query", "scan"],
    table: str,
    conditions: Mapping[str, Condition],
    **more: Any,  # noqa: ANN401 - botocore's
) -> Iterator[Item]:
    """Yield all items of a Query or Scan, a call for each megabyte; ``more`` are parameters."""
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    request: dict[str, Any] = {
        **{name: one.serialize(names, values) for name, one in conditions.items()},
        "TableName": table,
        "ExpressionAttributeNames": {name: path for path, name in names.items()},
        "ExpressionAttributeValues": values,
        **more,
    }
    pages = client().get_paginator(operation).paginate(**request)
    for page in pages:
        yield from page["Items"]


def cut_out(
    items: Iterator[Item],
    request: PageRequest,
    *,
    place: Callable[[Item], str],
    order: Order = Order.NEWEST_FIRST,
) -> Sequence[Item]:
    """Sort items by their places and return the page behind the request's position."""
    newest_first = order is Order.NEWEST_FIRST
    ordered = sorted(items, key=place, reverse=newest_first)
    behind = request.position.place if request.position else None
    left = [
        item
        for item in ordered
        if behind is None or (place(item) < behind if newest_first else place(item) > behind)
    ]
    return left[: request.size]
