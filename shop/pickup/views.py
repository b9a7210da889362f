"""Choosing the pickup point of an order: its customer's alone, while it is open."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dynamo.explain import explain, explain_reads
from dynamo.meter import current_meter, labelled_calls
from dynamo.web.partials import render_list
from dynamo.web.refusals import Refusal
from shop.access import signed_in
from shop.models import Order
from shop.order_entries import pickup_entry
from shop.order_queries import NoSuchOrder
from shop.pickup.choosing import OrderClosed, choose_point, find_open_order, forget_point
from shop.pickup.explaining import PLAN
from shop.pickup.listing import FIRST_SHOWN, MOST_SHOWN, pickup_listing
from shop.pickup.places import BadPlace, NoSuchZip, ZipPlace, locate
from shop.pickup.queries import NoSuchPoint, nearest_points

NO_SUCH_ORDER = "There is no such order."
NO_SUCH_POINT = "There is no such pickup point, or none any more."
LONGEST_ID, LONGEST_NEAR = 128, 100


@require_safe
@signed_in
def pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Show the pickup points nearest to where an order goes, or to where ``near`` says (P6)."""
    address, count = reverse("pickup", args=[order_id]), _count(request)
    try:
        with labelled_calls("order"):
            order = find_open_order(username=request.user.get_username(), order_id=order_id)
    except NoSuchOrder as error:
        raise Http404(NO_SUCH_ORDER) from error
    except OrderClosed as error:
        messages.warning(request, str(error))
        return redirect("order", order_id)
    near = _near(request, order)
    place, problem = _placed(near, address=address)
    nearest = nearest_points(place.place, count) if place else None
    meter = current_meter()
    context = {
        "listing": pickup_listing(
            place=place,
            nearest=nearest,
            near=near,
            count=count,
            problem=problem,
            chosen=pickup_entry(order),
            address=address,
            order_url=reverse("order", args=[order_id]),
        ),
        "order_id": order_id,
        "explanation": explain(nearest.page, plan=PLAN, meter=meter)
        if nearest
        else explain_reads(meter),
    }
    return render_list(request, "shop/pickup.html", "shop/_pickup.html", context)


@require_POST
@signed_in
def choose_pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Let an order go to a pickup point."""
    point_id = request.POST.get("point", "")
    if not 0 < len(point_id) <= LONGEST_ID:
        raise Http404(NO_SUCH_POINT)
    try:
        point = choose_point(
            username=request.user.get_username(), order_id=order_id, point_id=point_id
        )
    except NoSuchOrder as error:
        raise Http404(NO_SUCH_ORDER) from error
    except NoSuchPoint as error:
        raise Http404(NO_SUCH_POINT) from error
    except OrderClosed as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The order goes to {point.name}.")
    return redirect("order", order_id)


@require_POST
@signed_in
def forget_pickup(request: HttpRequest, order_id: str) -> HttpResponse:
    """Let an order go to no pickup point."""
    try:
        forget_point(username=request.user.get_username(), order_id=order_id)
    except NoSuchOrder as error:
        raise Http404(NO_SUCH_ORDER) from error
    except OrderClosed as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The order goes to no pickup point.")
    return redirect("order", order_id)


def _near(request: HttpRequest, order: Order) -> str:
    """Take what was typed, or else the zip code the order is to go to."""
    typed = request.GET.get("near")
    if typed is not None:
        return typed.strip()[:LONGEST_NEAR]
    return order.zip_prefix or ""


def _placed(near: str, *, address: str) -> tuple[ZipPlace | None, str]:
    if not near:
        return None, ""
    try:
        with labelled_calls("zip code"):
            return locate(near), ""
    except BadPlace as error:
        raise Refusal(str(error), first_url=address) from error
    except NoSuchZip as error:
        return None, str(error)


def _count(request: HttpRequest) -> int:
    text = request.GET.get("count", str(FIRST_SHOWN))
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MOST_SHOWN):
        raise Refusal(f"Ask for 1 to {MOST_SHOWN} pickup points at a time.", first_url=request.path)
    return int(text)
