"""The items of an order, and their keys, for every write and the integrity check."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import blake2b
from secrets import token_bytes
from typing import Any

from django.utils.translation import ngettext
from ulid import ULID

from dynapages.files.identifiers import identifier_of
from dynapages.lists import sort_key_of, timestamp
from shop import keys
from shop.catalogue.items import also_bought, nearest_to, purchase_data
from shop.models import (
    Order,
    OrderItem,
    OrderPointer,
    PickupChoice,
    Purchase,
    ShopItem,
    StatusMoment,
)
from shop.order_status import Status

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_TIME_BYTES, _RANDOM_BYTES = 6, 10
_TIME_CHARACTERS = 10
_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
ID_LENGTH = 26
_END_OF_ID = re.compile(rf"[0-9A-HJKMNP-TV-Z]{{{keys.SHORT_ID},{ID_LENGTH}}}")
_NOT_OF_ID = re.compile(r"^[…#.\s]+|[\s-]+")
_READ_AS = str.maketrans("OIL", "011")


def new_order_id(placed_at: datetime) -> str:
    """Return a new id for an order placed at an aware datetime."""
    return _spell(placed_at, token_bytes(_RANDOM_BYTES))


def imported_order_id(placed_at: datetime, foreign_id: str) -> str:
    """Derive the id of an imported order: the same for each import of it."""
    kept = identifier_of(foreign_id).encode() if foreign_id else b""
    return _spell(placed_at, blake2b(kept, digest_size=_RANDOM_BYTES).digest())


def foreign_key(foreign_id: str) -> str:
    """Return both keys of the pointer to an order from its id elsewhere, which may be any text."""
    return keys.foreign(identifier_of(foreign_id))


def is_id_of(text: str, placed_at: datetime) -> bool:
    """Return whether a text is an id of this shop for an order placed at that moment."""
    return _ID.fullmatch(text) is not None and text.startswith(id_bound(placed_at))


def number_in(typed: str) -> str:
    """Return the order's id, or an end of one, that was typed as pages show it; else "".

    It is decoded as Crockford's base 32: in any case, O as 0, I and L as 1, without hyphens. Blanks
    do not count, nor “…” or # in front.
    """
    spelled = _NOT_OF_ID.sub("", typed).upper().translate(_READ_AS)
    return spelled if _END_OF_ID.fullmatch(spelled) else ""


def moment_in(order_id: str) -> datetime:
    """Return the moment in an order's id, in milliseconds. Raises ValueError for other text."""
    return _EPOCH + int(ULID.from_str(order_id).milliseconds) * _MILLISECOND


def id_bound(moment: datetime) -> str:
    """Return a string between the ids of orders placed before ``moment`` and of all others."""
    return _spell(moment, bytes(_RANDOM_BYTES))[:_TIME_CHARACTERS]


