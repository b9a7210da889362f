"""The sample shop's customers and orders, written as an import writes them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from demo.sample.orders import STAFF, SampleSales
from demo.sample.pickup_points import sample_points, sample_zips
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from shop.accounts.queries import NoSuchUser, find_user
from shop.accounts.services import ensure_profile
from shop.orders.bulk import put_orders
from shop.pickup.places import put_zips
from shop.pickup.writing import put_points

PASSWORD = "sample-shop"  # noqa: S105 - published, and only used where --sign-in asks for it
SIGN_IN = ("alex", "sam")
"""A customer with many orders, and a member of staff."""
CHUNK = 100


def load_users(sales: SampleSales, *, now: datetime, sign_in: bool) -> None:
    """Create the sample's accounts; with ``sign_in`` two of them get the published password."""
    for username in sales.usernames:
        ensure_profile(username=username, joined_at=now)
    if sign_in:
        let_sign_in()


def let_sign_in() -> None:
    """Set the published password of two accounts, unless they are missing or have one."""
    for username in SIGN_IN:
        with suppress(NoSuchUser):
            user = find_user(username)
            if not user.has_usable_password():
                user.set_password(PASSWORD)
                user.is_staff = username == STAFF
                user.save()


def load_orders(sales: SampleSales, *, advance: Callable[[int], object]) -> None:
    """Write the sample's orders; those that exist, of any day, stay as they are."""
    for start in range(0, len(sales.orders), CHUNK):
        chunk = sales.orders[start : start + CHUNK]
        put_orders(chunk)
        advance(len(chunk))


def load_pickup_points() -> None:
    """Write the sample's pickup points, and where the postcodes of their towns are."""
    put_zips(sample_zips(), batches=Batches(client(), pool()))
    put_points(sample_points())
