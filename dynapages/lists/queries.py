"""Queries: how a run of a table or index is read behind any position, one or more calls at a time.

`QuerySource` makes the calls. What they are is in `read_run`, which makes none: it yields the
parameters of each Query and is sent its answer, so that it serves clients that wait and clients
that are awaited alike. `checked_query` and `extended` are for what a caller adds to each Query.

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
from operator import itemgetter
from typing import Any, TypeAlias

from botocore.exceptions import ClientError

from dynapages.calls.answers import last_key
from dynapages.calls.client_types import QueryClient
from dynapages.calls.faults import NotSetUp, fault_in
from dynapages.calls.meter import one_round
from dynapages.calls.plain_client import Resource, plain_client
from dynapages.items import Item, KeyValue, wire_key, wire_value
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
    value_at,
    value_in,
    without_prefix,
)

Request: TypeAlias = dict[str, Any]
Answer: TypeAlias = Mapping[str, Any]
Queries: TypeAlias = Generator[Request, Answer, Chunk]
"""Yields the parameters of each Query, is sent its answer, and returns what was read."""

_SURROGATES = range(0xD800, 0xE000)
_ABOVE_TIES = "~"
_PLACEHOLDER = re.compile(r"([#:])(?=\w)")
_FURTHER = {
    "ConsistentRead",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "FilterExpression",
    "ProjectionExpression",
}
"""The parameters of a Query that a caller may add."""


# The source


class QuerySource:
    """Reads runs by Query. Raises botocore's errors.

    ``client`` is the one of a `Feed`; a resource's is used without the handlers that change values.
    ``query`` are further parameters of each Query: see `checked_query`.
    Follows "Key condition expressions for the Query operation" of the Developer Guide.
    """

    def __init__(
        self,
        client: QueryClient | Resource,
        *,
        may_miss_tables: bool = False,
        query: Mapping[str, Any] | None = None,
    ) -> None:
        self.client: QueryClient = plain_client(client)
        self._may_miss_tables = may_miss_tables
        self._query = query or {}

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        """Read up to ``limit`` items of ``run`` behind a position, as a `Source` does."""
        steps = read_run(run, behind=behind, limit=limit, ascending=ascending, further=self._query)
        try:
            request = next(steps)
            while True:
                answer: Any = self.client.query(**request)
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
                answer: Any = self.client.query(**request)
                if not isinstance(answer, Awaitable):
                    raise TypeError("The client is not one that is awaited: use page, or for")
                with one_round():
                    answer = await answer
                request = steps.send(answer)
        except StopIteration as stop:
            chunk: Chunk = stop.value
            return chunk


# Runs of unique places


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
        return (yield from _TiedRead(run, further or {}, ascending=ascending).read(behind, limit))
    request = query_request(run, behind=behind, limit=limit, ascending=ascending)
    if request is None:
        return NOTHING
    answer = yield extended(request, further or {}, run.index)
    stop = last_key(answer)
    return Chunk(
        items=tuple({**item, **run.known} for item in answer["Items"]),
        last=run.position_of(stop) if stop is not None else None,
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
    if behind is None or start is Start.EDGE:
        condition, values = _key_condition(run)
        request = _request(run, condition, values, ascending=ascending)
    elif behind.inclusive:
        # A start key is exclusive, so the read is bounded by the position instead.
        begin = joined(run.prefix, value_in(run.without_section(behind).place))
        low, high = _bounds_from(run, begin, ascending=ascending)
        if low is not None and high is not None and text_of(low) > text_of(high):
            return None  # DynamoDB refuses such bounds
        condition, values = _between(low, high, is_open=False)
        request = _request(run, condition, values, ascending=ascending)
    else:
        condition, values = _key_condition(run)
        request = _request(run, condition, values, ascending=ascending)
        request["ExclusiveStartKey"] = _start_key(run, behind)
    request["Limit"] = limit
    return request


def _request(
    run: Run, condition: str, values: Mapping[str, KeyValue], *, ascending: bool
) -> Request:
    """Build the Query of a run with a condition on sort keys, such as ``" AND #s < :high"``."""
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
    """Add the filters of a run to a Query, all of which an item has to pass."""
    terms = []
    for number, condition in enumerate(keep):
        name = f"#f{number}"
        request["ExpressionAttributeNames"][name] = condition.attribute
        placeholders = []
        for value_number, value in enumerate(condition.values):
            placeholder = f":f{number}_{value_number}"
            request["ExpressionAttributeValues"][placeholder] = value
            placeholders.append(placeholder)
        if isinstance(condition, HasAll):
            terms += [f"contains({name}, {placeholder})" for placeholder in placeholders]
        else:
            terms.append(f"{name} IN ({', '.join(placeholders)})")
    if terms:
        request["FilterExpression"] = " AND ".join(terms)


def _start_key(run: Run, position: Position) -> Item:
    """Build the ExclusiveStartKey that makes a run of unique places resume behind a position."""
    local = run.without_section(position)
    key: dict[str, KeyValue] = {}
    if callable(run.index.table_key):
        key.update(run.index.table_key(local))
    key[run.index.partition] = run.partition
    key[run.index.sort] = joined(run.prefix, value_in(local.place))
    return {name: wire_value(value) for name, value in key.items()}


def _key_condition(run: Run) -> tuple[str, Mapping[str, KeyValue]]:
    """Build the condition of all sort keys of a run of unique places, and its values."""
    # Both ends are bounded, so that no neighbouring prefix is read. BETWEEN includes its upper end,
    # which therefore lies just below ``until``: a read that stopped at an item at ``until`` could
    # not be resumed, neither from outside the range nor from its edge.
    prefix, since, until = _text(run.prefix), _text(run.since), _text(run.until)
    if since is None and until is None:
        if not prefix:
            return "", {}
        return " AND begins_with(#s, :prefix)", {":prefix": prefix}
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
    prefix, since, until = _text(run.prefix) or "", _text(run.since) or "", _text(run.until)
    if not ascending:
        lowest = prefix + since
        return lowest or None, begin
    if until is None and not prefix:
        return begin, None
    return begin, prefix + _highest_below(until)


def _highest_below(until: str | None) -> str:
    """Return a text above all that follows a prefix, and is below ``until`` if there is one."""
    return HIGHEST if until is None else _just_below(until)


def _text(bound: KeyValue | None) -> str | None:
    """Return a bound that is a string, or None. Raises ValueError for other types."""
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
    """Return the capacity units of a Query; 0.0 where an engine meters nothing."""
    units: float = answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
    return units


# Runs whose items may have equal sort keys


def items_beyond(index: Index, position: Position | None) -> int:
    """Return how many items a read from a position takes beyond those that it is to bring."""
    if index.name is None or not index.key_names:
        return 0
    # One shows whether the last group of equal sort keys is whole.
    beyond = 1
    if position is not None and END in position.place and not position.inclusive:
        # Of the group it begins with, the item at the position is dropped.
        beyond += 1
    return beyond


class _TiedRead:
    """The read of a run whose items may have equal sort keys: see the module."""

    def __init__(self, run: Run, further: Mapping[str, Any], *, ascending: bool) -> None:
        self._run = run
        self._further = further
        self._ascending = ascending
        self._low, self._high = run.bounds
        self._answers: list[Answer] = []

    def read(self, behind: Position | None, limit: int) -> Queries:
        """Read up to ``limit`` items behind a position, and the last group only if it is whole."""
        run = self._run
        start = run.start_at(behind, ascending=self._ascending) if behind else Start.EDGE
        if start is Start.NOWHERE or run.is_empty:
            return NOTHING
        begun: Position | None = None
        request: Request | None
        if behind is not None and start is Start.BEHIND:
            begun = run.without_section(behind)
            request = self._request_behind(begun)
        else:
            request = self._edge_request()
        if request is None:
            return NOTHING
        has_groups = run.index.name is not None
        request["Limit"] = limit + items_beyond(run.index, begun)
        items, stop = yield from self._query(request)
        if stop is None or self._is_outside(stop):
            return self._chunk(items, behind, last=None)
        if not has_groups:
            return self._chunk(items, behind, last=run.position_of(stop).place)
        group = run.index.sort_value(stop)
        in_front, at_end = self._edges_of_group(group)
        if not self._began_with(group, begun):
            # The last group may be incomplete: it is read again when it is needed.
            items = [item for item in items if run.index.sort_value(item) != group]
            return self._chunk(items, behind, last=in_front)
        request = self._request(" AND #s = :s", {":s": group})
        while stop is not None:
            more, stop = yield from self._query({**request, "ExclusiveStartKey": stop})
            items += more
        return self._chunk(items, behind, last=at_end)

    def _edges_of_group(self, group: KeyValue) -> tuple[str, str]:
        """Return the places in front of and behind all items of a sort key, as they are read."""
        text = self._run.section + text_of(without_prefix(self._run.prefix, group))
        below, above = text, text + END + _ABOVE_TIES
        if self._ascending:
            return below, above
        return above, below

    def _query(
        self, request: Request
    ) -> Generator[Request, Answer, tuple[list[Item], Item | None]]:
        """Make a Query; return its items and its LastEvaluatedKey."""
        answer = yield extended(request, self._further, self._run.index)
        self._answers.append(answer)
        items: list[Item] = [{**item, **self._run.known} for item in answer["Items"]]
        return items, last_key(answer)

    def _chunk(self, items: Sequence[Item], behind: Position | None, *, last: str | None) -> Chunk:
        """Build what was read: the items in the range and behind the position, in order."""
        placed: list[tuple[str, Item]] = []
        for item in items:
            if self._is_outside(item):
                continue
            place = self._run.position_of(item).place
            if behind is None or behind.is_before(place, ascending=self._ascending):
                placed.append((place, item))
        placed.sort(key=itemgetter(0), reverse=not self._ascending)
        items_read = 0
        capacity_units = 0.0
        for answer in self._answers:
            items_read += answer["ScannedCount"]
            capacity_units += _units(answer)
        return Chunk(
            items=tuple(item for _, item in placed),
            last=None if last is None else Position(last),
            items_read=items_read,
            capacity_units=capacity_units,
            calls=len(self._answers),
        )

    def _is_outside(self, item: Item) -> bool:
        """Return whether an item or a key is not of the run's range."""
        text = text_of(self._run.index.sort_value(item))
        if self._low is not None and text < text_of(self._low):
            return True
        return self._high is not None and text >= text_of(self._high)

    def _began_with(self, group: KeyValue, begun: Position | None) -> bool:
        """Return whether the group at which a read stopped is the one that it began with."""
        text = text_of(without_prefix(self._run.prefix, group))
        if begun is not None and begun.place.partition(END)[0] == text:
            return True
        answer = self._answers[0]
        items = answer["Items"]
        # Where a filter dropped items, nobody knows of which group the first of them was.
        if not items or len(items) != answer["ScannedCount"]:
            return False
        return self._run.index.sort_value(items[0]) == group

    def _edge_request(self) -> Request:
        """Build the Query that begins at the run's own edge."""
        run = self._run
        if run.prefix and run.since is None and run.until is None:
            return self._request(" AND begins_with(#s, :prefix)", {":prefix": run.prefix})
        condition, values = _between(self._low, self._high, is_open=True)
        return self._request(condition, values)

    def _request_behind(self, begun: Position) -> Request | None:
        """Build the Query that begins at the sort key of a position, or behind all of its group."""
        run = self._run
        text, _, tie = begun.place.partition(END)
        value = joined(run.prefix, value_at(text))
        if run.index.name is None:
            # In a table a sort key has one item, which is behind the position or is passed.
            key = wire_key({run.index.partition: run.partition, run.index.sort: value})
            place = text + END + run.index.tie(key)
            if not begun.is_before(place, ascending=self._ascending):
                if not self._ascending and value == self._low:
                    return None  # DynamoDB refuses a start key where nothing can follow
                return {**self._edge_request(), "ExclusiveStartKey": key}
        elif self._ascending and tie == _ABOVE_TIES:
            return self._request(" AND #s > :s", {":s": value})
        elif not self._ascending and not tie:
            return self._request(" AND #s < :s", {":s": value})
        if self._ascending:
            condition, values = _between(value, self._high, is_open=True)
        else:
            condition, values = _between(self._low, value, is_open=False)
        return self._request(condition, values)

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


