"""The merge: the first items of several ordered runs, exactly, in as few reads as possible.

Each run is read in order, so its unread items lie behind the place where its last read stopped.
The *frontier* is the nearest such stop among the runs that are not exhausted. No unread item can
come before an item in front of the frontier, so those are certain; items behind it have to wait.
Each round reads, in parallel, the runs that hold the frontier back, until enough items are certain.

`Merge` yields the reads of each round as `ReadRequest`, and has what they brought as `PlacedItem`,
of which a page makes each `Entry`. It makes no call: see `dynapages.lists.reader.drive`.
`refuse_overlaps` is for lists that would show an item twice.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import combinations, islice, pairwise
from math import ceil, inf
from operator import attrgetter
from typing import TypeVar

from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, blocks_of
from dynapages.lists.key_texts import text_of_key
from dynapages.lists.runs import Chunk, OneOf, Ordinal, Position, Run

T = TypeVar("T")

Rounds = Generator["Sequence[ReadRequest]", Sequence[Chunk], T]
"""Yields the reads of each round, is sent their chunks in the same order, and returns a result."""
Fallback = Callable[[Run, float], Sequence[Run]]
"""Returns runs that together hold what a run with a filter keeps, and that drop less or nothing.

The number is how many runs there may be at the most. None are returned if there is no such way.
"""

LEAST_UNITS = UNITS_PER_BLOCK
"""Capacity units of the cheapest Query, eventually consistent."""
LARGEST_ITEM = BLOCK // 4
"""Bytes that items of a list are taken to have, until reads have shown that they have more."""
ALTERNATIVE_STEP = 16
"""How many times as many items the second read of an alternative may ask for as the first one."""
LEAST_BLOCKS_TO_READ_ON = 3
"""Blocks of 4 KB that must be left to read an alternative on: fewer are not worth a round."""
ITEMS_OF_AN_EMPTY_PAGE = 0.5
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
class PlacedItem:
    """An item that was read, at its place.

    Not frozen, because that takes three times as long, for every item that is read.
    """

    place: str
    item: Item
    run: Run

    def entry(self, ordinal: Ordinal | None) -> Entry:
        """Return it as an entry with that number."""
        position = Position(self.place, self.run.rest_of(self.item), ordinal)
        return Entry(self.item, position, self.run)


@dataclass(slots=True)
class Cursor:
    """How far one run was read, what that cost, and its items not yet on the page."""

    run: Run
    stopped_at: Position | None
    exhausted: bool = False
    waiting: deque[PlacedItem] = field(default_factory=deque)
    rounds: int = 0
    items_read: int = 0
    items_kept: int = 0
    capacity_units: float = 0.0
    was_left: bool = False

    def add(self, chunk: Chunk) -> None:
        """Add the result of a read of the run."""
        self.rounds += chunk.calls
        self.items_read += chunk.items_read
        self.items_kept += len(chunk.items)
        self.capacity_units += chunk.capacity_units
        for item in chunk.items:
            self.waiting.append(PlacedItem(self.run.place_of(item), item, self.run))
        self.exhausted = chunk.last is None
        if chunk.last is not None:
            self.stopped_at = chunk.last

    @property
    def stop(self) -> str:
        """The place where its last read stopped; empty before the first one."""
        return self.stopped_at.place if self.stopped_at else ""

    def stopped_before(self, place: str, *, ascending: bool) -> bool:
        """Return whether an unread item of this run could come before ``place``."""
        if self.exhausted:
            return False
        if ascending:
            return self.stop < place
        return self.stop > place

    def limit_for(self, needed: int) -> int:
        """Return how many items to read to get ``needed`` more that the filter keeps.

        By the ratio so far, but at most as many as were read already: a run that holds little for
        the list is read in doubling steps, and one of several alternatives in larger ones, as its
        first read was small.
        """
        read_for_one = self.items_read / max(len(self.waiting), 1)
        most = self.items_read
        if self.run.alternative:
            most *= ALTERNATIVE_STEP
        return max(needed, min(ceil(needed * read_for_one), most))


@dataclass(frozen=True, slots=True)
class _Read:
    """A run to read next, and how many items of it."""

    cursor: Cursor
    limit: int


class Merge:
    """The first ``needed`` items of ``runs`` behind a position; None is the beginning.

    The runs must not overlap. With ``ascending`` they are read by rising sort keys. A run that
    filters and turns out to hold too little of the list is replaced, where it stopped, by the runs
    that ``fallback`` returns for it, if they are expected to finish the page for less.

    The last ``look_ahead`` of the items need not be in order: they show that the list goes on.

    No more is read than ``most_units`` allow, if no item has more than ``largest_item`` bytes; but
    the first round reads an item of each run in any case. If that is too little, `cut_at` is where
    to go on, and `items` are only those up to there: some of the needed ones, or none. Where a
    read costs more than such items can, ``largest_item`` becomes the mean size of those it has
    read.
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
        self.cursors: list[Cursor] = [Cursor(run, behind) for run in runs]
        self.rounds: int = 0
        self.fell_back: bool = False
        self.cut_at: Position | None = None
        self._most_units = most_units
        self.largest_item: int = largest_item
        self._fallback = fallback
        self._needed = needed
        self._in_order = needed - look_ahead
        self._ascending = ascending
        self._alternatives: dict[str, list[Cursor]] = {}
        for cursor in self.cursors:
            if cursor.run.alternative:
                self._alternatives.setdefault(cursor.run.alternative, []).append(cursor)
        # Alternatives hold the same items, so one may be waiting in two of them.
        self._has_copies = bool(self._alternatives)

    def read(self, *, first_reads: Sequence[int] | None = None) -> Rounds[None]:
        """Read until the first ``needed`` items are certain.

        ``first_reads`` is the limit of each run's first read, at least 1; by default ``needed``,
        and then one round is enough unless DynamoDB cuts a read short at 1 MB.
        """
        reads = self._first_round(first_reads)
        while reads:
            requests = []
            for read in reads:
                cursor = read.cursor
                request = ReadRequest(cursor.run, cursor.stopped_at, read.limit, self._ascending)
                requests.append(request)
            chunks = yield requests
            self.rounds += max(chunk.calls for chunk in chunks)
            for read, chunk in zip(reads, chunks, strict=True):
                read.cursor.add(chunk)
                self._weigh(chunk)
            self._choose_alternatives()
            reads = self._affordable(self._next_round())

    def items(self, most: int) -> list[PlacedItem]:
        """Return up to ``most`` items in reading order. Raises ValueError for two at one place."""
        items = list(islice(self._merged(), most))
        for item, following in pairwise(items):
            if item.place == following.place:
                _refuse_equal_places(item)
        if self.cut_at is None:
            return items
        # Certain items come first: behind one that has to wait all others do.
        return self._certain(items)

    @property
    def capacity_units(self) -> float:
        """What its reads cost."""
        return sum(cursor.capacity_units for cursor in self.cursors)

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing unread is left in any run."""
        return all(cursor.exhausted for cursor in self.cursors)

    @property
    def _units_left(self) -> float:
        return self._most_units - self.capacity_units

    # Which runs to read in a round

    def _first_round(self, first_reads: Sequence[int] | None) -> list[_Read]:
        """Return a read of each run. Raises ValueError for one of less than one item."""
        if first_reads is None:
            first_reads = [self._needed] * len(self.cursors)
        first_reads = tuple(first_reads)
        if min(first_reads, default=1) < 1:
            raise ValueError(f"A first read asks for at least one item, not {min(first_reads)}")
        reads = []
        for cursor, limit in zip(self.cursors, first_reads, strict=True):
            reads.append(_Read(cursor, limit))
        return self._shortened(reads)

    def _next_round(self) -> list[_Read]:
        """Return reads of the runs that hold the frontier back.

        A run is read for no more than the places that are left when those certain to go to other
        runs, and its own waiting items, are taken off.
        """
        in_hand = list(islice(self._merged(), self._needed))
        # Those of a fallback are added to the cursors meanwhile.
        holding_back = [cursor for cursor in self.cursors if self._holds_back(cursor, in_hand)]
        if not holding_back:
            return []
        certain = self._certain(in_hand[: self._in_order])
        missing = (self._needed - len(certain)) / (len(in_hand) or ITEMS_OF_AN_EMPTY_PAGE)
        reads: list[_Read] = []
        for cursor in holding_back:
            of_others = sum(item.run is not cursor.run for item in certain)
            needed = self._needed - len(cursor.waiting) - of_others
            units_left = self._units_left - LEAST_UNITS * len(reads)
            reads += self._further_reads(cursor, needed, missing=missing, units_left=units_left)
        return reads

    def _further_reads(
        self, cursor: Cursor, needed: int, *, missing: float, units_left: float
    ) -> list[_Read]:
        """Return the next reads of a run, which may be of those that replace it.

        ``missing`` is what is missing of the page by what it has: so much further all runs are
        expected to be read.
        """
        replacing: Sequence[Run] = ()
        if self._fallback and cursor.run.keep:
            replacing = self._fallback(cursor.run, units_left / LEAST_UNITS)
        expected_units = cursor.capacity_units * missing
        if not replacing or expected_units <= LEAST_UNITS * len(replacing):
            return [_Read(cursor, cursor.limit_for(needed))]
        self.fell_back = cursor.exhausted = True
        # As many as a Query of the least units reads, by the mean so far.
        fitting = max(int(cursor.items_read * LEAST_UNITS / cursor.capacity_units), 1)
        limit = min(needed, fitting)
        cursors = [Cursor(run, cursor.stopped_at) for run in replacing]
        self.cursors += cursors
        return [_Read(each, limit) for each in cursors]

    def _choose_alternatives(self) -> None:
        """Go on with the alternative that reached furthest, and drop what the others have read."""
        for cursors in self._alternatives.values():
            if self._ascending:
                best = max(cursors, key=lambda cursor: (cursor.exhausted, cursor.stop))
            else:
                best = min(cursors, key=lambda cursor: (not cursor.exhausted, cursor.stop))
            for cursor in cursors:
                if cursor is not best:
                    cursor.waiting.clear()
                    cursor.exhausted = cursor.was_left = True
        self._alternatives = {}

    # What the reads may cost

    def _affordable(self, reads: list[_Read]) -> list[_Read]:
        """Shorten reads to what may still be spent, or omit some.

        Those that hold the frontier back the most are kept. None are left, and `cut_at` is set, if
        there is not enough for one.
        """
        if self._most_units == inf or not reads:
            return reads
        blocks_left = int(self._units_left / UNITS_PER_BLOCK)
        most = blocks_left // blocks_of(self.largest_item)
        least = LEAST_BLOCKS_TO_READ_ON if self._has_copies else 1
        if most < least:
            self.cut_at = self._frontier()
            return []
        if most < len(reads):
            reads.sort(key=attrgetter("cursor.stop"), reverse=not self._ascending)
        return self._shortened(reads[:most])

    def _shortened(self, reads: list[_Read]) -> list[_Read]:
        """Shorten reads to what may still be spent, but not below one item each."""
        if self._most_units == inf:
            return reads
        blocks = [blocks_of(read.limit * self.largest_item) for read in reads]
        blocks_left = max(int(self._units_left / UNITS_PER_BLOCK), len(reads))
        shortened = []
        for read, share in zip(reads, fair_shares(blocks, blocks_left), strict=True):
            fitting = share * BLOCK // self.largest_item
            shortened.append(_Read(read.cursor, max(1, min(read.limit, fitting))))
        return shortened

    def _weigh(self, chunk: Chunk) -> None:
        """Take items to be larger where a read cost more than it could by their size so far."""
        blocks = round(chunk.capacity_units / UNITS_PER_BLOCK)
        if not chunk.items_read:
            return
        # The last block may have been started by a single byte.
        if (blocks - 1) * BLOCK >= self.largest_item * chunk.items_read:
            self.largest_item = ceil(blocks * BLOCK / chunk.items_read)

    # Which items are certain

    def _holds_back(self, cursor: Cursor, in_hand: Sequence[PlacedItem]) -> bool:
        """Return whether a run has to be read on for the page to be certain."""
        if cursor.exhausted:
            return False
        if len(in_hand) < self._needed:
            return True
        last_place = in_hand[self._in_order - 1].place
        return cursor.stopped_before(last_place, ascending=self._ascending)

    def _frontier(self) -> Position | None:
        """Return the nearest stop of the runs that are not exhausted; None where all are."""
        stops = []
        for cursor in self.cursors:
            if cursor.stopped_at is not None and not cursor.exhausted:
                stops.append(cursor.stopped_at)
        if not stops:
            return None
        nearest = min if self._ascending else max
        return nearest(stops, key=attrgetter("place"))

    def _certain(self, items: Sequence[PlacedItem]) -> list[PlacedItem]:
        """Return those items that no unread item of any run can come before."""
        frontier = self._frontier()
        if frontier is None:
            return list(items)
        if self._ascending:
            return [item for item in items if item.place <= frontier.place]
        return [item for item in items if item.place >= frontier.place]

    def _merged(self) -> Iterator[PlacedItem]:
        """Return the waiting items of all runs in reading order; one of alternatives once."""
        if len(self.cursors) == 1:  # they were read in that order
            return iter(self.cursors[0].waiting)
        waiting = [cursor.waiting for cursor in self.cursors]
        in_order = merge(*waiting, key=attrgetter("place"), reverse=not self._ascending)
        if self._has_copies:
            return _without_copies(in_order)
        return iter(in_order)


def _without_copies(items: Iterable[PlacedItem]) -> Iterator[PlacedItem]:
    """Yield items that are in order, of those at one place the first."""
    previous: str | None = None
    for item in items:
        if item.place != previous:
            yield item
        previous = item.place


def _refuse_equal_places(item: PlacedItem) -> None:
    """Raise ValueError for two items at one place, of which ``item`` is one."""
    index = item.run.index
    sentence = (
        f"Two items of {index.name or index.table} are at {item.place!r}: a list of them "
        "has no order, and a page could lose one. Give the index table_key=(…), the names of the "
        "table's key attributes"
    )
    raise ValueError(sentence)


# Runs that overlap


@dataclass(frozen=True, slots=True)
class _Reach:
    """The sort keys that a run may hold, from ``begin`` on and below ``end``, as text."""

    run: Run
    begin: str
    end: str


def refuse_overlaps(runs: Iterable[Run]) -> None:
    """Raise ValueError if an item could be in two runs, which a list would show twice.

    Also if the runs cannot be in one list because their places are not of one kind.
    """
    runs_of: dict[tuple[str, str, str], list[Run]] = {}
    runs_with_items = []
    for run in runs:
        if run.is_empty:
            continue
        runs_with_items.append(run)
        index = run.index
        partition = (index.table, index.name or "", text_of_key(run.partition))
        runs_of.setdefault(partition, []).append(run)
    for runs_of_partition in runs_of.values():
        if len(runs_of_partition) == 1:
            continue
        reaches = [_reach(run) for run in runs_of_partition]
        for one, other in combinations(reaches, 2):
            if _overlap(one, other):
                labels = f"{one.run.label!r} and {other.run.label!r}"
                raise ValueError(f"{labels} overlap: an item could be in both")
    _refuse_other_places(runs_with_items)


def _refuse_other_places(runs: Iterable[Run]) -> None:
    """Raise ValueError for runs that cannot be read on from the places of one another."""
    kinds = set()
    numbers_of_attributes = set()
    table_keys_of_several = set()
    for run in runs:
        index = run.index
        kinds.add(bool(index.key_names))
        numbers_of_attributes.add(len(run.free))
        if isinstance(index.sort, tuple):
            table_keys_of_several.add(index.key_names)
    if len(kinds) > 1:
        sentence = "The indexes of one list have a table_key of the same kind: names, or functions"
        raise ValueError(sentence)
    if len(numbers_of_attributes) > 1:
        sentence = "The runs of one list leave equally many sort attributes to be ordered by"
        raise ValueError(sentence)
    if len(table_keys_of_several) > 1:
        # A position has the types of a table key, by which start keys are made up.
        sentence = "Indexes of several sort attributes in one list have the same table_key"
        raise ValueError(sentence)


def _reach(run: Run) -> _Reach:
    """Return the sort keys that a run may hold."""
    begin, end = run.reach
    return _Reach(run, begin, end)


def _overlap(one: _Reach, other: _Reach) -> bool:
    """Return whether an item of a partition could be in two of its runs."""
    if one.end <= other.begin or other.end <= one.begin:
        return False
    return not _keep_others(one.run, other.run)


def _keep_others(run: Run, other: Run) -> bool:
    """Return whether the filters of two runs keep different values of some attribute."""
    for mine in run.keep:
        for theirs in other.keep:
            if not isinstance(mine, OneOf) or not isinstance(theirs, OneOf):
                continue
            if mine.attribute == theirs.attribute and not _share_a_value(mine, theirs):
                return True
    return False


def _share_a_value(one: OneOf, other: OneOf) -> bool:
    return any(value in other.values for value in one.values)


# Shares


def fair_shares(needs: Sequence[int], total: int) -> list[int]:
    """Divide ``total`` into equal shares; what is more than one needs goes to the others."""
    shares = [0] * len(needs)
    left = total
    # The smallest first: what it does not need is there for all that follow.
    by_need = sorted(range(len(needs)), key=needs.__getitem__)
    for done, index in enumerate(by_need):
        shares[index] = min(needs[index], left // (len(needs) - done))
        left -= shares[index]
    return shares
