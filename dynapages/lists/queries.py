"""Queries: how a run of a table or index is read behind any position, one or more calls at a time.

`QuerySource` makes the calls. What they are is in `read_run`, which makes none: it yields the
parameters of each Query and is sent its answer, so that it serves clients that wait and clients
that are awaited alike. Runs whose items may have equal sort keys are read by
`dynapages.lists.tied_reads`, all others here.
"""

from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any

from botocore.exceptions import ClientError

from dynapages.calls.answers import last_key
from dynapages.calls.client_types import QueryClient
from dynapages.calls.faults import NotSetUp, fault_in
from dynapages.calls.meter import one_round
from dynapages.calls.plain_client import Resource, plain_client
from dynapages.items import Item, KeyValue, wire_key
from dynapages.lists.key_texts import HIGHEST, joined, text_of, value_in
from dynapages.lists.neighbours import text_below
from dynapages.lists.query_parameters import (
    ALL,
    Condition,
    Queries,
    Request,
    begins_with,
    between,
    extended,
    partition_key,
    request_of,
    sort_condition,
    units_of,
)
from dynapages.lists.runs import NOTHING, Chunk, Position, Run, Start
from dynapages.lists.tied_reads import TiedRead

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
        return (yield from TiedRead(run, further or {}, ascending=ascending).read(behind, limit))
    request = query_request(run, behind=behind, limit=limit, ascending=ascending)
    if request is None:
        return NOTHING
    answer = yield extended(request, further or {}, run.index)
    stop = last_key(answer)
    return Chunk(
        items=tuple({**item, **run.known} for item in answer["Items"]),
        last=run.position_of(stop) if stop is not None else None,
        items_read=answer["ScannedCount"],
        capacity_units=units_of(answer),
    )


def query_request(
    run: Run, *, behind: Position | None, limit: int, ascending: bool
) -> Request | None:
    """Build the Query that reads a run of unique places; None when nothing is left to read."""
    start = Start.EDGE if behind is None else run.start_at(behind, ascending=ascending)
    if start is Start.NOWHERE or run.is_empty:
        return None
    if behind is None or start is Start.EDGE:
        request = _request_of(run, _bounds_of(run), ascending=ascending)
    elif behind.inclusive:
        # A start key is exclusive, so the read is bounded by the position instead.
        begin = joined(run.text_prefix, value_in(run.without_section(behind).place))
        low, high = _bounds_from(run, begin, ascending=ascending)
        if low is not None and high is not None and text_of(low) > text_of(high):
            return None  # DynamoDB refuses such bounds
        request = _request_of(run, between(low, high, is_open=False), ascending=ascending)
    else:
        request = _request_of(run, _bounds_of(run), ascending=ascending)
        request["ExclusiveStartKey"] = _start_key(run, behind)
    request["Limit"] = limit
    return request


def _request_of(run: Run, bounds: Condition, *, ascending: bool) -> Request:
    """Build the Query of a run with a condition on its one sort attribute."""
    return request_of(run, sort_condition(run, behind=bounds), ascending=ascending)


def _start_key(run: Run, position: Position) -> Item:
    """Build the ExclusiveStartKey that makes a run of unique places resume behind a position."""
    local = run.without_section(position)
    key: dict[str, KeyValue] = {}
    if callable(run.index.table_key):
        key.update(run.index.table_key(local))
    (sort,) = run.index.sort_names
    key |= partition_key(run)
    key[sort] = joined(run.text_prefix, value_in(local.place))
    return wire_key(key)


def _bounds_of(run: Run) -> Condition:
    """Build the condition of all sort keys of a run of unique places."""
    # Both ends are bounded, so that no neighbouring prefix is read. BETWEEN includes its upper end,
    # which therefore lies just below ``until``: a read that stopped at an item at ``until`` could
    # not be resumed, neither from outside the range nor from its edge.
    prefix, since, until = _text(run.text_prefix), _text(run.since), _text(run.until)
    if since is None and until is None:
        return begins_with(prefix) if prefix else ALL
    if until is None and not prefix:
        return between(since or "", None, is_open=True)
    if since is None and not prefix:
        return between(None, until or "", is_open=True)
    low = (prefix or "") + (since or "")
    high = (prefix or "") + _highest_below(until)
    return between(low, high, is_open=False)


def _bounds_from(
    run: Run, begin: KeyValue, *, ascending: bool
) -> tuple[KeyValue | None, KeyValue | None]:
    """Return the bounds, both included, of a read of unique places that begins with a sort key."""
    prefix, since, until = _text(run.text_prefix) or "", _text(run.since) or "", _text(run.until)
    if not ascending:
        lowest = prefix + since
        return lowest or None, begin
    if until is None and not prefix:
        return begin, None
    return begin, prefix + _highest_below(until)


def _highest_below(until: str | None) -> str:
    """Return a text above all that follows a prefix, and is below ``until`` if there is one."""
    return HIGHEST if until is None else text_below(until)


def _text(bound: KeyValue | None) -> str | None:
    """Return a bound that is a string, or None. Raises ValueError for other types."""
    if bound is None or isinstance(bound, str):
        return bound
    raise ValueError("A list whose table_key is a function has bounds that are strings")
