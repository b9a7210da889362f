"""Lists of orders as CSV, a row for each order."""

from collections.abc import Callable

from dynamo.lists.places import timestamp
from dynamo.lists.reader import PageRequest
from dynamo.web.csv_lists import CsvPage
from shop.orders.entries import OrderEntry
from shop.orders.queries import OrdersResult

COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at"),
    *("bought", "items", "currency", "total"),
)


def csv_reader(read: Callable[[PageRequest], OrdersResult]) -> Callable[[PageRequest], CsvPage]:
    """Return the function that reads a page of orders as rows with these `COLUMNS`."""

    def read_rows(request: PageRequest) -> CsvPage:
        found = read(request)
        return CsvPage(found.page, [_row(order) for order in found.items])

    return read_rows


def _row(order: OrderEntry) -> tuple[object, ...]:
    return (
        *(order.id, order.foreign_id, order.username, order.status.value, timestamp(order.placed)),
        *(order.summary, order.item_count, order.currency, order.total),
    )
