"""Walks of export commands: through a list, or through a whole table, from where one stopped."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from dynamo.calls.client import client
from dynamo.files.exports import Batch, Row, Walk
from dynamo.items import Item
from dynamo.lists.reader import Page, PageRequest
from dynamo.lists.runs import Position

SCANNED_AT_A_TIME = 2_000
"""Items of a table, of any kind."""
RowsOf = Callable[[Sequence[Item]], Sequence[Row]]
"""Builds the rows of some items."""


def list_walk(page_of: Callable[[PageRequest], Page], rows_of: RowsOf, *, at_a_time: int) -> Walk:
    """Return the walk through a list, from its newest item on, in pages of ``at_a_time``."""
    return partial(_list, page_of, rows_of, at_a_time)


def table_walk(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any] = MappingProxyType({})
) -> Walk:
    """Return the walk through a table by Scan, whose ``condition`` are arguments of the call.

    The order means nothing. It costs half a capacity unit for each 4 KB of the table.
    """
    return partial(_table, table, rows_of, condition)


def _list(
    page_of: Callable[[PageRequest], Page],
    rows_of: RowsOf,
    at_a_time: int,
    position: Sequence[str] | None,
) -> Iterator[Batch]:
    behind = Position(position[0], position[1]) if position else None
    while True:
        page = page_of(PageRequest(at_a_time, behind))
        behind = page.next_position
        rows = rows_of([dict(entry.item) for entry in page.entries])
        yield Batch(rows, [behind.place, behind.rest] if behind else None)
        if behind is None:
            return


def _table(
    table: str, rows_of: RowsOf, condition: Mapping[str, Any], position: Item | None
) -> Iterator[Batch]:
    last: Any = position
    while True:
        start = {"ExclusiveStartKey": last} if last else {}
        answer = client().scan(TableName=table, Limit=SCANNED_AT_A_TIME, **condition, **start)
        last = answer.get("LastEvaluatedKey")
        yield Batch(rows_of(answer["Items"]), last)
        if last is None:
            return
