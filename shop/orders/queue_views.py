"""The queue of open orders, for staff."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dynamo.calls.meter import labelled_calls
from dynamo.web.paging import show_page
from dynamo.web.refusals import Refusal
from shop.order_status import Status
from shop.orders.counts import queue_lengths
from shop.orders.filters import BadOrderFilter, parse_open_statuses
from shop.orders.moving import Moved, move_orders
from shop.orders.queries import list_open_orders
from shop.orders.queue_listing import queue_context, queue_pager
from shop.web.access import staff_only
from shop.web.next_url import back

MOST_REFUSALS_TOLD = 5


@require_safe
@staff_only
def queue(request: HttpRequest) -> HttpResponse:
    """Show the open orders of all customers, oldest first (A7)."""
    statuses = _statuses(request)
    pager = queue_pager(statuses)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_open_orders(statuses, asked)

    def context() -> dict[str, Any]:
        with labelled_calls("counts"):
            lengths = queue_lengths()
        page_url = request.get_full_path()
        listing = queue_context(statuses, found.orders, lengths=lengths, page_url=page_url)
        return {"listing": listing}

    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("shop/orders/queue.html", "shop/orders/_queue.html"),
        context=context,
        plan=found.plan.name,
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
        now=timezone.now(),
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
