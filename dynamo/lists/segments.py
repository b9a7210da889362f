"""Segments: a list in stretches of time, each with its own runs, read no further than needed.

A log with a table for each month is such a list. One merge of all its runs would query every month
for each page. Segments do not overlap in time, so the next items of the list are in the first one,
and the second is needed only when the first is exhausted. The page is the same as that of one merge
of everything: exact, from any position, in both directions.

Segments are read in steps of 1, 1, 2, 4, 8: that bounds the rounds of a page in a nearly empty
list, and reads no segment needlessly where the first two fill the page.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dynamo.calls.pool import Pool
from dynamo.lists.merging import Entry, Merge
from dynamo.lists.reader import Order, Page, PageRequest, Toward, page_of
from dynamo.lists.runs import Run
from dynamo.lists.sources import Source


@dataclass(frozen=True, slots=True)
class Segment:
    """The places with ``since <= place < until``. ``name`` is for the caller's use."""

    name: str
    since: str
    until: str


RunsOf = Callable[[Sequence[Segment]], Sequence[Run]]
"""Returns all runs of some segments; called only for those that are about to be read."""
FirstReads = Callable[[Sequence[Run], int], Sequence[int]]
"""Returns the limit of each run's first read, at least 1, for so many needed items."""


def read_segments(
    segments: Sequence[Segment],
    runs_of: RunsOf,
    request: PageRequest,
    *,
    source: Source,
    pool: Pool,
    order: Order = Order.NEWEST_FIRST,
    first_reads: FirstReads | None = None,
) -> Page:
    """Read one page of a list, segment by segment, until it is full.

    ``segments`` may come in any order, but must not overlap; neither may their runs. The page is
    read to its end whatever the request's ``most_units``. What the source or ``runs_of`` raise
    passes through.
    """
    ascending = (order is Order.OLDEST_FIRST) is (request.toward is Toward.NEXT)
    merges: list[Merge] = []
    found: list[Entry] = []
    for step in steps(_ahead(segments, request, ascending=ascending)):
        needed = request.size + 1 - len(found)
        runs = runs_of(step)
        merge = Merge(runs, request.position, needed=needed, ascending=ascending)
        merge.read(source, pool, first_reads=first_reads(runs, needed) if first_reads else None)
        merges.append(merge)
        found += merge.found(needed)
        if len(found) > request.size:
            break
    return page_of(request, found, merges=merges)


def steps(segments: Sequence[Segment]) -> Iterator[Sequence[Segment]]:
    """Group segments by 1, 1, 2, 4, 8 and so on; each group is read at once."""
    begin, width = 0, 1
    while begin < len(segments):
        yield segments[begin : begin + width]
        begin += width
        width = begin


def _ahead(
    segments: Sequence[Segment], request: PageRequest, *, ascending: bool
) -> Sequence[Segment]:
    """Return the segments that may hold items ahead, in reading order."""
    ordered = sorted(segments, key=lambda segment: segment.since, reverse=not ascending)
    if request.position is None:
        return ordered
    place = request.position.place
    return [s for s in ordered if (s.until > place if ascending else s.since < place)]
