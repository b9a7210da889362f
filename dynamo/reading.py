"""Reading with the process's client and pool, as the apps do."""

from collections.abc import Sequence

from dynamo.client import client, pool
from dynamo.merging import Fallback
from dynamo.reader import Order, Page, PageRequest, read_page
from dynamo.runs import Run
from dynamo.sources import QuerySource


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
