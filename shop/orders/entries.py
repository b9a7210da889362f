"""Orders as pages show them, read from items."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.text import slugify
from django.utils.translation import ngettext

from dynapages.django.paging import address_of_item
from dynapages.items import Item
from dynapages.lists import Entry, Page, moment_at, parse_timestamp, timestamp
from shop import keys
from shop.addresses.address import NewAddress
from shop.addresses.checking import address_lines
from shop.catalogue.drawings import drawing_url
from shop.models import Order
from shop.order_status import Status
from shop.orders.filters import BY_STATUS
from shop.orders.ids import name_of
from shop.orders.items import NewPickup, StatusChange, first_product_in, summary_in_words
from shop.orders.refs import OrderRef
from shop.prices import price_text

LINES_AT_ONCE = 100
"""Lines of an order that a page shows: as many as one BatchGetItem reads."""


@dataclass(frozen=True, slots=True)
class OrderEntry:
    """An order as lists show it.

    The list is in the order of ``date``: when it entered its status where statuses are chosen, else
    when it was placed.
    """

    id: str
    username: str
    status: Status
    date: datetime
    placed: datetime
    total: Decimal
    currency: str
    item_count: int
    foreign_id: str
    summary: str

    @property
    def bought(self) -> str:
        """The products in a few words, or their number where no summary is at hand."""
        if self.summary:
            return summary_in_words(self.summary)
        count = self.item_count
        return ngettext("%(count)s item", "%(count)s items", count) % {"count": count}

    @property
    def image(self) -> str:
        """The address of a drawing of its first product; empty where no summary is at hand.

        Lists know the name of the product and not its id: of an id that is made of the name, as
        those of the sample are, it is the product's own drawing; of others one of the same kind.
        """
        product_id = slugify(first_product_in(self.summary), allow_unicode=True)
        if not product_id:
            return ""
        return drawing_url(product_id)

    @property
    def total_text(self) -> str:
        return price_text(self.total, self.currency)

    @property
    def name(self) -> str:
        """What pages call it; see `shop.orders.ids.name_of`."""
        return name_of(self.id, self.foreign_id)

    @property
    def ref(self) -> OrderRef:
        """What forms send, so that the order is found at once."""
        return OrderRef(self.id, self.username)

    @property
    def url(self) -> str:
        return address_of_item("order", self.id)

    @property
    def again_url(self) -> str:
        """Where a form is sent to put its products into the basket."""
        return address_of_item("order_again", self.id)

    @property
    def date_iso(self) -> str:
        return timestamp(self.date)

    @property
    def is_delivered(self) -> bool:
        """Whether its customer has it: it was not sent back."""
        return self.status is Status.DELIVERED

    @property
    def lines_url(self) -> str:
        """The place of its products on its page."""
        return f"{self.url}#items-heading"

    @property
    def review_url(self) -> str:
        """What leads its customer to the reviews of its products."""
        return address_of_item("review_order", self.id)

    @property
    def customer_url(self) -> str:
        """The customer's orders, for staff."""
        return address_of_item("staff_customer_orders", self.username)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """A product in an order, with its name and price at that time.

    ``review_url`` is that of its customer's review, ``review_form_url`` where one is written; both
    are empty unless `shop.orders.listing` has set them.
    """

    product_id: str
    name: str
    quantity: int
    unit_price: Decimal
    currency: str
    review_url: str = ""
    review_form_url: str = ""

    @property
    def product_url(self) -> str:
        return address_of_item("comments:product", self.product_id)

    @property
    def total(self) -> Decimal:
        return self.unit_price * self.quantity

    @property
    def unit_price_text(self) -> str:
        return price_text(self.unit_price, self.currency)

    @property
    def total_text(self) -> str:
        return price_text(self.total, self.currency)


