"""A model of DynamoDB's Query: sorted lists in memory, and AWS's rules for asking.

A read ends at its limit, or wherever ``cut`` says DynamoDB's 1 MB would end it; either way there
is a LastEvaluatedKey, even when nothing lies behind it. What a FilterExpression drops has been
read all the same: a read may come back empty and yet not be at its end.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import Any
from zlib import crc32

from dynapages.items import BLOCK, Item, key_value
from dynapages_testing.strict import KeySchema, Request, check_query, key_condition

READ_UNITS = 0.5
TABLE_KEY = ("pk", "sk")
ENDLESS = 2_000


def never(_request: Request) -> None:
    """No read is cut."""


Names = str | tuple[str, ...]


@dataclass
class QueryModel:
    """Takes `query` as a DynamoDB client does.

    ``indexes`` names the partition key and the sort key of each index, each a name or several.

    A read costs half a unit for each 4 KB that it starts, by the ``bytes_of`` its items.
    """

    indexes: Mapping[str, tuple[Names, Names]]
    items: list[Item] = field(default_factory=list)
    cut: Callable[[Request], int | None] = never
    requests: list[Request] = field(default_factory=list)
    bytes_of: Callable[[Item], int] = lambda _item: 1

    def query(self, **request: Any) -> dict[str, Any]:
        check_query(request, lambda _table, index: self._schema(index))
        self.requests.append(request)
        assert len(self.requests) < ENDLESS, "the reader asks without end"
        behind = self._behind(request)
        limit = request.get("Limit", len(self.items) + 1)
        most = min(limit, self.cut(request) or limit)
        read = list(islice(behind, most))
        size = sum(map(self.bytes_of, read))
        answer = {
            "Items": [item for item in read if _passes(item, request)],
            "ScannedCount": len(read),
            "ConsumedCapacity": {"CapacityUnits": READ_UNITS * max(ceil(size / BLOCK), 1)},
        }
        if len(read) == most:
            names = self._schema(request.get("IndexName")).names
            answer["LastEvaluatedKey"] = {name: read[-1][name] for name in names}
        return answer

    def _behind(self, request: Request) -> Iterator[Item]:
        ascending = request["ScanIndexForward"]
        ordered = self._ordered(request, ascending=ascending)
        start = request.get("ExclusiveStartKey")
        if start is None:
            return iter(ordered)
        place = self._place(start, request)
        return (
            item
            for item in ordered
            if (
                self._place(item, request) > place
                if ascending
                else self._place(item, request) < place
            )
        )

    def _ordered(self, request: Request, *, ascending: bool) -> Sequence[Item]:
        condition = key_condition(request)
        names = self._schema(request.get("IndexName")).names
        found = [item for item in self.items if names <= item.keys() and condition.holds(item)]
        return sorted(found, key=lambda i: self._place(i, request), reverse=not ascending)

    def _place(self, item: Item, request: Request) -> tuple[Any, int]:
        # Items with one sort key have an order that nobody knows.
        sort = self._schema(request.get("IndexName")).sort
        values = [key_value(item[name]) for name in sort]
        return values, crc32(repr([item[name] for name in TABLE_KEY]).encode())

    def _schema(self, index: str | None) -> KeySchema:
        partition, sort = TABLE_KEY if index is None else self.indexes[index]
        return KeySchema(_tuple(partition), _tuple(sort), TABLE_KEY)


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _passes(item: Item, request: Request) -> bool:
    """Apply a FilterExpression of the form ``#a IN (:b, :c) AND #d IN (:e)``."""
    names = request["ExpressionAttributeNames"]
    values = request["ExpressionAttributeValues"]
    return all(
        item.get(names[name]) in [values[value] for value in spelled.split(", ")]
        for name, spelled in re.findall(
            r"(#\w+) IN \(([^)]*)\)", request.get("FilterExpression", "")
        )
    )
