"""What is left of an order's writes when the process is killed at any of their calls."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest

from dynapages.calls import metered
from shop.order_status import Status
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.orders.placing import place_order
from shop.orders.settling import MOST_PURCHASES
from tests.support.chance import unique
from tests.support.comments.faulty import EVENTS, Killed, before_the_next_transaction, faults
from tests.support.orders.making import LATER, made_order, move, put, put_product, stored_order
from tests.support.shop.checks import differences

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]


def an_order(status: Status, *, lines: int = 2) -> NewOrder:
    """A stored order of new products, by a new customer."""
    bought = [NewLine(put_product(unique("lamp")), "Lamp", 1, 1_999) for _ in range(lines)]
    put(order := made_order(unique("alex"), status, lines=bought, foreign_id=unique("foreign")))
    return order


def deliver(order: NewOrder) -> None:
    move(order, Status.SHIPPED, Status.DELIVERED)


def send_back(order: NewOrder) -> None:
    move(order, Status.DELIVERED, Status.RETURNED)


def import_again(order: NewOrder, status: Status) -> None:
    put(replace(order, history=(*order.history, StatusChange(status, LATER))))


def order_the_same(order: NewOrder) -> str:
    basket = {line.product_id: 1 for line in order.lines}
    return place_order(
        username=order.username, client_id=unique("intent"), basket=basket, now=LATER
    )


WRITES: Mapping[str, tuple[Status, Callable[[NewOrder], object]]] = {
    "delivering": (Status.SHIPPED, deliver),
    "sending back": (Status.DELIVERED, send_back),
    "importing a delivery": (
        Status.SHIPPED,
        lambda order: import_again(order, Status.DELIVERED),
    ),
    "importing a return": (
        Status.DELIVERED,
        lambda order: import_again(order, Status.RETURNED),
    ),
    "ordering the same again": (Status.DELIVERED, order_the_same),
}


def found() -> list[str]:
    purchases = [each for each in differences("catalogue") if each.kind == "purchase"]
    every = [*differences("orders"), *purchases]
    return [f"{d.kind} {d.subject}: {d.stored}, not {d.expected}" for d in every]


@pytest.mark.parametrize("when", EVENTS)
@pytest.mark.parametrize("name", WRITES)
class TestAProcessThatIsKilled:
    def test_leaves_nothing_for_the_check_whichever_call_it_was_at(self, name, when):
        before, write = WRITES[name]
        rounds = 0
        for fault in faults(when, every_call=True, kills=True):
            order = an_order(before)
            with fault.injected(), suppress(Killed):
                write(order)
            assert found() == [], fault
            rounds += 1
        assert rounds > 1


class TestADelivery:
    def test_of_the_longest_order_is_one_transaction(self):
        order = an_order(Status.SHIPPED, lines=MOST_PURCHASES)
        with metered() as meter:
            deliver(order)
        assert meter.calls == 3  # the order, its lines, all writes
        assert [call.operation for call in meter.log].count("TransactWriteItems") == 1
        assert found() == []

    @pytest.mark.parametrize("write", [deliver, lambda o: import_again(o, Status.DELIVERED)])
    def test_leaves_a_product_out_that_is_ordered_again_meanwhile(self, write):
        order = an_order(Status.SHIPPED)
        with before_the_next_transaction(
            lambda: place_order(
                username=order.username,
                client_id=unique("intent"),
                basket={order.lines[0].product_id: 1},
                now=LATER,
            )
        ):
            write(order)
        assert stored_order(order.username, order.id)["status"] == {"S": "DELIVERED"}
        assert found() == []
