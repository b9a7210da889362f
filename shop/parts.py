"""The parts that pages are made of, as they are used: for who changes how the shop looks.

The page is there with ``DEBUG`` alone, and reads nothing.
"""

from datetime import UTC, datetime
from decimal import Decimal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from shop.addresses.forms import PREFIX, AddressForm
from shop.catalogue.tiles import Category, ProductTile
from shop.order_status import Status
from shop.orders.entries import OrderEntry

_MOMENT = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
_TRAIL = (Category("kitchen", "Kitchen"),)


@require_safe
@never_cache
def parts(request: HttpRequest) -> HttpResponse:
    """Show each part with things that are made up, beside the name of its template."""
    pan = ProductTile("pan", "Frying pan", Decimal("35.00"), "EUR", trail=_TRAIL)
    board = ProductTile("board", "Oak chopping board", Decimal("1249.50"), "EUR", trail=_TRAIL)
    order = OrderEntry(
        id="01JBNE5Z8M0000000000000000",
        username="alex",
        status=Status.SHIPPED,
        date=_MOMENT,
        placed=_MOMENT,
        total=Decimal("1284.50"),
        currency="EUR",
        item_count=2,
        foreign_id="",
        summary="",
    )
    form = AddressForm({f"{PREFIX}-country": "DE"}, prefix=PREFIX)
    form.is_valid()
    messages.success(request, "A message, as a page shows it that was loaded as a whole.")
    context = {
        "products": [pan, board],
        "orders": [(order, order.url)],
        "form": form,
        "trail": _TRAIL,
    }
    return render(request, "parts.html", context)
