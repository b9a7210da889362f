"""The basket, and placing its order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dynapages.calls import clock, labelled_calls
from dynapages.django.access import Visitor, prefetch, signed_in
from dynapages.django.next_page import with_next
from dynapages.django.paging import LONGEST_ID
from dynapages.django.refusals import Refusal
from dynapages.process import pool
from shop.accounts.rate_limits import check_order_rate_limit
from shop.addresses.forms import PREFIX, AddressForm, address_form, typed_again
from shop.basket.basket import Basket, BasketFull, PricedBasket
from shop.basket.delivery import LONGEST_NEAR, PickupRead, delivery_to, read_pickup
from shop.catalogue.views import NO_SUCH_PRODUCT, product_or_404
from shop.forms_elsewhere import form_on
from shop.orders.entries import WholeOrder
from shop.orders.items import MOST_OF_A_PRODUCT
from shop.orders.placing import (
    BasketRead,
    NotSold,
    OrderRefused,
    order_placed_by,
    place_read_basket,
    read_basket,
)
from shop.orders.views import read_own_order, username_of
from shop.pickup.queries import NoSuchPoint

INTENT = re.compile(r"[0-9A-Z]{26}", re.ASCII)
QUANTITY = re.compile(r"[0-9]{1,4}")


@require_safe
@never_cache
def basket(request: HttpRequest) -> HttpResponse:
    """Show what is in the visitor's basket."""
    priced = _priced(request, Basket(request.session))
    return render(request, "shop/basket/basket.html", {"basket": priced})


def _priced(request: HttpRequest, held: Basket) -> PricedBasket:
    """Read the prices of a basket; take what is no longer sold out of it, and say so."""
    with labelled_calls("prices"):
        priced = held.priced()
    if priced.missing:
        held.remove(*priced.missing, now=clock.now())
        sentence = _("Products that are no longer sold were removed from your basket.")
        messages.warning(request, sentence)
    return priced


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    """Add pieces of a product to the basket; without POST, show the form that does."""
    sent = request.POST if request.method == "POST" else request.GET
    product_id = sent.get("product_id", "")
    quantity = _quantity(sent)
    if not 0 < len(product_id) <= LONGEST_ID:
        raise Http404(NO_SUCH_PRODUCT)
    product = product_or_404(product_id)
    if product.unit_price is None:
        raise Http404(_("This product is not for sale."))
    if request.method != "POST":
        context = {"product": product, "quantity": quantity}
        return render(request, "shop/basket/add.html", context)
    try:
        Basket(request.session).add(product_id, quantity, now=clock.now())
    except BasketFull as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, _("“%(product)s” is in your basket.") % {"product": product.name})
    return redirect("basket")


@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Set how many pieces of a product the basket holds."""
    sent = request.POST
    held = Basket(request.session)
    held.change(sent.get("product_id", ""), _quantity(sent), now=clock.now())
    return redirect("basket")


@require_POST
def remove(request: HttpRequest) -> HttpResponse:
    """Remove a product from the basket."""
    Basket(request.session).remove(request.POST.get("product_id", ""), now=clock.now())
    return redirect("basket")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def checkout(request: HttpRequest) -> HttpResponse:
    """Ask where the order is to go, and show all of it before it is placed.

    A search for pickup points is sent by POST, with the address as far as it is typed: so that is
    kept, and is in no log of addresses of pages.
    """
    if request.method == "POST":
        return _show_checkout(request, request.POST, typed_again(request.POST))
    return _show_checkout(request, request.GET, None)


def _show_checkout(request: HttpRequest, sent: QueryDict, form: AddressForm | None) -> HttpResponse:
    """Show the checkout with the form of an address, None for one that nobody has filled in."""
    held = Basket(request.session)
    priced = _priced(request, held)
    if not priced.lines:
        return redirect("basket")
    near = sent.get("near", "").strip()[:LONGEST_NEAR]
    with labelled_calls("pickup points"):
        delivery = delivery_to(near, username=request.user.get_username())
    context = {
        "basket": priced,
        "delivery": delivery,
        "form": form or address_form(delivery.address),
        "chosen": sent.get("point", ""),
        "order_id": held.intent,
        "place_url": with_next(reverse("place_order"), reverse("checkout")),
    }
    return render(request, "shop/basket/checkout.html", context)


@require_POST
@prefetch(read_own_order)
def again(request: HttpRequest, order: WholeOrder, order_id: str) -> HttpResponse:
    """Put the products of an order of the visitor's into the basket once more."""
    del order_id
    result = Basket(request.session).add_lines(order.items, now=clock.now())
    if result.added:
        sentence = ngettext(
            "%(count)s product was added to your basket at today's price.",
            "%(count)s products were added to your basket at today's prices.",
            len(result.added),
        )
        messages.success(request, sentence % {"count": len(result.added)})
    if result.no_longer_sold:
        sentence = _("No longer sold: %(products)s.")
        messages.warning(request, sentence % {"products": _quoted(result.no_longer_sold)})
    if result.without_room:
        sentence = _("Your basket has no room for %(products)s.")
        messages.warning(request, sentence % {"products": _quoted(result.without_room)})
    return redirect("basket")


