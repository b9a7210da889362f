"""The basket of a visitor, kept in the session's cookie.

It is bounded, because a cookie holds 4 KB. The id of its intent changes with its contents, so that
a form cannot order what it did not show.
"""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from shop.catalogue.queries import prices_of
from shop.catalogue.tiles import ProductTile
from shop.orders.entries import OrderLine
from shop.orders.ids import new_order_id
from shop.orders.items import MOST_LINES, MOST_OF_A_PRODUCT
from shop.prices import price_text

CONTENTS = "basket"
"""The key of the session that has pieces by product id."""
INTENT = "basket_intent"
"""That which has the id of the order form for these contents."""
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

    @property
    def unit_price_text(self) -> str:
        return price_text(self.unit_price, self.product.currency)

    @property
    def total_text(self) -> str:
        return price_text(self.total, self.product.currency)


@dataclass(frozen=True, slots=True)
class PricedBasket:
    """A basket with prices; ``missing`` are ids of products that cannot be bought."""

    lines: tuple[BasketLine, ...]
    missing: tuple[str, ...]
    currency: str

    @property
    def total(self) -> Decimal:
        return sum((line.total for line in self.lines), Decimal())

    @property
    def total_text(self) -> str:
        return price_text(self.total, self.currency)


@dataclass(frozen=True, slots=True)
class AddedLines:
    """What became of the lines of an order that was put into the basket: names of products."""

    added: list[str] = field(default_factory=list)
    no_longer_sold: list[str] = field(default_factory=list)
    without_room: list[str] = field(default_factory=list)


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
        # The basket is stored in the session's cookie, which has a bound.
        if len(quantities) > MOST_LINES or len("".join(quantities).encode()) > MOST_BYTES:
            sentence = _("Your basket is full: an order has at most %(most)s different products.")
            raise BasketFull(sentence % {"most": MOST_LINES})
        self._store(quantities, now=now)

    def add_lines(self, lines: Sequence[OrderLine], *, now: datetime) -> "AddedLines":
        """Add the products of an order that are sold today, at today's prices."""
        added = AddedLines()
        on_sale = prices_of({line.product_id for line in lines}) if lines else {}
        for line in lines:
            if line.product_id not in on_sale:
                added.no_longer_sold.append(line.name)
                continue
            try:
                self.add(line.product_id, line.quantity, now=now)
            except BasketFull:
                added.without_room.append(line.name)
            else:
                added.added.append(line.name)
        return added

    def change(self, product_id: str, quantity: int, *, now: datetime) -> None:
        """Set the pieces of a product that is in the basket, at least one."""
        quantities = self.quantities
        if quantities.get(product_id, quantity) != quantity:
            self._store({**quantities, product_id: quantity}, now=now)

    def remove(self, *product_ids: str, now: datetime) -> None:
        """Remove products with all their pieces."""
        quantities = self.quantities
        for product_id in product_ids:
            quantities.pop(product_id, None)
        if quantities != self.quantities:
            self._store(quantities, now=now)

    def clear(self) -> None:
        """Remove everything."""
        self._session.pop(CONTENTS, None)
        self._session.pop(INTENT, None)

    def priced(self) -> PricedBasket:
        """Read the current prices of the products."""
        quantities = self.quantities
        products = prices_of(quantities) if quantities else {}
        lines: list[BasketLine] = []
        missing: list[str] = []
        for product_id, quantity in quantities.items():
            if product_id in products:
                product, price = products[product_id]
                lines.append(BasketLine(product, quantity, price))
            else:
                missing.append(product_id)
        currency = lines[0].product.currency if lines else ""
        return PricedBasket(tuple(lines), tuple(missing), currency)

    def _store(self, quantities: dict[str, int], *, now: datetime) -> None:
        """Put quantities into the session, and begin a new order form for them."""
        if not quantities:
            self.clear()
            return
        self._session[CONTENTS] = quantities
        # Other contents are another order: an old form must not order them.
        self._session[INTENT] = new_order_id(now)
