"""Exports of the orders of one customer, or of all, in the plain shape that imports read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple

from dynapages.files.export_command import list_walk, table_walk
from dynapages.files.exports import Row, Walk
from dynapages.items import Item
from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.stored import Stored, stored_products
from shop.data.history import write_history
from shop.data.shape import PICKUP
from shop.models import Order, OrderItem
from shop.orders.entries import history_in, pickup_in
from shop.orders.filters import OrderFilter
from shop.orders.queries import list_orders
from shop.table import TABLE, Key, read_items

_LINE = ("product_id", "product_name", "quantity", "unit_price")
_OF_PRODUCT = ("listed_as", "product_external_id")
COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at", "history", "currency", "zip"),
    *PICKUP,
    *_LINE,
    *("id_prefix", "customer_external_id", *_OF_PRODUCT),
)
ORDERS_AT_A_TIME = 100


def walk_through(username: str | None) -> Walk:
    """Return the walk through a customer's orders, newest first, or through those of everybody.

    Everybody's are read by a Scan of the table, in no order. Raises botocore's errors.
    """
    if username is None:
        return table_walk(
            TABLE,
            _rows,
            {
                "FilterExpression": "begins_with(pk, :users) AND begins_with(sk, :orders)",
                "ExpressionAttributeValues": {
                    ":users": {"S": keys.USER_PREFIX},
                    ":orders": {"S": keys.ORDER_PREFIX},
                },
            },
        )
    return list_walk(
        lambda request: list_orders(username, OrderFilter(), request).page,
        _rows,
        at_a_time=ORDERS_AT_A_TIME,
    )


def _rows(items: Sequence[Item]) -> list[Row]:
    orders = [Order.from_raw_data(dict(item)) for item in items]
    wanted = [_line_keys(order) for order in orders]
    found = read_items(key for some in wanted for key in some)
    users = read_items(map(_profile_key, orders))
    products = stored_products({line["product_id"]["S"] for line in found.values()})
    return [
        row | {"customer_external_id": _before(users.get(_profile_key(order)))}
        for order, some in zip(orders, wanted, strict=True)
        for row in rows_of(order, [found[key] for key in some if key in found], products)
    ]


def _profile_key(order: Order) -> Key:
    return order.pk, keys.profile(keys.username_in(order.pk))


def _before(item: Item | None) -> str:
    """Return the name of a user before their import, if it could not be kept."""
    return str((item or {}).get("external_id", {"S": ""})["S"])


def _line_keys(order: Order) -> list[Key]:
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return [(keys.item(order_id, n), order.sk) for n in range(1, int(order.line_count) + 1)]


def rows_of(
    order: Order, lines: Sequence[Item], products: Mapping[str, Stored[NewProduct]]
) -> Iterator[dict[str, object]]:
    """Build an order's rows, one without a product if it has no ``lines``."""
    own = _own(order)
    if not lines:
        yield {**own, **dict.fromkeys((*_LINE, *_OF_PRODUCT), "")}
    for item in lines:
        line = OrderItem.from_raw_data(dict(item))
        product = products.get(line.product_id)
        name = product.content.name if product else line.name
        before = (product and product.content.external_id) or ""
        listed = {"listed_as": "" if name == line.name else name}
        yield {**own, **_line(line), **listed, "product_external_id": before}


def _own(order: Order) -> dict[str, object]:
    pickup = pickup_in(order)
    return {
        "order_id": order.sk.removeprefix(keys.ORDER_PREFIX),
        "foreign_id": order.foreign_id,
        "customer": keys.username_in(order.pk),
        "status": order.status,
        "placed_at": order.placed_at,
        "history": write_history(history_in(order)),
        "currency": order.currency,
        "zip": order.zip_prefix,
        "id_prefix": order.id_prefix,
        **(dict(zip(PICKUP, astuple(pickup), strict=True)) if pickup else {}),
    }


def _line(line: OrderItem) -> dict[str, object]:
    whole, part = divmod(int(line.unit_price_cents), 100)
    values = line.product_id, line.name, int(line.quantity), f"{whole}.{part:02}"
    return dict(zip(_LINE, values, strict=True))
