"""The basket of a visitor, kept in the session's cookie.

It is bounded, because a cookie holds 4 KB. The id of its intent changes with its contents, so that
a form cannot order what it did not show.
"""

from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from dynapages.django.paging import LONGEST_ID
from shop.catalogue.queries import prices_of
from shop.catalogue.tiles import ProductTile
from shop.orders.entries import OrderLine
from shop.orders.ids import new_order_id
from shop.orders.items import MOST_LINES, MOST_OF_A_PRODUCT, NewPickup
from shop.pickup.items import PickupPoint
from shop.pickup.listing import format_distance
from shop.pickup.locations import BadLocation, NoSuchZip, locate
from shop.pickup.queries import NoSuchPoint, find_point, location_of_earlier_order, nearest_points

CONTENTS, INTENT = "basket", "basket_intent"
MOST_BYTES = 1_800
"""The most that the ids of all products may take of the cookie."""


class BasketFull(ValueError):
    """No further product fits; the text says why."""


@dataclass(frozen=True, slots=True)
class BasketLine:
    """Pieces of a product at its current price."""

    product: ProductTile
    quantity: int
    unit_price: Decimal

    @property
    def total(self) -> Decimal:
        return self.unit_price * self.quantity


@dataclass(frozen=True, slots=True)
class Priced:
    """A basket with prices; ``missing`` are ids of products that cannot be bought."""

    lines: tuple[BasketLine, ...]
    missing: tuple[str, ...]
    currency: str

    @property
    def total(self) -> Decimal:
        return sum((line.total for line in self.lines), Decimal())


class Basket:
    """The basket of a session."""

    def __init__(self, session: MutableMapping[str, Any]) -> None:
        self._session = session

    @property
    def quantities(self) -> dict[str, int]:
        """Pieces by product id, in the order they were added."""
        return dict(self._session.get(CONTENTS, {}))

    @property
    def intent(self) -> str:
        """The id of the order form for these contents; empty for an empty basket."""
        intent: str = self._session.get(INTENT, "")
        return intent

    def add(self, product_id: str, quantity: int, *, now: datetime) -> None:
        """Add pieces of a product. Raises BasketFull."""
        quantities = self.quantities
        quantities[product_id] = quantities.get(product_id, 0) + quantity
        if quantities[product_id] > MOST_OF_A_PRODUCT:
            sentence = _("You can order at most %(most)s of each product at a time.")
            raise BasketFull(sentence % {"most": MOST_OF_A_PRODUCT})
        if len(quantities) > MOST_LINES or len("".join(quantities).encode()) > MOST_BYTES:
            sentence = _("Your basket is full: an order has at most %(most)s different products.")
            raise BasketFull(sentence % {"most": MOST_LINES})
        self._keep(quantities, now=now)

    def add_lines(self, lines: Iterable[OrderLine], *, now: datetime) -> tuple[list[str], ...]:
        """Add the products of an order that are sold today, at today's prices.

        Return the names of those that were added, are no longer sold, and had no room.
        """
        lines = tuple(lines)
        sold = prices_of({line.product_id for line in lines}) if lines else {}
        added: list[str] = []
        gone: list[str] = []
        left: list[str] = []
        for line in lines:
            if line.product_id not in sold:
                gone.append(line.name)
                continue
            try:
                self.add(line.product_id, line.quantity, now=now)
            except BasketFull:
                left.append(line.name)
            else:
                added.append(line.name)
        return added, gone, left

    def change(self, product_id: str, quantity: int, *, now: datetime) -> None:
        """Set the pieces of a product that is in the basket, at least one."""
        quantities = self.quantities
        if quantities.get(product_id, quantity) != quantity:
            self._keep({**quantities, product_id: quantity}, now=now)

    def remove(self, *product_ids: str, now: datetime) -> None:
        """Remove products with all their pieces."""
        quantities = {p: n for p, n in self.quantities.items() if p not in product_ids}
        if quantities != self.quantities:
            self._keep(quantities, now=now)

    def clear(self) -> None:
        """Remove everything."""
        self._session.pop(CONTENTS, None)
        self._session.pop(INTENT, None)

    def priced(self) -> Priced:
        """Read the current prices of the products."""
        quantities = self.quantities
        products = prices_of(quantities) if quantities else {}
        lines = tuple(
            BasketLine(product, quantities[product.id], price)
            for product, price in (products[each] for each in quantities if each in products)
        )
        return Priced(
            lines,
            missing=tuple(p for p in quantities if p not in products),
            currency=next((product.currency for product, _price in products.values()), ""),
        )

    def _keep(self, quantities: dict[str, int], *, now: datetime) -> None:
        if not quantities:
            self.clear()
            return
        self._session[CONTENTS] = quantities
        self._session[INTENT] = new_order_id(now)


LONGEST_NEAR = 100
POINTS_OFFERED = 5


@dataclass(frozen=True, slots=True)
class Delivery:
    """The points near a place as it was typed, each with its distance, or the ``problem``."""

    near: str
    points: Sequence[tuple[PickupPoint, str]] = ()
    problem: str = ""


def ways_to_deliver(near: str, *, username: str) -> Delivery:
    """Return the nearest pickup points to a postcode or coordinates, or to an earlier order's."""
    try:
        place = locate(near) if near else location_of_earlier_order(username)
    except (NoSuchZip, BadLocation) as error:
        return Delivery(near, problem=str(error))
    if place is None:
        return Delivery(near)
    found = nearest_points(place.place, POINTS_OFFERED).points
    points = [(each.point, format_distance(each.metres)) for each in found]
    return Delivery(near or place.prefix, points)


def pickup_chosen(point_id: str) -> NewPickup | None:
    """Read the pickup point of a form, None for the door. Raises NoSuchPoint."""
    if not point_id:
        return None
    if len(point_id) > LONGEST_ID:
        raise NoSuchPoint(point_id)
    point = find_point(point_id)
    return NewPickup(point.id, point.name, point.address, point.hours)
