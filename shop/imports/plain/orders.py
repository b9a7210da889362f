"""Parsing of an order from its own fields and its lines. All of it raises RowRefused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dynamo.files.records import RowRefused
from shop.imports.life import furthest_in, history_of
from shop.imports.loading import Place
from shop.imports.names import Names
from shop.imports.plain.fields import Texts, currency, moment, needed
from shop.imports.plain.history_text import parse_history
from shop.imports.plain.lines import PlainLine, merge_lines
from shop.imports.plain.shape import DATES, PICKUP, Shape
from shop.imports.plain.statuses import status_of
from shop.order_status import Status
from shop.orders.ids import imported_order_id, is_id_of
from shop.orders.items import NewOrder, NewPickup, StatusChange


@dataclass(frozen=True, slots=True)
class PlainOrder:
    """An order, its rows in the files, and what its lines tell of products."""

    id: str
    places: Sequence[Place]
    order: NewOrder
    lines: Sequence[PlainLine]


def parse_order(
    texts: Texts, lines: Sequence[PlainLine], *, places: Sequence[Place], shape: Shape, names: Names
) -> PlainOrder:
    """Parse an order; ``texts`` are those of its own fields."""
    called = needed(texts, "order_id")
    placed_at = moment(texts, DATES[Status.PLACED], shape.dates)
    if placed_at is None:
        raise RowRefused(f"{DATES[Status.PLACED]} is missing")
    order_id, foreign_id = _ids(called, placed_at, texts, names)
    order = NewOrder(
        id=order_id,
        username=names.user(needed(texts, "customer")),
        placed_at=placed_at,
        lines=merge_lines(lines),
        history=_history(texts, placed_at, shape),
        currency=currency(texts),
        foreign_id=foreign_id,
        zip_prefix=texts.get("zip"),
        pickup=_pickup(texts),
    )
    return PlainOrder(called, places, order, lines)


def _ids(called: str, placed_at: datetime, texts: Texts, names: Names) -> tuple[str, str | None]:
    """Return the order's id and its foreign id: an id of this shop is kept."""
    if is_id_of(called, placed_at):
        return called, texts.get("foreign_id")
    foreign_id = names.order(called)
    return imported_order_id(placed_at, foreign_id), foreign_id


def _history(texts: Texts, placed_at: datetime, shape: Shape) -> tuple[StatusChange, ...]:
    status = _status(texts, shape)
    if "history" in texts:
        return _given_history(texts["history"], status)
    dates = {Status.PLACED: placed_at}
    for step, name in DATES.items():
        if (found := moment(texts, name, shape.dates)) is not None:
            dates[step] = found
    spelled = texts.get("status")
    now_in = status or furthest_in(dates)
    original = spelled if spelled and spelled != now_in.value else None
    return history_of(now_in, dates, original)


def _status(texts: Texts, shape: Shape) -> Status | None:
    if "status" not in texts:
        if shape.needs_status:
            raise RowRefused("status is missing")
        return None
    status = status_of(texts["status"], shape.statuses)
    if status is None:
        raise RowRefused(
            f"status: “{texts['status'][:40]}” is unknown: --status-map can translate it"
        )
    return status


def _given_history(text: str, status: Status | None) -> tuple[StatusChange, ...]:
    try:
        history = parse_history(text)
    except ValueError as error:
        raise RowRefused(f"history: “{text[:40]}” is none") from error
    if not history or status not in {None, history[-1].status}:
        raise RowRefused("history does not end in the status")
    return history


def _pickup(texts: Texts) -> NewPickup | None:
    if not all(name in texts for name in PICKUP[:2]):
        return None
    return NewPickup(*(texts.get(name, "") for name in PICKUP))
