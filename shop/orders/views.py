"""Pages of a customer's orders, for the customer and for staff."""

import re
from functools import partial
from http import HTTPStatus

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_POST, require_safe

from dynapages.calls import clock, current_meter, labelled_calls
from dynapages.django.access import Visitor, prefetch, signed_in, staff_only, visitor_of
from dynapages.django.formats import csv_response
from dynapages.django.next_page import back, path_of_next, with_next
from dynapages.django.paging import ListResult, render_page, show_page
from dynapages.django.refusals import Refusal
from dynapages.lists import Counted, explain
from shop.accounts.names import LONGEST_USERNAME
from shop.accounts.queries import is_user
from shop.accounts.rate_limits import check_order_rate_limit
from shop.days import url_without_blanks
from shop.order_status import ENDS, Status, may_move
from shop.orders.entries import LINES_AT_ONCE, WholeOrder
from shop.orders.filters import OrderFilter
from shop.orders.listing import (
    COLUMNS,
    Neighbours,
    OrderList,
    beside,
    buttons_for,
    csv_reader,
    filter_of,
    in_list,
    place_in_list,
    total_of,
    way_to,
)
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_order
from shop.orders.queries import (
    FoundOrder,
    NoSuchOrder,
    OrdersResult,
    find_order,
    list_orders,
    owner_of,
    read_orders,
)

_PAGE = re.compile(r"[1-9][0-9]{0,5}")
NO_SUCH_ORDER = gettext_noop("There is no such order.")
NO_SUCH_CUSTOMER = gettext_noop("There is no such customer.")


Asked = ListResult[tuple[OrderList, OrderFilter], OrdersResult]


def _name_of(visitor: Visitor, request: HttpRequest) -> str:
    """Return the user name of a visitor, by which orders are stored; nothing is read."""
    users = get_user_model()
    if users._meta.pk.name == users.USERNAME_FIELD:  # noqa: SLF001 - Django documents it
        return visitor.user_id
    return request.user.get_username()  # who was read with the session


def _read_list(request: HttpRequest, orders_of: OrderList) -> Asked:
    chosen = filter_of(request.GET, orders_of.address)
    asked = orders_of.pager(chosen).requested(request.GET, size=settings.PAGE_SIZE)
    found = read_orders(orders_of.username, chosen, asked)
    return ListResult((orders_of, chosen), asked, found)


def _read_own(request: HttpRequest, visitor: Visitor) -> Asked:
    return _read_list(request, OrderList(_name_of(visitor, request), reverse("orders")))


def _read_customers(request: HttpRequest, _visitor: Visitor, username: str) -> Asked:
    return _read_list(request, OrderList(username, _address_of(username)))


def _address_of(username: str) -> str:
    if len(username) > LONGEST_USERNAME:
        raise Http404(_(NO_SUCH_CUSTOMER))
    return reverse("staff_customer_orders", args=[username])


def _read_order(request: HttpRequest, visitor: Visitor, order_id: str) -> FoundOrder:
    def sees_all() -> bool:
        return visitor.is_confirmed() and request.user.is_staff

    page = _page(request, order_id)
    try:
        with labelled_calls("order"):
            found = find_order(
                order_id,
                username=_name_of(visitor, request),
                sees_all=sees_all,
                first_line=(page - 1) * LINES_AT_ONCE + 1,
            )
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    if page > 1 and not found.order.items:
        raise _no_page(order_id)
    return found


def _page(request: HttpRequest, order_id: str) -> int:
    """Return the number of the page of an order's lines. Raises Refusal."""
    text = request.GET.get("page", "1")
    if not _PAGE.fullmatch(text):
        raise _no_page(order_id)
    return int(text)


def _no_page(order_id: str) -> Refusal:
    sentence = _("This order has no such page: they are numbered from 1.")
    return Refusal(sentence, first_url=reverse("order", args=[order_id]))


@require_safe
@prefetch(_read_own)
def orders(request: HttpRequest, found: Asked) -> HttpResponse:
    """Show the signed-in user's orders."""
    return _show(request, found)


@require_safe
@prefetch(_read_customers, staff_only)
def customer_orders(request: HttpRequest, found: Asked, username: str) -> HttpResponse:
    """Show a customer's orders to staff."""
    del username
    return _show(request, found)


@require_safe
@staff_only
def customer_orders_csv(request: HttpRequest, username: str) -> StreamingHttpResponse:
    """Answer with a customer's filtered orders, all of them, as CSV."""
    chosen = filter_of(request.GET, _address_of(username))
    read = csv_reader(partial(list_orders, username, chosen))
    return csv_response("orders-of-a-customer", COLUMNS, read)


def _read_in_list(
    request: HttpRequest, visitor: Visitor, order_id: str
) -> tuple[FoundOrder, Neighbours | None]:
    """Read an order, and meanwhile those around it in the list that its URL names, if any."""
    place = place_in_list(request.GET, username=_name_of(visitor, request))
    return beside(place, partial(_read_order, request, visitor, order_id))


