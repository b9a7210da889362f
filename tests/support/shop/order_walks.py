"""Walks through a list of orders, page by page, there and back."""

from collections.abc import Callable, Iterator

from dynapages.lists import PageRequest, Toward
from shop.order_status import Status
from shop.orders.filters import OrderFilter
from shop.orders.queries import OrdersResult, list_open_orders, list_orders

ReadPage = Callable[[PageRequest], OrdersResult]


def orders_of(username: str, chosen: OrderFilter) -> ReadPage:
    return lambda request: list_orders(username, chosen, request)


def queue_of(*statuses: Status) -> ReadPage:
    return lambda request: list_open_orders(OrderFilter(statuses), request)


def there_and_back(read: ReadPage, *, size: int) -> list[str]:
    """The ids as the pages give them, which must be the same in both directions."""
    there = list(_forward(read, size=size))
    assert not there[0].page.has_previous
    assert all(len(page.items) == size for page in there[:-1])
    here = there[-1]
    returned = [*reversed(list(_back(read, here, size=size))), here]
    assert _ids(returned) == _ids(there)
    return _ids(there)


def _forward(read: ReadPage, *, size: int) -> Iterator[OrdersResult]:
    request = PageRequest(size)
    while True:
        page = read(request)
        yield page
        if not page.page.has_next:
            return
        request = PageRequest(size, page.page.next_position)


def _back(read: ReadPage, page: OrdersResult, *, size: int) -> Iterator[OrdersResult]:
    while page.page.has_previous:
        page = read(PageRequest(size, page.page.previous_position, Toward.PREVIOUS))
        yield page


def _ids(pages: list[OrdersResult]) -> list[str]:
    return [order.id for page in pages for order in page.items]
