"""The queue of open orders, for staff."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dynapages.calls import clock
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.formats import csv_response
from dynapages.django.next_page import path_of_next
from dynapages.django.paging import ListResult, render_list, show_page, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.lists import Page
from dynapages.process import pool, read
from shop.catalogue.also_bought import buyers_of
from shop.catalogue.queries import PLAN
from shop.catalogue.tiles import Product
from shop.catalogue.views import product_or_404
from shop.days import url_without_blanks
from shop.order_status import FORWARD, Move
from shop.orders.counts import read_queue_lengths
from shop.orders.filters import OrderFilter
from shop.orders.listing import COLUMNS, csv_reader, filter_of, queue_pager, total_of
from shop.orders.moving import Moved, move_orders
from shop.orders.queries import LONGEST_ID, OrdersResult, list_open_orders, orders_of
from shop.orders.queue.listing import (
    Meant,
    all_context,
    buyers_pager,
    find_meant,
    purchase_row,
    queue_context,
)

Asked = ListResult[OrderFilter, OrdersResult]


def _read(request: HttpRequest, _visitor: Visitor) -> Asked:
    chosen = queue_filter(request)
    asked = queue_pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    return ListResult(chosen, asked, list_open_orders(chosen, asked))


@require_safe
@prefetch(_read, staff_only)
def queue(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Show the open orders of all customers, oldest first (A7)."""
    if url := url_without_blanks(request):
        return redirect(url)
    found, page_url = asked.result, request.get_full_path()
    context = queue_context(asked.filter, found, page_url=page_url, now=clock.now())
    return show_page(
        request,
        queue_pager(asked.filter),
        asked.page_request,
        found.page,
        templates=("shop/orders/queue/queue.html", "shop/orders/queue/_queue.html"),
        context=lambda: {
            "heading": _("Open orders"),
            "listing": context,
            "total": context["length"],
        },
        plan=found.plan.name,
    )


@require_safe
@staff_only
def queue_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Answer with the filtered queue, whole, as CSV."""
    chosen = queue_filter(request)
    return csv_response("open-orders", COLUMNS, csv_reader(partial(list_open_orders, chosen)))


def queue_filter(request: HttpRequest) -> OrderFilter:
    """Return the filter in the URL of a page of the queue. Raises Refusal."""
    return filter_of(request.GET, reverse("staff_orders"), of_queue=True)


def _read_meant(request: HttpRequest, _visitor: Visitor) -> tuple[str, list[Meant]]:
    typed = request.GET.get("q", "").strip()
    return typed, find_meant(typed)


@require_safe
@prefetch(_read_meant, staff_only)
def find(request: HttpRequest, asked: tuple[str, list[Meant]]) -> HttpResponse:
    """Lead to the order (S3), customer or product that was typed; show a choice, or a form."""
    typed, meant = asked
    if len(meant) == 1:
        return redirect(*meant[0][:2])
    orders = orders_of((order_id, owner) for route, order_id, owner in meant if route == "order")
    context = {"typed": typed, "most": LONGEST_ID, "orders": orders, "meant": meant}
    return render(request, "shop/orders/queue/find.html", context)


def _read_buyers(
    request: HttpRequest, _visitor: Visitor, product_id: str
) -> ListResult[Product, Page]:
    asked = buyers_pager(product_id).requested(request.GET, size=settings.PAGE_SIZE)
    with pool().together() as together:
        product = together.start(partial(product_or_404, product_id))
        page = read(buyers_of(product_id), asked)
        return ListResult(product.result(), asked, page)


@require_safe
@prefetch(_read_buyers, staff_only)
def product_orders(
    request: HttpRequest, asked: ListResult[Product, Page], product_id: str
) -> HttpResponse:
    """Show who got a product, by the latest delivered order of each customer, newest first."""
    return show_page(
        request,
        buyers_pager(product_id),
        asked.page_request,
        asked.result,
        templates=("shop/orders/queue/buyers.html", "shop/orders/queue/_buyers.html"),
        context=lambda: {
            "heading": _("Orders with “%(product)s”") % {"product": asked.filter.name},
            "product": asked.filter,
            "purchases": [*map(purchase_row, asked.result.entries)],
        },
        plan=PLAN,
    )


MOST_DIGITS = 9


@require_POST
@staff_only
def move_selected(request: HttpRequest) -> HttpResponse:
    """Move the selected orders, each on its own, and tell the outcome of each."""
    move = _move(request.POST.get("move", ""))
    order_ids = request.POST.getlist("order")
    if len(order_ids) > settings.PAGE_SIZE:
        raise Refusal(_("Select at most %(most)s orders.") % {"most": settings.PAGE_SIZE})
    results = move_orders(order_ids, move, who=request.user.get_username(), now=clock.now())
    context = {
        **_outcomes(move, results),
        "back_url": path_of_next(request, default=reverse("staff_orders")),
    }
    pages = ("shop/orders/queue/moved.html", "shop/orders/queue/_moved.html")
    return render_list(request, *pages, context)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def move_all(request: HttpRequest) -> HttpResponse:
    """Ask before all orders of a status are moved; each POST moves a page of them."""
    chosen = queue_filter(request)
    if len(chosen.statuses) != 1:
        sentence = _("Choose one status of the queue to move all its orders.")
        raise Refusal(sentence, first_url=reverse("staff_orders"))
    if request.method != "POST":
        context = all_context(chosen, total_of(chosen, read_queue_lengths()))
        context |= {"passed": None, "results": ()}
        return render(request, "shop/orders/queue/all.html", context)
    count = _number(request.POST.get("count", ""))
    context = all_context(chosen, count)
    pager = queue_pager(chosen)
    asked = pager.requested(request.POST, size=settings.PAGE_SIZE)
    move, who = context["move"], request.user.get_username()
    found = list_open_orders(chosen, asked)
    results = move_orders([order.id for order in found.items], move, who=who, now=clock.now())
    latest = found.page.entries[-1].position if found.page.entries else asked.position
    ordinal = latest.ordinal if latest else None
    passed = 0 if ordinal is None else ordinal.signed
    outcomes = _outcomes(move, results)
    context |= {
        **outcomes,
        "passed": passed,
        "moved_in_all": (_number(request.POST.get("moved", "")) or 0) + outcomes["moved"],
        "total": max(count or 0, passed),
        "start": passed - len(results) + 1,
        "after": pager.token_behind(found.page) if found.page.has_next else None,
    }
    page = "_step.html" if wants_partial(request) else "all.html"
    return render(request, f"shop/orders/queue/{page}", context)


def _move(target: str) -> Move:
    for move in FORWARD:
        if move.target == target:
            return move
    allowed = ", ".join(move.target.value for move in FORWARD)
    sentence = _("You cannot move several orders to “%(status)s”: choose from %(allowed)s.")
    raise Refusal(sentence % {"status": target, "allowed": allowed})


def _outcomes(move: Move, results: Sequence[Moved]) -> dict[str, Any]:
    return {
        "move": move,
        "results": results,
        "moved": sum(not result.refusal for result in results),
        "by_others": sum(result.by_another for result in results),
        "status": move.target.in_words,
    }


def _number(text: str) -> int | None:
    """Return a number that the page before showed, for its sentences alone."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
