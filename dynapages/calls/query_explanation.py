"""EXPLAIN of any Query: what one reads and returns, what it costs, and what its filter drops.

Follows "Querying tables in DynamoDB" of the Developer Guide: a Query is charged for what it reads,
before its filter, and reads 1 MB or ``Limit`` items at most.
"""

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from inspect import iscoroutine
from math import ceil
from typing import Any

from dynapages.calls.client_types import QueryClient
from dynapages.calls.expressions import readable_conditions, readable_expression
from dynapages.calls.meter import attach, dollars, prices, quantity, request_of
from dynapages.calls.plain_client import Resource, client_in
from dynapages.errors import DynamoError
from dynapages.items import BLOCK, UNITS_PER_BLOCK, item_bytes

MOST_PERCENT = 80
"""What a filter drops without a warning."""
_AFTER_QUERY = "after-call.dynamodb.Query"
_PARTS = ("ProjectionExpression", "AttributesToGet")
"""Parameters that return parts of items."""

_explained: ContextVar["list[QueryExplanation] | None"] = ContextVar("explained", default=None)
"""Takes the explanation of the Query that is made, None outside of `explain_query`."""


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """How one Query was read. As text it is several short lines.

    ``key_condition`` and ``filter`` have names and values in the place of placeholders.
    ``items_read`` is the ScannedCount, ``items_returned`` the Count; ``has_more`` is whether there
    is a LastEvaluatedKey. ``mean_item_bytes`` is the mean size of the items that were read: it is
    exact where all of them were returned whole, else the most that the capacity units allow; None
    where nothing was read. ``warnings`` are sentences.
    """

    table: str
    index: str | None
    key_condition: str
    filter: str | None
    items_read: int
    items_returned: int
    has_more: bool
    capacity_units: float
    mean_item_bytes: int | None
    size_is_exact: bool
    warnings: tuple[str, ...]

    @property
    def dollars(self) -> float:
        """What a million such Queries cost, in US dollars."""
        return prices().reads(self.capacity_units)

    @property
    def items_dropped(self) -> int:
        """The number of items that were read and paid for, and dropped by the filter."""
        return self.items_read - self.items_returned

    @property
    def percent_dropped(self) -> float:
        """The same in percent of the items that were read."""
        return _percent_dropped(self.items_read, self.items_returned)

    def as_dict(self) -> dict[str, Any]:
        """Return all figures, for JSON."""
        return {
            **asdict(self),
            "items_dropped": self.items_dropped,
            "percent_dropped": self.percent_dropped,
            "dollars": self.dollars,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        place = f"Query of {self.table}"
        if self.index is not None:
            place += f", index {self.index}"
        yield place
        yield f"key: {self.key_condition}"
        if self.filter is not None:
            yield f"filter: {self.filter}"
        items = quantity(self.items_read, "item", "items")
        if self.mean_item_bytes is not None:
            bound = "" if self.size_is_exact else "at most "
            size = quantity(self.mean_item_bytes, "byte", "bytes")
            items += f" of {bound}{size} on average"
        yield f"read: {items}"
        returned = quantity(self.items_returned, "item", "items")
        if self.filter is not None:
            returned += f"; the filter drops {self.items_dropped:,} ({self.percent_dropped:.0f} %)"
        yield f"returned: {returned}"
        units = quantity(self.capacity_units, "capacity unit", "capacity units")
        yield f"cost: {units}, {dollars(self.dollars)} for a million such Queries"
        yield f"more to read: {'yes' if self.has_more else 'no'}"
        for warning in self.warnings:
            yield f"warning: {warning}"


def explain_query(
    client: QueryClient | Resource,
    **query: Any,  # noqa: ANN401 - botocore's parameters
) -> QueryExplanation:
    """Make a Query of any program, and return what it read and what it cost.

    ``client`` is one of botocore or boto3, and ``query`` the parameters of its method ``query``; or
    it is a resource or a Table of boto3, and they are in its form, such as ``Key("pk").eq("x")``.
    It is one call, of 1 MB at most: for the rest give ExclusiveStartKey. The client's later calls
    are metered.

    Raises what the client does, ValueError for what is no such client, and DynamoError where an
    engine does not report the capacity.
    """
    making_the_call = client_in(client)
    if not hasattr(making_the_call, "meta"):
        raise ValueError(
            "A Query is explained by a client of botocore or boto3, whose calls have events"
        )
    attach(making_the_call)
    making_the_call.meta.events.register(
        _AFTER_QUERY, _explain, unique_id=f"dynapages.{_AFTER_QUERY}"
    )
    # A Table has a method of its own, and a resource none.
    has_query: Any = client if hasattr(client, "query") else making_the_call
    explained: list[QueryExplanation] = []
    token = _explained.set(explained)
    try:
        answer = has_query.query(**query)
    finally:
        _explained.reset(token)
    if iscoroutine(answer):
        answer.close()
        raise ValueError("A Query is explained by a client that is not awaited")
    return explained[0]


def _explain(parsed: Mapping[str, Any], context: Mapping[str, Any], **_: object) -> None:
    """Explain the Query that `explain_query` makes: a handler of botocore's."""
    explained = _explained.get()
    if explained is not None and "Error" not in parsed:
        # Here both are in wire form, whatever the client takes and returns.
        explained.append(_explanation_of(request_of(context), parsed))


def _explanation_of(request: Mapping[str, Any], answer: Mapping[str, Any]) -> QueryExplanation:
    if "ConsumedCapacity" not in answer:
        raise DynamoError("A Query is explained by its ConsumedCapacity, and the answer has none.")
    returns_all = answer["ScannedCount"] == answer["Count"] and _returns_whole_items(request)
    if returns_all:
        size = _bytes_returned(answer)
    else:
        size = _most_bytes_read(request, answer)
    mean = None
    if answer["ScannedCount"]:
        mean = ceil(size / answer["ScannedCount"])
    return QueryExplanation(
        table=request["TableName"],
        index=request.get("IndexName"),
        key_condition=_key_condition(request),
        filter=_filter(request),
        items_read=answer["ScannedCount"],
        items_returned=answer["Count"],
        has_more=bool(answer.get("LastEvaluatedKey")),
        capacity_units=answer["ConsumedCapacity"]["CapacityUnits"],
        mean_item_bytes=mean,
        size_is_exact=returns_all,
        warnings=tuple(_warnings(request, answer)),
    )


def _returns_whole_items(request: Mapping[str, Any]) -> bool:
    return request.get("Select") != "COUNT" and not any(name in request for name in _PARTS)


def _bytes_returned(answer: Mapping[str, Any]) -> float:
    return sum(item_bytes(item) for item in answer["Items"])


def _most_bytes_read(request: Mapping[str, Any], answer: Mapping[str, Any]) -> float:
    """Return how many bytes the capacity units of a Query can read."""
    units_per_block = UNITS_PER_BLOCK
    if request.get("ConsistentRead"):
        units_per_block *= 2
    blocks: float = answer["ConsumedCapacity"]["CapacityUnits"] / units_per_block
    return blocks * BLOCK


def _key_condition(request: Mapping[str, Any]) -> str:
    if "KeyConditionExpression" in request:
        return _readable(request, "KeyConditionExpression")
    return readable_conditions(request["KeyConditions"])


def _filter(request: Mapping[str, Any]) -> str | None:
    if "FilterExpression" in request:
        return _readable(request, "FilterExpression")
    if "QueryFilter" in request:
        operator = request.get("ConditionalOperator", "AND")
        return readable_conditions(request["QueryFilter"], operator)
    return None


def _readable(request: Mapping[str, Any], name: str) -> str:
    return readable_expression(
        request[name],
        request.get("ExpressionAttributeNames", {}),
        request.get("ExpressionAttributeValues", {}),
    )


def _percent_dropped(items_read: int, items_returned: int) -> float:
    if not items_read:
        return 0.0
    return 100 * (items_read - items_returned) / items_read


def _warnings(request: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence about each thing that makes this Query dearer or shorter than it seems."""
    percent = _percent_dropped(answer["ScannedCount"], answer["Count"])
    if percent > MOST_PERCENT:
        yield (
            f"The filter drops {percent:.0f} % of what is read and paid for; an index with its "
            "attribute in the key, or a sparse index, reads only what is kept."
        )
    if request.get("Select") == "COUNT":
        yield "COUNT reads the items that it counts, and costs as much as returning them."
    if not answer.get("LastEvaluatedKey"):
        return
    limit = request.get("Limit")
    if limit is None or answer["ScannedCount"] < limit:
        yield "A Query reads 1 MB at most: read on from LastEvaluatedKey."
    elif _filter(request) is not None:
        yield (
            "Limit counts the items before the filter: a page may be short or empty although more "
            "follow. Read on from LastEvaluatedKey until the page is full."
        )
