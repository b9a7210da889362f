"""What is done with orders is in the log, once, with who did it."""

from datetime import UTC, datetime

import pytest
from django.test import override_settings

from shop.order_status import Status
from shop.orders.placing import place_order
from tests.support.activity.making import whole_log
from tests.support.clock import this_month
from tests.support.orders.making import made_order, put, put_product


@pytest.fixture(autouse=True)
def log(own_log):
    this = this_month()
    own_log(this.plus(-1), this)


def logged() -> list[tuple[str, ...]]:
    return [
        (e.kind.name, e.action.name, e.who, e.subject, e.about, e.was, e.became)
        for e in whole_log()
    ]


class TestPlacingAnOrder:
    def test_is_told_once_with_its_moment_however_often_it_is_sent(self, alice, fresh):
        basket, now = {put_product(fresh("lamp")): 1}, datetime.now(UTC)
        for _ in range(2):
            order_id = place_order(
                username=alice.username, client_id="form-1", basket=basket, now=now
            )
        name = alice.username
        assert logged() == [("ORDER", "PLACED", name, order_id, name, "", "PLACED")]
        (entry,) = whole_log()
        assert entry.moment == now.replace(microsecond=now.microsecond // 1000 * 1000)


class TestMovingAnOrder:
    def test_is_told_once_with_who_did_it_and_whose_it_is(self, sam, alice, order):
        for _ in range(2):
            fields = {"from_status": "PLACED", "move": "APPROVED"}
            sam.send(f"/orders/{order.id}/move/", fields)
        assert logged() == [
            ("ORDER", "MOVED", sam.username, order.id, alice.username, "PLACED", "APPROVED")
        ]

    def test_in_bulk_is_told_for_each_order_that_moves(self, sam, alice, bob):
        orders = [
            made_order(alice.username, Status.PROCESSING),
            made_order(bob.username, Status.PROCESSING),
            made_order(bob.username, Status.PLACED),
        ]
        put(*orders)
        sam.post(
            "/staff/orders/move/", {"move": "SHIPPED", "order": [order.id for order in orders]}
        )
        assert {(line[2], line[3], line[6]) for line in logged()} == {
            (sam.username, order.id, "SHIPPED") for order in orders[:2]
        }


class TestWhatIsLoadedInBulk:
    def test_is_not_told(self, alice):
        put(made_order(alice.username, Status.SHIPPED))
        assert logged() == []


class TestALogThatCannotBeWritten:
    def test_does_not_keep_anybody_from_anything(self, alice, fresh, settings):
        product_id = put_product(fresh("lamp"))
        with override_settings(DYNAMODB_TABLE_PREFIX=f"{settings.DYNAMODB_TABLE_PREFIX}nowhere-"):
            order_id = place_order(
                username=alice.username,
                client_id="form-1",
                basket={product_id: 1},
                now=datetime.now(UTC),
            )
            assert alice.get(f"/orders/{order_id}/").status == 200
