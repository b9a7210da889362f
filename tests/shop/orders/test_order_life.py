"""Any interleaving of placing and moving, told by a simple model: queue, tabs and sparse keys."""

import itertools
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dynapages.lists import PageRequest
from shop.order_status import MOVES, OPEN, Move, Status
from shop.orders.counts import read_customer_counts, read_queue_lengths
from shop.orders.filters import OrderFilter
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_order
from shop.orders.queries import list_open_orders, list_orders
from tests.support.chance import examples, unique
from tests.support.orders.making import START, made_order, put, stored_order

SPARSE = {"order_open_date", "open_shard", "open_place"}
NO_MOVES = sorted(
    {*itertools.product(Status, repeat=2)} - {(move.source, move.target) for move in MOVES}
)
BIG = 500
STEPS_BETWEEN_LOOKS = 10
"""How many steps go by from one look at all orders to the next; there is one at the end, too."""


class OrderLife(RuleBasedStateMachine):
    """Two customers' orders; what others have in the queue is remembered and left alone."""

    orders: Bundle[str] = Bundle("orders")
    steps = 0
    """Of all examples together."""

    def __init__(self) -> None:
        super().__init__()
        self.names = [unique(name) for name in ("alice", "bob")]
        self.owner: dict[str, str] = {}
        self.status: dict[str, Status] = {}
        self.moved: dict[str, tuple[Status, Status]] = {}
        self.touched = ""
        self.clock = START
        self.others = _queue()

    @rule(target=orders, who=st.integers(0, 1))
    def place(self, who: int) -> str:
        put(order := made_order(self.names[who], placed_at=self._now()))
        self.owner[order.id], self.status[order.id] = order.username, Status.PLACED
        self.touched = order.id
        return order.id

    @rule(order_id=orders, move=st.sampled_from(MOVES))
    def move(self, order_id: str, move: Move) -> None:
        """Most of these come too late or too early; then nothing may change."""
        if self.status[order_id] is move.source:
            self._move(order_id, move.source, move.target)
            self.status[order_id] = move.target
            self.moved[order_id] = move.source, move.target
        elif self.moved.get(order_id) == (move.source, move.target):  # it is sent again
            self._move(order_id, move.source, move.target)
        else:
            with pytest.raises(OrderMoved) as refusal:
                self._move(order_id, move.source, move.target)
            assert refusal.value.current is self.status[order_id]

    @precondition(lambda self: any(s.is_open for s in self.status.values()))
    @rule(data=st.data())
    def go_on(self, data: st.DataObject) -> None:
        """A move that fits, so that orders get through their lives."""
        still_open = sorted(i for i, s in self.status.items() if s.is_open)
        order_id = data.draw(st.sampled_from(still_open))
        source = self.status[order_id]
        target = data.draw(st.sampled_from([m.target for m in MOVES if m.source is source]))
        self._move(order_id, source, target)
        self.status[order_id] = target
        self.moved[order_id] = source, target

    @rule(order_id=orders, wish=st.sampled_from(NO_MOVES))
    def try_what_is_no_move(self, order_id: str, wish: tuple[Status, Status]) -> None:
        with pytest.raises(MoveNotAllowed):
            self._move(order_id, *wish)

    @invariant()
    def the_order_of_this_step_is_right(self) -> None:
        if self.touched:
            OrderLife.steps += 1
            owner, status = self.owner[self.touched], self.status[self.touched]
            self._check_item(stored_order(owner, self.touched), status)
            assert read_customer_counts(owner) == self._counts(owner)

    @invariant()
    def all_are_right_now_and_then(self) -> None:
        if OrderLife.steps % STEPS_BETWEEN_LOOKS == 0:
            self._look_at_all()

    def _look_at_all(self) -> None:
        for name in self.names:
            assert read_customer_counts(name) == self._counts(name)
            mine = {i: self.status[i] for i, owner in self.owner.items() if owner == name}
            found = list_orders(name, OrderFilter(), PageRequest(BIG)).items
            assert {order.id: order.status for order in found} == mine
            for order_id, status in mine.items():
                self._check_item(stored_order(name, order_id), status)
        mine_in_order = [(i, s) for i, s in sorted(self.status.items()) if s.is_open]
        queue = _queue()
        assert [entry for entry in queue if entry[0] in self.owner] == mine_in_order
        assert sorted(queue) == sorted([*self.others, *mine_in_order])
        in_status = Counter(status for _, status in queue)
        assert read_queue_lengths() == {status: in_status[status] for status in OPEN}

    def _check_item(self, item: Mapping[str, Any], status: Status) -> None:
        assert item["status"] == {"S": status}
        assert SPARSE & item.keys() == (SPARSE if status.is_open else set())
        if status.is_open:
            shard = int(item["shard"]["N"])
            assert item["open_shard"] == {"S": f"OPEN#{status}#{shard}"}

    def _counts(self, name: str) -> dict[Status, int]:
        mine = [self.status[i] for i, owner in self.owner.items() if owner == name]
        return {status: mine.count(status) for status in Status}

    def _move(self, order_id: str, source: Status, target: Status) -> None:
        self.touched = order_id
        move_order(
            username=self.owner[order_id],
            order_id=order_id,
            source=source,
            target=target,
            is_staff=True,
            now=self._now(),
        )

    def _now(self) -> Any:
        self.clock += timedelta(minutes=1)
        return self.clock

    def teardown(self) -> None:
        """Leave nothing open to the next example, whose queue would grow and grow."""
        self._look_at_all()
        for order_id, status in self.status.items():
            if status.is_open:
                self._move(order_id, status, Status.CANCELED)


def _queue() -> list[tuple[str, str]]:
    """All open orders with their statuses, as the reader of the queue's pages gives them."""
    request, found = PageRequest(BIG), list[tuple[str, str]]()
    while True:
        page = list_open_orders(OrderFilter(), request)
        found += [(order.id, order.status) for order in page.items]
        if not page.page.has_next:
            return found
        request = PageRequest(BIG, page.page.entries[-1].position)


@pytest.mark.real_engine
@pytest.mark.usefixtures("tables")
class TestTheLifeOfOrders:
    def test_keeps_queue_tabs_and_sparse_keys_right_at_every_step(self):
        run_state_machine_as_test(  # type: ignore[no-untyped-call] # Hypothesis
            OrderLife, settings=settings(max_examples=examples(10), stateful_step_count=15)
        )

    @pytest.mark.slow
    def test_keeps_them_right_for_thousands_of_steps(self):
        OrderLife.steps = 0
        run_state_machine_as_test(  # type: ignore[no-untyped-call] # Hypothesis
            OrderLife, settings=settings(max_examples=60, stateful_step_count=40)
        )
        assert OrderLife.steps >= 2_000
