"""Pages of a customer's orders, for the customer and for staff."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dynamo.calls.meter import current_meter, labelled_calls
from dynamo.lists.explain import explain
from dynamo.web.paging import show_page
from dynamo.web.refusals import Refusal
from shop.accounts.names import LONGEST_USERNAME
from shop.accounts.queries import NoSuchUser, find_user
from shop.order_status import Status
from shop.orders.counts import counts_of
from shop.orders.filters import BadOrderFilter, OrderFilter
from shop.orders.limits import check_rate_limit
from shop.orders.listing import OrderList
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_order
from shop.orders.queries import NoSuchOrder, find_order, list_orders, owner_of
from shop.orders.queue_listing import actions_for
from shop.web.access import signed_in, staff_only
from shop.web.next_url import back

NO_SUCH_ORDER = "There is no such order."
NO_SUCH_CUSTOMER = "There is no such customer."


@require_safe
@signed_in
def orders(request: HttpRequest) -> HttpResponse:
    """Show the signed-in user's orders."""
    return _show(request, OrderList(request.user.get_username(), reverse("orders")))


@require_safe
@staff_only
def customer_orders(request: HttpRequest, username: str) -> HttpResponse:
    """Show a customer's orders to staff."""
    if len(username) > LONGEST_USERNAME:
        raise Http404(NO_SUCH_CUSTOMER)
    return _show(request, OrderList(username, reverse("staff_customer_orders", args=[username])))


@require_safe
@signed_in
def order(request: HttpRequest, order_id: str) -> HttpResponse:
    """Show one order with its items, found by its id or its foreign id (A3)."""
    user = request.user
    try:
        with labelled_calls("order"):
            found = find_order(order_id, username=None if user.is_staff else user.get_username())
    except NoSuchOrder as error:
        raise Http404(NO_SUCH_ORDER) from error
    if found.order.id != order_id:
        return redirect(found.order.url)
    actions = actions_for(found.order, is_staff=user.is_staff, page_url=found.order.url)
    context = {
        "order": found.order,
        "is_own": found.order.username == user.get_username(),
        "actions": actions,
        "explanation": explain(found.page, plan="inverted", meter=current_meter()),
    }
    return render(request, "shop/orders/order.html", context)


@require_POST
@signed_in
def move(request: HttpRequest, order_id: str) -> HttpResponse:
    """Move an order to another status, if it is still in the one the form shows."""
    source, target = (_status(request.POST.get(name, "")) for name in ("from_status", "move"))
    user = request.user
    check_rate_limit(request, back=reverse("order", args=[order_id]))
    try:
        owner = owner_of(order_id) if user.is_staff else user.get_username()
        move_order(
            username=owner,
            order_id=order_id,
            source=source,
            target=target,
            is_staff=user.is_staff,
            who=user.get_username(),
            now=timezone.now(),
        )
    except NoSuchOrder as error:
        raise Http404(NO_SUCH_ORDER) from error
    except MoveNotAllowed as error:
        raise Refusal(str(error)) from error
    except OrderMoved as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"Order {order_id} is {target.label.lower()} now.")
    return back(request, default=reverse("order", args=[order_id]))


def _show(request: HttpRequest, orders_of: OrderList) -> HttpResponse:
    chosen = _filter(request, orders_of)
    if "" in request.GET.values():  # a form sends its empty fields along
        return redirect(_without_blanks(request))
    pager = orders_of.pager(chosen)
    asked = pager.requested(request.GET, size=settings.PAGE_SIZE)
    found = list_orders(orders_of.username, chosen, asked)

    def context() -> dict[str, Any]:
        with labelled_calls("counts"):
            counts = counts_of(orders_of.username)
        if not any(counts.values()):
            _require_customer(orders_of.username)
        return {
            "owner": orders_of.username,
            "is_own": orders_of.username == request.user.get_username(),
            "listing": {"orders": found.orders, **orders_of.context(chosen, counts)},
        }

    return show_page(
        request,
        pager,
        asked,
        found.page,
        templates=("shop/orders/orders.html", "shop/orders/_orders.html"),
        context=context,
        plan=found.plan.name,
    )


def _require_customer(username: str) -> None:
    """Raise Http404 where there is no such user; imported customers have orders at least."""
    try:
        with labelled_calls("user"):
            find_user(username)
    except NoSuchUser as error:
        raise Http404(NO_SUCH_CUSTOMER) from error


def _filter(request: HttpRequest, orders_of: OrderList) -> OrderFilter:
    query = request.GET
    try:
        return OrderFilter.parse(
            statuses=query.getlist("status"),
            since=query.get("from", ""),
            until=query.get("to", ""),
            is_open=query.get("open", ""),
        )
    except BadOrderFilter as error:
        raise Refusal(str(error), first_url=orders_of.address) from error


def _without_blanks(request: HttpRequest) -> str:
    filled = parse_qsl(request.META["QUERY_STRING"])  # which leaves out what is empty
    return f"{request.path}?{urlencode(filled)}".rstrip("?")


def _status(value: str) -> Status:
    try:
        return Status(value)
    except ValueError as error:
        raise Refusal(f"There is no status “{value}”.") from error
