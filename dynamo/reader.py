"""The reader: one page of an exact, ordered merge of runs, from any place, in both directions.

Why the merge is exact. Every run is read in order, so whatever a run has not given yet lies
behind the place where its last read stopped. The *frontier* is the nearest such stop among the
runs that still have something behind it. An item in front of the frontier can be preceded by
nothing unread and may be shown; an item behind it has to wait. So a round of reads goes to the
runs that hold the frontier back, all at once, until a page lies in front of it.

The page's cost is bounded by its size and the number of runs, at page 1 and at page 1,000
alike: a run resumes by key behind the position, it never skips.

Part 2 of "Efficient filtering with DynamoDB" merges one page of each query and stops there;
that is this merge when each first read gives a whole page. Its part 3 carries one key per query
from page to page; here one position resumes them all.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from heapq import merge
from itertools import islice, repeat

from dynamo.pool import Pool
from dynamo.runs import Item, Position, Run
from dynamo.sources import Chunk, Source


class Order(Enum):
    """The order of a list, by the places of its items."""

    NEWEST_FIRST = "newest first"
    OLDEST_FIRST = "oldest first"


class Toward(Enum):
    """Which way a reader travels from a position: on through the list, or back."""

    NEXT = "next"
    PREVIOUS = "previous"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page of a list: ``size`` items next to ``position``, or from the list's beginning.

    Without a position ``toward`` is meaningless and must be NEXT.
    """

    size: int
    position: Position | None = None
    toward: Toward = Toward.NEXT

    def __post_init__(self) -> None:
        if self.size < 1:
            sentence = f"A page has at least one item, not {self.size}"
            raise ValueError(sentence)
        if self.position is None and self.toward is Toward.PREVIOUS:
            sentence = "Only a page behind a position can be read backwards"
            raise ValueError(sentence)


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a page, where it stands, and the run it came from."""

    item: Item
    position: Position
    run: Run


@dataclass(frozen=True, slots=True)
class RunRead:
    """What one run cost a page: rounds it was read in, items, capacity units."""

    run: Run
    rounds: int
    items_read: int
    items_returned: int
    capacity_units: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page in the order of its list, and what lies around it.

    In the direction travelled, an item beyond the page was looked for; the other way lies the
    page the reader came from, which is there whenever a position was given.
    """

    entries: tuple[Entry, ...]
    has_next: bool
    has_previous: bool
    rounds: int
    reads: tuple[RunRead, ...]


def read_page(  # noqa: PLR0913 - what a page is read with; each has one plain meaning
    runs: Sequence[Run],
    request: PageRequest,
    *,
    source: Source,
    pool: Pool,
    order: Order = Order.NEWEST_FIRST,
    first_reads: Sequence[int] | None = None,
    look_ahead: bool = True,
) -> Page:
    """Read one page of the merge of ``runs``.

    ``runs`` must not overlap: an item belongs to one of them. ``first_reads`` says how many
    items to ask of each run in the first round (by default the page and one more, which makes
    a single round enough unless DynamoDB cuts a read short at 1 MB); more is read only from
    runs that hold the page up. Without ``look_ahead`` no item beyond the page is looked for and
    ``has_next`` (or ``has_previous``, going back) tells only what is known without it.

    What the source raises passes through; the other reads of that round are dropped.
    """
    ascending = (order is Order.OLDEST_FIRST) is (request.toward is Toward.NEXT)
    needed = request.size + look_ahead
    cursors = [_Cursor(run, request.position) for run in runs]
    limits = repeat(needed) if first_reads is None else first_reads
    wanted = list(zip(cursors, limits, strict=first_reads is not None))
    rounds = 0
    while wanted:
        rounds += 1
        _read_round(wanted, source=source, pool=pool, ascending=ascending)
        wanted = _held_back(cursors, needed=needed, ascending=ascending)
    found = list(islice(_merged(cursors, ascending=ascending), needed))
    return _page(request, found, cursors=cursors, rounds=rounds)


