"""Placing of orders, idempotent by the id of an intent."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from dynapages.writes import ConditionFailed
from shop import keys
from shop.catalogue.items import EDGES
from shop.catalogue.queries import prices_of
from shop.models import OrderPointer
from shop.order_status import Status
from shop.orders.actions import deltas_of, log_order, put_actions, tell_placed
from shop.orders.items import (
    MOST_LINES,
    NewLine,
    NewOrder,
    NewPickup,
    StatusChange,
    moment_in,
    new_order_id,
    order_items_of,
)
from shop.table import OPEN_ORDERS, write_with_counts


class TooManyLines(ValueError):
    """The order has more different products than a basket holds."""


class OrderRefused(ValueError):
    """Products of an order are not for sale, or not together; the text says why."""


def place_order(
    *,
    username: str,
    client_id: str,
    basket: Mapping[str, int],
    now: datetime,
    pickup: NewPickup | None = None,
) -> str:
    """Place an order of a basket's quantities at their current prices; return its id.

    The same ``client_id`` returns the order that it placed the first time. Raises OrderRefused,
    and TooManyLines of more than `MOST_LINES` products.
    """
    if len(basket) > MOST_LINES:
        raise TooManyLines(f"An order has at most {MOST_LINES} lines, not {len(basket)}.")
    if placed_before := order_placed_by(username=username, client_id=client_id):
        return _logged(placed_before, username)
    placed_at = now.replace(microsecond=now.microsecond // 1000 * 1000)  # the precision of an id
    lines, currency = _priced(basket)
    order = NewOrder(
        id=new_order_id(placed_at),
        username=username,
        placed_at=placed_at,
        lines=lines,
        history=(StatusChange(Status.PLACED, placed_at),),
        currency=currency,
        pickup=pickup,
    )
    item, dependents = order_items_of(order, shard=OPEN_ORDERS.pick(), edge_shards=EDGES.writable())
    mark = keys.placing(username, client_id)
    pointer = OrderPointer(pk=mark, sk=mark, username=username, order_id=order.id)
    actions = list(put_actions([item, pointer, *dependents]).values())
    try:
        write_with_counts(actions, deltas_of(username, left=None, entered=Status.PLACED))
    except ConditionFailed:
        if placed_before := order_placed_by(username=username, client_id=client_id):
            return _logged(placed_before, username)
        raise
    tell_placed(order.id, username, placed_at, by=username)
    return _logged(order.id, username)


def order_placed_by(*, username: str, client_id: str) -> str | None:
    """Return the id of the order placed by an intent, or None."""
    mark = keys.placing(username, client_id)
    pointer = OrderPointer.find(mark, mark)
    return pointer.order_id if pointer else None


def _logged(order_id: str, username: str) -> str:
    """Log that an order was placed; again where the answer to the first placing may be lost."""
    log_order(
        order_id=order_id,
        username=username,
        who=username,
        source=None,
        target=Status.PLACED,
        at=moment_in(order_id),
    )
    return order_id


def _priced(quantities: Mapping[str, int]) -> tuple[tuple[NewLine, ...], str]:
    products = prices_of(quantities)
    missing = sorted(quantities.keys() - products.keys())
    if missing:
        sentence = _("“%(product)s” is no longer sold. Please remove it from your basket.")
        raise OrderRefused(sentence % {"product": missing[0]})
    currencies = sorted({product.currency for product in products.values()})
    if len(currencies) > 1:
        sentence = _("All products of an order must have the same currency, not %(currencies)s.")
        raise OrderRefused(sentence % {"currencies": ", ".join(currencies)})
    ordered = [products[product_id] for product_id in quantities]
    lines = (NewLine(p.id, p.name, quantities[p.id], p.unit_price_cents) for p in ordered)
    return tuple(lines), currencies[0]
