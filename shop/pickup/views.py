"""Pages to choose the pickup point of an open order, for its customer alone."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from dynapages.calls import current_meter, labelled_calls
from dynapages.django.access import signed_in
from dynapages.django.paging import (
    LONGEST_ID,
    redirect_page,
    render_list,
    wants_explanation,
    wants_partial,
)
from dynapages.django.refusals import Refusal
from dynapages.lists import explain, explain_reads
from shop.accounts.rate_limits import check_order_rate_limit
from shop.models import Order
from shop.orders.entries import pickup_in
from shop.orders.queries import NoSuchOrder
from shop.pickup.queries import (
    FIRST_SHOWN,
    MOST_SHOWN,
    PLAN,
    BadLocation,
    NoSuchPoint,
    NoSuchZip,
    PickupPoint,
    ZipLocation,
    locate,
    nearest_points,
    pickup_listing,
    place_of_earlier_order,
    place_of_point,
)
from shop.pickup.writing import OrderClosed, choose_point, find_open_order, forget_point

NO_SUCH_ORDER = gettext_noop("There is no such order.")
NO_SUCH_POINT = gettext_noop("This pickup point does not exist.")
LONGEST_NEAR = 100


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was typed as the place, and the place if it is known, or the problem with it.

    With ``is_of_earlier`` nothing was typed, and an earlier order went there.
    """

    near: str
    place: ZipLocation | None = None
    problem: str = ""
    status: HTTPStatus = HTTPStatus.OK
    is_of_earlier: bool = False

    @property
    def heading(self) -> str:
        if self.place is None:
            return _("Pickup points")
        return _("Pickup points near %(place)s") % {"place": self.place}


@require_safe
@signed_in
def pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Show the pickup points nearest to ``near``, or else to the order's postcode (P6)."""
    count = _count(request)
    try:
        with labelled_calls("order"):
            order = find_open_order(username=request.user.get_username(), order_id=order_id)
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    except OrderClosed as error:
        messages.warning(request, str(error))
        return redirect_page(request, reverse("order", args=[order_id]))
    asked = _asked(request, order)
    nearest = nearest_points(asked.place.place, count) if asked.place else None
    listing = pickup_listing(
        nearest, near=asked.near, count=count, chosen=pickup_in(order), order_id=order_id
    )
    meter = current_meter()
    context = {
        "listing": listing,
        "asked": asked,
        "order_id": order_id,
        "explain": partial(explain, nearest.page, plan=PLAN, meter=meter)
        if nearest
        else partial(explain_reads, meter),
    }
    response = render_list(request, "shop/pickup/pickup.html", "shop/pickup/_pickup.html", context)
    if not wants_explanation(request):
        response.status_code = asked.status
    return response


@require_POST
@signed_in
def choose_pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Choose a pickup point for an order."""
    point_id = request.POST.get("point", "")
    if not 0 < len(point_id) <= LONGEST_ID:
        raise Http404(_(NO_SUCH_POINT))
    return _changed(request, order_id, partial(choose_point, point_id=point_id))


@require_POST
@signed_in
def forget_pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Remove the pickup point of an order, so that it goes to the customer's door."""
    return _changed(request, order_id, forget_point)


def _changed(
    request: HttpRequest, order_id: str, change: Callable[..., PickupPoint | None]
) -> HttpResponse:
    check_order_rate_limit(request, back=reverse("order", args=[order_id]))
    try:
        point = change(username=request.user.get_username(), order_id=order_id)
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    except NoSuchPoint as error:
        raise Http404(_(NO_SUCH_POINT)) from error
    except OrderClosed as error:
        messages.warning(request, str(error))
    else:
        if point is None:
            sentence = _("Your order will be delivered to your address.")
        else:
            sentence = _("Your order will be sent to “%(point)s”.") % {"point": point.name}
        messages.success(request, sentence)
    return redirect("order", order_id)


def _asked(request: HttpRequest, order: Order) -> _Asked:
    near = request.GET.get("near", "").strip()[:LONGEST_NEAR] or order.zip_prefix or ""
    try:
        if not near:
            return _guessed(order, request.user.get_username())
        with labelled_calls("postcode"):
            return _Asked(near, locate(near))
    except NoSuchZip as error:
        return _Asked(near, problem=str(error))
    except BadLocation as error:
        if wants_partial(request):  # the list stays on the screen
            raise Refusal(str(error)) from error
        return _Asked(near, problem=str(error), status=HTTPStatus.BAD_REQUEST)


def _guessed(order: Order, username: str) -> _Asked:
    chosen = pickup_in(order)
    if chosen and (place := place_of_point(chosen.id)):
        return _Asked("", place)
    earlier = place_of_earlier_order(username)
    return _Asked(earlier.prefix if earlier else "", earlier, is_of_earlier=earlier is not None)


def _count(request: HttpRequest) -> int:
    text = request.GET.get("count", str(FIRST_SHOWN))
    if not (re.fullmatch(r"[0-9]{1,2}", text) and 1 <= int(text) <= MOST_SHOWN):
        sentence = _("You can see 1 to %(most)s pickup points at a time.")
        raise Refusal(sentence % {"most": MOST_SHOWN}, first_url=request.path)
    return int(text)
