"""Moves of one order, by the customer or by staff: the pages that ask before some, and the move."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dynapages.calls import clock, labelled_calls
from dynapages.django.access import Visitor, prefetch, visitor_of
from dynapages.django.next_page import back, path_of_next, with_next
from dynapages.django.notices import tell
from dynapages.django.refusals import Refusal
from shop import keys
from shop.accounts.rate_limits import check_order_rate_limit
from shop.forms_elsewhere import form_on
from shop.models import Order
from shop.order_status import ENDS, Status, may_move
from shop.orders.entries import WholeOrder, name_in
from shop.orders.forms import ReasonForm
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_stored_order
from shop.orders.queries import NoSuchOrder, find_stored_order, owner_of, stored_order
from shop.orders.refs import OrderRef
from shop.orders.undo_views import undo_of
from shop.orders.views import NO_SUCH_ORDER, read_order, username_of


@require_safe
@prefetch(read_order)
def cancel(request: HttpRequest, order: WholeOrder, order_id: str) -> HttpResponse:
    """Ask whether an order is to be cancelled, and why."""
    del order_id
    return _confirm(request, order, Status.CANCELED)


@require_safe
@prefetch(read_order)
def send_back(request: HttpRequest, order: WholeOrder, order_id: str) -> HttpResponse:
    """Ask whether an order is to be returned, and why."""
    del order_id
    return _confirm(request, order, Status.RETURNED)


def _confirm(
    request: HttpRequest, order: WholeOrder, target: Status, form: ReasonForm | None = None
) -> HttpResponse:
    """Show the page that asks before an order moves to ``target``; a form only if it is wrong."""
    back_url = path_of_next(request, default=order.url)
    if not may_move(order.status, target, is_staff=request.user.is_staff):
        messages.warning(request, str(OrderMoved(order.name, order.status)))
        return redirect(back_url)  # somebody else has moved it meanwhile
    context = {
        "order": order,
        "target": target,
        "form": form or ReasonForm(),
        "back_url": back_url,
        "move_url": with_next(reverse("move_order", args=[order.id]), back_url),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "shop/orders/ask.html", context, status=status)


def _read_to_move(request: HttpRequest, visitor: Visitor, order_id: str) -> Order | None:
    """Read an order of the customer whom the form names, without it one of the visitor's."""
    owner = request.POST.get("owner") or username_of(visitor, request)
    with labelled_calls("order"):
        return find_stored_order(OrderRef(order_id, owner))


@form_on("order")
@prefetch(_read_to_move)
def move(request: HttpRequest, order: Order | None, order_id: str) -> HttpResponse:
    """Move an order to another status, if it is still in the one the form shows."""
    source = _status(request.POST.get("from_status", ""))
    target = _status(request.POST.get("move", ""))
    reason = ""
    if target in ENDS:
        form = ReasonForm(request.POST)
        if not form.is_valid():
            shown = read_order(request, visitor_of(request), order_id)
            return _confirm(request, shown, target, form)
        reason = form.cleaned_data.get("reason", "")
    # A wrong form is shown again without counting against the limit.
    check_order_rate_limit(request, back=reverse("order", args=[order_id]))
    user = request.user
    try:
        stored = _order_to_move(request, order, order_id)
        move_stored_order(
            stored,
            source=source,
            target=target,
            is_staff=user.is_staff,
            who=user.get_username(),
            reason=reason,
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
        undo = None
        if user.is_staff:
            ref = OrderRef(order_id, keys.username_in(stored.pk))
            page_url = path_of_next(request, default=reverse("order", args=[order_id]))
            undo = undo_of(source, target, [ref], page_url)
        tell(request, sentence % {"id": name_in(stored), "status": target.in_words}, undo=undo)
    return back(request, default=reverse("order", args=[order_id]))


def _order_to_move(request: HttpRequest, read: Order | None, order_id: str) -> Order:
    """Return the order that the user moves: what was read, if it is theirs. Raises NoSuchOrder.

    Staff move any. An order that was not read is looked up, as the form may name no customer.
    """
    username = request.user.get_username()
    if request.user.is_staff:
        return read or stored_order(owner_of(order_id), order_id)
    if read is None or keys.username_in(read.pk) != username:
        return stored_order(username, order_id)
    return read


def _status(value: str) -> Status:
    try:
        return Status(value)
    except ValueError as error:
        raise Refusal(_("There is no status “%(status)s”.") % {"status": value}) from error
