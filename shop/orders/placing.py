"""Placing of orders, idempotent by the id of an intent.

Exceptions::

    OrderRefused            an order cannot be placed like this; the text says why
    ├── EmptyBasket
    ├── TooManyProducts
    ├── BadQuantity
    ├── NotForSale          no such product, or one without a price
    └── MixedCurrencies
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from dynamo.writes.transactions import ConditionFailed
from shop import keys
from shop.catalogue.edge_keys import EDGES
from shop.catalogue.queries import PricedProduct, prices_of
from shop.models import OrderPointer
from shop.order_status import Status
from shop.orders.actions import log_order, put_actions
from shop.orders.counts import deltas_of
from shop.orders.items import (
    MOST_LINES,
    MOST_OF_A_PRODUCT,
    NewLine,
    NewOrder,
    NewPickup,
    StatusChange,
    moment_in,
    new_order_id,
    order_items_of,
)
from shop.table import OPEN_ORDERS, write_with_counts


class OrderRefused(ValueError):
    """An order cannot be placed like this."""


class EmptyBasket(OrderRefused):
    """There is nothing to order."""


class TooManyProducts(OrderRefused):
    """There are more different products than one order can hold."""


class BadQuantity(OrderRefused):
    """This number of pieces of a product cannot be ordered."""


class NotForSale(OrderRefused):
    """A product does not exist or has no price."""


class MixedCurrencies(OrderRefused):
    """The products are priced in different currencies."""


def place_order(
    *,
    username: str,
    client_id: str,
    basket: Iterable[tuple[str, int]],
    now: datetime,
    pickup: NewPickup | None = None,
) -> str:
    """Place an order of products and quantities at their current prices; return its id.

    ``client_id`` is the id of the intent: the same one returns the order that it placed the
    first time. A product named twice is one line. Without ``pickup`` it goes to the customer's
    door. Raises OrderRefused.
    """
    if placed_before := order_placed_by(username=username, client_id=client_id):
        return _logged(placed_before, username)
    placed_at = now.replace(microsecond=now.microsecond // 1000 * 1000)  # the precision of an id
    lines, currency = _priced(_quantities(basket))
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


def _quantities(basket: Iterable[tuple[str, int]]) -> dict[str, int]:
    quantities: dict[str, int] = {}
    for product_id, quantity in basket:
        quantities[product_id] = quantities.get(product_id, 0) + quantity
    if not quantities:
        raise EmptyBasket(_("Your basket is empty."))
    if len(quantities) > MOST_LINES:
        sentence = _("An order has at most %(most)s different products. Please remove some.")
        raise TooManyProducts(sentence % {"most": MOST_LINES})
    if not all(1 <= quantity <= MOST_OF_A_PRODUCT for quantity in quantities.values()):
        sentence = _("You can order 1 to %(most)s of each product.")
        raise BadQuantity(sentence % {"most": MOST_OF_A_PRODUCT})
    return quantities


def _priced(quantities: Mapping[str, int]) -> tuple[tuple[NewLine, ...], str]:
    products = prices_of(quantities)
    missing = sorted(quantities.keys() - products.keys())
    if missing:
        sentence = _("“%(product)s” is no longer sold. Please remove it from your basket.")
        raise NotForSale(sentence % {"product": missing[0]})
    currencies = sorted({product.currency for product in products.values()})
    if len(currencies) > 1:
        sentence = _("All products of an order must have the same currency, not %(currencies)s.")
        raise MixedCurrencies(sentence % {"currencies": ", ".join(currencies)})
    lines = (_line(products[product_id], n) for product_id, n in quantities.items())
    return tuple(lines), currencies[0]


def _line(product: PricedProduct, quantity: int) -> NewLine:
    return NewLine(
        product_id=product.id,
        name=product.name,
        quantity=quantity,
        unit_price_cents=product.unit_price_cents,
    )