def _spell(moment: datetime, rest: bytes) -> str:
    milliseconds = max(0, (moment - _EPOCH) // _MILLISECOND)
    return str(ULID.from_bytes(milliseconds.to_bytes(_TIME_BYTES) + rest))


MOST_LINES = 40
"""Different products in an order that is placed here; imported ones may have any number."""
MOST_OF_A_PRODUCT = 99
LONGEST_NAME = 60
"""Characters of a product's name in a summary: lists pay for every byte of it."""

_SUMMARY = re.compile(r"(.+) \+ ([0-9]+) more", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NewLine:
    """Pieces of a product, with its name and price now."""

    product_id: str
    name: str
    quantity: int
    unit_price_cents: int


@dataclass(frozen=True, slots=True)
class StatusChange:
    """When (aware) an order entered a status; ``original`` is its name before an import.

    ``reason`` is why it was called off or sent back; ``mover`` as `shop.orders.moving.mover_of`.
    """

    status: Status
    moment: datetime
    original: str | None = None
    reason: str = ""
    mover: str = ""


@dataclass(frozen=True, slots=True)
class NewPickup:
    """The pickup point of an order, as it was when it was chosen."""

    id: str
    name: str
    address: str
    hours: str


@dataclass(frozen=True, slots=True)
class NewOrder:
    """An order before it has keys, with any number of lines.

    ``history`` is not empty, oldest first; ``foreign_id`` is its id in another system, of up to 128
    characters, which may begin with an ``id_prefix``; ``zip_prefix`` the first digits of its
    postcode.
    """

    id: str
    username: str
    placed_at: datetime
    lines: tuple[NewLine, ...]
    history: tuple[StatusChange, ...]
    currency: str
    foreign_id: str | None = None
    id_prefix: str = ""
    zip_prefix: str | None = None
    pickup: NewPickup | None = None

    @property
    def now_in(self) -> StatusChange:
        """The status of the order, and since when."""
        return self.history[-1]

    @property
    def product_ids(self) -> tuple[str, ...]:
        """The products of its lines, each once."""
        return tuple(dict.fromkeys(line.product_id for line in self.lines))


def status_date(order_id: str, now_in: StatusChange) -> str:
    """Derive an order's key in ``by_status``."""
    return keys.status_prefix(now_in.status) + sort_key_of(now_in.moment, order_id)


def derived_keys(
    *, order_id: str, now_in: StatusChange, placed_at: datetime, shard: int
) -> dict[str, str]:
    """Derive an order's keys in the indexes; a closed order has none in the sparse ones."""
    derived = {"order_status_date": status_date(order_id, now_in)}
    if now_in.status.is_open:
        place = sort_key_of(placed_at, order_id)
        derived["order_open_date"] = place
        derived["open_shard"] = keys.open_shard(now_in.status, shard)
        derived["open_place"] = place
    return derived


TAIL = ("data_partition", "data")
"""The keys by which an order is found by the end of its id."""


def tail_keys(order_id: str, *, is_first: bool) -> dict[str, Any]:
    """Derive the `TAIL` of the first item of an order, and {} of its others.

    It is the first line, because lists read no lines; of an order without lines, its own item.
    """
    return dict(zip(TAIL, (keys.tail(order_id), "-"), strict=True)) if is_first else {}


def order_items_of(
    order: NewOrder, *, shard: int, before: Iterable[str] = ()
) -> tuple[Order, list[ShopItem]]:
    """Build an order's item, and the items of its lines, purchases and foreign id.

    ``shard`` is the order's in the queue; ``before`` are products that its customer had bought.
    """
    dependents = [*_lines(order), *_purchases(order, before), *_pointers(order)]
    return _order(order, shard=shard), dependents


def summary_of(name: str, *, products: int) -> str:
    """Format what is stored of what was bought, by its first product: “Desk lamp + 3 more”."""
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
    return shown if products == 1 else f"{shown} + {products - 1} more"


def summary_in_words(summary: str) -> str:
    """Return what `summary_of` formatted, in the visitor's language."""
    found = _SUMMARY.fullmatch(summary)
    if found is None:
        return summary
    sentence = ngettext(
        "%(product)s + %(count)s more", "%(product)s + %(count)s more", int(found[2])
    )
    return sentence % {"product": found[1], "count": found[2]}


def history_entry(change: StatusChange) -> StatusMoment:
    """Build the entry of a status in an order's history."""
    return StatusMoment(  # type: ignore[no-untyped-call] # PynamoDB leaves it untyped
        status=change.status.value,
        at=timestamp(change.moment),
        original=change.original,
        reason=change.reason or None,
        mover=change.mover or None,
    )


def _order(order: NewOrder, *, shard: int) -> Order:
    now_in = order.now_in
    derived: dict[str, Any] = derived_keys(
        order_id=order.id, now_in=now_in, placed_at=order.placed_at, shard=shard
    )
    summary = summary_of(order.lines[0].name, products=len(order.lines)) if order.lines else None
    pickup = PickupChoice(**asdict(order.pickup)) if order.pickup else None  # type: ignore[no-untyped-call] # PynamoDB's
    return Order(
        pk=keys.user(order.username),
        sk=keys.order(order.id),
        status=now_in.status.value,
        placed_at=timestamp(order.placed_at),
        history=[history_entry(change) for change in order.history],
        total_cents=sum(line.quantity * line.unit_price_cents for line in order.lines),
        currency=order.currency,
        item_count=sum(line.quantity for line in order.lines),
        line_count=len(order.lines),
        foreign_id=order.foreign_id,
        id_prefix=order.id_prefix or None,
        zip_prefix=order.zip_prefix,
        pickup=pickup,
        shard=shard,
        summary=summary,
        **derived,
        **tail_keys(order.id, is_first=not order.lines),
    )


def _lines(order: NewOrder) -> Iterator[OrderItem]:
    for number, line in enumerate(order.lines, 1):
        yield OrderItem(
            pk=keys.item(order.id, number),
            sk=keys.order(order.id),
            product_id=line.product_id,
            name=line.name,
            quantity=line.quantity,
            unit_price_cents=line.unit_price_cents,
            **tail_keys(order.id, is_first=number == 1),
        )


def _purchases(order: NewOrder, before: Iterable[str]) -> Iterator[Purchase]:
    is_delivered = order.now_in.status is Status.DELIVERED
    nearest = nearest_to(order.product_ids, before)
    for product_id in order.product_ids:
        data: dict[str, Any] = (
            purchase_data(order.username, product_id, moment_in(order.id)) if is_delivered else {}
        )
        yield Purchase(
            pk=keys.user(order.username),
            sk=keys.bought(order.username, product_id),
            username=order.username,
            order_id=order.id,
            also=also_bought(product_id, nearest),
            **data,
        )


def _pointers(order: NewOrder) -> Iterator[OrderPointer]:
    if order.foreign_id is not None:
        key = foreign_key(order.foreign_id)
        pointer = partial(OrderPointer, sk=key, username=order.username, order_id=order.id)
        yield pointer(pk=key)
        if order.id_prefix and (bare := order.foreign_id.removeprefix(order.id_prefix)):
            yield pointer(pk=foreign_key(bare))
