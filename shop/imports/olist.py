"""Parsing of Olist's customers, items and orders; all of it raises RowRefused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dynamo.files.records import Record, RowRefused
from shop.imports.life import Dates, history_of
from shop.imports.names import Names
from shop.imports.olist_fields import cents_in, id_in, moment_in, needed_in, number_in, text_in
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import MOST_LINES, NewLine, NewOrder, StatusChange

CURRENCY = "BRL"
STATUSES = {
    "created": Status.PLACED,
    "approved": Status.APPROVED,
    "invoiced": Status.APPROVED,
    "processing": Status.PROCESSING,
    "shipped": Status.SHIPPED,
    "delivered": Status.DELIVERED,
    "canceled": Status.CANCELED,
    "unavailable": Status.CANCELED,
}
"""Olist's statuses and the shop's."""
_DATES = {
    Status.PLACED: "order_purchase_timestamp",
    Status.APPROVED: "order_approved_at",
    Status.SHIPPED: "order_delivered_carrier_date",
    Status.DELIVERED: "order_delivered_customer_date",
}
"""The columns of the statuses' dates."""


@dataclass(frozen=True, slots=True)
class OlistCustomer:
    """A customer's address in one order: each order has its own customer id.

    ``username`` is Olist's unique id, ``zip_prefix`` has five digits, zeros included.
    """

    id: str
    username: str
    zip_prefix: str


@dataclass(frozen=True, slots=True)
class OlistItem:
    """One piece of a product in an order, numbered from 1; ``line`` is that of the file."""

    order_id: str
    number: int
    product_id: str
    price_cents: int
    line: int


@dataclass(frozen=True, slots=True)
class OlistOrder:
    """A row of the orders, with Olist's ids, status and dates; ``line`` is that of the file."""

    id: str
    customer_id: str
    status: str
    dates: Dates
    line: int

    @property
    def placed_at(self) -> datetime:
        return self.dates[Status.PLACED]


def read_customer(record: Record, names: Names) -> OlistCustomer:
    """Read a row of the customers."""
    return OlistCustomer(
        id=id_in(record, "customer_id"),
        username=names.user(needed_in(record, "customer_unique_id")),
        zip_prefix=text_in(record, "customer_zip_code_prefix"),
    )


def read_item(record: Record, names: Names) -> OlistItem:
    """Read a row of the orders' items."""
    return OlistItem(
        order_id=id_in(record, "order_id"),
        number=number_in(record, "order_item_id"),
        product_id=names.product(needed_in(record, "product_id")),
        price_cents=cents_in(record, "price"),
        line=record.line,
    )


def read_order(record: Record) -> OlistOrder:
    """Read a row of the orders."""
    order_id, customer_id = id_in(record, "order_id"), id_in(record, "customer_id")
    status = text_in(record, "order_status")
    if status not in STATUSES:
        raise RowRefused(f"order_status: “{status[:40]}” is none of {', '.join(STATUSES)}")
    moments = {step: moment_in(record, column) for step, column in _DATES.items()}
    dates = {step: moment for step, moment in moments.items() if moment is not None}
    if Status.PLACED not in dates:
        raise RowRefused(f"{_DATES[Status.PLACED]} is missing")
    return OlistOrder(order_id, customer_id, status, dates, record.line)


def new_order(
    order: OlistOrder,
    *,
    customer: OlistCustomer,
    items: Sequence[OlistItem],
    names: Mapping[str, str],
) -> NewOrder:
    """Build an order from its row and items, maybe none; ``names`` are the products'."""
    _require_complete(items)
    return NewOrder(
        id=imported_order_id(order.placed_at, order.id),
        username=customer.username,
        placed_at=order.placed_at,
        lines=_lines(items, names),
        history=olist_history(order.status, order.dates),
        currency=CURRENCY,
        foreign_id=order.id,
        zip_prefix=customer.zip_prefix or None,
    )


def olist_history(original: str, dates: Dates) -> tuple[StatusChange, ...]:
    """Return the history of an order with Olist's status ``original`` (a key of `STATUSES`)."""
    status = STATUSES[original]
    if status is Status.PROCESSING and Status.APPROVED in dates:
        dates = {**dates, status: dates[Status.APPROVED]}  # Olist has no date of its own for it
    return history_of(status, dates, original)


def _require_complete(items: Iterable[OlistItem]) -> None:
    numbers = sorted(item.number for item in items)
    if numbers != list(range(1, len(numbers) + 1)):
        listed = ", ".join(map(str, numbers))
        raise RowRefused(f"its items are numbered {listed}: one is missing, or there twice")


def _lines(items: Iterable[OlistItem], names: Mapping[str, str]) -> tuple[NewLine, ...]:
    # One line for all pieces of a product at one price.
    quantities: dict[tuple[str, int], int] = {}
    for item in sorted(items, key=lambda item: item.number):
        key = item.product_id, item.price_cents
        quantities[key] = quantities.get(key, 0) + 1
    if len(quantities) > MOST_LINES:
        raise RowRefused(f"it has {len(quantities)} different products, more than {MOST_LINES}")
    return tuple(
        NewLine(
            product_id=product_id,
            name=names[product_id],
            quantity=quantity,
            unit_price_cents=price_cents,
        )
        for (product_id, price_cents), quantity in quantities.items()
    )
