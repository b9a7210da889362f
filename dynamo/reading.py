"""Reading with the process's client and pool, as the apps do."""

from collections.abc import Sequence

from dynamo.backoff import Backoff
from dynamo.batches import Batches
from dynamo.client import client, pool
from dynamo.merging import Fallback
from dynamo.reader import Order, Page, PageRequest, read_page
from dynamo.runs import Run
from dynamo.sources import QuerySource

PATIENCE = Backoff(attempts=3)
"""A visitor is waiting: a throttled table is said to be busy rather than waited for."""


def read(
    runs: Sequence[Run],
    request: PageRequest,
    *,
    order: Order = Order.NEWEST_FIRST,
    first_reads: Sequence[int] | None = None,
    fallback: Fallback | None = None,
    look_ahead: bool = True,
) -> Page:
    """Read a page from DynamoDB; see `dynamo.reader.read_page`."""
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


def page_batches() -> Batches:
    """Give batch calls for a page, which gives up a throttled call soon: its reader is waiting."""
    return Batches(client(), pool(), backoff=PATIENCE)
