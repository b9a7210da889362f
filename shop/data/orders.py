"""Parsing of an order from its own fields and its lines. All of it raises RowRefused."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_HALF_UP
from operator import attrgetter

from dynapages.files.records import RowRefused
from shop.addresses.address import NewAddress
from shop.addresses.countries import country_codes
from shop.addresses.forms import LONGEST_LINES
from shop.data.amounts import Amounts
from shop.data.fields import LONGEST_TEXT, Texts, cents, currency, fraction, moment, needed, pieces
from shop.data.history import history_of, parse_history
from shop.data.names import Names
from shop.data.shape import ADDRESS, DATES, LINE_NUMBER, PICKUP, Shape, status_of
from shop.order_status import Status
from shop.orders.ids import imported_order_id, is_order_id
from shop.orders.items import NewLine, NewOrder, NewPickup, StatusChange


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A row of a line: ``total_cents`` are for all pieces; "" where a name or category is missing.

    ``id_in_file`` is the product's id as the file has it. ``number`` is that of the line in its
    order, from 1, in files that number them. ``listed_as`` is the product's name now, if that is
    another one.
    """

    product_id: str
    id_in_file: str
    name: str
    category: str
    quantity: int
    total_cents: int
    number: int = 0
    listed_as: str = ""


def parse_line(texts: Texts, names: Names, amounts: Amounts) -> PlainLine:
    """Parse a line, whose total is given, or follows from price, number and discount.

    ``texts`` have the currency of its order, if that is known.
    """
    id_in_file = needed(texts, "product_id")
    quantity = pieces(texts, "quantity")
    if "line_total" in texts:
        total = cents(texts, "line_total", amounts)
    else:
        whole = cents(texts, "unit_price", amounts) * quantity
        reduced = whole * (1 - fraction(texts, "discount"))
        total = int(reduced.to_integral_value(ROUND_HALF_UP))
    product_id = names.product(id_in_file)
    if "product_external_id" in texts:  # an export of this shop
        names.products_before[product_id] = texts["product_external_id"]
    return PlainLine(
        product_id=product_id,
        id_in_file=id_in_file,
        name=texts.get("product_name", ""),
        category=texts.get("category", ""),
        quantity=quantity,
        total_cents=total,
        number=pieces(texts, LINE_NUMBER) if LINE_NUMBER in texts else 0,
        listed_as=texts.get("listed_as", ""),
    )


def in_order(lines: Sequence[PlainLine]) -> list[PlainLine]:
    """Return numbered lines by their numbers, of which none may be missing, or there twice."""
    # A missing number is a row that was lost: the order would be incomplete.
    ordered = sorted(lines, key=attrgetter("number"))
    numbers = [line.number for line in ordered]
    if numbers != list(range(1, len(ordered) + 1)):
        shown = ", ".join(map(str, numbers))
        raise RowRefused(f"its items are numbered {shown}: one is missing, or there twice")
    return ordered


