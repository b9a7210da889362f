"""The queue of open orders, for staff."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dynapages.calls import clock, labelled_calls
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.csv_lists import csv_response
from dynapages.django.next_page import path_of_next
from dynapages.django.paging import ListResult, render_list, show_page, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.lists import Page, PageRequest
from dynapages.process import pool, read
from shop import keys
from shop.catalogue.also_bought import buyers_of
from shop.catalogue.queries import PLAN
from shop.catalogue.tiles import Product
from shop.catalogue.views import product_or_404
from shop.days import url_without_blanks
from shop.forms_elsewhere import form_on
from shop.models import Order
from shop.order_status import FORWARD, Move
from shop.orders.counts import read_queue_lengths
from shop.orders.filters import OrderFilter
from shop.orders.ids import LONGEST_ID
from shop.orders.listing import COLUMNS, OrdersPage, csv_reader, filter_of, queue_pager, total_of
from shop.orders.moving_many import Moved, move_orders
from shop.orders.queries import (
    list_open_orders,
    orders_of,
    stored_orders,
)
from shop.orders.queue.listing import (
    Match,
    all_context,
    buyers_pager,
    find_matches,
    moved_in_words,
    purchase_row,
    queue_context,
    where_moved,
)
from shop.orders.refs import OrderRef
from shop.orders.undo_views import undo_of

MOST_DIGITS = 9
"""Of a number in a form."""


def _read_queue(request: HttpRequest, _visitor: Visitor) -> OrdersPage:
    chosen = queue_filter(request)
    page_request = queue_pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    return ListResult(chosen, page_request, list_open_orders(chosen, page_request))


@require_safe
@prefetch(_read_queue, staff_only)
def queue(request: HttpRequest, page: OrdersPage) -> HttpResponse:
    """Show the open orders of all customers, oldest first (A7)."""
    url = url_without_blanks(request)
    if url:
        return redirect(url)
    listing = queue_context(
        page.filter, page.result, page_url=request.get_full_path(), now=clock.now()
    )

    def context() -> dict[str, Any]:
        return {"heading": _("Open orders"), "listing": listing, "total": listing["length"]}

    return show_page(
        request,
        queue_pager(page.filter),
        page.page_request,
        page.result.page,
        templates=("shop/orders/queue/queue.html", "shop/orders/queue/_queue.html"),
        context=context,
        plan=page.result.plan.name,
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


def _read_matches(request: HttpRequest, _visitor: Visitor) -> tuple[str, list[Match]]:
    typed = request.GET.get("q", "").strip()
    return typed, find_matches(typed)


@require_safe
@prefetch(_read_matches, staff_only)
def find(request: HttpRequest, read: tuple[str, list[Match]]) -> HttpResponse:
    """Lead to the order (S3), customer or product that was typed; show a choice, or a form."""
    typed, matches = read
    if len(matches) == 1:
        (match,) = matches
        return redirect(match.route, match.id)
    owners: list[tuple[str, str]] = []
    for match in matches:
        if match.route == "order":  # whose name is that of its customer
            owners.append((match.id, match.name))
    orders = orders_of(owners)
    context = {"typed": typed, "most": LONGEST_ID, "orders": orders, "matches": matches}
    return render(request, "shop/orders/queue/find.html", context)


def _read_buyers(
    request: HttpRequest, _visitor: Visitor, product_id: str
) -> ListResult[Product, Page]:
    """Read a product, and the page of its buyers that a request asks for, in one round."""
    page_request = buyers_pager(product_id).requested(request.GET, size=settings.PAGE_SIZE)
    with pool().together() as together:
        product = together.start(product_or_404, product_id)
        page = read(buyers_of(product_id), page_request)
        return ListResult(product.result(), page_request, page)


@require_safe
@prefetch(_read_buyers, staff_only)
def product_orders(
    request: HttpRequest, page: ListResult[Product, Page], product_id: str
) -> HttpResponse:
    """Show who got a product, by the latest delivered order of each customer, newest first."""
    product = page.filter

    def context() -> dict[str, Any]:
        return {
            "heading": _("Orders with “%(product)s”") % {"product": product.name},
            "product": product,
            "purchases": [purchase_row(entry) for entry in page.result.entries],
        }

    return show_page(
        request,
        buyers_pager(product_id),
        page.page_request,
        page.result,
        templates=("shop/orders/queue/buyers.html", "shop/orders/queue/_buyers.html"),
        context=context,
        plan=PLAN,
    )


# Moves of many orders


@dataclass(frozen=True, slots=True)
class _Selected:
    """Orders that are to be moved: their ids, and which of them are stored."""

    order_ids: list[str]
    stored: dict[str, Order]

    @classmethod
    def read(cls, refs: Sequence[OrderRef]) -> "_Selected":
        """Read orders strongly."""
        with labelled_calls("orders"):
            return cls([ref.id for ref in refs], stored_orders(refs))


def _read_selected(request: HttpRequest, _visitor: Visitor) -> tuple[Move, _Selected]:
    """Read the selected orders, each by the customer whom the form names with it."""
    move = _move(request.POST.get("move", ""))
    values = request.POST.getlist("order")
    if len(values) > settings.PAGE_SIZE:
        raise Refusal(_("Select at most %(most)s orders.") % {"most": settings.PAGE_SIZE})
    return move, _Selected.read([OrderRef.of_text(value) for value in values])


@form_on("staff_orders")
@prefetch(_read_selected, staff_only)
def move_selected(request: HttpRequest, read: tuple[Move, _Selected]) -> HttpResponse:
    """Move the selected orders, and show how many were moved, and which were not."""
    move, selected = read
    results = _move_orders(request, selected, move)
    back_url = path_of_next(request, default=reverse("staff_orders"))
    context = {**_outcomes(move, results), "back_url": back_url}
    refs = []
    for result in results:
        if not result.refusal:
            order = selected.stored[result.order_id]
            refs.append(OrderRef(result.order_id, keys.username_in(order.pk)))
    if refs:
        context["undo"] = undo_of(move.source, move.target, refs, back_url)
    pages = ("shop/orders/queue/moved.html", "shop/orders/queue/_moved.html")
    return render_list(request, *pages, context)


@dataclass(frozen=True, slots=True)
class _Step:
    """A page of the queue, whose orders are to be moved."""

    page_request: PageRequest
    page: Page
    selected: _Selected


def _read_step(request: HttpRequest, _visitor: Visitor) -> tuple[OrderFilter, int | _Step | None]:
    """Read the page of orders that a POST moves; before one, how many there are, if known."""
    chosen = queue_filter(request)
    if len(chosen.statuses) != 1:
        sentence = _("Choose one status of the queue to move all its orders.")
        raise Refusal(sentence, first_url=reverse("staff_orders"))
    if request.method != "POST":
        return chosen, total_of(chosen, read_queue_lengths())
    page_request = queue_pager(chosen).requested(request.POST, size=settings.PAGE_SIZE)
    result = list_open_orders(chosen, page_request)
    # An index has each order's customer, but not its history, and may be a moment behind.
    refs = [order.ref for order in result.items]
    return chosen, _Step(page_request, result.page, _Selected.read(refs))


@require_http_methods(["GET", "HEAD", "POST"])
@prefetch(_read_step, staff_only)
def move_all(request: HttpRequest, read: tuple[OrderFilter, int | _Step | None]) -> HttpResponse:
    """Ask before all orders of a status are moved; each POST moves a page of them."""
    chosen, step = read
    # Each POST moves one page, and its answer has the form for the next: no request takes long.
    if isinstance(step, _Step):
        context = _move_page(request, chosen, step)
    else:
        context = {**all_context(chosen, step), "passed": None, "refused": ()}
    if request.method == "POST" and wants_partial(request):
        return render(request, "shop/orders/queue/_step.html", context)
    return render(request, "shop/orders/queue/all.html", context)


def _move_page(request: HttpRequest, chosen: OrderFilter, step: _Step) -> dict[str, Any]:
    """Move a page of the orders of a status, and build what is shown of it.

    The form brings the counts that the page before showed.
    """
    count = _number(request.POST.get("count", ""))
    moved_before = _number(request.POST.get("moved", "")) or 0
    context = all_context(chosen, count)
    results = _move_orders(request, step.selected, context["move"])
    passed = _orders_up_to_end(step.page, step.page_request)
    outcomes = _outcomes(context["move"], results)
    moved_in_all = moved_before + outcomes["moved"]
    after = None
    if step.page.has_next:
        after = queue_pager(chosen).token_behind(step.page)
    return {
        **context,
        **outcomes,
        "passed": passed,
        "moved_in_all": moved_in_all,
        "sentence": moved_in_words(context["move"].target, moved_in_all),
        "total": max(count or 0, passed),
        "after": after,
    }


def _move_orders(request: HttpRequest, selected: _Selected, move: Move) -> list[Moved]:
    """Move orders by the user of a request."""
    who = request.user.get_username()
    return move_orders(selected.order_ids, selected.stored, move, who=who, now=clock.now())


def _orders_up_to_end(page: Page, page_request: PageRequest) -> int:
    """Return how many orders of the list there are up to the end of a page, 0 if unknown."""
    position = page.entries[-1].position if page.entries else page_request.position
    if position is None or position.ordinal is None:
        return 0
    return position.ordinal.signed


def _move(target: str) -> Move:
    """Return the move of staff to a status, such as from “Placed” to “Approved”. Raises Refusal."""
    for move in FORWARD:
        if move.target == target:
            return move
    allowed = ", ".join(move.target.value for move in FORWARD)
    sentence = _("You cannot move several orders to “%(status)s”: choose from %(allowed)s.")
    raise Refusal(sentence % {"status": target, "allowed": allowed})


def _outcomes(move: Move, results: Sequence[Moved]) -> dict[str, Any]:
    """Build what a page shows of the outcomes of moves."""
    refused = [result for result in results if result.refusal]
    moved = len(results) - len(refused)
    by_others = 0
    for result in refused:
        if result.by_another:
            by_others += 1
    moved_url, moved_label = where_moved(move.target)
    return {
        "move": move,
        "results": results,
        "refused": refused,
        "moved": moved,
        "sentence": moved_in_words(move.target, moved),
        "by_others": by_others,
        "moved_url": moved_url,
        "moved_label": moved_label,
    }


def _number(text: str) -> int | None:
    """Return a number that the page before showed, for its sentences alone."""
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return int(text)
    return None
