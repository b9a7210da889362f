"""A feed: one list of the items of several partitions, page by page, in both directions."""

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isinf
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

from dynapages.calls import meter
from dynapages.calls.client_types import QueryClient
from dynapages.calls.meter import quantity
from dynapages.calls.plain_client import Resource
from dynapages.calls.pool import Pool, agather, seconds_left
from dynapages.errors import gettext_noop
from dynapages.items import Item, KeyValue, python_item
from dynapages.lists.counts import (
    Counted,
    Shares,
    Total,
    Weights,
    acounted,
    aweights_of,
    checked_shares,
    checked_total,
    counted,
    weights_of,
)
from dynapages.lists.feed_pages import END, START, FeedPage
from dynapages.lists.first_reads import MeanSizes, first_reads_of
from dynapages.lists.key_texts import HIGHEST, Key, displayed, text_of_key, values_of
from dynapages.lists.merging import Rounds
from dynapages.lists.partitions import MOST_SECTIONS, Partitions, sections_of
from dynapages.lists.queries import QuerySource
from dynapages.lists.query_parameters import checked_query
from dynapages.lists.reader import (
    Order,
    Page,
    PageRequest,
    Segment,
    SegmentsPlan,
    Toward,
    adrive,
    drive,
    page_rounds,
    segment_rounds,
)
from dynapages.lists.runs import Index, Position, Run, Source
from dynapages.lists.tied_reads import items_beyond
from dynapages.lists.tokens import BadToken, Tokens

T = TypeVar("T")

ITEMS_AT_ONCE = 100
"""Items that iterating a feed reads at once at first, and for each partition later."""
MOST_AT_ONCE = 2_000
"""Items of all partitions that iterating a feed reads at once."""
GROWTH = 4
"""How many times as much iterating a feed reads, each time that it reads on."""
PARALLEL_READS = 10
"""Calls at a time where no pool is given: as many as a botocore client has connections."""
SIZES = MeanSizes()
"""Sizes of the items of each table and index, as feeds of this process have read them."""
ONE_OF_BOTH = gettext_noop("Give either “after” or “before”, not both.")


Prefix: TypeAlias = str | bytes | tuple[KeyValue, ...]
"""What sort keys begin with: a text, or of several sort attributes the values of the first."""


class FeedOptions(TypedDict, total=False):
    """What a `Feed` takes by keyword, besides what its items are."""

    client: QueryClient | Resource | None
    source: Source | None
    tokens: Tokens | None
    name: str
    newest_first: bool
    pool: Pool | None
    begins_with: Prefix
    query: Mapping[str, Any] | None
    shares: Shares | None
    total: Total | None