def merge_lines(lines: Iterable[PlainLine]) -> tuple[NewLine, ...]:
    """Build an order's lines: one for all pieces of a product at one price.

    A total that is no multiple of the pieces becomes two lines, a cent apart.
    """
    quantities: dict[tuple[str, str, int], int] = {}
    for line in lines:
        # 10.00 for 3 pieces: one of them costs 3.34, two cost 3.33.
        price, rest = divmod(line.total_cents, line.quantity)
        for quantity, cents_each in ((line.quantity - rest, price), (rest, price + 1)):
            if quantity:
                key = line.product_id, line.name or line.id_in_file, cents_each
                quantities[key] = quantities.get(key, 0) + quantity
    merged: list[NewLine] = []
    for (product_id, name, cents_each), quantity in quantities.items():
        merged.append(NewLine(product_id, name, quantity, cents_each))
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class RowRef:
    """A row of a file, by the number of its first line."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ImportedOrder:
    """An order by its id in the file, with its rows, and what its lines tell of products."""

    id: str
    rows: Sequence[RowRef]
    order: NewOrder
    lines: Sequence[PlainLine]


def parse_order(
    texts: Texts, lines: Sequence[PlainLine], *, rows: Sequence[RowRef], shape: Shape, names: Names
) -> ImportedOrder:
    """Parse an order; ``texts`` are those of its own fields."""
    if shape.are_lines_numbered:
        lines = in_order(lines)
    id_in_file = needed(texts, "order_id")
    placed_at = moment(texts, DATES[Status.PLACED], shape.dates)
    if placed_at is None:
        raise RowRefused(f"{DATES[Status.PLACED]} is missing")
    id_prefix = texts.get("id_prefix", "")
    foreign_id: str | None
    if is_order_id(id_in_file, placed_at):  # an id of this shop is kept
        order_id, foreign_id = id_in_file, texts.get("foreign_id")
    else:
        foreign_id = names.order(id_prefix + id_in_file)
        order_id = imported_order_id(placed_at, foreign_id)
    username = names.user(needed(texts, "customer"))
    if "customer_external_id" in texts:
        names.users_before[username] = texts["customer_external_id"]
    order = NewOrder(
        id=order_id,
        username=username,
        placed_at=placed_at,
        lines=merge_lines(lines),
        history=_history(texts, shape),
        currency=currency(texts),
        foreign_id=foreign_id,
        id_prefix=id_prefix,
        # An apostrophe, as Shopify has it, makes a spreadsheet show it as text.
        zip_prefix=texts.get("zip", "").removeprefix("'") or None,
        pickup=_pickup(texts),
        address=_address(texts),
    )
    return ImportedOrder(id_in_file, rows, order, lines)


def _pickup(texts: Texts) -> NewPickup | None:
    """Return the pickup point of an export of this shop, which has an id and a name at least."""
    if any(name not in texts for name in PICKUP[:2]):
        return None
    return NewPickup(*[texts.get(name, "") for name in PICKUP])


def _address(texts: Texts) -> NewAddress | None:
    """Return the address that an order goes to; it is as the file has it, with a known country."""
    if "address_country" not in texts or "address_lines" not in texts:
        return None
    country = texts["address_country"].upper()
    if country not in country_codes():
        raise RowRefused(f"address_country: “{country[:40]}” is not a code of two letters, as DE")
    for name in ADDRESS:
        if len(texts.get(name, "")) > LONGEST_LINES:
            raise RowRefused(f"{name} has more than {LONGEST_LINES} characters")
    address = NewAddress(*[texts.get(name, "") for name in ADDRESS])
    return replace(address, country=country)


def _history(texts: Texts, shape: Shape) -> tuple[StatusChange, ...]:
    """Return the history of an order, from its own column or from its status and dates."""
    status = _status(texts, shape)
    if "history" in texts:
        return _given_history(texts["history"], status)
    dates: dict[Status, datetime] = {}
    for dated_status, name in DATES.items():
        entered_at = moment(texts, name, shape.dates)
        if entered_at:
            dates[dated_status] = entered_at
    if status is None:
        status = max(dates, key=list(Status).index)  # the furthest with a date
    if status is Status.RETURNED and Status.CANCELED in dates and Status.RETURNED not in dates:
        status = Status.CANCELED  # so what was given back is the money
    original = texts.get("status")
    if original == status.value:
        original = None
    return history_of(status, dates, original)


def _status(texts: Texts, shape: Shape) -> Status | None:
    """Return the status of an order, None where its dates decide. Raises RowRefused."""
    if "status" not in texts:
        if shape.needs_status:
            raise RowRefused("status is missing")
        return None
    try:
        return status_of(texts["status"], shape.statuses)
    except KeyError as error:
        raise RowRefused(
            f"status: “{texts['status'][:40]}” is unknown: --status-map can translate it"
        ) from error


def _given_history(text: str, status: Status | None) -> tuple[StatusChange, ...]:
    """Parse the history of an export of this shop, which must end in the ``status``."""
    try:
        history = parse_history(text)
    except ValueError as error:
        raise RowRefused(f"history: “{text[:40]}” is none") from error
    if not history or status not in {None, history[-1].status}:
        raise RowRefused("history does not end in the status")
    longest_text = 0
    for change in history:
        for given in (change.original or "", change.reason, change.mover):
            longest_text = max(longest_text, len(given))
    if len(history) > len(Status) or longest_text > LONGEST_TEXT:
        longest = f"{len(Status)} statuses, or {LONGEST_TEXT:,} characters about one"
        raise RowRefused(f"history has more than {longest}")
    return history
