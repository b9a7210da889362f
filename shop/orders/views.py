"""Pages of a customer's orders, for the customer and for staff."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from dynapages.calls import clock, current_meter, labelled_calls
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.csv_lists import csv_response
from dynapages.django.paging import ListResult, render_page, show_page
from dynapages.django.refusals import Refusal
from dynapages.lists import Counted, explain
from dynapages.process import pool
from shop.accounts.names import LONGEST_USERNAME
from shop.accounts.queries import is_user
from shop.days import url_without_blanks
from shop.orders.entries import LINES_AT_ONCE, WholeOrder
from shop.orders.listing import (
    COLUMNS,
    OrderList,
    OrdersPage,
    breadcrumbs_of,
    buttons_for,
    csv_reader,
    filter_of,
    may_review,
    total_of,
    with_reviews,
)
from shop.orders.neighbours import Neighbours, place_in_list, read_with_neighbours, with_urls
from shop.orders.queries import NoSuchOrder, find_order, list_orders, read_orders
from shop.orders.refs import ANOTHERS_ORDER
from shop.reviews import NO_REVIEWS, Reviews, review_source

NO_SUCH_ORDER = gettext_noop("There is no such order.")
NO_SUCH_CUSTOMER = gettext_noop("There is no such customer.")
_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


# Lists


def _own_list(username: str) -> OrderList:
    return OrderList(username, reverse("orders"))


def _customer_list(username: str) -> OrderList:
    """Return the list of a customer's orders for staff. Raises Http404."""
    if len(username) > LONGEST_USERNAME:
        raise Http404(_(NO_SUCH_CUSTOMER))
    return OrderList(username, reverse("staff_customer_orders", args=[username]))


def username_of(visitor: Visitor, request: HttpRequest) -> str:
    """Return the user name of a visitor, by which orders are stored; nothing is read."""
    users = get_user_model()
    if users._meta.pk.name == users.USERNAME_FIELD:  # noqa: SLF001 - Django documents it
        return visitor.user_id
    return request.user.get_username()  # who was read with the session


def _read_list(request: HttpRequest, order_list: OrderList) -> OrdersPage:
    chosen = filter_of(request.GET, order_list.address)
    page_request = order_list.pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    result = read_orders(order_list.username, chosen, page_request)
    return ListResult(chosen, page_request, result)


def _read_own_list(request: HttpRequest, visitor: Visitor) -> OrdersPage:
    return _read_list(request, _own_list(username_of(visitor, request)))


def _read_customer_list(request: HttpRequest, _visitor: Visitor, username: str) -> OrdersPage:
    return _read_list(request, _customer_list(username))


@require_safe
@prefetch(_read_own_list)
def orders(request: HttpRequest, page: OrdersPage) -> HttpResponse:
    """Show the signed-in user's orders."""
    return _show_list(request, _own_list(request.user.get_username()), page)


@require_safe
@prefetch(_read_customer_list, staff_only)
def customer_orders(request: HttpRequest, page: OrdersPage, username: str) -> HttpResponse:
    """Show a customer's orders to staff."""
    return _show_list(request, _customer_list(username), page)


@require_safe
@staff_only
def customer_orders_csv(request: HttpRequest, username: str) -> StreamingHttpResponse:
    """Answer with a customer's filtered orders, all of them, as CSV."""
    chosen = filter_of(request.GET, _customer_list(username).address)
    read = csv_reader(partial(list_orders, username, chosen))
    return csv_response("orders-of-a-customer", COLUMNS, read)


def _show_list(request: HttpRequest, order_list: OrderList, page: OrdersPage) -> HttpResponse:
    """Answer with a page of orders, for the customer or for staff."""
    url = url_without_blanks(request)
    if url:
        return redirect(url)
    chosen, result = page.filter, page.result
    counts = result.counts
    # Whoever has orders exists: most requests need not read the user.
    if not any(counts.values()):
        require_customer(order_list.username)
    pager = order_list.pager(chosen)
    owner = order_list.username
    is_own = owner == request.user.get_username()
    heading = _("Your orders") if is_own else _("Orders of %(owner)s") % {"owner": owner}

    def context() -> dict[str, Any]:
        return {
            "owner": owner,
            "is_own": is_own,
            "has_reviews": is_own and review_source() is not None,
            "heading": heading,
            "total": total_of(chosen, counts),
            "listing": {
                "orders": with_urls(result, pager),
                **order_list.context(chosen, counts, today=clock.now().date()),
            },
        }

    return show_page(
        request,
        pager,
        page.page_request,
        result.page,
        templates=("shop/orders/orders.html", "shop/orders/_orders.html"),
        context=context,
        plan=result.plan.name,
        counted=_counted(page),
    )


