"""Placing of the order of a basket: idempotent by the id of an intent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dynapages.process import pool
from dynapages.writes import ConditionFailed
from shop import keys
from shop.addresses.address import NewAddress
from shop.catalogue.also_bought import bought_before
from shop.catalogue.queries import prices_of
from shop.catalogue.tiles import ProductTile
from shop.models import OrderPointer
from shop.order_status import Status
from shop.orders.counts import count_changes
from shop.orders.entries import WholeOrder, whole_order
from shop.orders.ids import moment_in, new_order_id
from shop.orders.items import (
    MOST_LINES,
    NewLine,
    NewOrder,
    NewPickup,
    StatusChange,
    order_items,
    order_puts,
)
from shop.orders.owing import OrderChange, owed_by
from shop.orders.signals import log_order, send_placed
from shop.table import OPEN_ORDERS, write_with_counts
from shop.work import actions_of, do_at_once


class TooManyLines(ValueError):
    """The order has more different products than a basket holds."""


class OrderRefused(ValueError):
    """Products of an order are not for sale, or not together; the text says why."""


class NotSold(OrderRefused):
    """Products of an order are not for sale, which are ``product_ids``; the text names one."""

    def __init__(self, product_ids: Sequence[str]) -> None:
        sentence = _("“%(product)s” is no longer sold. Please remove it from your basket.")
        super().__init__(sentence % {"product": product_ids[0]})
        self.product_ids = product_ids


class CurrenciesDiffer(OrderRefused):
    """The prices of an order are in several currencies, which have no total."""

    def __init__(self, currencies: Sequence[str]) -> None:
        sentence = _("All products of an order must have the same currency, not %(currencies)s.")
        super().__init__(sentence % {"currencies": ", ".join(currencies)})


@dataclass(frozen=True, slots=True)
class BasketRead:
    """A basket with all that its order depends on, as it was read.

    ``products`` are those for sale, with their prices; ``before`` are the ids of those that the
    customer bought. ``placed_before`` is the order that the same intent placed.
    """

    username: str
    client_id: str
    quantities: Mapping[str, int]
    placed_before: str | None
    products: Mapping[str, tuple[ProductTile, Decimal]]
    before: Iterable[str]


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order's id, and the order as it was written; None if the same intent placed it before."""

    id: str
    written: WholeOrder | None = None


def read_basket(*, username: str, client_id: str, basket: Mapping[str, int]) -> BasketRead:
    """Read what the order of a basket's quantities depends on, in one round.

    Raises TooManyLines of more than `MOST_LINES` products.
    """
    if len(basket) > MOST_LINES:
        raise TooManyLines(f"An order has at most {MOST_LINES} lines, not {len(basket)}.")
    with pool().together() as together:
        placed = together.start(order_placed_by, username=username, client_id=client_id)
        # What was bought before is stored with each purchase.
        bought = together.start(bought_before, username)
        products = prices_of(basket)
        return BasketRead(username, client_id, basket, placed.result(), products, bought.result())


def place_order(
    *,
    username: str,
    client_id: str,
    basket: Mapping[str, int],
    now: datetime,
    pickup: NewPickup | None = None,
    address: NewAddress | None = None,
) -> str:
    """Place an order of a basket's quantities at their current prices; return its id.

    The same ``client_id`` returns the order that it placed the first time. Raises OrderRefused,
    and TooManyLines of more than `MOST_LINES` products.
    """
    read = read_basket(username=username, client_id=client_id, basket=basket)
    return place_read_basket(read, now=now, pickup=pickup, address=address).id


def place_read_basket(
    read: BasketRead,
    *,
    now: datetime,
    pickup: NewPickup | None = None,
    address: NewAddress | None = None,
) -> PlacedOrder:
    """Place the order of a basket that was read a moment ago. Raises OrderRefused.

    ``address`` is as `shop.addresses.checking.checked_address` returns it. The order goes to the
    ``pickup`` point where it has both. Its language is the active one.
    """
    username = read.username
    if read.placed_before:
        return _logged(PlacedOrder(read.placed_before), username)
    # An id has milliseconds: the moment that is stored must not have more.
    placed_at = now.replace(microsecond=now.microsecond // 1000 * 1000)
    lines, currency = _priced(read)
    order = NewOrder(
        id=new_order_id(placed_at),
        username=username,
        placed_at=placed_at,
        lines=lines,
        history=(StatusChange(Status.PLACED, placed_at),),
        currency=currency,
        pickup=pickup,
        address=address,
        language=get_language() or "",
    )
    items = order_items(order, shard=OPEN_ORDERS.pick(), before=read.before)
    # The pointer makes the same form, sent again even years later, lead to this order.
    key = keys.placing(username, read.client_id)
    pointer = OrderPointer(pk=key, sk=key, username=username, order_id=order.id)
    own_item, *others = items.all
    puts = order_puts([own_item, pointer, *others])
    changes = count_changes(username, left=None, entered=Status.PLACED)
    owes = owed_by([OrderChange(order.id, username, None, Status.PLACED, placed_at)])
    try:
        write_with_counts([*puts.values(), *actions_of(owes)], changes, may_spread=True)
    except ConditionFailed:
        # The same form, sent twice at once: the other request was faster.
        placed_before = order_placed_by(username=username, client_id=read.client_id)
        if placed_before is None:
            raise
        return _logged(PlacedOrder(placed_before), username)
    do_at_once(owes)
    send_placed(order.id, username, placed_at, by=username)
    written = whole_order(items.order, [line.serialize() for line in items.lines])
    return _logged(PlacedOrder(order.id, written), username)


def order_placed_by(*, username: str, client_id: str) -> str | None:
    """Return the id of the order placed by an intent, or None."""
    key = keys.placing(username, client_id)
    pointer = OrderPointer.find(key, key)
    return pointer.order_id if pointer else None


def _logged(placed: PlacedOrder, username: str) -> PlacedOrder:
    """Log that an order was placed; again where the answer to the first placing may be lost."""
    log_order(
        order_id=placed.id,
        username=username,
        who=username,
        source=None,
        target=Status.PLACED,
        at=moment_in(placed.id),
    )
    return placed


def _priced(read: BasketRead) -> tuple[tuple[NewLine, ...], str]:
    """Return lines at the current prices, and their currency. Raises OrderRefused."""
    products = read.products
    missing = sorted(read.quantities.keys() - products.keys())
    if missing:
        raise NotSold(missing)
    currencies = sorted({product.currency for product, _ in products.values()})
    if len(currencies) > 1:
        raise CurrenciesDiffer(currencies)
    lines: list[NewLine] = []
    for product_id, quantity in read.quantities.items():
        product, price = products[product_id]
        cents = int(price.scaleb(2))
        lines.append(NewLine(product.id, product.name, quantity, cents))
    return tuple(lines), currencies[0]
