"""Queries: how a run of a table or index is read behind any position, one or more calls at a time.

The code here makes no call: `read_run` yields the parameters of each Query and is sent its answer,
so that it serves clients that wait and clients that are awaited alike.

**Equal sort keys.** Items of an index that have equal sort keys, a *group*, come in an order that
DynamoDB alone knows. Here a position is a sort key and a digest of a table key, and the items of a
group are sorted by these digests: an order that is the same for all reads, in both directions and
over several partitions. A read behind a position begins at its sort key, whether or not its item
still exists, and drops what is not behind the position. Where it stops, the last group may be
incomplete: it is dropped, and read again when it is needed. Only the group that a read began with
is read to its end. So with unique sort keys a page is one call for each run, which reads two items
more than it needs, or one if it begins with the item at its position; a page in a group of n items
reads the n items, whatever its size, in one call more for each megabyte.
"""

import re
from collections.abc import Awaitable, Coroutine, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from botocore.exceptions import ClientError

from dynapages.calls.faults import NotSetUp, fault_in
from dynapages.calls.meter import one_round
from dynapages.items import Item, KeyValue, key_value, wire_value
from dynapages.lists.runs import (
    END,
    HIGHEST,
    NOTHING,
    Chunk,
    HasAll,
    Index,
    OneOf,
    Position,
    Run,
    Start,
    joined,
    text_of,
    tie_of,
    value_at,
    value_in,
    without_prefix,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

Request: TypeAlias = dict[str, Any]
Answer: TypeAlias = Mapping[str, Any]
Queries: TypeAlias = Generator[Request, Answer, Chunk]
"""Yields the parameters of each Query, is sent its answer, and returns what was read."""

_SURROGATES = range(0xD800, 0xE000)
_ABOVE_TIES = "~"


class QuerySource:
    """Reads runs by Query. Raises botocore's errors.

    ``query`` are further parameters of each Query: see `checked_query`.
    Follows "Key condition expressions for the Query operation" of the Developer Guide.
    """

    def __init__(
        self,
        client: "DynamoDBClient",
        *,
        may_miss_tables: bool = False,
        query: Mapping[str, Any] | None = None,
    ) -> None:
        self._client = client
        self._may_miss_tables = may_miss_tables
        self._query = query or {}

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        steps = read_run(run, behind=behind, limit=limit, ascending=ascending, further=self._query)
        try:
            request = next(steps)
            while True:
                answer: Any = self._client.query(**request)
                if isinstance(answer, Coroutine):
                    answer.close()
                    raise TypeError("The client is one that is awaited: use apage, or async for")
                request = steps.send(answer)
        except StopIteration as stop:
            chunk: Chunk = stop.value
            return chunk
        except ClientError as error:
            if self._may_miss_tables and isinstance(fault_in(error), NotSetUp):
                return NOTHING
            raise

    async def aquery(
        self, run: Run, *, behind: Position | None, limit: int, ascending: bool
    ) -> Chunk:
        """Read as `query` does, by a client whose methods are awaited, such as aiobotocore's."""
        steps = read_run(run, behind=behind, limit=limit, ascending=ascending, further=self._query)
        try:
            request = next(steps)
            while True:
                answer: Any = self._client.query(**request)
                if not isinstance(answer, Awaitable):
                    raise TypeError("The client is not one that is awaited: use page, or for")
                with one_round():
                    answer = await answer
                request = steps.send(answer)
        except StopIteration as stop:
            chunk: Chunk = stop.value
            return chunk


def read_run(
    run: Run,
    *,
    behind: Position | None,
    limit: int,
    ascending: bool,
    further: Mapping[str, Any] | None = None,
) -> Queries:
    """Read up to ``limit`` items of a run behind a position, or a group of equal sort keys."""
    if run.index.key_names:
        return (yield from _Tied(run, further or {}, ascending=ascending).read(behind, limit))
    request = query_request(run, behind=behind, limit=limit, ascending=ascending)
    if request is None:
        return NOTHING
    answer = yield extended(request, further or {}, run.index)
    last_key = answer.get("LastEvaluatedKey")
    return Chunk(
        items=tuple({**item, **run.known} for item in answer["Items"]),
        last=run.position_of(last_key) if last_key else None,
        items_read=answer["ScannedCount"],
        capacity_units=_units(answer),
    )


def query_request(
    run: Run, *, behind: Position | None, limit: int, ascending: bool
) -> Request | None:
    """Build the Query that reads a run of unique places; None when nothing is left to read."""
    start = Start.EDGE if behind is None else run.start_at(behind, ascending=ascending)
    if start is Start.NOWHERE or run.is_empty:
        return None
    begins_behind = behind if start is Start.BEHIND else None
    condition, values = _key_condition(run)
    if begins_behind and begins_behind.inclusive:
        begin = joined(run.prefix, value_in(run.local(begins_behind).place))
        low, high = _bounds_from(run, begin, ascending=ascending)
        if low is not None and high is not None and text_of(low) > text_of(high):
            return None  # DynamoDB refuses such bounds
        condition, values = _between(low, high, is_open=False)
    request = _request(run, condition, values, ascending=ascending)
    request["Limit"] = limit
    if begins_behind and not begins_behind.inclusive:
        request["ExclusiveStartKey"] = _start_key(run, begins_behind)
    return request


def _request(
    run: Run, condition: str, values: Mapping[str, KeyValue], *, ascending: bool
) -> Request:
    request: Request = {
        "TableName": run.index.table,
        "KeyConditionExpression": "#p = :p" + condition,
        "ExpressionAttributeNames": {"#p": run.index.partition},
        "ExpressionAttributeValues": {
            ":p": wire_value(run.partition),
            **{name: wire_value(value) for name, value in values.items()},
        },
        "ScanIndexForward": ascending,
        "ReturnConsumedCapacity": "INDEXES",
    }
    if condition:
        request["ExpressionAttributeNames"]["#s"] = run.index.sort
    if run.index.name is not None:
        request["IndexName"] = run.index.name
    if run.index.consistent:
        request["ConsistentRead"] = True
    _add_filter(request, run.keep)
    return request


def _add_filter(request: Request, keep: Sequence[OneOf | HasAll]) -> None:
    terms = []
    for number, kept in enumerate(keep):
        name, names = f"#f{number}", [f":f{number}_{n}" for n in range(len(kept.values))]
        request["ExpressionAttributeNames"][name] = kept.attribute
        request["ExpressionAttributeValues"] |= dict(zip(names, kept.values, strict=True))
        if isinstance(kept, HasAll):
            terms += [f"contains({name}, {value})" for value in names]
        else:
            terms.append(f"{name} IN ({', '.join(names)})")
    if terms:
        request["FilterExpression"] = " AND ".join(terms)


def _start_key(run: Run, position: Position) -> Item:
    """Build the ExclusiveStartKey that makes a run of unique places resume behind a position."""
    local, table_key = run.local(position), run.index.table_key
    key = dict(table_key(local)) if callable(table_key) else {}
    key[run.index.partition] = run.partition
    key[run.index.sort] = joined(run.prefix, value_in(local.place))
    return {name: wire_value(value) for name, value in key.items()}


def _key_condition(run: Run) -> tuple[str, Mapping[str, KeyValue]]:
    # Both ends are bounded, so that no neighbouring prefix is read. BETWEEN includes its upper end,
    # which therefore lies just below ``until``: a read that stopped at an item at ``until`` could
    # not be resumed, neither from outside the range nor from its edge.
    prefix, since, until = (_text(bound) for bound in (run.prefix, run.since, run.until))
    if since is None and until is None:
        return (" AND begins_with(#s, :prefix)", {":prefix": prefix}) if prefix else ("", {})
    if until is None and not prefix:
        return " AND #s >= :low", {":low": since or ""}
    if since is None and not prefix:
        return " AND #s < :high", {":high": until or ""}
    low = (prefix or "") + (since or "")
    high = (prefix or "") + _highest_below(until)
    return " AND #s BETWEEN :low AND :high", {":low": low, ":high": high}


def _bounds_from(
    run: Run, begin: KeyValue, *, ascending: bool
) -> tuple[KeyValue | None, KeyValue | None]:
    """Return the bounds, both included, of a read of unique places that begins with a sort key."""
    prefix, since, until = (_text(bound) or "" for bound in (run.prefix, run.since, run.until))
    if not ascending:
        return prefix + since or None, begin
    if run.until is None and not prefix:
        return begin, None
    return begin, prefix + _highest_below(None if run.until is None else until)


def _highest_below(until: str | None) -> str:
    return HIGHEST if until is None else _just_below(until)


def _text(bound: KeyValue | None) -> str | None:
    if bound is None or isinstance(bound, str):
        return bound
    raise ValueError("A list whose table_key is a function has bounds that are strings")


def _just_below(key: str) -> str:
    """Return a string that is above all sort keys below ``key``, and below ``key`` itself."""
    code = ord(key[-1]) - 1
    if code < 0:
        return key[:-1]
    if code in _SURROGATES:
        code = _SURROGATES.start - 1
    return key[:-1] + chr(code) + HIGHEST


def _units(answer: Answer) -> float:
    units: float = answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
    return units


class _Tied:
    """The read of a run whose items may have equal sort keys: see the module."""

    def __init__(self, run: Run, further: Mapping[str, Any], *, ascending: bool) -> None:
        self._run = run
        self._further = further
        self._ascending = ascending
        self._low, self._high = run.bounds
        self._answers: list[Answer] = []

    def read(self, behind: Position | None, limit: int) -> Queries:
        run = self._run
        start = run.start_at(behind, ascending=self._ascending) if behind else Start.EDGE
        if start is Start.NOWHERE or run.is_empty:
            return NOTHING
        local = run.local(behind) if behind and start is Start.BEHIND else None
        begun = local.place if local else None
        request = self._request_behind(local) if local else self._edge_request()
        if request is None:
            return NOTHING
        has_groups = run.index.name is not None
        # Of the group it begins with, the item at the position is dropped, unless it is included.
        drops_one = begun is not None and END in begun and not (behind and behind.inclusive)
        request["Limit"] = limit + has_groups * (2 if drops_one else 1)
        items, last_key = yield from self._ask(request)
        if last_key is None or self._is_outside(last_key):
            return self._chunk(items, behind, last=None)
        if not has_groups:
            return self._chunk(items, behind, last=run.position_of(last_key).place)
        group = key_value(last_key[run.index.sort])
        text = run.section + text_of(without_prefix(run.prefix, group))
        edges = (text, text + END + _ABOVE_TIES)
        in_front, at_end = edges if self._ascending else edges[::-1]
        if not self._began_with(group, begun):
            items = [item for item in items if key_value(item[run.index.sort]) != group]
            return self._chunk(items, behind, last=in_front)
        request = self._request(" AND #s = :s", {":s": group})
        while last_key is not None:
            more, last_key = yield from self._ask({**request, "ExclusiveStartKey": last_key})
            items += more
        return self._chunk(items, behind, last=at_end)

    def _ask(self, request: Request) -> Generator[Request, Answer, tuple[list[Item], Item | None]]:
        answer = yield extended(request, self._further, self._run.index)
        self._answers.append(answer)
        return [{**i, **self._run.known} for i in answer["Items"]], answer.get("LastEvaluatedKey")

    def _chunk(self, items: Sequence[Item], behind: Position | None, *, last: str | None) -> Chunk:
        """Build what was read: the items in the range and behind the position, in order."""
        placed = [(self._run.position_of(i).place, i) for i in items if not self._is_outside(i)]
        if behind is not None:
            placed = [
                (place, item)
                for place, item in placed
                if behind.is_before(place, ascending=self._ascending)
            ]
        placed.sort(key=lambda pair: pair[0], reverse=not self._ascending)
        return Chunk(
            items=tuple(item for _, item in placed),
            last=None if last is None else Position(last),
            items_read=sum(answer["ScannedCount"] for answer in self._answers),
            capacity_units=sum(map(_units, self._answers)),
            calls=len(self._answers),
        )

    def _is_outside(self, item: Item) -> bool:
        text = text_of(key_value(item[self._run.index.sort]))
        is_below = self._low is not None and text < text_of(self._low)
        return is_below or (self._high is not None and text >= text_of(self._high))

    def _began_with(self, group: KeyValue, begun: str | None) -> bool:
        """Return whether the group at which a read stopped is the one that it began with."""
        text = text_of(without_prefix(self._run.prefix, group))
        if begun is not None and begun.partition(END)[0] == text:
            return True
        answer = self._answers[0]
        items = answer["Items"]
        is_whole = len(items) == answer["ScannedCount"] > 0
        return is_whole and key_value(items[0][self._run.index.sort]) == group

    def _edge_request(self) -> Request:
        run = self._run
        if run.prefix and run.since is None and run.until is None:
            return self._request(" AND begins_with(#s, :prefix)", {":prefix": run.prefix})
        return self._request(*_between(self._low, self._high, is_open=True))

    def _request_behind(self, begun: Position) -> Request | None:
        """Build the Query that begins at the sort key of a position, or behind all of its group."""
        run = self._run
        text, _, tie = begun.place.partition(END)
        value = joined(run.prefix, value_at(text))
        if run.index.name is None:
            key = {run.index.partition: run.partition, run.index.sort: value}
            wired = {name: wire_value(each) for name, each in key.items()}
            own = text + END + tie_of(wired, run.index.key_names)
            if not begun.is_before(own, ascending=self._ascending):
                if not self._ascending and value == self._low:
                    return None  # DynamoDB refuses a start key where nothing can follow
                return {**self._edge_request(), "ExclusiveStartKey": wired}
        elif tie == (_ABOVE_TIES if self._ascending else ""):
            return self._request(f" AND #s {'>' if self._ascending else '<'} :s", {":s": value})
        if self._ascending:
            return self._request(*_between(value, self._high, is_open=True))
        return self._request(*_between(self._low, value, is_open=False))

    def _request(self, condition: str, values: Mapping[str, KeyValue]) -> Request:
        return _request(self._run, condition, values, ascending=self._ascending)


def _between(
    low: KeyValue | None, high: KeyValue | None, *, is_open: bool
) -> tuple[str, Mapping[str, KeyValue]]:
    """Build a condition from ``low`` to ``high``; BETWEEN includes both ends, even if open."""
    if low is not None and high is not None:
        return " AND #s BETWEEN :low AND :high", {":low": low, ":high": high}
    if low is not None:
        return " AND #s >= :low", {":low": low}
    if high is not None:
        return f" AND #s {'<' if is_open else '<='} :high", {":high": high}
    return "", {}


_PLACEHOLDER = re.compile(r"([#:])(?=\w)")
_FURTHER = {
    "ConsistentRead",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "FilterExpression",
    "ProjectionExpression",
}


def checked_query(query: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return a caller's parameters of each Query, with placeholders that are not the library's.

    They are ConsistentRead, FilterExpression, ProjectionExpression, and the names and values that
    these use, as botocore takes them. Raises ValueError for others.
    """
    if others := sorted(set(query or {}) - _FURTHER):
        raise ValueError(f"A list takes {', '.join(sorted(_FURTHER))}, and not {', '.join(others)}")
    found = dict(query or {})
    for name in ("FilterExpression", "ProjectionExpression"):
        if name in found:
            found[name] = _renamed(found[name])
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        if name in found:
            found[name] = {_renamed(key): value for key, value in found[name].items()}
    return found


def _renamed(expression: str) -> str:
    return _PLACEHOLDER.sub(r"\1q_", expression)


def extended(request: Request, further: Mapping[str, Any], index: Index) -> Request:
    """Return a Query with what `checked_query` returned; a projection also has the key."""
    if not further:
        return request
    names = {**request["ExpressionAttributeNames"], **further.get("ExpressionAttributeNames", {})}
    values = further.get("ExpressionAttributeValues", {})
    found = {
        **request,
        **further,
        "ExpressionAttributeValues": {**request["ExpressionAttributeValues"], **values},
    }
    filters = [f["FilterExpression"] for f in (request, further) if "FilterExpression" in f]
    if filters:
        found["FilterExpression"] = " AND ".join(f"({each})" for each in filters)
    if projection := further.get("ProjectionExpression"):
        asked = {names.get(name.strip(), name.strip()) for name in projection.split(",")}
        keys = dict.fromkeys((index.partition, index.sort, *index.key_names))
        lacking = {f"#k{n}": name for n, name in enumerate(keys) if name not in asked}
        names |= lacking
        found["ProjectionExpression"] = ", ".join([projection, *lacking])
    found["ExpressionAttributeNames"] = names
    return found
