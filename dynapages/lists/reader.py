"""The reader: one page of an exact, ordered merge of runs, from any position, in both directions.

`dynapages.lists.merging` explains why the merge is exact. The cost of a page depends on its size
and the number of runs, not on how deep it lies: a run resumes behind a key, it never skips items.
Part 3 of "Efficient filtering with DynamoDB" carries one key per query from page to page; here one
position resumes all of them.

A list may also be read in *segments*, stretches of places with runs of their own, such as a table
for each month, or ratings (`Run.section`). They are read in steps of 1, 1, 2, 4, 8, no further than
needed, which bounds the rounds of a page in a nearly empty list. Where it is known how many items
are ahead in each, the first step has all segments that the page is expected to take.

`read_page` and `read_segments` return a `Page` for a `PageRequest`. Both are rounds of reads
(`page_rounds`, `segment_rounds`) which `drive` makes in threads, and `adrive` in tasks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from inspect import isawaitable
from math import inf
from operator import attrgetter
from typing import Any, Generic, TypedDict, TypeVar, Unpack

from dynapages.calls.pool import OutOfTime, Pool, agather, seconds_left
from dynapages.items import BLOCK, UNITS_PER_BLOCK, blocks_of
from dynapages.lists.key_texts import HIGHEST
from dynapages.lists.merging import (
    LARGEST_ITEM,
    LEAST_UNITS,
    Entry,
    Fallback,
    Merge,
    PlacedItem,
    ReadRequest,
    Rounds,
    refuse_overlaps,
)
from dynapages.lists.runs import LIST_EDGE, Chunk, Ordinal, Position, Run, Source

T = TypeVar("T")


# Requests and pages


class Order(Enum):
    """The order of a list, by the places of its items."""

    NEWEST_FIRST = "newest first"
    OLDEST_FIRST = "oldest first"


class Toward(Enum):
    """The direction of a page from a position: on through the list, or back."""

    NEXT = "next"
    PREVIOUS = "previous"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page of ``size`` items next to ``position``, or with the one at it if that is inclusive.

    Without a position it is the first page, or the last one if ``toward`` is PREVIOUS: that has the
    last ``size`` items. It costs ``most_units`` at most if no item has more than ``largest_item``
    bytes, but an item of each run is read in any case. A page that is not full by then is short,
    maybe empty, and the next one goes on where its reading stopped. Raises ValueError for a
    ``size`` below 1, or one that is not an int.
    """

    size: int
    position: Position | None = None
    toward: Toward = Toward.NEXT
    most_units: float = inf
    largest_item: int = LARGEST_ITEM

    def __post_init__(self) -> None:
        given: object = self.size
        if not isinstance(given, int) or isinstance(given, bool) or given < 1:
            raise ValueError(f"A page has at least one item, as an int: not {self.size!r}")

    @property
    def start_ordinal(self) -> Ordinal | None:
        """The ordinal of the item that the page is next to; None where it is not known."""
        if self.position is None:
            return LIST_EDGE
        return self.position.ordinal

    @property
    def is_first(self) -> bool:
        """Whether it is the page at the list's beginning."""
        return self.position is None and self.toward is Toward.NEXT

    @property
    def is_last(self) -> bool:
        """Whether it is the page at the list's end."""
        return self.position is None and self.toward is Toward.PREVIOUS