def _counted(page: OrdersPage) -> Counted:
    """Return how many orders a Scan and a query by status would have to read for a page."""
    chosen, counts = page.filter, page.result.counts
    by_rule: tuple[int, ...] = ()
    if not chosen.days:
        most = page.page_request.size + 1
        by_rule = tuple(min(counts[status], most) for status in chosen.statuses)
    return Counted(sum(counts.values()), by_rule)


@labelled_calls("user")
def require_customer(username: str) -> None:
    """Raise Http404 where there is no such user; imported customers have orders at least."""
    if not is_user(username):
        raise Http404(_(NO_SUCH_CUSTOMER))


# One order


def read_order(request: HttpRequest, visitor: Visitor, order_id: str) -> WholeOrder:
    """Read an order that the visitor may see, with a page of its lines. Raises Http404, Refusal."""

    def sees_all() -> bool:
        return visitor.is_confirmed() and request.user.is_staff

    number = _page_number(request, order_id)
    try:
        with labelled_calls("order"):
            whole_order = find_order(
                order_id,
                username=username_of(visitor, request),
                sees_all=sees_all,
                first_line=(number - 1) * LINES_AT_ONCE + 1,
            )
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    if number > 1 and not whole_order.items:
        raise _no_such_page(order_id)
    if whole_order.username != username_of(visitor, request):
        request.META[ANOTHERS_ORDER] = True
    return whole_order


def _page_number(request: HttpRequest, order_id: str) -> int:
    """Return the number of the page of an order's lines. Raises Refusal."""
    text = request.GET.get("page", "1")
    if not _PAGE_NUMBER.fullmatch(text):
        raise _no_such_page(order_id)
    return int(text)


def _no_such_page(order_id: str) -> Refusal:
    sentence = _("This order has no such page: they are numbered from 1.")
    return Refusal(sentence, first_url=reverse("order", args=[order_id]))


@dataclass(frozen=True, slots=True)
class _OrderRead:
    """An order with what its page shows of others: those around it, and the visitor's reviews."""

    order: WholeOrder
    neighbours: Neighbours | None
    reviews: Reviews


def _read_with_neighbours(request: HttpRequest, visitor: Visitor, order_id: str) -> _OrderRead:
    """Read an order, and meanwhile those around it in the list that its URL names, if any.

    What the visitor has reviewed is read in the same round, before it is known whether the order is
    delivered; not for who comes from a list of others' orders.
    """
    place = place_in_list(request.GET, username=username_of(visitor, request))
    read = partial(read_order, request, visitor, order_id)
    source = review_source()
    if source is None or (place is not None and not place.is_own):
        whole_order, neighbours = read_with_neighbours(place, read)
        return _OrderRead(whole_order, neighbours, NO_REVIEWS)
    with pool().together() as together:
        reviews = together.start(source.read, request)
        whole_order, neighbours = read_with_neighbours(place, read)
        return _OrderRead(whole_order, neighbours, reviews.result())


@require_safe
@prefetch(_read_with_neighbours)
def order(request: HttpRequest, read: _OrderRead, order_id: str) -> HttpResponse:
    """Show one order with its items, found by its id or its foreign id (A3)."""
    user = request.user
    whole_order, neighbours = read.order, read.neighbours
    if whole_order.id != order_id:  # it was found by its foreign id
        return redirect(whole_order.url)
    is_own = whole_order.username == user.get_username()
    if may_review(whole_order, is_own=is_own):
        whole_order = with_reviews(whole_order, read.reviews)
    # Others' lists are for staff, as their orders are.
    if neighbours and not (user.is_staff or neighbours.is_own):
        neighbours = None
    context: dict[str, Any] = {
        "order": whole_order,
        "neighbours": neighbours,
        "is_own": is_own,
        "trail": breadcrumbs_of(whole_order, is_own=is_own, is_staff=user.is_staff),
        "buttons": buttons_for(
            whole_order, is_staff=user.is_staff, page_url=request.get_full_path()
        ),
    }
    if whole_order.page is not None:
        context["explain"] = partial(
            explain, whole_order.page, plan="inverted", meter=current_meter()
        )
    return render_page(request, "shop/orders/order.html", context)


# One's own order


def read_own_order(request: HttpRequest, visitor: Visitor, order_id: str) -> WholeOrder:
    """Read an order of the visitor's, with the first of its lines. Raises Http404."""
    try:
        with labelled_calls("order"):
            return find_order(order_id, username=username_of(visitor, request))
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error


@require_safe
@prefetch(read_own_order)
def review_order(_request: HttpRequest, order: WholeOrder, order_id: str) -> HttpResponse:
    """Lead to the form for a review of an order's only product, or to its page at its products."""
    del order_id
    source = review_source()
    product_ids = {line.product_id for line in order.items}
    is_one_product = len(product_ids) == 1 and len(order.items) == order.line_count
    if source is not None and is_one_product and may_review(order, is_own=True):
        return redirect(source.form_url(product_ids.pop()))
    return redirect(order.lines_url)