# Further parameters of a caller's


def checked_query(query: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return a caller's parameters of each Query, with placeholders that are not the library's.

    They are ConsistentRead, FilterExpression, ProjectionExpression, and the names and values that
    these use, as botocore takes them. Raises ValueError for others.
    """
    checked = dict(query or {})
    others = sorted(set(checked) - _FURTHER)
    if others:
        raise ValueError(f"A list takes {', '.join(sorted(_FURTHER))}, and not {', '.join(others)}")
    for name in ("FilterExpression", "ProjectionExpression"):
        if name in checked:
            checked[name] = _renamed(checked[name])
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        if name in checked:
            checked[name] = {_renamed(key): value for key, value in checked[name].items()}
    return checked


def _renamed(expression: str) -> str:
    """Return an expression with placeholders that `_request` has not, such as ``#q_name``."""
    return _PLACEHOLDER.sub(r"\1q_", expression)


def extended(request: Request, further: Mapping[str, Any], index: Index) -> Request:
    """Return a Query with what `checked_query` returned; a projection also has the key."""
    if not further:
        return request
    result = {**request, **further}
    names = {**request["ExpressionAttributeNames"], **further.get("ExpressionAttributeNames", {})}
    values = further.get("ExpressionAttributeValues", {})
    result["ExpressionAttributeValues"] = {**request["ExpressionAttributeValues"], **values}
    filters = []
    for parameters in (request, further):
        if "FilterExpression" in parameters:
            filters.append(f"({parameters['FilterExpression']})")
    if filters:
        result["FilterExpression"] = " AND ".join(filters)
    if "ProjectionExpression" in further:
        key_names = _missing_key_names(further["ProjectionExpression"], names, index)
        names |= key_names
        projection = [further["ProjectionExpression"], *key_names]
        result["ProjectionExpression"] = ", ".join(projection)
    result["ExpressionAttributeNames"] = names
    return result


def _missing_key_names(projection: str, names: Mapping[str, str], index: Index) -> dict[str, str]:
    """Return placeholders and names of the key attributes that a projection does not have."""
    projected = set()
    for term in projection.split(","):
        path = term.strip()
        projected.add(names.get(path, path))
    key_names = dict.fromkeys((index.partition, index.sort, *index.key_names))
    missing = {}
    for number, name in enumerate(key_names):
        if name not in projected:
            missing[f"#k{number}"] = name
    return missing