@dataclass(frozen=True, slots=True)
class RunRead:
    """What a page read from one run: rounds, items and capacity units.

    ``items_kept`` are those that its filter let through, on this page or behind it. ``was_left`` is
    whether another alternative reached further, and was read on in its place.
    """

    run: Run
    rounds: int
    items_read: int
    items_returned: int
    capacity_units: float
    items_kept: int = 0
    was_left: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page in the order of its list, whether more lies around it, and how it was read.

    Ahead, ``has_next`` (or ``has_previous``, going back) is true when an item beyond the page was
    read. The other way lies the page the visitor came from: true whenever a position was given,
    the ``start``, unless its number says that nothing is there. The way back leads there, and not
    to the page's first item: nothing lies between the two. ``fell_back`` is true when runs of a
    `Fallback` replaced others within the page. ``cut_at`` is set when the units were spent before
    the page was full: ``toward`` there the list goes on. ``most_units`` are those of its request;
    so is ``largest_item``, or more where a read cost more than such items can.
    """

    entries: tuple[Entry, ...]
    has_next: bool
    has_previous: bool
    rounds: int
    reads: tuple[RunRead, ...]
    fell_back: bool = False
    cut_at: Position | None = None
    toward: Toward = Toward.NEXT
    largest_item: int = LARGEST_ITEM
    start: Position | None = None
    most_units: float = inf

    @property
    def capacity_units(self) -> float:
        """What its reads cost."""
        return sum(read.capacity_units for read in self.reads)

    @property
    def mean_bytes_read(self) -> float:
        """About how many bytes the items have that were read, by what that cost; 0 for none.

        A read is charged for in blocks, of which the last is half full on average.
        """
        items_read = 0
        bytes_read = 0.0
        for read in self.reads:
            items_read += read.items_read
            blocks = read.capacity_units / UNITS_PER_BLOCK
            bytes_read += (blocks - read.rounds / 2) * BLOCK
        return bytes_read / max(items_read, 1)

    @property
    def next_position(self) -> Position | None:
        """Where the next page begins; None without one."""
        if not self.has_next:
            return None
        if self.toward is Toward.NEXT:
            return self._reading_stop
        return self._reading_start

    @property
    def previous_position(self) -> Position | None:
        """Where the previous page ends; None without one."""
        if not self.has_previous:
            return None
        if self.toward is Toward.PREVIOUS:
            return self._reading_stop
        return self._reading_start

    @property
    def _reading_stop(self) -> Position | None:
        """Where the reading of the page stopped: the list goes on there in its direction."""
        if self.cut_at is not None:
            return self.cut_at
        if not self.entries:
            return None
        last_read = -1 if self.toward is Toward.NEXT else 0
        return self.entries[last_read].position

    @property
    def _reading_start(self) -> Position | None:
        """Where the reading of the page began, to be read from in the other direction."""
        if self.start is None:
            return None
        if self.toward is Toward.NEXT:
            if self.entries:
                ordinal = self.entries[0].position.ordinal
            else:
                ordinal = _first_behind(self.start.ordinal, 0, is_to_end=not self.has_next)
        elif self.entries:
            ordinal = self.entries[-1].position.ordinal
        else:
            ordinal = _first_before(self.start.ordinal, 0, is_from_front=not self.has_previous)
            # A read on from here begins with what is behind this place, so one less was passed.
            if ordinal is not None:
                ordinal = ordinal.back(1)
        return self.start.turned(ordinal)


@dataclass(frozen=True, slots=True)
class PageResult(Generic[T]):
    """The ``items`` of a page of a list, parsed, and the page they were read from."""

    items: tuple[T, ...]
    page: Page


# Reading a page


class Reading(TypedDict, total=False):
    """How the runs of a page are read.

    ``order`` is by default from the newest on. ``first_reads`` is the limit of each run's first
    read, at least 1 (by default the page and one more: then one round is enough unless DynamoDB
    cuts a read short at 1 MB); further reads go only to runs that hold the page up. ``fallback``
    returns other runs for one that filters, used where that one brings too little. Without
    ``look_ahead`` no item beyond the page is read on purpose, and ``has_next`` (or
    ``has_previous``, going back) is False unless one was read anyway.
    """

    order: Order
    first_reads: Sequence[int] | None
    fallback: Fallback | None
    look_ahead: bool


def read_page(
    runs: Iterable[Run],
    request: PageRequest,
    *,
    source: Source,
    pool: Pool,
    **how: Unpack[Reading],
) -> Page:
    """Read one page of the merge of ``runs``, which must not overlap; see `Reading` for ``how``.

    What the source raises passes through, and the other reads of that round are dropped. Raises
    ValueError for runs that overlap, for an unknown order, and for two items at one place.
    """
    return drive(page_rounds(runs, request, **how), source, pool)


def page_rounds(
    runs: Iterable[Run],
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
    first_reads: Sequence[int] | None = None,
    fallback: Fallback | None = None,
    look_ahead: bool = True,
) -> Rounds[Page]:
    """Return the rounds of `read_page`, for `drive` or `adrive`."""
    ascending = _is_ascending(order, request)
    runs = tuple(runs)
    refuse_overlaps(runs)
    needed = request.size
    if look_ahead:
        needed += 1
    merge = Merge(
        runs,
        request.position,
        needed=needed,
        ascending=ascending,
        look_ahead=look_ahead,
        fallback=fallback,
        most_units=request.most_units,
        largest_item=request.largest_item,
    )
    yield from merge.read(first_reads=first_reads)
    items = merge.items(request.size + 1)
    return page_of(request, items, merges=[merge], cut_at=merge.cut_at)


def drive(rounds: Rounds[T], source: Source, pool: Pool, *, in_threads: bool = False) -> T:
    """Make the reads of each round in parallel, and return the result.

    A read that is alone in its round is made in this thread, or in one of the pool ``in_threads``:
    a client that knows of no time budget is then left behind when that is spent. Raises OutOfTime,
    and what the source raises.
    """
    try:
        requests = next(rounds)
        while True:
            requests = rounds.send(_read_round(requests, source, pool, in_threads=in_threads))
    except StopIteration as stop:
        result: T = stop.value
        return result


def _read_round(
    requests: Sequence[ReadRequest], source: Source, pool: Pool, *, in_threads: bool
) -> Sequence[Chunk]:
    """Make the reads of a round at the same time; return what they brought in their order."""
    if in_threads and len(requests) == 1:
        with pool.together() as together:
            return [together.start(_read, source, requests[0]).result()]
    return pool.map(partial(_read, source), requests)


def _read(source: Source, request: ReadRequest) -> Chunk:
    """Make one read. Raises OutOfTime, before a client that knows of no time budget waits."""
    if not seconds_left():
        raise OutOfTime
    return source.query(
        request.run, behind=request.behind, limit=request.limit, ascending=request.ascending
    )


async def adrive(rounds: Rounds[T], source: Source) -> T:
    """Make the reads of each round at once in tasks, and return the result.

    The source's ``aquery`` is used where it has one, else its ``query``, which may be awaited.
    """
    try:
        requests = next(rounds)
        while True:
            requests = rounds.send(await _aread_round(source, requests))
    except StopIteration as stop:
        result: T = stop.value
        return result


async def _aread_round(source: Source, requests: Sequence[ReadRequest]) -> Sequence[Chunk]:
    """Make the reads of a round in tasks, within the time budget. Raises OutOfTime."""
    chunks: Sequence[Chunk] = await agather(*[_aread(source, request) for request in requests])
    return chunks


async def _aread(source: Source, request: ReadRequest) -> Chunk:
    """Make one read by a source that may be awaited, or not."""
    query: Callable[..., Any] = getattr(source, "aquery", source.query)
    result: Any = query(
        request.run, behind=request.behind, limit=request.limit, ascending=request.ascending
    )
    if isawaitable(result):
        result = await result
    chunk: Chunk = result
    return chunk


def _is_ascending(order: Order, request: PageRequest) -> bool:
    """Return whether a page is read by rising sort keys. Raises ValueError for an unknown order."""
    if not isinstance(order, Order):
        sentence = f"{order!r} is not an Order, such as Order.NEWEST_FIRST"
        raise ValueError(sentence)  # noqa: TRY004 - callers expect it of any wrong value
    return (order is Order.OLDEST_FIRST) is (request.toward is Toward.NEXT)


# Building a page of what was read


def page_of(
    request: PageRequest,
    read: Sequence[PlacedItem],
    *,
    merges: Sequence[Merge],
    cut_at: Position | None,
) -> Page:
    """Build a page from the items ``read`` by merges, of which each continues the one before.

    ``cut_at`` is where the reading stopped because its units were spent.
    """
    shown = read[: request.size]
    goes_on = len(read) > request.size or cut_at is not None
    is_exhausted = not merges or merges[-1].is_exhausted
    is_onward = request.toward is Toward.NEXT
    in_order = shown if is_onward else shown[::-1]
    entries = _numbered(in_order, request, reaches_edge=is_exhausted and not goes_on)
    if cut_at is not None and len(shown) < request.size:
        cut_at = replace(cut_at, ordinal=_last_read_ordinal(entries, request))
    else:
        cut_at = None
    # Where the reading began there is a page, unless it began at an edge of the list.
    came_from_a_page = request.start_ordinal != LIST_EDGE
    if is_onward:
        has_previous, has_next = came_from_a_page, goes_on
    else:
        has_previous, has_next = goes_on, came_from_a_page
    rounds = 0
    fell_back = False
    largest_item = request.largest_item
    for merge in merges:
        rounds += merge.rounds
        fell_back = fell_back or merge.fell_back
        largest_item = max(largest_item, merge.largest_item)
    return Page(
        entries=entries,
        has_next=has_next,
        has_previous=has_previous,
        rounds=rounds,
        reads=tuple(_reads_of(merges, entries)),
        fell_back=fell_back,
        cut_at=cut_at,
        toward=request.toward,
        largest_item=largest_item,
        start=request.position,
        most_units=request.most_units,
    )


def _last_read_ordinal(entries: Sequence[Entry], request: PageRequest) -> Ordinal | None:
    """Return the ordinal of the entry that was read last; that of the position where none was."""
    if entries:
        last_read = -1 if request.toward is Toward.NEXT else 0
        return entries[last_read].position.ordinal
    return request.start_ordinal


def _reads_of(merges: Sequence[Merge], entries: Sequence[Entry]) -> Iterator[RunRead]:
    """Yield what was read from each run."""
    for merge in merges:
        for cursor in merge.cursors:
            yield RunRead(
                run=cursor.run,
                rounds=cursor.rounds,
                items_read=cursor.items_read,
                # By identity: two runs may be equal.
                items_returned=sum(entry.run is cursor.run for entry in entries),
                capacity_units=cursor.capacity_units,
                items_kept=cursor.items_kept,
                was_left=cursor.was_left,
            )


def unread_page(request: PageRequest, *, order: Order) -> Page:
    """Return a page without entries that goes on where it would have begun.

    It is for callers whose units are spent.
    """
    position = request.position
    if position is None:
        ascending = _is_ascending(order, request)
        position = Position("" if ascending else HIGHEST, ordinal=LIST_EDGE, inclusive=True)
    return page_of(request, (), merges=(), cut_at=position)


def numbered_behind(page: Page, count: int) -> Page:
    """Return a page that was read on from an unknown number, with its entries numbered.

    ``count`` items are in front of it. One that reaches the list's end has its numbers, from there.
    """
    if page.entries and page.entries[0].position.ordinal is not None:
        return page
    entries = []
    for number, entry in enumerate(page.entries, start=count + 1):
        position = replace(entry.position, ordinal=Ordinal(number))
        entries.append(Entry(entry.item, position, entry.run))
    cut_at, start = page.cut_at, page.start
    if cut_at is not None:
        cut_at = replace(cut_at, ordinal=Ordinal(count + len(entries)))
    if start is not None:
        start = replace(start, ordinal=Ordinal(count))
    return replace(page, entries=tuple(entries), cut_at=cut_at, start=start)


def _numbered(
    items: Sequence[PlacedItem], request: PageRequest, *, reaches_edge: bool
) -> tuple[Entry, ...]:
    """Number items on from the position; a page that reaches the list's start begins at 1.

    Numbers from the beginning stay above 0, those from the end below, however the list changes. If
    the position's is not known, those of a page that reaches neither end are not known either.
    """
    start = request.start_ordinal
    if request.toward is Toward.NEXT:
        first = _first_behind(start, len(items), is_to_end=reaches_edge)
    else:
        first = _first_before(start, len(items), is_from_front=reaches_edge)
    entries = []
    for index, item in enumerate(items):
        ordinal = None if first is None else first.onward(index)
        entries.append(item.entry(ordinal))
    return tuple(entries)


def _first_behind(start: Ordinal | None, count: int, *, is_to_end: bool) -> Ordinal | None:
    """Return the ordinal of the first of ``count`` entries behind the one of ordinal ``start``.

    ``is_to_end`` is whether no further entry lies behind them.
    """
    if start is not None and start.from_front:
        return start.onward(1)
    if is_to_end:
        return LIST_EDGE.back(count)
    if start is None:
        return None
    # Items that were added meanwhile would have numbers beyond the end.
    return LIST_EDGE.back(max(start.number - 1, count))


def _first_before(start: Ordinal | None, count: int, *, is_from_front: bool) -> Ordinal | None:
    """Return the ordinal of the first of ``count`` entries in front of the one of ``start``.

    ``is_from_front`` is whether no further entry lies in front of them.
    """
    if is_from_front:
        return Ordinal(1)
    if start is None:
        return None
    if start.from_front and not start.is_edge:
        # Items that were added meanwhile would have numbers below 1.
        return Ordinal(max(1, start.number - count))
    return start.back(count)


# Segments


@dataclass(frozen=True, slots=True)
class Segment:
    """The places with ``since <= place < until``. ``name`` is for the caller's use.

    ``expected`` is how many of its items are ahead of the page; a wrong number costs a round.
    """

    name: str
    since: str
    until: str
    expected: float = inf


@dataclass(frozen=True, slots=True)
class SegmentsPlan:
    """All runs of some segments, and how to read them: see `dynapages.lists.reader.read_page`."""

    runs: Sequence[Run]
    first_reads: Sequence[int] | None = None
    fallback: Fallback | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", tuple(self.runs))


PlanOf = Callable[[Sequence[Segment], int], SegmentsPlan]
"""Plans to read some segments, in reading order, for so many needed items.

