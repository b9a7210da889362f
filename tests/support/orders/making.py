"""A shop of made orders, and the plain answers that its lists must agree with."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dynapages.process import client
from shop import keys
from shop.addresses.address import NewAddress
from shop.catalogue.content import NewProduct
from shop.catalogue.items import product_item
from shop.models import Order, ShopItem
from shop.order_status import OPEN, Status
from shop.orders.ids import imported_order_id
from shop.orders.importing import put_orders
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.orders.moving import move_order
from tests.support.chance import unique
from tests.support.orders.addresses import ADDRESS

START = datetime(2023, 1, 1, tzinfo=UTC)
LATER = START + timedelta(days=1)
LIFE = (
    Status.PLACED,
    Status.APPROVED,
    Status.PROCESSING,
    Status.SHIPPED,
    Status.DELIVERED,
    Status.RETURNED,
)


def made_order(
    username: str,
    status: Status = Status.PLACED,
    *,
    placed_at: datetime = START,
    entered_at: datetime | None = None,
    foreign_id: str | None = None,
    lines: Sequence[NewLine] = (NewLine("lamp", "Desk lamp", 2, 1_999),),
    address: NewAddress | None = ADDRESS,
) -> NewOrder:
    """An order that went from PLACED straight to a status, an hour later unless told otherwise."""
    history = [StatusChange(Status.PLACED, placed_at)]
    if status is not Status.PLACED:
        history.append(StatusChange(status, entered_at or placed_at + timedelta(hours=1)))
    return NewOrder(
        id=imported_order_id(placed_at, foreign_id or unique("foreign")),
        username=username,
        placed_at=placed_at,
        lines=tuple(lines),
        history=tuple(history),
        currency="EUR",
        foreign_id=foreign_id,
        address=address,
    )


def put(*orders: NewOrder) -> None:
    """Write orders one after the other, as moto needs it."""
    for order in orders:
        put_orders([order])


def move(
    order: NewOrder,
    source: Status,
    target: Status,
    *,
    is_staff: bool = True,
    who: str = "",
    now: datetime = LATER,
) -> None:
    move_order(
        username=order.username,
        order_id=order.id,
        source=source,
        target=target,
        is_staff=is_staff,
        who=who,
        now=now,
    )


def put_product(product_id: str, *, cents: int | None = 1_999, currency: str = "EUR") -> str:
    product = NewProduct(
        id=product_id,
        name=f"Product {product_id}",
        category_slugs=(),
        unit_price_cents=cents,
        currency=currency if cents is not None else None,
    )
    client().put_item(TableName=ShopItem.Meta.table_name, Item=product_item(product).serialize())
    return product_id


def stored_order(username: str, order_id: str) -> dict[str, Any]:
    """The order's item as it is in the table."""
    key = {"pk": {"S": keys.user(username)}, "sk": {"S": keys.order(order_id)}}
    response = client().get_item(TableName=Order.Meta.table_name, Key=key, ConsistentRead=True)
    found: dict[str, Any] = response["Item"]
    return found


def newest_first(orders: Iterable[NewOrder]) -> list[str]:
    """The ids of orders by the moment of their placing."""
    ordered = sorted(orders, key=lambda o: (o.placed_at, o.id), reverse=True)
    return [order.id for order in ordered]


def by_status_date(orders: Iterable[NewOrder]) -> list[str]:
    """The ids of orders by the moment they entered their status."""
    ordered = sorted(orders, key=lambda o: (o.now_in.moment, o.id), reverse=True)
    return [order.id for order in ordered]


def is_open(order: NewOrder) -> bool:
    return order.now_in.status in OPEN
