"""Reads of runs whose items may have equal sort keys, in one order that holds for all reads.

**Equal sort keys.** Items of an index that have equal sort keys, a *group*, come in an order that
DynamoDB alone knows. Here a position is a sort key and a digest of a table key, and the items of a
group are sorted by these digests: an order that is the same for all reads, in both directions and
over several partitions. A read behind a position begins at its sort key, whether or not its item
still exists, and drops what is not behind the position. Where it stops, the last group may be
incomplete: it is dropped, and read again when it is needed. Only the group that a read began with
is read to its end. So with unique sort keys a page is one call for each run, which reads two items
more than it needs, or one if it begins with the item at its position; a page in a group of n items
reads the n items, whatever its size, in one call more for each megabyte.

**Several sort attributes.** A key condition has ``=`` for the first of them, and one inequality for
the next: no condition says "behind (high, 9 o'clock)". There the read begins at a start key that is
made up, next to the group of the position: values that are hardly ever an item's, on the side that
is read already (`dynapages.lists.neighbours`). Where many items have just these values, where no
start key is allowed, and behind a group that was read to its end, the rest of the list is instead
up to one Query for each sort attribute that is not fixed, one after the other.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from dynapages.calls.answers import last_key
from dynapages.items import Item, KeyValue, wire_key
from dynapages.lists.key_texts import END, joined, text_of, value_at
from dynapages.lists.key_types import FILLERS
from dynapages.lists.neighbours import MOST_BYTES, just_above, just_below
from dynapages.lists.query_parameters import (
    ALL,
    Answer,
    Condition,
    Queries,
    Request,
    begins_with,
    between,
    compared,
    extended,
    partition_key,
    request_of,
    sort_condition,
    units_of,
)
from dynapages.lists.runs import NOTHING, Chunk, Index, Position, Run, Start
from dynapages.lists.tokens import OF_ANOTHER_LIST, ForeignToken

_ABOVE_TIES = "~"
_BYTES_OF_A_NUMBER = 21
"""What a number of 38 digits takes."""


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


class TiedRead:
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
        if behind is not None and start is Start.BEHIND:
            begun = run.without_section(behind)
            requests = self._requests_behind(begun)
        else:
            requests = [self._edge_request()]
        if not requests:
            return NOTHING
        most = limit + items_beyond(run.index, begun)
        items, stop = yield from self._queries(requests, most)
        if stop is not None and begun is not None and self._is_passed(stop, begun):
            # Many items have the values that were made up: they are left out.
            requests = self._stretches_from(begun)
            items, stop = yield from self._queries(requests, most)
        if stop is None or self._is_behind(stop):
            return self._chunk(items, behind, last=None)
        if run.index.name is None:  # a table has no groups
            return self._chunk(items, behind, last=run.position_of(stop))
        in_front, at_end = self._edges_of_group(stop)
        if not self._began_with(stop, behind):
            # The last group may be incomplete: it is read again when it is needed.
            values = run.free_values(stop)
            items = [item for item in items if run.free_values(item) != values]
            return self._chunk(items, behind, last=in_front)
        request = self._request(run.free_values(stop))
        while stop is not None:
            more, stop = yield from self._query({**request, "ExclusiveStartKey": stop})
            items += more
        return self._chunk(items, behind, last=at_end)

    # Groups

    def _edges_of_group(self, key: Item) -> tuple[Position, Position]:
        """Return the positions in front of and behind a key's group, in the order of reading."""
        run = self._run
        below = run.section
        above = run.section + _ABOVE_TIES
        if run.free:
            below = run.section + run.group_of(key)
            above = below + END + _ABOVE_TIES
        edges = Position(below, run.rest_of(key)), Position(above, run.rest_of(key))
        return edges if self._ascending else edges[::-1]

    def _began_with(self, key: Item, behind: Position | None) -> bool:
        """Return whether the group at which a read stopped is the one that it began with."""
        group = self._run.group_of(key)
        # Also where that is the edge of the run, at which this group is the first.
        if behind is not None and self._group_at(self._run.without_section(behind)) == group:
            return True
        answer = self._answers[0]
        items = answer["Items"]
        # Where a filter dropped items, nobody knows of which group the first of them was.
        if not items or len(items) != answer["ScannedCount"]:
            return False
        return self._run.group_of(items[0]) == group

    def _is_passed(self, key: Item, begun: Position) -> bool:
        """Return whether the group of a key is in front of the one that a read began with."""
        if self._run.index.name is None:  # a table has no groups
            return False
        group, first = self._run.group_of(key), self._group_at(begun)
        return group < first if self._ascending else group > first

    def _group_at(self, position: Position) -> str:
        """Return the group of a place without its section, as `Run.group_of` has it."""
        texts, _tie = self._texts_of(position)
        return END.join(texts)

    def _texts_of(self, position: Position) -> tuple[Sequence[str], str]:
        """Return the texts of the values in a place without its section, and the tie behind."""
        texts = []
        left = position.place
        for _name in self._run.free:
            text, _, left = left.partition(END)
            texts.append(text)
        return texts, left

    # Reading

    def _queries(
        self, requests: Sequence[Request], limit: int
    ) -> Generator[Request, Answer, tuple[list[Item], Item | None]]:
        """Make Queries, of which each goes on where the one before ended, for ``limit`` items."""
        items: list[Item] = []
        stop: Item | None = None
        for request in requests:
            more, stop = yield from self._query({**request, "Limit": max(limit, 1)})
            # What BETWEEN includes at its upper end is not of the run, and there may be much of it.
            while stop is not None and self._is_in_front(stop):
                again = {**request, "Limit": max(limit, 1), "ExclusiveStartKey": stop}
                more, stop = yield from self._query(again)
            items += more
            limit -= self._answers[-1]["ScannedCount"]
            if stop is not None:
                break
        return items, stop

    def _query(
        self, request: Request
    ) -> Generator[Request, Answer, tuple[list[Item], Item | None]]:
        """Make a Query; return its items and its LastEvaluatedKey."""
        answer = yield extended(request, self._further, self._run.index)
        self._answers.append(answer)
        items: list[Item] = [{**item, **self._run.known} for item in answer["Items"]]
        return items, last_key(answer)

    def _chunk(
        self, items: Sequence[Item], behind: Position | None, *, last: Position | None
    ) -> Chunk:
        """Build what was read: the items in the range and behind the position, in order."""
        placed: list[tuple[str, Item]] = []
        for item in items:
            if self._is_behind(item) or self._is_in_front(item):
                continue
            place = self._run.place_of(item)
            if behind is None or behind.is_before(place, ascending=self._ascending):
                placed.append((place, item))
        placed.sort(key=itemgetter(0), reverse=not self._ascending)
        items_read = 0
        capacity_units = 0.0
        for answer in self._answers:
            items_read += answer["ScannedCount"]
            capacity_units += units_of(answer)
        return Chunk(
            items=tuple(item for _, item in placed),
            last=last,
            items_read=items_read,
            capacity_units=capacity_units,
            calls=len(self._answers),
        )

    # The range of the run

    def _is_behind(self, key: Item) -> bool:
        """Return whether a key is beyond the run's range, in the direction of reading."""
        return self._is_above(key) if self._ascending else self._is_below(key)

    def _is_in_front(self, key: Item) -> bool:
        """Return whether a key is in front of the run's range, in the direction of reading."""
        return self._is_below(key) if self._ascending else self._is_above(key)

    def _is_below(self, key: Item) -> bool:
        return self._low is not None and self._bounded_text(key) < text_of(self._low)

    def _is_above(self, key: Item) -> bool:
        return self._high is not None and self._bounded_text(key) >= text_of(self._high)

    def _bounded_text(self, key: Item) -> str:
        return text_of(self._run.free_values(key)[0])

    # Queries

    def _edge_request(self) -> Request:
        """Build the Query that begins at the run's own edge."""
        run = self._run
        if run.text_prefix and run.since is None and run.until is None:
            return self._request(behind=begins_with(run.text_prefix))
        return self._request(behind=between(self._low, self._high, is_open=True))

    def _requests_behind(self, begun: Position) -> Sequence[Request]:
        """Build the Queries that begin at the group of a position, or behind all of that."""
        run = self._run
        values = self._values_at(begun)
        if run.index.name is None:
            return self._of_table(begun, values[0])
        if not values:
            return [] if self._is_group_read(begun) else [self._edge_request()]
        may_make_up = len(values) > 1 and begun.rest and not self._is_group_read(begun)
        if may_make_up and not self._is_at_end_of_range(values[0]):
            return [self._request_next_to(values, begun.rest)]
        return self._stretches_from(begun)

    def _values_at(self, position: Position) -> list[KeyValue]:
        """Return the values of the sort attributes in a place without its section.

        Raises ForeignToken for a place that has not as many.
        """
        run = self._run
        texts, _tie = self._texts_of(position)
        try:
            values = [value_at(text) for text in texts]
        except ValueError as error:
            # Of a list that was ordered by another number of attributes when the link was made.
            raise ForeignToken(OF_ANOTHER_LIST) from error
        if run.text_prefix:
            return [joined(run.text_prefix, values[0])]
        return values

    def _is_group_read(self, begun: Position) -> bool:
        """Return whether a position is behind all items of its group."""
        _texts, tie = self._texts_of(begun)
        return tie == (_ABOVE_TIES if self._ascending else "")

    def _is_at_end_of_range(self, value: KeyValue) -> bool:
        """Return whether no other value of the run can follow one, read downward."""
        # DynamoDB refuses a start key there, as if nothing at all could follow.
        return not self._ascending and value == self._low

    def _of_table(self, begun: Position, value: KeyValue) -> Sequence[Request]:
        """Build the Query of a table, where a sort key has one item: it is passed, or read."""
        run = self._run
        (sort,) = run.index.sort_names
        key = wire_key({**partition_key(run), sort: value})
        if begun.is_before(run.place_of(key).removeprefix(run.section), ascending=self._ascending):
            return list(self._stretches_behind([value], group_is_read=False))
        if self._is_at_end_of_range(value):
            return []
        return [{**self._edge_request(), "ExclusiveStartKey": key}]

    def _stretches_from(self, begun: Position) -> Sequence[Request]:
        """Build the Queries that together read all from a position on, and nothing else."""
        values = self._values_at(begun)
        return list(self._stretches_behind(values, group_is_read=self._is_group_read(begun)))

    def _stretches_behind(
        self, values: Sequence[KeyValue], *, group_is_read: bool
    ) -> Iterator[Request]:
        """Yield the Queries that together read all from some values on, one after the other."""
        is_strict = group_is_read
        for number in reversed(range(len(values))):
            low, high = (self._low, self._high) if number == 0 else (None, None)
            value = values[number]
            if is_strict and number == 0 and self._is_at_end_of_range(value):
                continue
            if is_strict:
                condition = compared(">" if self._ascending else "<", value)
            elif self._ascending:
                condition = between(value, high, is_open=True)
            else:
                condition = between(low, value, is_open=False)
            yield self._request(values[:number], condition)
            is_strict = True

    def _request_next_to(self, values: Sequence[KeyValue], letters: str) -> Request:
        """Build the Query that begins at a start key in front of a group, which is made up."""
        request = self._edge_request()
        neighbours = self._neighbours_of(values)
        if neighbours is None:
            return request
        run = self._run
        start: dict[str, KeyValue] = {}
        for name, letter in zip(run.index.key_names, letters, strict=True):
            start[name] = FILLERS[letter]
        # An attribute of the table's key may be one of the index's key as well.
        start |= partition_key(run)
        start.update(zip(run.index.sort_names, (*run.fixed, *neighbours), strict=True))
        return {**request, "ExclusiveStartKey": wire_key(start)}

    def _neighbours_of(self, values: Sequence[KeyValue]) -> Sequence[KeyValue] | None:
        """Return values in front of some; None where the run has none that are."""
        room = MOST_BYTES - sum(map(_bytes_of, (*self._run.fixed, *values)))
        step = just_below if self._ascending else just_above
        for number in reversed(range(len(values))):
            neighbour = step(values[number], room=room)
            if neighbour is not None:
                # Those behind it stay: hardly any item has this neighbour.
                found = [*values[:number], neighbour, *values[number + 1 :]]
                is_outside = number == 0 and self._excludes(neighbour)
                return None if is_outside else found
        return None

    def _excludes(self, value: KeyValue) -> bool:
        """Return whether a value of the bounded attribute is not of the run's range."""
        text = text_of(value)
        if self._low is not None and text < text_of(self._low):
            return True
        return self._high is not None and text >= text_of(self._high)

    def _request(self, equal_to: Sequence[KeyValue] = (), behind: Condition = ALL) -> Request:
        condition = sort_condition(self._run, equal_to, behind)
        return request_of(self._run, condition, ascending=self._ascending)


def _bytes_of(value: KeyValue) -> int:
    """Return at least how many bytes a value has in a key."""
    if isinstance(value, str):
        return len(value.encode())
    return len(value) if isinstance(value, bytes) else _BYTES_OF_A_NUMBER
