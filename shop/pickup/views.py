"""Pages to choose the pickup point of an open order, for its customer alone."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from dynapages.calls import current_meter, labelled_calls
from dynapages.django.access import Visitor, prefetch, signed_in
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
from shop.orders.entries import name_in, pickup_in
from shop.orders.queries import NoSuchOrder
from shop.pickup.items import PickupPoint, ZipLocation
from shop.pickup.listing import FIRST_SHOWN, MOST_SHOWN, pickup_listing
from shop.pickup.locations import BadLocation, NoSuchZip, locate
from shop.pickup.queries import (
    PLAN,
    NoSuchPoint,
    find_point,
    location_of_earlier_order,
    location_of_point,
    nearest_points,
)
from shop.pickup.services import NoAddress, OrderClosed, choose_point, find_open_order, forget_point

NO_SUCH_ORDER = gettext_noop("There is no such order.")
NO_SUCH_POINT = gettext_noop("This pickup point does not exist.")
LONGEST_NEAR = 100


@dataclass(frozen=True, slots=True)
class _Near:
    """What was typed as the place, and the place if it is known, or the problem with it.

    With ``is_of_earlier`` nothing was typed, and an earlier order went there.
    """

    typed: str
    location: ZipLocation | None = None
    problem: str = ""
    status: HTTPStatus = HTTPStatus.OK
    is_of_earlier: bool = False

    @property
    def heading(self) -> str:
        """The heading of the page, with the place if it is known."""
        if self.location is None:
            return _("Pickup points")
        return _("Pickup points near %(place)s") % {"place": self.location}


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
    near = _near(request, order)
    nearest = None
    if near.location is not None:
        nearest = nearest_points(near.location.place, count)
    listing = pickup_listing(
        nearest, near=near.typed, count=count, chosen=pickup_in(order), order_id=order_id
    )
    listing["has_address"] = order.address is not None
    # The meter is this request's; an explanation is made while the template is rendered.
    meter = current_meter()

    def explain_page() -> object:
        if nearest is None:
            return explain_reads(meter)
        return explain(nearest.page, plan=PLAN, meter=meter)

    context = {
        "listing": listing,
        "near": near,
        "order_id": order_id,
        "order_name": name_in(order),
        "explain": explain_page,
    }
    # An explanation is one of reads that were done, even where the place is no good.
    response = render_list(request, "shop/pickup/pickup.html", "shop/pickup/_pickup.html", context)
    if not wants_explanation(request):
        response.status_code = near.status
    return response


def _read_point(request: HttpRequest, _visitor: Visitor, order_id: str) -> PickupPoint | None:
    """Read the pickup point that a form chooses; None where there is none. Raises Http404."""
    del order_id
    point_id = request.POST.get("point", "")
    if not 0 < len(point_id) <= LONGEST_ID:
        raise Http404(_(NO_SUCH_POINT))
    try:
        with labelled_calls("pickup point"):
            return find_point(point_id)
    except NoSuchPoint:
        return None


@require_POST
@prefetch(_read_point)
def choose_pickup(request: HttpRequest, point: PickupPoint | None, order_id: str) -> HttpResponse:
    """Choose a pickup point for an order."""

    def choose(*, username: str, order_id: str) -> None:
        if point is None:
            raise NoSuchPoint
        choose_point(username=username, order_id=order_id, point=point)

    return _change_order(request, order_id, choose, point)


@require_POST
@signed_in
def forget_pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Remove the pickup point of an order, so that it goes to the customer's door."""
    return _change_order(request, order_id, forget_point, None)


def _change_order(
    request: HttpRequest,
    order_id: str,
    change: Callable[..., None],
    point: PickupPoint | None,
) -> HttpResponse:
    """Change an order's pickup point, and say in a message where it goes now."""
    # Counted with orders that are placed or cancelled, as all of them are writes of one customer.
    check_order_rate_limit(request, back=reverse("order", args=[order_id]))
    try:
        change(username=request.user.get_username(), order_id=order_id)
    except NoSuchOrder as error:
        raise Http404(_(NO_SUCH_ORDER)) from error
    except NoSuchPoint as error:
        raise Http404(_(NO_SUCH_POINT)) from error
    except (OrderClosed, NoAddress) as error:
        messages.warning(request, str(error))
    else:
        if point is None:
            sentence = _("Your order will be delivered to your address.")
        else:
            sentence = _("Your order will be sent to “%(point)s”.") % {"point": point.name}
        messages.success(request, sentence)
    return redirect("order", order_id)


def _near(request: HttpRequest, order: Order) -> _Near:
    """Return the place to search from: as typed, else the order's postcode, else a guess."""
    typed = request.GET.get("near", "").strip()[:LONGEST_NEAR]
    if not typed:
        typed = order.zip_prefix or ""
    if not typed:
        return _guess(order, request.user.get_username())
    try:
        with labelled_calls("postcode"):
            return _Near(typed, locate(typed))
    except NoSuchZip as error:
        return _Near(typed, problem=str(error))
    except BadLocation as error:
        if wants_partial(request):  # the list stays on the screen
            raise Refusal(str(error)) from error
        return _Near(typed, problem=str(error), status=HTTPStatus.BAD_REQUEST)


def _guess(order: Order, username: str) -> _Near:
    """Return the place of the order's pickup point, else that of the customer's last order."""
    chosen = pickup_in(order)
    if chosen:
        location = location_of_point(chosen.id)
        if location is not None:
            return _Near("", location)
    earlier = location_of_earlier_order(username)
    if earlier is None:
        return _Near("")
    return _Near(earlier.prefix, earlier, is_of_earlier=True)


def _count(request: HttpRequest) -> int:
    """Return how many points to show. Raises Refusal."""
    text = request.GET.get("count", str(FIRST_SHOWN))
    if re.fullmatch(r"[0-9]{1,2}", text):
        count = int(text)
        if 1 <= count <= MOST_SHOWN:
            return count
    sentence = _("You can see 1 to %(most)s pickup points at a time.")
    raise Refusal(sentence % {"most": MOST_SHOWN}, first_url=request.path)