@dataclass(slots=True)
class _Cursor:
    """How far one run has been read, and what of it waits to be shown."""

    run: Run
    stopped_at: Position | None
    exhausted: bool = False
    waiting: deque[Entry] = field(default_factory=deque)
    rounds: int = 0
    items_read: int = 0
    capacity_units: float = 0.0

    def take(self, chunk: Chunk) -> None:
        self.rounds += 1
        self.items_read += chunk.items_read
        self.capacity_units += chunk.capacity_units
        self.waiting.extend(Entry(i, self.run.position_of(i), self.run) for i in chunk.items)
        self.exhausted = chunk.last is None
        self.stopped_at = chunk.last or self.stopped_at

    def stopped_before(self, place: str, *, ascending: bool) -> bool:
        """Tell whether something unread of this run could come before ``place``."""
        if self.exhausted:
            return False
        stop = self.stopped_at.place if self.stopped_at else ""
        return stop < place if ascending else stop > place


def _read_round(
    wanted: Sequence[tuple[_Cursor, int]], *, source: Source, pool: Pool, ascending: bool
) -> None:
    calls = [
        partial(source.query, c.run, behind=c.stopped_at, limit=limit, ascending=ascending)
        for c, limit in wanted
    ]
    for (cursor, _), chunk in zip(wanted, pool.gather(calls), strict=True):
        cursor.take(chunk)


def _held_back(
    cursors: Sequence[_Cursor], *, needed: int, ascending: bool
) -> list[tuple[_Cursor, int]]:
    """Name the runs that must be read further, and for how many items at the most."""
    in_hand = list(islice(_merged(cursors, ascending=ascending), needed))
    unfinished = [c for c in cursors if not c.exhausted]
    if len(in_hand) < needed:
        blocking = unfinished
    else:
        end = in_hand[-1].position.place
        blocking = [c for c in unfinished if c.stopped_before(end, ascending=ascending)]
    certain = sum(
        not any(c.stopped_before(e.position.place, ascending=ascending) for c in blocking)
        for e in in_hand
    )
    return [(cursor, needed - certain) for cursor in blocking]


def _merged(cursors: Sequence[_Cursor], *, ascending: bool) -> Iterator[Entry]:
    waiting = [cursor.waiting for cursor in cursors]
    return merge(*waiting, key=lambda entry: entry.position.place, reverse=not ascending)


def _page(
    request: PageRequest, found: list[Entry], *, cursors: Sequence[_Cursor], rounds: int
) -> Page:
    shown, beyond = found[: request.size], len(found) > request.size
    forward = request.toward is Toward.NEXT
    entries = _numbered(shown if forward else shown[::-1], request, reaches_start=not beyond)
    return Page(
        entries=entries,
        has_next=beyond if forward else True,
        has_previous=request.position is not None if forward else beyond,
        rounds=rounds,
        reads=tuple(_run_read(cursor, entries) for cursor in cursors),
    )


def _numbered(
    entries: Sequence[Entry], request: PageRequest, *, reaches_start: bool
) -> tuple[Entry, ...]:
    """Number the items onward from the position; a page that reaches the start begins at 1."""
    from_ordinal = request.position.ordinal if request.position else 0
    if request.toward is Toward.NEXT:
        first = from_ordinal + 1
    else:
        first = 1 if reaches_start else max(1, from_ordinal - len(entries))
    return tuple(
        replace(entry, position=replace(entry.position, ordinal=ordinal))
        for ordinal, entry in enumerate(entries, first)
    )


def _run_read(cursor: _Cursor, entries: Sequence[Entry]) -> RunRead:
    return RunRead(
        run=cursor.run,
        rounds=cursor.rounds,
        items_read=cursor.items_read,
        items_returned=sum(entry.run is cursor.run for entry in entries),
        capacity_units=cursor.capacity_units,
    )
