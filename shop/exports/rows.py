"""The rows of exported orders: one for each line, in the plain shape that imports read."""

from collections.abc import Iterator, Sequence

from dynamo.files.exports import Row
from dynamo.items import Item
from shop import keys
from shop.imports.plain.history_text import write_history
from shop.imports.plain.shape import PICKUP
from shop.models import Order, OrderItem
from shop.orders.entries import history_in, pickup_in

_LINE = ("product_id", "product_name", "quantity", "unit_price")
COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at", "history", "currency", "zip"),
    *PICKUP,
    *_LINE,
)


def rows_of(order: Order, lines: Sequence[Item]) -> Iterator[Row]:
    """Build an order's rows, one without a product if it has no ``lines``."""
    own = _own(order)
    if not lines:
        yield {**own, **dict.fromkeys(_LINE, "")}
    for item in lines:
        yield {**own, **_line(OrderItem.from_raw_data(dict(item)))}


def _own(order: Order) -> dict[str, object]:
    pickup = pickup_in(order)
    point = () if pickup is None else (pickup.id, pickup.name, pickup.address, pickup.hours)
    return {
        "order_id": order.sk.removeprefix(keys.ORDER_PREFIX),
        "foreign_id": order.foreign_id,
        "customer": keys.username_in(order.pk),
        "status": order.status,
        "placed_at": order.placed_at,
        "history": write_history(history_in(order)),
        "currency": order.currency,
        "zip": order.zip_prefix,
        **dict(zip(PICKUP, point, strict=False)),
    }


def _line(line: OrderItem) -> dict[str, object]:
    whole, part = divmod(int(line.unit_price_cents), 100)
    values = line.product_id, line.name, int(line.quantity), f"{whole}.{part:02}"
    return dict(zip(_LINE, values, strict=True))
