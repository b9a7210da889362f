"""The merge: the first items of several ordered runs, exactly, in as few reads as possible.

Each run is read in order, so its unread items lie behind the place where its last read stopped.
The *frontier* is the nearest such stop among the runs that are not exhausted. No unread item can
come before an item in front of the frontier, so those are certain; items behind it have to wait.
Each round reads, in parallel, the runs that hold the frontier back, until enough items are certain.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain, combinations, groupby, islice, pairwise, product, takewhile
from math import ceil, inf
from operator import attrgetter
from typing import TypeVar

from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, blocks_of
from dynapages.lists.runs import HIGHEST, Chunk, OneOf, Position, Run, text_of

T = TypeVar("T")

LEAST_UNITS = UNITS_PER_BLOCK
"""Capacity units of the cheapest Query, eventually consistent."""
LARGEST_ITEM = BLOCK // 4
"""Bytes that items of a list are taken to have, until reads have shown that they have more."""
ALTERNATIVE_STEP = 16
"""How many times as many items the second read of an alternative may ask for as the first one."""
LEAST_AGAIN = 3
"""Blocks of 4 KB that must be left to read an alternative on: fewer are not worth a round."""
LEAST_FOUND = 0.5
"""Items that a page without any counts as having, to expect how much is left to read."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A read of a run by `dynapages.lists.runs.Source.query`."""

    run: Run
    behind: Position | None
    limit: int
    ascending: bool


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
    items_kept: int = 0
    capacity_units: float = 0.0
    was_left: bool = False

    def take(self, chunk: Chunk) -> None:
        """Add the result of a read of the run."""
        self.rounds += chunk.calls
        self.items_read += chunk.items_read
        self.items_kept += len(chunk.items)
        self.capacity_units += chunk.capacity_units
        self.waiting.extend(Entry(i, self.run.position_of(i), self.run) for i in chunk.items)
        self.exhausted = chunk.last is None
        self.stopped_at = chunk.last or self.stopped_at

    def stopped_before(self, place: str, *, ascending: bool) -> bool:
        """Return whether an unread item of this run could come before ``place``."""
        if self.exhausted:
            return False
        stop = _place_at(self)
        return stop < place if ascending else stop > place

    def to_read_for(self, wanted: int) -> int:
        """Return how many items to read to get ``wanted`` more that the filter keeps.

        By the ratio so far, but at most as many as were read already: a run that holds little for
        the list is read in doubling steps, and one of several alternatives in larger ones, as its
        first read was small.
        """
        ratio = self.items_read / max(len(self.waiting), 1)
        most = self.items_read * (ALTERNATIVE_STEP if self.run.alternative else 1)
        return max(wanted, min(ceil(wanted * ratio), most))


Reads = list[tuple[Cursor, int]]
"""Runs to read next, and how many items of each."""
Rounds = Generator["Sequence[ReadRequest]", Sequence[Chunk], T]
"""Yields the reads of each round, is sent what they found in their order, and returns a result.

It makes no call: see `dynapages.lists.reader.drive`.
"""
Fallback = Callable[[Run, float], Sequence[Run]]
"""Returns runs that together hold what a run with a filter keeps, and that drop less or nothing.

The number is how many runs there may be at the most. None are returned if there is no such way.
"""


