"""Exports of the orders of one customer, or of all, in the plain shape that imports read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import chain

from dynapages.files.export_command import list_walk, table_walk
from dynapages.files.exports import Row, Walk
from dynapages.items import Item
from dynapages.lists import Page, PageRequest
from shop import keys
from shop.catalogue.content import NewProduct
from shop.catalogue.stored import Stored, stored_products
from shop.data.history import write_history
from shop.data.shape import ADDRESS, PICKUP
from shop.models import Order, OrderItem
from shop.orders.entries import address_in, history_in, pickup_in
from shop.orders.filters import OrderFilter
from shop.orders.items import line_keys
from shop.orders.queries import list_orders
from shop.table import TABLE, Key, read_items

_LINE_COLUMNS = ("product_id", "product_name", "quantity", "unit_price")
_PRODUCT_COLUMNS = ("listed_as", "product_external_id")
COLUMNS = (
    *("order_id", "foreign_id", "customer", "status", "placed_at", "history", "currency", "zip"),
    *PICKUP,
    *ADDRESS,
    *_LINE_COLUMNS,
    *("id_prefix", "customer_external_id", *_PRODUCT_COLUMNS),
)
ORDERS_AT_A_TIME = 100
_ALL_ORDERS = {
    "FilterExpression": "begins_with(pk, :users) AND begins_with(sk, :orders)",
    "ExpressionAttributeValues": {
        ":users": {"S": keys.USER_PREFIX},
        ":orders": {"S": keys.ORDER_PREFIX},
    },
}
"""Arguments of a Scan."""


def walk_through(username: str | None) -> Walk:
    """Return the walk through a customer's orders, newest first, or through those of everybody.

    Everybody's are read by a Scan of the table, in no order. Raises botocore's errors.
    """
    if username is None:
        return table_walk(TABLE, _rows, _ALL_ORDERS)

    def page_of(request: PageRequest) -> Page:
        return list_orders(username, OrderFilter(), request).page

    return list_walk(page_of, _rows, at_a_time=ORDERS_AT_A_TIME)


def _rows(items: Sequence[Item]) -> list[Row]:
    """Build the rows of orders, with what is stored of their lines, customers and products."""
    orders = [Order.from_raw_data(dict(item)) for item in items]
    keys_of_lines = {order.sk: _line_keys(order) for order in orders}
    # One read for all of them, as each batch takes a hundred keys.
    lines = read_items(chain.from_iterable(keys_of_lines.values()))
    profiles = read_items(_profile_key(order) for order in orders)
    products = stored_products({line["product_id"]["S"] for line in lines.values()})
    rows: list[Row] = []
    for order in orders:
        own_lines = [lines[key] for key in keys_of_lines[order.sk] if key in lines]
        name_before = _name_before(profiles.get(_profile_key(order)))
        for row in rows_of(order, own_lines, products):
            rows.append(row | {"customer_external_id": name_before})
    return rows


def _profile_key(order: Order) -> Key:
    return order.pk, keys.profile(keys.username_in(order.pk))


def _name_before(profile: Item | None) -> str:
    """Return the name of a user before their import, if it could not be kept."""
    if profile is None or "external_id" not in profile:
        return ""
    return str(profile["external_id"]["S"])


def _line_keys(order: Order) -> list[Key]:
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return line_keys(order_id, range(1, int(order.line_count) + 1))


def rows_of(
    order: Order, lines: Sequence[Item], products: Mapping[str, Stored[NewProduct]]
) -> Iterator[dict[str, object]]:
    """Build an order's rows, one without a product if it has no ``lines``."""
    own = _order_values(order)
    # An order without lines must not be lost.
    if not lines:
        yield {**own, **dict.fromkeys((*_LINE_COLUMNS, *_PRODUCT_COLUMNS), "")}
    for item in lines:
        line = OrderItem.from_raw_data(dict(item))
        yield {**own, **_line_values(line), **_product_values(line, products)}


def _order_values(order: Order) -> dict[str, object]:
    """Return the values of an order's own columns."""
    values: dict[str, object] = {
        "order_id": order.sk.removeprefix(keys.ORDER_PREFIX),
        "foreign_id": order.foreign_id,
        "customer": keys.username_in(order.pk),
        "status": order.status,
        "placed_at": order.placed_at,
        "history": write_history(history_in(order)),
        "currency": order.currency,
        "zip": order.zip_prefix,
        "id_prefix": order.id_prefix,
    }
    pickup = pickup_in(order)
    if pickup:
        values |= dict(zip(PICKUP, astuple(pickup), strict=True))
    address = address_in(order)
    if address:
        values |= dict(zip(ADDRESS, astuple(address), strict=True))
    return values


def _line_values(line: OrderItem) -> dict[str, object]:
    """Return the values of the columns of a line."""
    # By whole numbers: a price is exact.
    whole, part = divmod(int(line.unit_price_cents), 100)
    return {
        "product_id": line.product_id,
        "product_name": line.name,
        "quantity": int(line.quantity),
        "unit_price": f"{whole}.{part:02}",
    }


def _product_values(
    line: OrderItem, products: Mapping[str, Stored[NewProduct]]
) -> dict[str, object]:
    """Return the product's name now, if that is another one, and its id elsewhere."""
    if line.product_id not in products:
        return {"listed_as": "", "product_external_id": ""}
    product = products[line.product_id].content
    return {
        "listed_as": "" if product.name == line.name else product.name,
        "product_external_id": product.external_id or "",
    }
