"""The queue of open orders, for staff."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dynamo.calls import clock
from dynamo.lists.reader import PageRequest
from dynamo.web.paging import ListData, show_page
from dynamo.web.refusals import Refusal
from shop.order_status import Status
from shop.orders.filters import BadOrderFilter, parse_open_statuses
from shop.orders.listing import order_data
from shop.orders.moving import Moved, move_orders
from shop.orders.queries import OrdersRead, read_queue
from shop.orders.queue_listing import queue_context, queue_pager
from shop.web.access import reading, staff_only
from shop.web.next_url import back
from shop.web.visitor import Visitor

MOST_REFUSALS_TOLD = 5


Asked = tuple[Sequence[Status], PageRequest, OrdersRead]
"""The statuses and the page that are asked for, and what was read of it."""


def _read(request: HttpRequest, _visitor: Visitor) -> Asked:
    statuses = _statuses(request)
    asked = queue_pager(statuses).requested(request.GET, size=settings.PAGE_SIZE)
    return statuses, asked, read_queue(statuses, asked)


@require_safe
@reading(_read, staff_only)
def queue(request: HttpRequest, read: Asked) -> HttpResponse:
    """Show the open orders of all customers, oldest first (A7)."""
    statuses, asked, queued = read
    found, page_url = queued.found, request.get_full_path()
    listing = queue_context(statuses, found.orders, lengths=queued.counts, page_url=page_url)
    return show_page(
        request,
        queue_pager(statuses),
        asked,
        found.page,
        templates=("shop/orders/queue.html", "shop/orders/_queue.html"),
        context=lambda: {"listing": listing},
        plan=found.plan.name,
        data=lambda: ListData([*map(order_data, found.orders)], listing["length"]),
    )


@require_POST
@staff_only
def ship(request: HttpRequest) -> HttpResponse:
    """Ship the selected orders, each on its own."""
    results = move_orders(
        order_ids=request.POST.getlist("order"),
        source=Status.PROCESSING,
        target=Status.SHIPPED,
        who=request.user.get_username(),
        now=clock.now(),
    )
    _report(request, results)
    return back(request, default=reverse("staff_orders"))


def _report(request: HttpRequest, results: Sequence[Moved]) -> None:
    refusals = [result.refusal for result in results if result.refusal]
    shipped = len(results) - len(refusals)
    if not results:
        messages.info(request, "Select the orders to ship first.")
    if shipped:
        messages.success(request, f"{_orders(shipped)} shipped.")
    for refusal in refusals[:MOST_REFUSALS_TOLD]:
        messages.warning(request, refusal)
    if len(refusals) > MOST_REFUSALS_TOLD:
        more = len(refusals) - MOST_REFUSALS_TOLD
        messages.warning(request, f"{_orders(more)} more could not be shipped.")


def _orders(number: int) -> str:
    return "1 order" if number == 1 else f"{number} orders"


def _statuses(request: HttpRequest) -> tuple[Status, ...]:
    try:
        return parse_open_statuses(request.GET.getlist("status"))
    except BadOrderFilter as error:
        raise Refusal(str(error), first_url=reverse("staff_orders")) from error
