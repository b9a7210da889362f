"""The summaries of orders, which those of before lack: they are derived from the first line."""

from dynamo.items import Item, table_key
from dynamo.writes.actions import Action, update
from shop import keys
from shop.models import Order, OrderItem
from shop.orders.items import summary_of
from shop.table import key_of, read_items


def lacks_summary(order: Item) -> bool:
    """Return whether an order with lines has no summary."""
    return Order.summary.attr_name not in order and order[Order.line_count.attr_name]["N"] != "0"


def summary_changes(order: Item) -> list[Action]:
    """Build the update that adds what an order lacks; reads its first line, strongly.

    Lines never change, so the update is conditional on the order alone.
    """
    if not lacks_summary(order):
        return []
    order_id = key_of(order)[1].removeprefix(keys.ORDER_PREFIX)
    line_key = keys.item(order_id, 1), keys.order(order_id)
    line = read_items([line_key]).get(line_key)
    if line is None:
        return []
    count = int(order[Order.line_count.attr_name]["N"])
    summary = summary_of(line[OrderItem.name.attr_name]["S"], products=count)
    condition = Order.line_count.exists() & Order.summary.does_not_exist()
    return [update(Order, table_key(*key_of(order)), [Order.summary.set(summary)], condition)]