It is called only for those that may be read now, and again for fewer if these cost too much.
"""


def read_segments(
    segments: Sequence[Segment],
    plan_of: PlanOf,
    request: PageRequest,
    *,
    source: Source,
    pool: Pool,
    order: Order = Order.NEWEST_FIRST,
) -> Page:
    """Read one page of a list, segment by segment, until it is full.

    Segments come in any order, and must not overlap; neither may their runs. The page keeps within
    the request's ``most_units``, and ends in front of segments that would take more; but of those
    read first an item of each run is read in any case. It raises what `read_page` does.
    """
    return drive(segment_rounds(segments, plan_of, request, order=order), source, pool)


def segment_rounds(
    segments: Sequence[Segment],
    plan_of: PlanOf,
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
) -> Rounds[Page]:
    """Return the rounds of `read_segments`, for `drive` or `adrive`."""
    ascending = _is_ascending(order, request)
    ahead = _ahead(segments, request, ascending=ascending)
    merges: list[Merge] = []
    items: list[PlacedItem] = []
    largest = request.largest_item
    cut_at: Position | None = None
    begun = 0
    while begun < len(ahead) and len(items) <= request.size and cut_at is None:
        needed = request.size + 1 - len(items)
        units_left = request.most_units - sum(merge.capacity_units for merge in merges)
        # As many segments as were begun so far: steps of 1, 1, 2, 4, 8.
        step = next_step(ahead[begun:], needed, least=max(begun, 1))
        plan = plan_of(step, needed)
        while len(step) > 1 and _least_units(plan, largest) > units_left:
            step = step[: len(step) // 2]
            plan = plan_of(step, needed)
        if merges and _least_units(plan, largest) > units_left:
            edge = step[0].since if ascending else step[0].until
            cut_at = Position(edge, inclusive=ascending)
            break
        refuse_overlaps(plan.runs)
        merge = Merge(
            plan.runs,
            request.position,
            needed=needed,
            ascending=ascending,
            fallback=plan.fallback,
            most_units=units_left,
            largest_item=largest,
        )
        yield from merge.read(first_reads=plan.first_reads)
        merges.append(merge)
        items += merge.items(needed)
        largest = merge.largest_item
        cut_at = merge.cut_at
        begun += len(step)
    return page_of(request, items, merges=merges, cut_at=cut_at)


def next_step(ahead: Sequence[Segment], needed: int, *, least: int) -> Sequence[Segment]:
    """Return the segments to read at once: ``least``, or more if these are expected to be few."""
    count = 0
    expected = 0.0
    while count < len(ahead) and (count < least or expected < needed):
        expected += ahead[count].expected
        count += 1
    return ahead[:count]


def _least_units(plan: SegmentsPlan, largest_item: int) -> float:
    """Return what it costs at the least to read an item of each run."""
    return LEAST_UNITS * blocks_of(largest_item) * len(plan.runs)


def _ahead(
    segments: Sequence[Segment], request: PageRequest, *, ascending: bool
) -> Sequence[Segment]:
    """Return the segments that may hold items ahead, in reading order."""
    ordered = sorted(segments, key=attrgetter("since"), reverse=not ascending)
    if request.position is None:
        return ordered
    position = request.position
    if ascending:
        return [segment for segment in ordered if segment.until > position.place]
    return [segment for segment in ordered if position.is_before(segment.since, ascending=False)]


# Whole lists


def every_entry(page_of: Callable[[PageRequest], Page], *, at_once: int) -> Iterator[Entry]:
    """Yield a whole list, read in pages of ``at_once`` entries: for commands, never for a page."""
    request = PageRequest(at_once)
    while True:
        page = page_of(request)
        yield from page.entries
        if page.next_position is None:
            return
        request = PageRequest(at_once, page.next_position)
