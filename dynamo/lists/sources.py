"""Sources: where the reader gets the next items of a run from.

`Source` is all that `dynamo.lists.reader` needs of a database. `QuerySource` is DynamoDB's Query;
a test may use a list instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from dynamo.items import Item
from dynamo.lists.runs import OneOf, Position, Run, Start

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HIGHEST = "\U0010ffff"
"""Sorts behind every character that a sort key may hold."""
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The result of one read of a run.

    ``last`` is the position the read stopped at, None when the run is exhausted. It may lie beyond
    the last of ``items``, which a filter may even have emptied. ``items_read`` is the ScannedCount.
    """

    items: tuple[Item, ...]
    last: Position | None
    items_read: int
    capacity_units: float


NOTHING = Chunk(items=(), last=None, items_read=0, capacity_units=0.0)


class Source(Protocol):
    """Reads the next items of a run, in order."""

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        """Read up to ``limit`` items of ``run`` behind a position; None is the run's own edge."""


class QuerySource:
    """Reads runs by Query, one call each. Raises botocore's errors.

    Follows "Paginating table query results" and "Key condition expressions for the Query
    operation" of the Developer Guide.
    """

    def __init__(self, client: "DynamoDBClient") -> None:
        self._client = client

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        request = query_request(run, behind=behind, limit=limit, ascending=ascending)
        if request is None:
            return NOTHING
        response = self._client.query(**request)
        last_key = response.get("LastEvaluatedKey")
        return Chunk(
            items=tuple({**item, **run.known} for item in response["Items"]),
            last=run.position_of(last_key) if last_key else None,
            items_read=response["ScannedCount"],
            capacity_units=response.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0),
        )


def query_request(
    run: Run, *, behind: Position | None, limit: int, ascending: bool
) -> dict[str, Any] | None:
    """Build the parameters of the Query that reads a run; None when nothing is left to read."""
    start = Start.EDGE if behind is None else run.start_at(behind, ascending=ascending)
    if start is Start.NOWHERE or run.is_empty:
        return None
    condition, values = _key_condition(run)
    request: dict[str, Any] = {
        "TableName": run.index.table,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {"#p": run.index.partition_key},
        "ExpressionAttributeValues": {name: {"S": value} for name, value in values.items()},
        "ScanIndexForward": ascending,
        "ReturnConsumedCapacity": "INDEXES",
        "Limit": limit,
    }
    if "#s" in condition:
        request["ExpressionAttributeNames"]["#s"] = run.index.sort_key
    if run.index.name is not None:
        request["IndexName"] = run.index.name
    if run.index.consistent:
        request["ConsistentRead"] = True
    if start is Start.BEHIND and behind is not None:
        request["ExclusiveStartKey"] = run.start_key(behind)
    _add_filter(request, run.keep)
    return request


def _add_filter(request: dict[str, Any], keep: Sequence[OneOf]) -> None:
    terms = []
    for number, one_of in enumerate(keep):
        values = {f":f{number}_{n}": value for n, value in enumerate(one_of.values)}
        request["ExpressionAttributeNames"][f"#f{number}"] = one_of.attribute
        request["ExpressionAttributeValues"] |= values
        terms.append(f"#f{number} IN ({', '.join(values)})")
    if terms:
        request["FilterExpression"] = " AND ".join(terms)


def _key_condition(run: Run) -> tuple[str, Mapping[str, str]]:
    # Both ends are bounded, so that no neighbouring prefix is read. BETWEEN includes its upper end,
    # which therefore lies just below ``until``: a read that stopped at an item at ``until`` could
    # not be resumed, neither from outside the range nor from its edge.
    values = {":p": run.partition}
    if run.since is None and run.until is None:
        if not run.prefix:
            return "#p = :p", values
        return "#p = :p AND begins_with(#s, :prefix)", values | {":prefix": run.prefix}
    if run.until is None and not run.prefix:
        return "#p = :p AND #s >= :low", values | {":low": run.since or ""}
    if run.since is None and not run.prefix:
        return "#p = :p AND #s < :high", values | {":high": run.until or ""}
    low = run.prefix + (run.since or "")
    high = run.prefix + (HIGHEST if run.until is None else _just_below(run.until))
    return "#p = :p AND #s BETWEEN :low AND :high", values | {":low": low, ":high": high}


def _just_below(key: str) -> str:
    """Return a string that is above all sort keys below ``key``, and below ``key`` itself."""
    code = ord(key[-1]) - 1
    if code < 0:
        return key[:-1]
    if code in _SURROGATES:
        code = _SURROGATES.start - 1
    return key[:-1] + chr(code) + HIGHEST
