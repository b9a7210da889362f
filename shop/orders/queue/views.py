"""The queue of open orders, for staff."""

from functools import partial
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dynamo.web.csv_lists import csv_response
from dynamo.web.paging import ListData, ListRequest, show_page
from dynamo.web.refusals import Refusal
from shop.orders.csv_rows import COLUMNS, csv_reader
from shop.orders.filters import BadOrderFilter, OrderFilter, parse_queue_filter
from shop.orders.listing import order_data
from shop.orders.queries import OrdersResult, list_open_orders, read_queue
from shop.orders.queue.listing import queue_context, queue_pager
from shop.web.access import reading, staff_only
from shop.web.visitor import Visitor

Asked = ListRequest[OrderFilter, OrdersResult]


def _read(request: HttpRequest, _visitor: Visitor) -> Asked:
    chosen = queue_filter(request)
    asked = queue_pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    return ListRequest(chosen, asked, read_queue(chosen, asked))


@require_safe
@reading(_read, staff_only)
def queue(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show the open orders of all customers, oldest first (A7)."""
    if "" in request.GET.values():  # a form sends its empty fields along
        filled = urlencode(parse_qsl(request.META["QUERY_STRING"]))
        return redirect(f"{request.path}?{filled}".rstrip("?"))
    found, page_url = asked.result, request.get_full_path()
    context = queue_context(asked.chosen, found.items, lengths=found.counts, page_url=page_url)
    return show_page(
        request,
        queue_pager(asked.chosen),
        asked.page,
        found.page,
        templates=("shop/orders/queue/queue.html", "shop/orders/queue/_queue.html"),
        context=lambda: {
            "heading": _("Open orders"),
            "listing": context,
            "total": context["length"],
        },
        plan=found.plan.name,
        data=lambda: ListData([*map(order_data, found.items)], context["length"]),
    )


@require_safe
@staff_only
def queue_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with the filtered queue, whole, as CSV."""
    chosen = queue_filter(request)
    return csv_response("open-orders", COLUMNS, csv_reader(partial(list_open_orders, chosen)))


def queue_filter(request: HttpRequest) -> OrderFilter:
    """Return the filter in the URL of a page of the queue. Raises Refusal."""
    query = request.GET
    try:
        return parse_queue_filter(
            statuses=query.getlist("status"), since=query.get("from", ""), until=query.get("to", "")
        )
    except BadOrderFilter as error:
        raise Refusal(str(error), first_url=reverse("staff_orders")) from error
