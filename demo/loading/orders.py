"""The sample shop's customers and orders, written as an import writes them."""

from collections.abc import Callable, Iterator
from datetime import datetime

from demo.sample.catalogue import SampleCatalogue
from demo.sample.orders import SampleOrder, SampleSales, SampleUser
from demo.sample.pickup_points import sample_points, sample_zips, zip_of
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from shop.accounts.services import UsernameTaken, create_profile, ensure_profile
from shop.order_status import Status
from shop.orders.bulk import put_orders
from shop.orders.ids import imported_order_id
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.pickup.places import put_zips
from shop.pickup.writing import put_points

PASSWORD = "sample-shop"  # noqa: S105 - known to all, and only where --sign-in asks for it
SIGN_IN = ("alex", "sam")
"""A customer with many orders, and a member of staff."""
CHUNK = 100


def load_users(sales: SampleSales, *, now: datetime, sign_in: bool) -> None:
    """Create the sample's accounts; with ``sign_in`` two of them get the password known to all."""
    for user in sales.users:
        if sign_in and user.username in SIGN_IN:
            _create(user, now=now)
        else:
            ensure_profile(username=user.username, joined_at=now)


def load_orders(
    catalogue: SampleCatalogue,
    sales: SampleSales,
    *,
    currency: str,
    advance: Callable[[int], object],
) -> None:
    """Write the sample's orders; those that are there, from whatever day, are left alone."""
    names = {product.id: product.name for product in catalogue.products}
    orders = [_new_order(order, names=names, currency=currency) for order in sales.orders]
    for start in range(0, len(orders), CHUNK):
        put_orders(orders[start : start + CHUNK])
        advance(len(orders[start : start + CHUNK]))


def load_pickup_points() -> None:
    """Write the sample's pickup points, and where the zip codes of their towns are."""
    put_zips(sample_zips(), batches=Batches(client(), pool()))
    put_points(sample_points())


def _create(user: SampleUser, *, now: datetime) -> None:
    try:
        create_profile(username=user.username, password=PASSWORD, now=now, is_staff=user.is_staff)
    except UsernameTaken:
        return


def _new_order(order: SampleOrder, *, names: dict[str, str], currency: str) -> NewOrder:
    return NewOrder(
        id=imported_order_id(order.placed_at, order.reference),
        username=order.username,
        placed_at=order.placed_at,
        lines=tuple(_lines(order, names)),
        history=tuple(StatusChange(Status(c.status), c.entered_at) for c in order.history),
        currency=currency,
        foreign_id=order.reference,
        zip_prefix=zip_of(order.username),
    )


def _lines(order: SampleOrder, names: dict[str, str]) -> Iterator[NewLine]:
    for line in order.lines:
        yield NewLine(
            product_id=line.product_id,
            name=names[line.product_id],
            quantity=line.quantity,
            unit_price_cents=int(line.unit_price * 100),
        )