@require_safe
@prefetch(_read_in_list)
def order(
    request: HttpRequest, read: tuple[FoundOrder, Neighbours | None], order_id: str
) -> HttpResponse:
    """Show one order with its items, found by its id or its foreign id (A3)."""
    user, (found, neighbours) = request.user, read
    if found.order.id != order_id:
        return redirect(found.order.url)
    page_url = request.get_full_path()
    buttons = buttons_for(found.order, is_staff=user.is_staff, page_url=page_url)
    is_own = found.order.username == user.get_username()
    context = {
        "order": found.order,
        "neighbours": neighbours if user.is_staff or (neighbours and neighbours.is_own) else None,
        "is_own": is_own,
        "trail": way_to(found.order, is_own=is_own, is_staff=user.is_staff),
        "buttons": buttons,
        "explain": partial(explain, found.page, plan="inverted", meter=current_meter()),
    }
    return render_page(request, "shop/orders/order.html", context)


LONGEST_REASON = 300


class ReasonField(forms.CharField):
    """A text whose ends of lines count as one character, as browsers count them."""

    def to_python(self, value: str | None) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class ReasonForm(forms.Form):
    """Why an order is called off or sent back."""

    reason = ReasonField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The customer and the shop can read it with the order."),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


@require_safe
@prefetch(_read_order)
def cancel(request: HttpRequest, found: FoundOrder, order_id: str) -> HttpResponse:
    """Ask whether an order is to be cancelled, and why."""
    del order_id
    return _ask(request, found.order, Status.CANCELED)


@require_safe
@prefetch(_read_order)
def send_back(request: HttpRequest, found: FoundOrder, order_id: str) -> HttpResponse:
    """Ask whether an order is to be returned, and why."""
    del order_id
    return _ask(request, found.order, Status.RETURNED)


def _ask(
    request: HttpRequest, order: WholeOrder, target: Status, form: ReasonForm | None = None
) -> HttpResponse:
    """Show the page that asks before an order moves to ``target``; a form only if it is wrong."""
    back_url = path_of_next(request, default=order.url)
    if not may_move(order.status, target, is_staff=request.user.is_staff):
        messages.warning(request, str(OrderMoved(order.id, order.status)))
        return redirect(back_url)
    context = {
        "order": order,
        "target": target,
        "form": form or ReasonForm(),
        "back_url": back_url,
        "move_url": with_next(reverse("move_order", args=[order.id]), back_url),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "shop/orders/ask.html", context, status=status)


@require_POST
@signed_in
def move(request: HttpRequest, order_id: str) -> HttpResponse:
    """Move an order to another status, if it is still in the one the form shows."""
    source, target = (_status(request.POST.get(name, "")) for name in ("from_status", "move"))
    form = ReasonForm(request.POST)
    if not form.is_valid() and target in ENDS:
        return _ask(
            request, _read_order(request, visitor_of(request), order_id).order, target, form
        )
    user = request.user
    check_order_rate_limit(request, back=reverse("order", args=[order_id]))
    try:
        owner = owner_of(order_id) if user.is_staff else user.get_username()
        move_order(
            username=owner,
            order_id=order_id,
            source=source,
            target=target,
            is_staff=user.is_staff,
            who=user.get_username(),
            reason=form.cleaned_data.get("reason", "") if target in ENDS else "",
            now=clock.now(),
        )
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    except MoveNotAllowed as error:
        raise Refusal(str(error)) from error
    except OrderMoved as error:
        messages.warning(request, str(error))
    else:
        sentence = _("Order %(id)s is now %(status)s.")
        messages.success(request, sentence % {"id": order_id, "status": target.in_words})
    return back(request, default=reverse("order", args=[order_id]))


def _show(request: HttpRequest, asked: Asked) -> HttpResponse:
    if url := url_without_blanks(request):
        return redirect(url)
    (orders_of, chosen), found = asked.filter, asked.result
    counts = found.counts
    if not any(counts.values()):
        require_customer(orders_of.username)
    owner, total = orders_of.username, total_of(chosen, counts)
    is_own = owner == request.user.get_username()
    by_rule = (min(counts[status], asked.page_request.size + 1) for status in chosen.statuses)
    context = {
        "owner": owner,
        "is_own": is_own,
        "heading": _("Your orders") if is_own else _("Orders of %(owner)s") % {"owner": owner},
        "total": total,
        "listing": {
            "orders": in_list(found, orders_of.pager(chosen)),
            **orders_of.context(chosen, counts),
        },
    }
    return show_page(
        request,
        orders_of.pager(chosen),
        asked.page_request,
        found.page,
        templates=("shop/orders/orders.html", "shop/orders/_orders.html"),
        context=lambda: context,
        plan=found.plan.name,
        counted=Counted(sum(counts.values()), () if chosen.days else tuple(by_rule)),
    )


@labelled_calls("user")
def require_customer(username: str) -> None:
    """Raise Http404 where there is no such user; imported customers have orders at least."""
    if not is_user(username):
        raise Http404(_(NO_SUCH_CUSTOMER))


def _status(value: str) -> Status:
    try:
        return Status(value)
    except ValueError as error:
        raise Refusal(_("There is no status “%(status)s”.") % {"status": value}) from error