@dataclass(frozen=True, slots=True)
class _ToPlace:
    """What the form that places an order is about: the basket, and the pickup point."""

    basket: BasketRead
    pickup: PickupRead


def _read_to_place(request: HttpRequest, visitor: Visitor) -> _ToPlace | str | None:
    """Read what the session's basket orders; of another form's, which order it has placed."""
    intent = _intent(request)
    username = username_of(visitor, request)
    held = Basket(request.session)
    if intent != held.intent:
        return order_placed_by(username=username, client_id=intent)
    with pool().together() as together:
        pickup = together.start(read_pickup, request.POST.get("point", ""))
        basket = read_basket(username=username, client_id=intent, basket=held.quantities)
        return _ToPlace(basket, pickup.result())


@form_on("checkout")
@prefetch(_read_to_place)
def place(request: HttpRequest, read: _ToPlace | str | None) -> HttpResponse:
    """Place the basket's order; the same form sent again shows the same order."""
    if not isinstance(read, _ToPlace):
        # The form was sent before, or shows another basket than the session has by now.
        if read is not None:
            return redirect("order", read)
        messages.warning(request, _("Your basket has changed. Please check it, then order."))
        return _show_checkout(request, request.POST, typed_again(request.POST))
    form = AddressForm(request.POST, prefix=PREFIX)
    is_to_address = not request.POST.get("point")
    if is_to_address and not form.is_valid():
        return _show_checkout(request, request.POST, form)
    # The limit is asked behind the answer to a repeated form, which orders nothing.
    check_order_rate_limit(request, back=reverse("basket"))
    address = form.address if is_to_address else None
    try:
        pickup = read.pickup.require()
        placed = place_read_basket(read.basket, pickup=pickup, address=address, now=clock.now())
    except NoSuchPoint:
        messages.warning(request, _("That pickup point no longer exists. Please choose another."))
    except OrderRefused as error:
        # The checkout takes what is no longer sold out of the basket, and says so.
        if not isinstance(error, NotSold):
            messages.error(request, str(error))
    else:
        Basket(request.session).clear()
        messages.success(request, _("Thank you! Your order has been placed."))
        return redirect("order", placed.id)
    return _show_checkout(request, request.POST, typed_again(request.POST))


def _quoted(names: Iterable[str]) -> str:
    """Return names in quotation marks, with commas between them."""
    return ", ".join(_("“%(name)s”") % {"name": name} for name in names)


def _quantity(sent: QueryDict) -> int:
    """Return how many pieces a form asks for, 1 by default. Raises Refusal."""
    text = sent.get("quantity", "1")
    if not QUANTITY.fullmatch(text) or not 1 <= int(text) <= MOST_OF_A_PRODUCT:
        raise Refusal(_("The quantity must be from 1 to %(most)s.") % {"most": MOST_OF_A_PRODUCT})
    return int(text)


def _intent(request: HttpRequest) -> str:
    """Return the id of the order form that was sent. Raises Refusal."""
    intent = request.POST.get("order_id", "")
    if not INTENT.fullmatch(intent):
        sentence = _("This form names no order. Please start again from your basket.")
        raise Refusal(sentence, first_url=reverse("basket"))
    return intent
