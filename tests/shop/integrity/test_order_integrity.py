"""The check of orders: what it finds, and that repairing mends it."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from dynapages.upkeep import Difference, every_item
from dynapages.upkeep import integrity as upkeep
from shop import keys
from shop.integrity import orders as order_check
from shop.order_status import Status
from shop.orders.counts import customer_counter, read_customer_counts, read_queue_lengths
from shop.orders.items import NewOrder
from shop.table import OPEN_ORDERS, QUEUE, counters_of
from tests.support.orders.making import made_order, move, put, stored_order
from tests.support.shop.checks import Key, differences, spoil, told

WRONG_ORDERS: dict[str, tuple[Status, str, Sequence[str], dict[str, dict[str, str]]]] = {
    "with a wrong key": (
        Status.PLACED,
        "keys",
        [],
        {"order_status_date": {"S": "SHIPPED#never"}},
    ),
    "without a summary": (Status.PLACED, "summary", ["summary"], {}),
    "without a sparse key": (Status.PLACED, "keys", ["open_shard", "open_place"], {}),
    "that is closed but queued": (
        Status.SHIPPED,
        "keys",
        [],
        {
            "open_shard": {"S": "OPEN#PLACED#0"},
            "open_place": {"S": "2023-01-01T00:00:00.000000Z#x"},
        },
    ),
}
"""An order's status, the kind of the difference, what is removed from it, and written over it."""


@pytest.fixture
def order(fresh, tables):
    order = made_order(fresh("alex"))
    put(order)
    return order


def key_of(order: NewOrder) -> Key:
    return keys.user(order.username), keys.order(order.id)


def counter(name: str) -> Key:
    key = keys.counter(name, 0)
    return key["pk"], key["sk"]


def found(kind: str, subject: str) -> list[Difference]:
    return told("orders", kind, subject)


@pytest.mark.usefixtures("tables")
class TestTheCheck:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, order):
        assert list(differences("orders")) == []

    @pytest.mark.parametrize("case", WRONG_ORDERS)
    def test_finds_and_mends_an_order(self, case, fresh):
        status, kind, removed, values = WRONG_ORDERS[case]
        order = made_order(fresh("alex"), status)
        put(order)
        before = stored_order(order.username, order.id)
        spoil(key_of(order), *removed, **values)
        (difference,) = found(kind, f"order {order.id}")
        assert difference.repair()
        assert stored_order(order.username, order.id) == before

    def test_finds_and_mends_wrong_counts_of_a_customer(self, order):
        spoil(counter(customer_counter(order.username)), PLACED={"N": "3"}, SHIPPED={"N": "2"})
        (difference,) = found("counts", f"customer {order.username}")
        assert difference.stored == "PLACED 3, SHIPPED 2"
        assert difference.expected == "PLACED 1, SHIPPED 0"
        assert difference.repair()
        assert read_customer_counts(order.username) == dict.fromkeys(Status, 0) | {Status.PLACED: 1}

    def test_finds_counts_of_a_customer_without_orders(self, fresh, tables):
        username = fresh("nobody")
        spoil(counter(customer_counter(username)), PLACED={"N": "1"})
        (difference,) = found("counts", f"customer {username}")
        assert difference.repair()
        assert found("counts", f"customer {username}") == []

    def test_finds_and_mends_a_wrong_length_of_the_queue(self, order):
        before = read_queue_lengths()
        spoil(counter(QUEUE), PLACED={"N": "777"})
        (difference,) = found("counts", "the queue")
        assert difference.repair()
        assert read_queue_lengths() == before

    def test_finds_and_mends_too_few_shards(self, order):
        number = OPEN_ORDERS.count()
        spoil((OPEN_ORDERS.key["pk"], OPEN_ORDERS.key["sk"]), _shards={"N": "0"})
        (difference,) = found("shards", "the queue")
        assert difference.stored == "number 0"
        assert difference.repair()
        assert 0 < OPEN_ORDERS.count() <= number
        OPEN_ORDERS.raise_to(number)

    def test_hints_at_spread_counts_and_folds_them(self, order):
        name = customer_counter(order.username)
        counters_of(name).spread(name)
        (hint,) = found("shards", f"counts of customer {order.username}")
        assert (hint.stored, hint.expected, hint.is_hint) == ("2", "1", True)
        assert hint.repair()
        assert found("shards", f"counts of customer {order.username}") == []
        assert read_customer_counts(order.username) == dict.fromkeys(Status, 0) | {Status.PLACED: 1}

    def test_folds_the_counts_of_the_queue(self, order):
        before = read_queue_lengths()
        counters_of(QUEUE).spread(QUEUE)
        (hint,) = found("shards", "counts of the queue")
        assert (hint.stored, hint.expected) == ("2", "1")
        assert hint.repair()
        assert found("shards", "counts of the queue") == []
        assert read_queue_lengths() == before

    def test_does_not_repair_what_has_moved_since(self, order):
        spoil(key_of(order), order_status_date={"S": "SHIPPED#never"})
        (difference,) = found("keys", f"order {order.id}")
        move(order, Status.PLACED, Status.CANCELED)
        assert not difference.repair()


class TestAWriteMadeWhileTheTableIsRead:
    @pytest.fixture(autouse=True)
    def no_pauses(self, monkeypatch):
        monkeypatch.setattr(upkeep.time, "sleep", lambda _seconds: None)

    @pytest.fixture
    def written_meanwhile(self, order, monkeypatch):
        def write() -> None:
            put(made_order(order.username))
            move(order, Status.PLACED, Status.APPROVED)

        def read(*where: Any) -> Iterator[Any]:
            items = list(every_item(*where))
            write()
            return iter(items)

        monkeypatch.setattr(upkeep, "every_item", read)
        return write

    def test_is_no_difference(self, written_meanwhile):
        assert list(differences("orders")) == []

    def test_does_not_hide_a_wrong_length_of_the_queue(self, written_meanwhile):
        before = read_queue_lengths()
        spoil(counter(QUEUE), PLACED={"N": "777"})
        (difference,) = found("counts", "the queue")
        assert difference.repair()
        assert read_queue_lengths() == before | {Status.APPROVED: before[Status.APPROVED] + 1}

    def test_after_the_look_is_not_overwritten(self, order):
        spoil(counter(QUEUE), PLACED={"N": "777"})
        (difference,) = found("counts", "the queue")
        put(made_order(order.username))
        assert not difference.repair()
        (difference,) = found("counts", "the queue")
        assert difference.repair()

    def test_makes_counts_that_never_rest_busy(self, order, monkeypatch):
        spoil(counter(customer_counter(order.username)), SHIPPED={"N": "2"})
        count = order_check._count_orders_of_customer

        def count_late(counter_name: str) -> Any:
            counted = count(counter_name)
            if counter_name == customer_counter(order.username):
                put(made_order(order.username))
            return counted

        monkeypatch.setattr(order_check, "_count_orders_of_customer", count_late)
        (difference,) = found("counts", f"customer {order.username}")
        assert (difference.is_busy, difference.repair) == (True, None)
