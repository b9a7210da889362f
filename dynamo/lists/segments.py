"""Segments: a list in stretches of places, each with its own runs, read no further than needed.

A log with a table for each month is such a list, and so are comments by rating, where each rating
is a `Run.section`. One merge of all its runs would query every month, or every rating, for each
page. Segments do not overlap, so the next items of the list are in the first one, and the second is
needed only when the first is exhausted. The page is the same as that of one merge of everything:
exact, from any position, in both directions.

Segments are read in steps of 1, 1, 2, 4, 8: that bounds the rounds of a page in a nearly empty
list, and reads no segment needlessly where the first two fill the page. Where it is known how many
items are ahead in each, the first step has all segments that the page is expected to take.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from dynamo.calls.pool import Pool
from dynamo.lists.merging import LEAST_UNITS, Entry, Fallback, Merge
from dynamo.lists.reader import Order, Page, PageRequest, Toward, page_of
from dynamo.lists.runs import Position, Run
from dynamo.lists.sizes import blocks_of
from dynamo.lists.sources import Source


@dataclass(frozen=True, slots=True)
class Segment:
    """The places with ``since <= place < until``. ``name`` is for the caller's use.

    ``expected`` is how many of its items are ahead of the page's position, infinite where it is not
    known. A wrong number costs a round or a read, and changes nothing else.
    """

    name: str
    since: str
    until: str
    expected: float = inf


@dataclass(frozen=True, slots=True)
class SegmentsPlan:
    """All runs of some segments, and how to read them: see `dynamo.lists.reader.read_page`."""

    runs: Sequence[Run]
    first_reads: Sequence[int] | None = None
    fallback: Fallback | None = None


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

    ``segments`` may come in any order, but must not overlap; neither may their runs. The page keeps
    within the request's ``most_units``, and ends in front of segments that would take more; but of
    those that are read first an item of each run is read in any case. What the source or
    ``plan_of`` raise passes through.
    """
    ascending = (order is Order.OLDEST_FIRST) is (request.toward is Toward.NEXT)
    ahead = _ahead(segments, request, ascending=ascending)
    merges: list[Merge] = []
    found: list[Entry] = []
    cut_at: Position | None = None
    begun = 0
    while begun < len(ahead) and len(found) <= request.size and cut_at is None:
        needed = request.size + 1 - len(found)
        left = request.most_units - sum(merge.capacity_units for merge in merges)
        step = next_step(ahead[begun:], needed, least=max(begun, 1))
        plan = plan_of(step, needed)
        largest = max([request.largest_item, *(merge.largest_item for merge in merges)])
        while len(step) > 1 and _least_units(plan, largest) > left:
            step = step[: len(step) // 2]
            plan = plan_of(step, needed)
        if merges and _least_units(plan, largest) > left:
            cut_at = Position(step[0].since if ascending else step[0].until)
            break
        merge = Merge(
            plan.runs,
            request.position,
            needed=needed,
            ascending=ascending,
            fallback=plan.fallback,
            most_units=left,
            largest_item=largest,
        )
        merge.read(source, pool, first_reads=plan.first_reads)
        merges.append(merge)
        found += merge.found(needed)
        cut_at = merge.cut_at
        begun += len(step)
    return page_of(request, found, merges=merges, cut_at=cut_at)


def next_step(ahead: Sequence[Segment], needed: int, *, least: int) -> Sequence[Segment]:
    """Return the segments to read at once: ``least``, or more if these are expected to be few."""
    number, expected = 0, 0.0
    while number < len(ahead) and (number < least or expected < needed):
        expected += ahead[number].expected
        number += 1
    return ahead[:number]


def _least_units(plan: SegmentsPlan, largest_item: int) -> float:
    return LEAST_UNITS * blocks_of(largest_item) * len(plan.runs)


def _ahead(
    segments: Sequence[Segment], request: PageRequest, *, ascending: bool
) -> Sequence[Segment]:
    """Return the segments that may hold items ahead, in reading order."""
    ordered = sorted(segments, key=lambda segment: segment.since, reverse=not ascending)
    if request.position is None:
        return ordered
    place = request.position.place
    return [s for s in ordered if (s.until > place if ascending else s.since < place)]
