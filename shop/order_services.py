"""Writes of orders: placing one, and moving it from status to status.

What these raise::

    OrderRefused            an order cannot be placed like this; the text says why
    ├── EmptyBasket
    ├── TooManyProducts
    ├── BadQuantity
    ├── NotForSale          no such product, or one without a price
    └── MixedCurrencies
    MoveRefused             an order was not moved; the text says why
    ├── MoveNotAllowed      no such move, or not for this person
    └── OrderMoved          it is not in the status that the move leaves (any more)

`shop.order_queries.NoSuchOrder` passes through.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dynamo.places import parse_timestamp
from dynamo.transactions import ConditionFailed
from shop import keys
from shop.models import Order, OrderPointer
from shop.order_actions import put_actions, status_update
from shop.order_counts import deltas_of, write_with_counts
from shop.order_ids import new_order_id
from shop.order_items import (
    MOST_LINES,
    MOST_OF_A_PRODUCT,
    NewLine,
    NewOrder,
    StatusChange,
    derived_keys,
    order_items_of,
)
from shop.order_queries import NoSuchOrder, owner_of
from shop.order_shards import pick_shard
from shop.order_status import Status, may_move
from shop.prices import PricedProduct, prices_of


class OrderRefused(ValueError):
    """An order cannot be placed like this."""


class EmptyBasket(OrderRefused):
    """There is nothing to order."""


class TooManyProducts(OrderRefused):
    """There are more different products than one order can hold."""


class BadQuantity(OrderRefused):
    """So many pieces of a product cannot be ordered."""


class NotForSale(OrderRefused):
    """A product does not exist or has no price."""


class MixedCurrencies(OrderRefused):
    """The products are priced in different currencies."""


class MoveRefused(ValueError):
    """An order was not moved."""


class MoveNotAllowed(MoveRefused):
    """There is no such move, or it is not for this person."""


class OrderMoved(MoveRefused):
    """Somebody else was first: the order is in another status by now."""

    def __init__(self, order_id: str, current: Status) -> None:
        super().__init__(f"Order {order_id} is {current.label.lower()} by now; it stays as it is.")
        self.current = current


def place_order(
    *, username: str, client_id: str, basket: Iterable[tuple[str, int]], now: datetime
) -> str:
    """Place an order of products and quantities, and return its id.

    ``client_id`` names the intent to order: whoever sends it again, however much later, gets the
    order it placed the first time. A product named twice is one line. Names and prices are the
    products' of this moment. Raises OrderRefused.
    """
    mark = keys.placing(username, client_id)
    try:
        return _placed_before(mark)
    except OrderPointer.DoesNotExist:
        pass
    placed_at = now.replace(microsecond=now.microsecond // 1000 * 1000)  # what an id can tell
    lines, currency = _priced(_quantities(basket))
    order = NewOrder(
        id=new_order_id(placed_at),
        username=username,
        placed_at=placed_at,
        lines=lines,
        history=(StatusChange(Status.PLACED, placed_at),),
        currency=currency,
    )
    item, belongings = order_items_of(order, shard=pick_shard())
    pointer = OrderPointer(pk=mark, sk=mark, username=username, order_id=order.id)
    actions = list(put_actions([item, pointer, *belongings]).values())
    try:
        write_with_counts(actions, deltas_of(username, left=None, entered=Status.PLACED))
    except ConditionFailed:
        return _placed_before(mark)
    return order.id


def move_order(
    *, username: str, order_id: str, source: Status, target: Status, is_staff: bool, now: datetime
) -> None:
    """Take a customer's order from the status that was seen to another.

    Raises MoveNotAllowed, NoSuchOrder, and OrderMoved when it is not in ``source`` any more.
    """
    if not may_move(source, target, is_staff=is_staff):
        sentence = f"An order that is {source.label.lower()} cannot become {target.label.lower()}."
        raise MoveNotAllowed(sentence)
    order = _stored(username, order_id)
    if order.status != source:
        raise OrderMoved(order_id, Status(order.status))
    update = status_update(
        username=username,
        order_id=order_id,
        source=source,
        target=StatusChange(target, now),
        derived=derived_keys(
            order_id=order_id,
            status=target,
            entered_at=now,
            placed_at=parse_timestamp(order.placed_at),
            shard=int(order.shard),
        ),
    )
    try:
        write_with_counts([update], deltas_of(username, left=source, entered=target))
    except ConditionFailed as failure:
        raise _overtaken(order_id, failure) from failure


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of one order of several; ``refusal`` is empty when it was moved."""

    order_id: str
    refusal: str = ""


def move_orders(
    *, order_ids: Sequence[str], source: Status, target: Status, now: datetime
) -> list[Moved]:
    """Take several orders, of any customers, from one status to another, as staff.

    Each is a transaction of its own: one that cannot be moved does not hold up the others.
    """
    return [
        _tried(order_id, source=source, target=target, now=now)
        for order_id in dict.fromkeys(order_ids)
    ]


def _tried(order_id: str, *, source: Status, target: Status, now: datetime) -> Moved:
    try:
        move_order(
            username=owner_of(order_id),
            order_id=order_id,
            source=source,
            target=target,
            is_staff=True,
            now=now,
        )
    except MoveRefused as refusal:
        return Moved(order_id, str(refusal))
    except NoSuchOrder:
        return Moved(order_id, f"There is no order {order_id}.")
    return Moved(order_id)


def _placed_before(mark: str) -> str:
    pointer = OrderPointer.get(mark, mark, consistent_read=True)
    order_id: str = pointer.order_id
    return order_id


def _quantities(basket: Iterable[tuple[str, int]]) -> dict[str, int]:
    quantities: dict[str, int] = {}
    for product_id, quantity in basket:
        quantities[product_id] = quantities.get(product_id, 0) + quantity
    if not quantities:
        raise EmptyBasket("There is nothing in the basket yet.")
    if len(quantities) > MOST_LINES:
        raise TooManyProducts(
            f"An order holds at most {MOST_LINES} different products, not {len(quantities)}. "
            "Take some out and order them apart."
        )
    if not all(1 <= quantity <= MOST_OF_A_PRODUCT for quantity in quantities.values()):
        raise BadQuantity(f"Order between 1 and {MOST_OF_A_PRODUCT} pieces of each product.")
    return quantities


def _priced(quantities: Mapping[str, int]) -> tuple[tuple[NewLine, ...], str]:
    products = prices_of(quantities)
    missing = sorted(quantities.keys() - products.keys())
    if missing:
        raise NotForSale(f"“{missing[0]}” cannot be bought (any more); take it out of the basket.")
    currencies = sorted({product.currency for product in products.values()})
    if len(currencies) > 1:
        raise MixedCurrencies(f"One order cannot be paid in {' and '.join(currencies)} at once.")
    lines = (_line(products[product_id], n) for product_id, n in quantities.items())
    return tuple(lines), currencies[0]


def _line(product: PricedProduct, quantity: int) -> NewLine:
    return NewLine(
        product_id=product.id,
        name=product.name,
        quantity=quantity,
        unit_price_cents=product.unit_price_cents,
    )


def _stored(username: str, order_id: str) -> Order:
    try:
        return Order.get(keys.user(username), keys.order(order_id), consistent_read=True)
    except Order.DoesNotExist as error:
        raise NoSuchOrder(order_id) from error


def _overtaken(order_id: str, failure: ConditionFailed) -> Exception:
    now_there = next(iter(failure.failed.values()))
    if not now_there:
        return NoSuchOrder(order_id)
    return OrderMoved(order_id, Status(now_there["status"]["S"]))
