"""Reading with the process's client and pool, as the apps do."""

from collections.abc import Callable, Iterator, Sequence

from botocore.exceptions import ClientError

from dynamo.calls.batches import Batches
from dynamo.calls.budget import Backoff
from dynamo.calls.client import client, pool
from dynamo.calls.faults import NotSetUp, fault_in
from dynamo.lists.merging import Entry, Fallback
from dynamo.lists.reader import Order, Page, PageRequest, read_page
from dynamo.lists.runs import Position, Run
from dynamo.lists.segments import PlanOf, Segment, read_segments
from dynamo.lists.sources import NOTHING, Chunk, QuerySource, Source

PATIENCE = Backoff(attempts=3)
"""For pages: a visitor is waiting, so a throttled call is soon an error."""


def read(
    runs: Sequence[Run],
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
    first_reads: Sequence[int] | None = None,
    fallback: Fallback | None = None,
    look_ahead: bool = True,
) -> Page:
    """Read a page from DynamoDB; see `dynamo.lists.reader.read_page`."""
    return read_page(
        runs,
        request,
        source=QuerySource(client()),
        pool=pool(),
        order=order,
        first_reads=first_reads,
        fallback=fallback,
        look_ahead=look_ahead,
    )


def every_entry(page_of: Callable[[PageRequest], Page], *, at_once: int) -> Iterator[Entry]:
    """Yield a whole list, read in pages of ``at_once`` entries: for commands, never for a page."""
    request = PageRequest(at_once)
    while True:
        page = page_of(request)
        yield from page.entries
        if page.next_position is None:
            return
        request = PageRequest(at_once, page.next_position)


def read_in_segments(
    segments: Sequence[Segment],
    plan_of: PlanOf,
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
    may_miss_tables: bool = False,
) -> Page:
    """Read a page of a list in segments; see `dynamo.lists.segments`.

    With ``may_miss_tables`` a table that does not exist is read as an empty one.
    """
    source: Source = QuerySource(client())
    if may_miss_tables:
        source = WhereThere(source)
    return read_segments(segments, plan_of, request, source=source, pool=pool(), order=order)


class WhereThere:
    """Reads runs as empty whose table does not exist, such as one that was dropped."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        try:
            return self._source.query(run, behind=behind, limit=limit, ascending=ascending)
        except ClientError as error:
            if isinstance(fault_in(error), NotSetUp):
                return NOTHING
            raise


def page_batches() -> Batches:
    """Return batch calls for a page, with few retries when throttled."""
    return Batches(client(), pool(), backoff=PATIENCE)
