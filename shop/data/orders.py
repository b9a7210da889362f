"""Parsing of an order from its own fields and its lines. All of it raises RowRefused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP
from urllib.parse import quote, unquote

from dynapages.files.identifiers import LONGEST_ID, identifier_of, mapped_identifier
from dynapages.files.records import RowRefused
from dynapages.lists import parse_timestamp, timestamp
from shop.accounts.names import LONGEST_USERNAME, USERNAME
from shop.data.fields import LONGEST_TEXT, Texts, cents, currency, fraction, moment, needed, pieces
from shop.data.shape import DATES, LINE_NUMBER, PICKUP, Shape, status_of
from shop.order_status import Status
from shop.orders.ids import imported_order_id, is_order_id
from shop.orders.items import NewLine, NewOrder, NewPickup, StatusChange


@dataclass(slots=True)
class Names:
    """Maps names and ids, and keeps the originals of those that could not be kept.

    ``users_before`` and ``products_before`` are originals that an export of this shop tells.
    """

    users: dict[str, str] = field(default_factory=dict)
    products: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    users_before: dict[str, str] = field(default_factory=dict)
    products_before: dict[str, str] = field(default_factory=dict)

    def user(self, original: str) -> str:
        """Return the user name of a customer, whose ``original`` name is not empty."""
        name = user_name_of(original)
        if name != original.lower():
            self.users[name] = original
        return name

    def order(self, original: str) -> str:
        """Return the foreign id of an order: its ``original`` id, unless that is too long."""
        return original if len(original) <= LONGEST_ID else _mapped(original, self.orders)

    def product(self, original: str) -> str:
        """Return the id of a product, whose ``original`` id is not empty."""
        return _mapped(original, self.products)


def user_name_of(original: str) -> str:
    """Return a user name: ``original`` in lower case if that is allowed, else a mapped one.

    Raises ValueError for an empty text.
    """
    name = original.lower()
    if USERNAME.fullmatch(name):
        return name
    return mapped_identifier(original, LONGEST_USERNAME).lower()


def _mapped(original: str, originals: dict[str, str]) -> str:
    mapped = identifier_of(original)
    if mapped != original:
        originals[mapped] = original
    return mapped


_WAY = (Status.PLACED, Status.APPROVED, Status.PROCESSING, Status.SHIPPED, Status.DELIVERED)
"""The statuses that an order may pass before each later one, and before its other ends."""
Dates = Mapping[Status, datetime]
"""When an order entered its statuses; that of PLACED is always there."""


def history_of(status: Status, dates: Dates, original: str | None) -> tuple[StatusChange, ...]:
    """Return the history of an order in ``status``, which was called ``original``.

    The last status was entered at its date, or without one at the latest date. Those before were
    entered at their dates, clamped between the placing and the next status, or are left out.
    Dates of statuses after the last one are ignored.
    """
    moment = dates.get(status) or max(dates.values())
    history = [StatusChange(status, moment, original)]
    passed = _WAY[: _WAY.index(status)] if status in _WAY else _WAY
    for before in reversed(passed):
        if before in dates:
            moment = max(dates[Status.PLACED], min(dates[before], moment))
            history.append(StatusChange(before, moment))
    return tuple(reversed(history))


_PARTS = 5


def write_history(history: Iterable[StatusChange]) -> str:
    """Return a history as text, which `parse_history` reads."""
    words = []
    for change in history:
        told = [change.original or "", change.reason, change.mover]
        parts = [
            change.status.value,
            timestamp(change.moment),
            *(quote(part, safe="") for part in told),
        ]
        words.append("@".join(parts).rstrip("@"))
    return " ".join(words)


def parse_history(text: str) -> tuple[StatusChange, ...]:
    """Parse what `write_history` wrote. Raises ValueError for other text."""
    changes = []
    for word in text.split():
        status, moment, *told = word.split("@", _PARTS - 1)
        at = parse_timestamp(moment)
        original, *others = [unquote(part) for part in told] or [""]
        changes.append(StatusChange(Status(status), at, original or None, *others))
    return tuple(changes)


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A row of a line: ``total_cents`` are for all pieces; "" where a name or category is missing.

    ``called`` is the product's id as the file has it. ``number`` is that of the line in its order,
    from 1, in files that number them. ``listed_as`` is the product's name now, if that is another.
    """

    product_id: str
    called: str
    name: str
    category: str
    quantity: int
    total_cents: int
    number: int = 0
    listed_as: str = ""


