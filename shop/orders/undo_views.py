"""The button that takes moves of orders back, of one or of several."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from dynapages.calls import clock, labelled_calls
from dynapages.django.access import Visitor, prefetch, staff_only
from dynapages.django.next_page import back, with_next
from dynapages.django.notices import UNDO_FIELD, Undo
from dynapages.django.paging import grouped
from dynapages.django.refusals import Refusal
from shop.forms_elsewhere import form_on
from shop.models import Order
from shop.order_status import FORWARD, Move, Status
from shop.orders.entries import name_in
from shop.orders.queries import stored_orders
from shop.orders.refs import OrderRef
from shop.orders.undoing import parse_undo, undo_moves, write_undo

NOT_SAID = gettext_noop("This form does not say which move of which orders to take back.")


def undo_of(source: Status, target: Status, refs: list[OrderRef], page_url: str) -> Undo | None:
    """Return the button that takes a move of orders back, and leads to a page; None for none."""
    for move in FORWARD:
        if (move.source, move.target) == (source, target):
            return Undo(with_next(reverse("undo_moves"), page_url), write_undo(move, refs))
    return None


def _read_moved(
    request: HttpRequest, _visitor: Visitor
) -> tuple[Move, list[str], dict[str, Order]]:
    """Read the orders that were moved."""
    try:
        move, refs = parse_undo(request.POST.get(UNDO_FIELD, ""))
    except ValueError as error:
        raise Refusal(
            _("This form does not say which move of which orders to take back.")
        ) from error
    if len(refs) > settings.PAGE_SIZE:
        raise Refusal(_("Select at most %(most)s orders.") % {"most": settings.PAGE_SIZE})
    with labelled_calls("orders"):
        return move, [ref.id for ref in refs], stored_orders(refs)


@form_on("staff_orders")
@prefetch(_read_moved, staff_only)
def take_back(request: HttpRequest, read: tuple[Move, list[str], dict[str, Order]]) -> HttpResponse:
    """Move orders back that the same user has moved on a moment ago."""
    move, order_ids, stored = read
    who = request.user.get_username()
    results = undo_moves(order_ids, stored, move, who=who, now=clock.now())
    moved = [result for result in results if not result.refusal]
    if len(moved) == 1:
        name = name_in(stored[moved[0].order_id])
        sentence = _("Order %(id)s is %(status)s again.")
        messages.success(request, sentence % {"id": name, "status": move.source.in_words})
    elif moved:
        sentence = ngettext(
            "%(count)s order was moved back.", "%(count)s orders were moved back.", len(moved)
        )
        messages.success(request, sentence % {"count": grouped(len(moved))})
    for result in results:
        if result.refusal:
            messages.warning(request, result.refusal)
    return back(request, default=reverse("staff_orders"))