class Merge:
    """The first ``needed`` items of ``runs`` behind a position; None is the beginning.

    The runs must not overlap. With ``ascending`` they are read by rising sort keys. A run that
    filters and turns out to hold too little of the list is replaced, where it stopped, by the runs
    that ``fallback`` returns for it, if they are expected to finish the page for less.

    The last ``look_ahead`` of the items need not be in order: they show that the list goes on.

    No more is read than ``most_units`` allow, if no item has more than ``largest_item`` bytes; but
    the first round reads an item of each run in any case. If that is too little, `cut_at` is where
    to go on, and only the items up to there are found: some of those needed, or none. Where a read
    costs more than such items can, ``largest_item`` becomes the mean size of those it has read.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        behind: Position | None,
        *,
        needed: int,
        ascending: bool,
        look_ahead: int = 0,
        fallback: Fallback | None = None,
        most_units: float = inf,
        largest_item: int = LARGEST_ITEM,
    ) -> None:
        self.cursors = [Cursor(run, behind) for run in runs]
        self.rounds = 0
        self.fell_back = False
        self.cut_at: Position | None = None
        self._most_units = most_units
        self.largest_item = largest_item
        self._fallback = fallback
        self._needed = needed
        self._in_order = needed - look_ahead
        self._ascending = ascending
        self._alternatives: dict[str, list[Cursor]] = {}
        for cursor in self.cursors:
            if name := cursor.run.alternative:
                self._alternatives.setdefault(name, []).append(cursor)
        self._has_copies = bool(self._alternatives)

    def read(self, *, first_reads: Sequence[int] | None = None) -> Rounds[None]:
        """Read until the first ``needed`` items are certain.

        ``first_reads`` is the limit of each run's first read, at least 1; by default ``needed``,
        and then one round is enough unless DynamoDB cuts a read short at 1 MB.
        """
        wanted = self._first_round(first_reads)
        while wanted:
            chunks = yield [
                ReadRequest(cursor.run, cursor.stopped_at, limit, self._ascending)
                for cursor, limit in wanted
            ]
            self.rounds += max(chunk.calls for chunk in chunks)
            for (cursor, _), chunk in zip(wanted, chunks, strict=True):
                cursor.take(chunk)
                self._weigh(chunk)
            self._choose_alternatives()
            wanted = self._affordable(self._held_back())

    def found(self, most: int) -> list[Entry]:
        """Return up to ``most`` items in reading order. Raises ValueError for two at one place."""
        found = list(islice(self._merged(), most))
        for entry, following in pairwise(found):
            if entry.position.place == following.position.place:
                _refuse_equal_places(entry)
        return found if self.cut_at is None else list(takewhile(self._is_certain, found))

    @property
    def capacity_units(self) -> float:
        """What its reads cost."""
        return sum(cursor.capacity_units for cursor in self.cursors)

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing unread is left in any run."""
        return all(cursor.exhausted for cursor in self.cursors)

    def _first_round(self, first_reads: Sequence[int] | None) -> Reads:
        if first_reads is None:
            first_reads = [self._needed] * len(self.cursors)
        if min(first_reads, default=1) < 1:
            raise ValueError(f"A first read asks for at least one item, not {min(first_reads)}")
        return self._shortened(list(zip(self.cursors, first_reads, strict=True)))

    def _choose_alternatives(self) -> None:
        """Leave the alternatives that did not reach furthest, with what they found."""
        for cursors in self._alternatives.values():
            furthest = max if self._ascending else min
            best = furthest(
                cursors, key=lambda one: (one.exhausted is self._ascending, _place_at(one))
            )
            for cursor in cursors:
                if cursor is not best:
                    cursor.waiting.clear()
                    cursor.exhausted = cursor.was_left = True
        self._alternatives = {}

    def _affordable(self, wanted: Reads) -> Reads:
        """Shorten reads to what may still be spent, or omit some.

        Those that hold the frontier back the most are kept. None are left, and `cut_at` is set, if
        there is not enough for one.
        """
        if self._most_units == inf or not wanted:
            return wanted
        most = int(self._left / UNITS_PER_BLOCK) // blocks_of(self.largest_item)
        if most < (LEAST_AGAIN if self._has_copies else 1):
            stops = [c.stopped_at for c in self.cursors if c.stopped_at and not c.exhausted]
            nearest = min if self._ascending else max
            self.cut_at = nearest(stops, key=lambda stop: stop.place)
            return []
        if most < len(wanted):
            wanted.sort(key=lambda read: _place_at(read[0]), reverse=not self._ascending)
        return self._shortened(wanted[:most])

    def _shortened(self, wanted: Reads) -> Reads:
        """Shorten reads to what may still be spent, but not below one item each."""
        if self._most_units == inf:
            return wanted
        size = self.largest_item
        blocks = fair_shares(
            [blocks_of(limit * size) for _, limit in wanted],
            max(int(self._left / UNITS_PER_BLOCK), len(wanted)),
        )
        return [
            (cursor, max(1, min(limit, share * BLOCK // size)))
            for (cursor, limit), share in zip(wanted, blocks, strict=True)
        ]

    def _weigh(self, chunk: Chunk) -> None:
        blocks, items = round(chunk.capacity_units / UNITS_PER_BLOCK), chunk.items_read
        if items and (blocks - 1) * BLOCK >= self.largest_item * items:
            self.largest_item = ceil(blocks * BLOCK / items)

    @property
    def _left(self) -> float:
        return self._most_units - self.capacity_units

    def _held_back(self) -> Reads:
        # A run is read for no more than the places that are left when those certain to go to other
        # runs, and its own waiting items, are taken off.
        in_hand = list(islice(self._merged(), self._needed))
        certain = [entry.run for entry in in_hand[: self._in_order] if self._is_certain(entry)]
        missing = (self._needed - len(certain)) / (len(in_hand) or LEAST_FOUND)
        reads: Reads = []
        for cursor in [cursor for cursor in self.cursors if self._blocks(cursor, in_hand)]:
            elsewhere = sum(run is not cursor.run for run in certain)
            wanted = self._needed - len(cursor.waiting) - elsewhere
            left = self._left - LEAST_UNITS * len(reads)
            reads += self._further_reads(cursor, wanted, missing=missing, left=left)
        return reads

    def _further_reads(self, cursor: Cursor, wanted: int, *, missing: float, left: float) -> Reads:
        """Return the next reads of a run, which may be of those that replace it.

        ``missing`` is what the page lacks by what it has: so much further all runs are expected to
        be read. ``left`` are the units that may still be spent.
        """
        others: Sequence[Run] = ()
        if self._fallback and cursor.run.keep:
            others = self._fallback(cursor.run, left / LEAST_UNITS)
        if not others or cursor.capacity_units * missing <= LEAST_UNITS * len(others):
            return [(cursor, cursor.to_read_for(wanted))]
        self.fell_back = cursor.exhausted = True
        replacing = [Cursor(run, cursor.stopped_at) for run in others]
        self.cursors += replacing
        # As many as a Query of the least units reads, by the mean so far.
        fitting = max(int(cursor.items_read * LEAST_UNITS / cursor.capacity_units), 1)
        return [(other, min(wanted, fitting)) for other in replacing]

    def _blocks(self, cursor: Cursor, in_hand: Sequence[Entry]) -> bool:
        if cursor.exhausted or len(in_hand) < self._needed:
            return not cursor.exhausted
        return cursor.stopped_before(
            in_hand[self._in_order - 1].position.place, ascending=self._ascending
        )

    def _is_certain(self, entry: Entry) -> bool:
        place = entry.position.place
        return not any(c.stopped_before(place, ascending=self._ascending) for c in self.cursors)

    def _merged(self) -> Iterator[Entry]:
        waiting = [cursor.waiting for cursor in self.cursors]
        merged = merge(*waiting, key=_place_of, reverse=not self._ascending)
        if not self._has_copies:
            return merged
        return (next(copies) for _, copies in groupby(merged, key=_place_of))


def _refuse_equal_places(entry: Entry) -> None:
    index = entry.run.index
    sentence = (
        f"Two items of {index.name or index.table} are at {entry.position.place!r}: a list of them "
        "has no order, and a page could lose one. Give the index table_key=(…), the names of the "
        "table's key attributes"
    )
    raise ValueError(sentence)


def refuse_overlaps(runs: Iterable[Run]) -> None:
    """Raise ValueError if an item could be in two runs, which a list would show twice."""
    some = [run for run in runs if not run.is_empty]
    by_partition: dict[tuple[str, ...], list[tuple[str, str, Run]]] = {}
    for run in some:
        *where, begin, end = _reach(run)
        by_partition.setdefault(tuple(where), []).append((begin, end, run))
    for one, other in chain.from_iterable(combinations(of, 2) for of in by_partition.values()):
        if one[0] < other[1] and other[0] < one[1] and not _keep_others(one[2], other[2]):
            sentence = f"{one[2].label!r} and {other[2].label!r} overlap: an item could be in both"
            raise ValueError(sentence)
    if len({bool(run.index.key_names) for run in some}) > 1:
        sentence = "The indexes of one list have a table_key of the same kind: names, or functions"
        raise ValueError(sentence)


def _keep_others(run: Run, other: Run) -> bool:
    """Return whether the filters of two runs keep different values of some attribute."""
    return any(
        type(kept) is type(also) is OneOf
        and kept.attribute == also.attribute
        and not any(v in also.values for v in kept.values)
        for kept, also in product(run.keep, other.keep)
    )


def _reach(run: Run) -> tuple[str, str, str, str, str]:
    """Return the table, the index and the partition of a run, and the range of its sort keys."""
    low, high = run.bounds
    index = run.index
    begin, end = "" if low is None else text_of(low), HIGHEST if high is None else text_of(high)
    return index.table, index.name or "", text_of(run.partition), begin, end


def fair_shares(wanted: Sequence[int], total: int) -> list[int]:
    """Divide ``total`` into equal shares; what is more than wanted of one goes to the others."""
    shares = [0] * len(wanted)
    left = total
    for done, number in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[number] = min(wanted[number], left // (len(wanted) - done))
        left -= shares[number]
    return shares


_place_of = attrgetter("position.place")


def _place_at(cursor: Cursor) -> str:
    return cursor.stopped_at.place if cursor.stopped_at else ""