class Feed(Generic[T]):
    """A list of the items of some partitions, in the order of their sort keys.

    ``partitions`` are values of the partition key, all of one type: str, int or Decimal, bytes.
    Lists of such values are sections, one behind another; any iterable counts as a list. The
    highest sort keys come first, or with ``newest_first`` False the lowest. In an index of several
    partition attributes each partition is a tuple of values, such as ``("acme", "open")``.
    ``begins_with`` is what the sort keys begin with, such as ``"2026-11"``; of several sort
    attributes it is a tuple of values of the first of them, such as ``("high",)``.

    ``client`` is any client with botocore's method ``query``, or a boto3 resource or Table, whose
    client is used without the handlers that change its values; its calls count in `metered` from
    then on. ``source`` takes its place where the items come from elsewhere (see `Source`).

    ``tokens`` make the strings that name pages, which are bound to ``name`` and the order: no two
    lists of one secret may have the same name. Without a name it is made of the index, the
    partitions, ``begins_with`` and the filter; with one, partitions may be added later.

    ``begins_with`` restricts the list to sort keys that begin so. ``query`` are further parameters
    of each Query in botocore's form: ConsistentRead, FilterExpression, ProjectionExpression,
    ExpressionAttributeNames and ExpressionAttributeValues. A page of a filtered list is read on
    until it is full, whatever that costs; a projection has the key attributes too.

    Items are dicts of Python values (see `dynapages.items.python_item`), or with ``wire`` those of
    botocore, or what ``parse`` returns for these. ``pool`` makes the calls
    of a page in parallel; without one they are at most 10 at a time.

    A page first reads of each partition the part that it is expected to have on it, and some more.
    Parts are taken to be equal, as those of shards are. Where they are not, ``shares`` are numbers
    of any scale by partition, or a function that returns them for some partitions, such as counts
    of their items. Wrong ones cost units and a second round, and change no page. Of a filtered list
    without shares each partition is read for a whole page.

    ``total`` returns how many items there are, such as `dynapages.writes.Counting`. It is called
    for each page, while that is read, and what it reads is added to what the page costs; a walk
    through all items does not call it. What it returns is not compared with the list, filtered or
    not. ``shares`` and ``total`` may be awaited by `apage`.

    Raises ValueError for a partition that is given twice, and for other wrong arguments.
    """

    @overload
    def __init__(
        self: "Feed[dict[str, Any]]",
        index: Index,
        partitions: Partitions,
        **options: Unpack[FeedOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: "Feed[Item]",
        index: Index,
        partitions: Partitions,
        *,
        wire: Literal[True],
        **options: Unpack[FeedOptions],
    ) -> None: ...

    @overload
    def __init__(
        self,
        index: Index,
        partitions: Partitions,
        *,
        parse: Callable[[Item], T],
        **options: Unpack[FeedOptions],
    ) -> None: ...

    def __init__(  # noqa: PLR0913 - what a list is, each a keyword
        self,
        index: Index,
        partitions: Partitions,
        *,
        client: QueryClient | Resource | None = None,
        source: Source | None = None,
        tokens: Tokens | None = None,
        name: str = "",
        newest_first: bool = True,
        pool: Pool | None = None,
        begins_with: Prefix = "",
        query: Mapping[str, Any] | None = None,
        shares: Shares | None = None,
        total: Total | None = None,
        wire: bool = False,
        parse: Callable[[Item], T] | None = None,
    ) -> None:
        self.index = index
        self.name = name
        self.tokens = tokens
        self.order = Order.NEWEST_FIRST if newest_first else Order.OLDEST_FIRST
        self.sections: Sequence[Sequence[Key]] = sections_of(partitions, index)
        self._begins_with = begins_with
        self._runs = self._runs_of_sections(begins_with)
        further = checked_query(query)
        self._made_name = self._name_of_contents(begins_with, further)
        self._source = _source_of(client, source, query=further)
        self._has_filter = "FilterExpression" in further
        self._has_projection = "ProjectionExpression" in further
        self._pool = pool
        self._shares = checked_shares(shares)
        self._total = checked_total(total)
        # Of each overload it returns what that one says.
        made: Callable[[Item], Any] = parse or (_unparsed if wire else python_item)
        self._parse: Callable[[Item], T] = made

    def __repr__(self) -> str:
        partitions = quantity(len(self._partitions), "partition", "partitions")
        stored_in = self.index.table
        if self.index.name:
            stored_in = f"{self.index.name} of {stored_in}"
        name = f" {self.name}" if self.name else ""
        return f"<Feed{name}: {partitions} in {stored_in}, {self.order.value}>"

    def _name_of_contents(self, begins_with: Prefix, further: Mapping[str, Any]) -> str:
        """Return a name that no list of other items has, for the tokens of a feed without one."""
        partitions = [[_named(each) for each in section] for section in self.sections]
        contents = [
            self.index.table,
            self.index.name,
            partitions,
            text_of_key(begins_with) if isinstance(begins_with, tuple) else begins_with,
            further.get("FilterExpression"),
            further.get("ExpressionAttributeValues"),
        ]
        return repr(contents)

    @property
    def list_name(self) -> str:
        """What its tokens are bound to."""
        name = f"{self.name or self._made_name} {self.order.value}"
        if not isinstance(self.index.sort, tuple):
            return name
        # Places of other numbers of values are of another list, also where it has the same name.
        return f"{name} {len(self.index.sort) - len(self._begins_with)}"

    def page(
        self, size: int, *, after: str | None = None, before: str | None = None
    ) -> FeedPage[T]:
        """Read the page of ``size`` items behind one of the feed's strings, or the first page.

        ``after`` is `FeedPage.next`, `FeedPage.first` or a cursor, ``before`` is
        `FeedPage.previous`, `FeedPage.last` or a cursor; not both are given. Raises BadToken for
        all else, before any call, and ValueError for a ``size`` that is no int, or is below 1;
        OutOfTime where a `time_budget` is spent, and what the client raises.
        """
        return self.page_at(self._request(size, after, before))

    def page_at(self, request: PageRequest) -> FeedPage[T]:
        """Read the page of a request, for who has positions and strings of pages of their own.

        Raises what `page` does.
        """
        weights = weights_of(self._shares, self._partitions)
        if self._total is None:
            return self._page(self._read(request, weights), request)
        with self._threads().together() as together:
            counting = together.start(counted, self._total)
            page = self._read(request, weights)
            return self._page(page, request, counts=counting.result())

    async def apage(
        self, size: int, *, after: str | None = None, before: str | None = None
    ) -> FeedPage[T]:
        """Read a page as `page` does, by a client whose methods are awaited.

        Raises what `page` does, and TypeError for a client whose methods are not.
        """
        request = self._request(size, after, before)
        reading = self._aread(request)
        if self._total is None:
            return self._page(await reading, request)
        page, counts = await agather(reading, acounted(self._total))
        return self._page(page, request, counts=counts)

    def __iter__(self) -> Iterator[T]:
        """Yield every item, read in pages of 100 at first, and of more where the list goes on."""
        weights = weights_of(self._shares, self._partitions)
        request = PageRequest(ITEMS_AT_ONCE)
        while True:
            page = self._read(request, weights)
            for entry in page.entries:
                yield self._parse(entry.item)
            if page.next_position is None:
                return
            request = self._larger_request(request.size, page.next_position)

    async def __aiter__(self) -> AsyncIterator[T]:
        """Yield every item as `__iter__` does, read by a client whose methods are awaited."""
        weights = await aweights_of(self._shares, self._partitions)
        request = PageRequest(ITEMS_AT_ONCE)
        while True:
            page = await adrive(self._rounds(request, weights), self._source)
            self._note_sizes(page)
            for entry in page.entries:
                yield self._parse(entry.item)
            if page.next_position is None:
                return
            request = self._larger_request(request.size, page.next_position)

    def _larger_request(self, size: int, position: Position) -> PageRequest:
        """Return what a walk reads after ``size`` items."""
        # Large reads cost less an item. But a walk may end early, and pays for what it has read.
        most = min(ITEMS_AT_ONCE * len(self._partitions), MOST_AT_ONCE)
        return PageRequest(min(size * GROWTH, most), position)

    def _read(self, request: PageRequest, weights: Weights | None) -> Page:
        """Read a page by a client that is not awaited."""
        in_threads = not isinf(seconds_left())
        rounds = self._rounds(request, weights)
        page = drive(rounds, self._source, self._threads(), in_threads=in_threads)
        self._note_sizes(page)
        return page

    async def _aread(self, request: PageRequest) -> Page:
        """Read a page by a client that is awaited."""
        rounds = self._rounds(request, await aweights_of(self._shares, self._partitions))
        page = await adrive(rounds, self._source)
        self._note_sizes(page)
        return page

    def _threads(self) -> Pool:
        return self._pool or _pool_of(os.getpid())

    def _request(self, size: int, after: str | None, before: str | None) -> PageRequest:
        """Return what the arguments of `page` ask for. Raises BadToken, and ValueError."""
        if after is not None and before is not None:
            raise BadToken(ONE_OF_BOTH)
        if before is not None:
            position = None if before == END else self._position(before)
            return PageRequest(size, position, Toward.PREVIOUS)
        if after is None or after == START:
            return PageRequest(size)
        return PageRequest(size, self._position(after))

    # What is known of the list

    @property
    def _partitions(self) -> Sequence[Key]:
        """Those of all sections."""
        return [partition for section in self.sections for partition in section]

    def _note_sizes(self, page: Page) -> None:
        """Note how large the items are, as they are stored, for the price of later pages."""
        if not page.capacity_units:
            return
        name = self._stored_in
        if self._has_projection:
            # What is left out was read as well.
            SIZES.note_bytes(name, page.mean_bytes_read)
        else:
            SIZES.note(name, (entry.stored for entry in page.entries))

    @property
    def _stored_in(self) -> str:
        return f"{self.index.table}/{self.index.name or ''}"

    # Reading

    def _rounds(self, request: PageRequest, weights: Weights | None) -> Rounds[Page]:
        """Return the rounds of a page; of several sections these are its segments."""
        if len(self._runs) == 1:
            (runs,) = self._runs
            first_reads = self._first_reads(runs, request.size + 1, request, weights)
            return page_rounds(runs, request, order=self.order, first_reads=first_reads)

        def plan_of(chosen: Sequence[Segment], needed: int) -> SegmentsPlan:
            """Return the runs of some sections, whose numbers are the names of the segments."""
            runs: list[Run] = []
            first_reads: list[int] = []
            for segment in chosen:
                runs_of_section = self._runs[int(segment.name)]
                runs += runs_of_section
                # Each section may be the one that the whole page is of.
                first_reads += self._first_reads(runs_of_section, needed, request, weights)
            return SegmentsPlan(runs, first_reads)

        segments = []
        for number, runs in enumerate(self._runs):
            if runs:
                section = runs[0].section
                segments.append(Segment(str(number), since=section, until=section + HIGHEST))
        return segment_rounds(segments, plan_of, request, order=self.order)

    def _first_reads(
        self, runs: Sequence[Run], needed: int, request: PageRequest, weights: Weights | None
    ) -> list[int]:
        """Return how many items to read first of each run of a section."""
        if weights is not None:
            shares = [float(weights.get(run.partition, 0)) for run in runs]
        elif self._has_filter:
            # How many of a partition's items pass is not known.
            return [needed] * len(runs)
        else:
            shares = [1.0] * len(runs)
        stored_in = self._stored_in
        return first_reads_of(
            needed,
            shares,
            item_bytes=SIZES.mean(stored_in),
            spread=SIZES.spread(stored_in),
            more=items_beyond(self.index, request.position),
        )

    def _page(
        self, page: Page, request: PageRequest, *, counts: Counted | None = None
    ) -> FeedPage[T]:
        total = counting = None
        if counts is not None:
            total = counts.total
            counting = counts.calls
        return FeedPage(
            feed=self,
            items=tuple(self._parse(entry.item) for entry in page.entries),
            page=page,
            request=request,
            total=total,
            counting=counting,
        )

    def _runs_of_sections(self, begins_with: Prefix) -> Sequence[Sequence[Run]]:
        """Return the runs of each section, whose places are in the order of the sections."""
        if len(self.sections) == 1:
            return [[Run(self.index, each, begins_with) for each in self.sections[0]]]
        # A section that is added at the end leaves the places of the others as they are.
        runs_of_sections = []
        for number, partitions in enumerate(self.sections):
            rank = number if self.order is Order.OLDEST_FIRST else MOST_SECTIONS - 1 - number
            section = f"{rank:04d}/"
            runs = [Run(self.index, each, begins_with, section=section) for each in partitions]
            runs_of_sections.append(runs)
        return runs_of_sections

    def token_of(self, position: Position) -> str:
        """Return the string of a position. Raises ValueError without ``tokens``."""
        return self.signed().write(position, list_name=self.list_name)

    def signed(self) -> Tokens:
        """Return its tokens. Raises ValueError where there are none."""
        if self.tokens is None:
            raise ValueError("Give the feed tokens=Tokens(secret): the strings of pages are signed")
        return self.tokens

    def _position(self, token: str) -> Position:
        return self.signed().read(token, list_name=self.list_name)


def _source_of(
    client: QueryClient | Resource | None, source: Source | None, *, query: Mapping[str, Any]
) -> Source:
    """Return what reads the runs of a feed. Raises ValueError."""
    if source is not None and client is None:
        if query:
            raise ValueError("Further parameters of a Query are for a client, not for a source")
        return source
    if client is None or source is not None:
        raise ValueError("A feed is read by a client, or from a source: give one of them")
    queries = QuerySource(client, query=query)
    if hasattr(queries.client, "meta"):
        meter.attach(queries.client)
    return queries


def _named(partition: Key) -> str | list[str]:
    """Return what a partition is called in the name of a feed, as no other one of it."""
    if isinstance(partition, tuple):
        return [displayed(value) for value in values_of(partition)]
    return displayed(partition)


def _unparsed(item: Item) -> Item:
    return item


@lru_cache(maxsize=1)
def _pool_of(_process: int) -> Pool:
    """Return the pool of feeds without one of their own, in the process of this id."""
    # Threads do not survive a fork: a process has a pool of its own.
    return Pool(PARALLEL_READS)
