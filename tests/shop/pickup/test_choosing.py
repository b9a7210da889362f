"""The pickup point of an order, chosen by its customer while it is open."""

import pytest

from shop import keys
from shop.order_status import OPEN, Status
from shop.orders.importing import put_orders
from shop.orders.items import NewOrder, NewPickup, StatusChange
from shop.orders.moving import move_order
from shop.orders.queries import find_order
from shop.pickup.bulk_writes import put_points
from shop.pickup.items import PickupPoint
from shop.pickup.queries import NoSuchPoint
from shop.pickup.services import OrderClosed, choose_point, find_open_order, forget_point
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.orders.making import START, made_order, put
from tests.support.pickup.stored import made_point
from tests.support.shop.checks import lose

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def point(fresh):
    point = made_point(fresh)
    put_points([point])
    return point


def choose(order: NewOrder, point: PickupPoint, *, username: str | None = None) -> None:
    choose_point(username=username or order.username, order_id=order.id, point=point)


def chosen(order: NewOrder) -> NewPickup | None:
    return find_order(order.id).pickup


class TestChoosing:
    @pytest.mark.parametrize("status", OPEN)
    def test_is_possible_in_every_open_status(self, fresh, point, status):
        put(order := made_order(fresh("alice"), status))
        choose(order, point)
        assert chosen(order) is not None

    @pytest.mark.parametrize("status", [status for status in Status if status not in OPEN])
    def test_is_refused_when_the_order_is_closed(self, fresh, point, status):
        put(order := made_order(fresh("alice"), status))
        with pytest.raises(OrderClosed, match=status.label.lower()):
            choose(order, point)
        with pytest.raises(OrderClosed):
            forget_point(username=order.username, order_id=order.id)
        with pytest.raises(OrderClosed):
            find_open_order(username=order.username, order_id=order.id)
        assert chosen(order) is None

    def test_is_refused_when_the_point_goes_at_this_very_moment(self, order, point):
        own = keys.pickup_point(point.id)
        with (
            before_the_next_transaction(lambda: lose((own, own))),
            pytest.raises(NoSuchPoint),
        ):
            choose(order, point)
        put_points([point])
        assert chosen(order) is None


class TestAChoice:
    @pytest.fixture
    def made(self, order, point):
        choose(order, point)
        return lambda: chosen(order)

    def test_stays_when_the_order_moves(self, made, order):
        move_order(
            username=order.username,
            order_id=order.id,
            source=Status.PLACED,
            target=Status.APPROVED,
            is_staff=True,
            who="sam",
            now=START,
        )
        assert made() is not None

    def test_stays_when_the_order_is_imported_again(self, made, order):
        later = StatusChange(Status.SHIPPED, START.replace(year=2024))
        put_orders([NewOrder(**(_fields(order) | {"history": (*order.history, later)}))])
        assert find_order(order.id).status is Status.SHIPPED
        assert made() is not None


def _fields(order: NewOrder) -> dict[str, object]:
    return {name: getattr(order, name) for name in order.__slots__}
