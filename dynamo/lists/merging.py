"""The merge: the first items of several ordered runs, exactly, in as few reads as possible.

Each run is read in order, so its unread items lie behind the place where its last read stopped.
The *frontier* is the nearest such stop among the runs that are not exhausted. No unread item can
come before an item in front of the frontier, so those are certain; items behind it have to wait.
Each round reads, in parallel, the runs that hold the frontier back, until enough items are certain.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from itertools import islice
from math import ceil, inf

from dynamo.calls.pool import Pool
from dynamo.items import Item
from dynamo.lists.runs import Position, Run
from dynamo.lists.sources import NOTHING, Chunk, Source

LEAST_UNITS = 0.5
"""Capacity units of the cheapest Query, eventually consistent."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list with its position and its run."""

    item: Item
    position: Position
    run: Run

    @property
    def stored(self) -> Item:
        """The item as its index stores it, without the attributes in ``run.known``."""
        known = self.run.known
        return {name: value for name, value in self.item.items() if name not in known}


@dataclass(slots=True)
class Cursor:
    """How far one run was read, what that cost, and its items not yet on the page."""

    run: Run
    stopped_at: Position | None
    exhausted: bool = False
    waiting: deque[Entry] = field(default_factory=deque)
    rounds: int = 0
    items_read: int = 0
    capacity_units: float = 0.0

    def take(self, chunk: Chunk) -> None:
        """Add the result of a read of the run."""
        self.rounds += chunk is not NOTHING
        self.items_read += chunk.items_read
        self.capacity_units += chunk.capacity_units
        self.waiting.extend(Entry(i, self.run.position_of(i), self.run) for i in chunk.items)
        self.exhausted = chunk.last is None
        self.stopped_at = chunk.last or self.stopped_at

    def stopped_before(self, place: str, *, ascending: bool) -> bool:
        """Return whether an unread item of this run could come before ``place``."""
        if self.exhausted:
            return False
        stop = self.stopped_at.place if self.stopped_at else ""
        return stop < place if ascending else stop > place

    def expected_units(self, limit: int) -> float:
        """Return the capacity units that ``limit`` more items will cost, by the mean so far."""
        return limit * self.capacity_units / max(self.items_read, 1)

    def to_read_for(self, wanted: int) -> int:
        """Return how many items to read to get ``wanted`` more that the filter keeps.

        By the ratio so far, but at most as many as were read already: a run that holds little for
        the list is read in doubling steps.
        """
        ratio = self.items_read / max(len(self.waiting), 1)
        return max(wanted, min(ceil(wanted * ratio), self.items_read))


@dataclass(frozen=True, slots=True)
class Fallback:
    """Other runs that hold the same list, used when the first ones cost more than expected.

    ``capacity_units`` is the expected cost of a whole page read from them. They take over, from
    the position reached, as soon as they are expected to finish the page for less, and at the
    latest when another round would exceed ``budget`` capacity units.
    """

    runs: Sequence[Run]
    capacity_units: float
    budget: float
    first_reads: Sequence[int] | None = None

    def units_for(self, part: float) -> float:
        """Return the expected capacity units of ``part`` (0 to 1) of a page."""
        return max(self.capacity_units * part, LEAST_UNITS * len(self.runs))


class Merge:
    """The first ``needed`` items of ``runs`` behind a position; None is the beginning.

    The runs must not overlap. With ``ascending`` they are read by rising sort keys.
    """

    def __init__(
        self, runs: Sequence[Run], behind: Position | None, *, needed: int, ascending: bool
    ) -> None:
        self.cursors = [Cursor(run, behind) for run in runs]
        self.rounds = 0
        self.is_complete = False
        self._needed = needed
        self._ascending = ascending

    def read(
        self,
        source: Source,
        pool: Pool,
        *,
        first_reads: Sequence[int] | None = None,
        fallback: Fallback | None = None,
    ) -> None:
        """Read until the merge is complete, or until ``fallback`` is the cheaper way to go on.

        ``first_reads`` is the limit of each run's first read, at least 1; by default ``needed``,
        and then one round is enough unless DynamoDB cuts a read short at 1 MB. The first round is
        always read; the cost of further ones is estimated from those before. What the source
        raises passes through, and the other reads of that round are dropped.
        """
        wanted = self._first_round(first_reads)
        while wanted and not (fallback and self._gives_up(fallback, wanted)):
            self.rounds += 1
            calls = [
                partial(
                    source.query,
                    cursor.run,
                    behind=cursor.stopped_at,
                    limit=limit,
                    ascending=self._ascending,
                )
                for cursor, limit in wanted
            ]
            for (cursor, _), chunk in zip(wanted, pool.gather(calls), strict=True):
                cursor.take(chunk)
            wanted = self._held_back()
        self.is_complete = not wanted

    def found(self, most: int) -> list[Entry]:
        """Return up to ``most`` items in reading order; only certain ones if not complete."""
        first = list(islice(self._merged(), most))
        return first if self.is_complete else [e for e in first if self._is_certain(e)]

    def frontier(self) -> Position | None:
        """Return the position up to which every item is known, None when nothing is unread."""
        stops = [c.stopped_at for c in self.cursors if not c.exhausted and c.stopped_at]
        nearest = min if self._ascending else max
        return nearest(stops, key=lambda stop: stop.place, default=None)

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing unread is left in any run."""
        return all(cursor.exhausted for cursor in self.cursors)

    def _gives_up(self, fallback: Fallback, wanted: Sequence[tuple[Cursor, int]]) -> bool:
        if not self.rounds:
            return False
        spent = sum(cursor.capacity_units for cursor in self.cursors)
        if spent + sum(cursor.expected_units(limit) for cursor, limit in wanted) > fallback.budget:
            return True
        in_hand = list(islice(self._merged(), self._needed))
        missing = self._needed - sum(map(self._is_certain, in_hand))
        to_finish = missing * spent / len(in_hand) if in_hand else inf
        return to_finish > fallback.units_for(missing / self._needed)

    def _first_round(self, first_reads: Sequence[int] | None) -> list[tuple[Cursor, int]]:
        if first_reads is None:
            return [(cursor, self._needed) for cursor in self.cursors]
        if min(first_reads, default=1) < 1:
            sentence = f"A first read asks for at least one item, not {min(first_reads)}"
            raise ValueError(sentence)
        return list(zip(self.cursors, first_reads, strict=True))

    def _held_back(self) -> list[tuple[Cursor, int]]:
        # A run is read for no more than the places that are left when those certain to go to other
        # runs, and its own waiting items, are taken off.
        in_hand = list(islice(self._merged(), self._needed))
        blocking = [cursor for cursor in self.cursors if self._blocks(cursor, in_hand)]
        certain = [entry.run for entry in in_hand if self._is_certain(entry)]
        return [
            (
                cursor,
                cursor.to_read_for(
                    self._needed
                    - len(cursor.waiting)
                    - sum(run is not cursor.run for run in certain)
                ),
            )
            for cursor in blocking
        ]

    def _blocks(self, cursor: Cursor, in_hand: Sequence[Entry]) -> bool:
        if cursor.exhausted or len(in_hand) < self._needed:
            return not cursor.exhausted
        return cursor.stopped_before(in_hand[-1].position.place, ascending=self._ascending)

    def _is_certain(self, entry: Entry) -> bool:
        place = entry.position.place
        return not any(c.stopped_before(place, ascending=self._ascending) for c in self.cursors)

    def _merged(self) -> Iterator[Entry]:
        waiting = [cursor.waiting for cursor in self.cursors]
        return merge(*waiting, key=lambda entry: entry.position.place, reverse=not self._ascending)
