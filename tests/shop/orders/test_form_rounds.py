"""How many calls the forms of orders make, and how many of them wait for others."""

from collections.abc import Callable

import pytest

from dynapages.calls import Meter, metered
from dynapages.django.callers import Scope
from shop.order_status import Status
from shop.pickup.bulk_writes import put_points
from tests.support.comments.browsing import Visitor
from tests.support.config.api import program_of
from tests.support.orders.addresses import TYPED
from tests.support.orders.making import made_order, put, put_product
from tests.support.pickup.stored import made_point

pytestmark = pytest.mark.real_engine

Prepare = Callable[[], Callable[[], int]]
"""Prepares a form, and returns what sends it and tells the status of the answer."""
FORMS = {
    "place an order": (7, 3),
    "place an order with a pickup point": (8, 3),
    "cancel an order": (5, 3),
    "approve an order": (3, 2),
    "cancel an order as staff": (3, 2),
    "choose a pickup point": (5, 3),
    "forget a pickup point": (4, 3),
    "order again": (4, 2),
    "place an order by API": (9, 4),
    "cancel an order by API": (9, 5),
    "approve an order by API": (8, 6),
}
"""The most calls, and rounds of them."""


@pytest.fixture
def lamp(fresh, tables):
    return put_product(fresh("lamp"), cents=1_999)


@pytest.fixture
def point(fresh, tables):
    point = made_point(fresh)
    put_points([point])
    return point


@pytest.fixture
def forms(alice, sam, lamp, point) -> dict[str, Prepare]:
    customer = program_of(alice.username)
    staff = program_of(sam.username, Scope.STAFF)

    def new_order() -> str:
        put(order := made_order(alice.username))
        return order.id

    def placing(**fields: str) -> Callable[[], int]:
        alice.send("/basket/add/", {"product_id": lamp, "quantity": "2"})
        page = alice.get("/basket/order/").page
        intent = page.one("input", name="order_id")["value"]
        return lambda: sent(alice, "/basket/place/", order_id=intent, **TYPED, **fields)

    def moving(visitor: Visitor, page: str, target: Status) -> Callable[[], int]:
        order_id = new_order()
        url, fields = visitor.get(f"/orders/{order_id}/{page}").action(order_id, target)
        return lambda: sent(visitor, url, **fields)

    def of_order(path: str, **fields: str) -> Callable[[], int]:
        url = f"/orders/{new_order()}/{path}/"
        return lambda: sent(alice, url, **fields)

    def placing_by_api() -> Callable[[], int]:
        body = {"lines": [{"product_id": lamp}]}
        return lambda: customer.post("/orders", body).status_code

    def moving_by_api(program, target: Status) -> Callable[[], int]:
        url, body = f"/orders/{new_order()}/moves", {"source": "PLACED", "target": target}
        return lambda: program.post(url, body).status_code

    return {
        "place an order": placing,
        "place an order with a pickup point": lambda: placing(point=point.id),
        "cancel an order": lambda: moving(alice, "cancel/", Status.CANCELED),
        "approve an order": lambda: moving(sam, "", Status.APPROVED),
        "cancel an order as staff": lambda: moving(sam, "cancel/", Status.CANCELED),
        "choose a pickup point": lambda: of_order("pickup/choose", point=point.id),
        "forget a pickup point": lambda: of_order("pickup/forget"),
        "order again": lambda: of_order("again"),
        "place an order by API": placing_by_api,
        "cancel an order by API": lambda: moving_by_api(customer, Status.CANCELED),
        "approve an order by API": lambda: moving_by_api(staff, Status.APPROVED),
    }


def sent(visitor: Visitor, url: str, **fields: str) -> int:
    return visitor.send(url, fields).status_code


def measured(prepare: Prepare) -> Meter:
    send = prepare()
    with metered() as meter:
        assert send() in {200, 201, 302}
    return meter


@pytest.mark.parametrize("name", FORMS)
class TestAForm:
    def test_makes_few_calls_and_the_same_at_the_second_write_of_the_minute(self, forms, name):
        calls, rounds = FORMS[name]
        for _ in ("first", "second"):
            meter = measured(forms[name])
            log = [(call.round, call.operation, call.label) for call in meter.log]
            assert meter.calls <= calls, log
            assert meter.rounds <= rounds, log