def parse_line(texts: Texts, names: Names, decimal: str | None) -> PlainLine:
    """Parse a line, whose total is given, or follows from price, number and discount."""
    called = needed(texts, "product_id")
    quantity = pieces(texts, "quantity")
    if "line_total" in texts:
        total = cents(texts, "line_total", decimal)
    else:
        whole = cents(texts, "unit_price", decimal) * quantity
        total = int((whole * (1 - fraction(texts, "discount"))).to_integral_value(ROUND_HALF_UP))
    product_id = names.product(called)
    if "product_external_id" in texts:
        names.products_before[product_id] = texts["product_external_id"]
    return PlainLine(
        product_id=product_id,
        called=called,
        name=texts.get("product_name", ""),
        category=texts.get("category", ""),
        quantity=quantity,
        total_cents=total,
        number=pieces(texts, LINE_NUMBER) if LINE_NUMBER in texts else 0,
        listed_as=texts.get("listed_as", ""),
    )


def in_order(lines: Sequence[PlainLine]) -> list[PlainLine]:
    """Return numbered lines by their numbers, of which none may be missing, or there twice."""
    found = sorted(lines, key=lambda line: line.number)
    if [line.number for line in found] != list(range(1, len(found) + 1)):
        listed = ", ".join(str(line.number) for line in found)
        raise RowRefused(f"its items are numbered {listed}: one is missing, or there twice")
    return found


def merge_lines(lines: Iterable[PlainLine]) -> tuple[NewLine, ...]:
    """Build an order's lines: one for all pieces of a product at one price.

    A total that is no multiple of the pieces becomes two lines, a cent apart.
    """
    found: dict[tuple[str, str, int], int] = {}
    for line in lines:
        price, rest = divmod(line.total_cents, line.quantity)
        for quantity, at in ((line.quantity - rest, price), (rest, price + 1)):
            if quantity:
                key = line.product_id, line.name or line.called, at
                found[key] = found.get(key, 0) + quantity
    return tuple(
        NewLine(product_id=product_id, name=name, quantity=quantity, unit_price_cents=at)
        for (product_id, name, at), quantity in found.items()
    )


@dataclass(frozen=True, slots=True)
class RowRef:
    """A row of a file, by the number of its first line."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ImportedOrder:
    """An order, its rows in the files, and what its lines tell of products.

    ``lacks_days`` is whether one of its dates is a month without a day.
    """

    id: str
    rows: Sequence[RowRef]
    order: NewOrder
    lines: Sequence[PlainLine]
    lacks_days: bool = False


def parse_order(
    texts: Texts, lines: Sequence[PlainLine], *, rows: Sequence[RowRef], shape: Shape, names: Names
) -> ImportedOrder:
    """Parse an order; ``texts`` are those of its own fields."""
    if shape.are_lines_numbered:
        lines = in_order(lines)
    called = needed(texts, "order_id")
    placed_at = moment(texts, DATES[Status.PLACED], shape.dates)
    if placed_at is None:
        raise RowRefused(f"{DATES[Status.PLACED]} is missing")
    id_prefix = texts.get("id_prefix", "")
    if is_order_id(called, placed_at):  # an id of this shop is kept
        order_id, foreign_id = called, texts.get("foreign_id")
    else:
        foreign_id = names.order(id_prefix + called)
        order_id = imported_order_id(placed_at, foreign_id)
    username = names.user(needed(texts, "customer"))
    if "customer_external_id" in texts:
        names.users_before[username] = texts["customer_external_id"]
    has_pickup = all(name in texts for name in PICKUP[:2])
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
        pickup=NewPickup(*(texts.get(name, "") for name in PICKUP)) if has_pickup else None,
    )
    dated = [texts[name] for name in DATES.values() if name in texts]
    return ImportedOrder(called, rows, order, lines, any(map(shape.dates.is_without_day, dated)))


def _history(texts: Texts, shape: Shape) -> tuple[StatusChange, ...]:
    status = _status(texts, shape)
    if "history" in texts:
        return _given_history(texts["history"], status)
    moments = {step: moment(texts, name, shape.dates) for step, name in DATES.items()}
    dates = {step: found for step, found in moments.items() if found}
    now_in = status or max(dates, key=list(Status).index)  # the furthest with a date
    if now_in is Status.RETURNED and Status.CANCELED in dates and now_in not in dates:
        now_in = Status.CANCELED  # so what was given back is the money
    spelled = texts.get("status")
    return history_of(now_in, dates, spelled if spelled != now_in.value else None)


def _status(texts: Texts, shape: Shape) -> Status | None:
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
    try:
        history = parse_history(text)
    except ValueError as error:
        raise RowRefused(f"history: “{text[:40]}” is none") from error
    if not history or status not in {None, history[-1].status}:
        raise RowRefused("history does not end in the status")
    told = [len(part or "") for one in history for part in (one.original, one.reason, one.mover)]
    if len(history) > len(Status) or max(told) > LONGEST_TEXT:
        longest = f"{len(Status)} statuses, or {LONGEST_TEXT:,} characters about one"
        raise RowRefused(f"history has more than {longest}")
    return history