@dataclass(frozen=True, slots=True)
class WholeOrder(OrderEntry):
    """One order with some of its lines, its statuses, oldest first, and where it goes.

    ``items`` are those from ``first_line`` on, of ``line_count``. ``page`` is that of the index in
    which they were found, to be explained.
    """

    items: tuple[OrderLine, ...]
    history: tuple[StatusChange, ...]
    line_count: int
    first_line: int = 1
    pickup: NewPickup | None = None
    zip_prefix: str = ""
    address: NewAddress | None = None
    page: Page | None = None

    @property
    def address_lines(self) -> Sequence[str]:
        """The lines of its address in the visitor's language; none where there is none."""
        if self.address is None:
            return ()
        return address_lines(self.address)

    @property
    def last_line(self) -> int:
        return self.first_line + len(self.items) - 1

    @property
    def previous_page(self) -> int:
        """The number of the page of the lines before these, from 1; 0 without one."""
        return self.first_line // LINES_AT_ONCE

    @property
    def next_page(self) -> int:
        """The number of the page of the lines behind these; 0 without one."""
        if self.last_line >= self.line_count:
            return 0
        return self.previous_page + 2


def entry_of(entry: Entry) -> OrderEntry:
    """Read an order from an entry of a page."""
    attributes = _attributes(entry.item)
    date = attributes["placed"]
    if entry.run.index is BY_STATUS:
        date = moment_at(entry.position.place)
    return OrderEntry(**attributes, date=date)


def _attributes(item: Item) -> dict[str, Any]:
    """Return what every index has of an order."""
    # Read by hand: a model for each of 21 entries would take longer than the query.
    return {
        "id": item["sk"]["S"].removeprefix(keys.ORDER_PREFIX),
        "username": keys.username_in(item["pk"]["S"]),
        "status": Status(item["status"]["S"]),
        "placed": parse_timestamp(item["placed_at"]["S"]),
        "total": money(item["total_cents"]["N"]),
        "currency": item["currency"]["S"],
        "item_count": int(item["item_count"]["N"]),
        "foreign_id": item.get("foreign_id", {}).get("S", ""),
        "summary": item.get("summary", {}).get("S", ""),
    }


def whole_order(
    stored: Order, lines: Sequence[Item], *, first_line: int = 1, page: Page | None = None
) -> WholeOrder:
    """Build an order from its own item and those of lines, from number ``first_line`` on."""
    history = history_in(stored)
    attributes = _attributes(stored.serialize())
    return WholeOrder(
        **attributes,
        date=history[-1].moment,
        items=tuple(_line(item, attributes["currency"]) for item in lines),
        history=history,
        line_count=int(stored.line_count),
        first_line=first_line,
        pickup=pickup_in(stored),
        zip_prefix=stored.zip_prefix or "",
        address=address_in(stored),
        page=page,
    )


def _line(item: Item, currency: str) -> OrderLine:
    """Build a line of an order from its stored item, at a price in the order's currency."""
    return OrderLine(
        product_id=item["product_id"]["S"],
        name=item["name"]["S"],
        quantity=int(item["quantity"]["N"]),
        unit_price=money(item["unit_price_cents"]["N"]),
        currency=currency,
    )


def name_in(stored: Order) -> str:
    """Return what pages call a stored order; see `shop.orders.ids.name_of`."""
    return name_of(stored.sk.removeprefix(keys.ORDER_PREFIX), stored.foreign_id)


def history_in(stored: Order) -> tuple[StatusChange, ...]:
    """Read the statuses that an order entered, oldest first."""
    changes: list[StatusChange] = []
    for step in stored.history:
        change = StatusChange(
            Status(step.status),
            parse_timestamp(step.at),
            step.original,
            step.reason or "",
            step.mover or "",
        )
        changes.append(change)
    return tuple(changes)


def pickup_in(stored: Order) -> NewPickup | None:
    """Read the pickup point chosen for an order, None without one."""
    chosen = stored.pickup
    if chosen is None:
        return None
    return NewPickup(**chosen.attribute_values)


def address_in(stored: Order) -> NewAddress | None:
    """Read the address that an order goes to, None where none is stored."""
    if stored.address is None:
        return None
    return NewAddress(**stored.address.attribute_values)


def money(cents: float | str) -> Decimal:
    """Convert cents to the currency's main unit."""
    return Decimal(int(cents)).scaleb(-2)
