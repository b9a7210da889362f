"""Several orders moved at once: in shared transactions, and each refused by itself."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.calls import metered
from dynapages.calls.pool import Backoff
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.writes import Contended
from dynapages_testing.conflicts import cancelled, throttles
from dynapages_testing.hooks import hooked
from shop import keys
from shop.models import Order
from shop.order_status import MOVES, Move, Status
from shop.orders.counts import customer_counter, read_customer_counts, read_queue_lengths
from shop.orders.items import NewLine, NewOrder
from shop.orders.move_writes import MoveWrite, transactions_of, without_common_counters
from shop.orders.moving import MoveRefused, move_order, mover_of
from shop.orders.moving_many import Moved, move_orders
from shop.orders.queries import stored_orders
from shop.orders.refs import OrderRef
from shop.orders.signals import order_moved
from shop.table import OPEN_ORDERS, QUEUE, TABLE
from tests.support.chance import examples, unique
from tests.support.comments.faulty import (
    EVENTS,
    Fault,
    Killed,
    before_the_next_transaction,
    faults,
    troubled,
)
from tests.support.orders.making import LATER, made_order, move, put, stored_order
from tests.support.orders.queueing import stored_status
from tests.support.shop.checks import differences, lose, stored

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]

APPROVAL = Move(Status.PLACED, Status.APPROVED)
SHIPPING = Move(Status.PROCESSING, Status.SHIPPED)
DELIVERY = Move(Status.SHIPPED, Status.DELIVERED)
RETURN = Move(Status.DELIVERED, Status.RETURNED)
MANY = 20


def lines_of(*product_ids: str) -> list[NewLine]:
    return [NewLine(product_id, product_id, 1, 100) for product_id in product_ids]


def some_orders(move: Move, *, customers: int = MANY, number: int = MANY) -> list[NewOrder]:
    """Orders in the status that a move leaves, of new customers in turn."""
    names = [unique("alex") for _ in range(customers)]
    orders = [made_order(names[n % customers], move.source) for n in range(number)]
    put(*orders)
    return orders


def refs_of(orders: Sequence[NewOrder]) -> list[OrderRef]:
    return [OrderRef(order.id, order.username) for order in orders]


def move_them(orders: Sequence[NewOrder], move: Move, *, who: str = "sam") -> list[Moved]:
    refs = refs_of(orders)
    ids = [ref.id for ref in refs]
    return move_orders(ids, stored_orders(refs), move, who=who, now=LATER)


def moved(orders: Sequence[NewOrder]) -> list[Moved]:
    return [Moved(order.id) for order in orders]


def statuses(orders: Sequence[NewOrder]) -> set[str]:
    return {stored_status(order) for order in orders}


@contextmanager
def counting(orders: Sequence[NewOrder], move: Move, *, expected: int) -> Iterator[None]:
    """Require that the counts change by so many orders, of the customers and of the queue."""
    names = {order.username for order in orders}
    before = {name: read_customer_counts(name) for name in names}
    queue = read_queue_lengths()
    yield
    left = entered = 0
    for name in names:
        after = read_customer_counts(name)
        left += before[name][move.source] - after[move.source]
        entered += after[move.target] - before[name][move.target]
        assert sum(after.values()) == sum(before[name].values())
    assert (left, entered) == (expected, expected)
    for status, length in read_queue_lengths().items():
        change = (status is move.target) - (status is move.source)
        assert length - queue[status] == change * expected


@contextmanager
def transactions_sent() -> Iterator[list[int]]:
    """The numbers of actions of transactions; a meter has none of those that are cancelled."""
    sizes: list[int] = []

    def note(params: dict[str, Any], **_: object) -> None:
        sizes.append(len(params["TransactItems"]))

    with hooked("provide-client-params.dynamodb.TransactWriteItems", note):
        yield sizes


def histories(orders: Sequence[NewOrder]) -> list[list[str]]:
    found = []
    for order in orders:
        steps = stored_order(order.username, order.id)["history"]["L"]
        found.append([step["M"]["status"]["S"] for step in steps])
    return found


@pytest.fixture
def without_pauses(monkeypatch):
    monkeypatch.setattr(Backoff, "pause", lambda _self, _attempt: 0.0)


class TestTwentyOrders:
    @pytest.mark.parametrize("move", [APPROVAL, SHIPPING])
    @pytest.mark.parametrize("customers", [1, 3, MANY])
    def test_are_moved_in_one_transaction(self, move, customers):
        orders = some_orders(move, customers=customers)
        with counting(orders, move, expected=MANY), metered() as meter:
            assert move_them(orders, move) == moved(orders)
        operations = [call.operation for call in meter.log if call.label != "counts"]
        assert operations == ["BatchGetItem", "TransactWriteItems"]
        assert meter.log[0].capacity_units == MANY  # strongly read
        assert statuses(orders) == {move.target}

    def test_are_announced_each(self):
        orders = some_orders(APPROVAL)
        sent: list[str] = []

        def receive(order_id: str, **_: object) -> None:
            sent.append(order_id)

        order_moved.connect(receive)
        try:
            for _ in ("once", "sent again"):
                move_them(orders, APPROVAL)
        finally:
            order_moved.disconnect(receive)
        assert sorted(sent) == sorted(order.id for order in orders)


class TestTwoThatRefuse:
    """Of 20, one was moved by somebody else, and one does not exist."""

    def test_when_they_were_read_leave_eighteen(self):
        orders = some_orders(APPROVAL)
        one, other = orders[3], made_order(unique("alex"))
        move(one, Status.PLACED, Status.APPROVED, who="kim")
        asked = [*orders[:-1], other]
        with counting(orders, APPROVAL, expected=18):
            outcomes = move_them(asked, APPROVAL)
        self.expect(outcomes, asked, one, other)

    @pytest.mark.parametrize(("customers", "expected"), [(1, [22, 20]), (MANY, [41, 37])])
    def test_when_they_are_written_leave_eighteen(self, customers, expected):
        orders = some_orders(APPROVAL, customers=customers)
        one, other = orders[3], orders[-1]
        item = stored(other.key)

        def happens() -> None:
            move(one, Status.PLACED, Status.APPROVED, who="kim")
            lose(other.key)

        with (
            counting(orders, APPROVAL, expected=19),  # one of them by kim
            before_the_next_transaction(happens),
            transactions_sent() as sizes,
        ):
            outcomes = move_them(orders, APPROVAL)
        client().put_item(TableName=TABLE, Item=item)
        self.expect(outcomes, orders, one, other)
        assert histories(orders) == [["PLACED", "APPROVED"]] * 19 + [["PLACED"]]
        assert [size for size in sizes if size > 3] == expected  # kim's has three

    def expect(
        self,
        outcomes: Sequence[Moved],
        orders: Sequence[NewOrder],
        one: NewOrder,
        other: NewOrder,
    ) -> None:
        by_id = {outcome.order_id: outcome for outcome in outcomes}
        assert [*by_id] == [order.id for order in orders]
        sentence = f"Order …{one.id[-8:]} was already approved by somebody else."
        assert by_id.pop(one.id) == Moved(one.id, sentence, by_another=True)
        assert by_id.pop(other.id) == Moved(other.id, f"There is no order …{other.id[-8:]}.")
        assert set(by_id.values()) == set(moved([o for o in orders if o not in (one, other)]))

    def test_say_in_which_status_they_are(self):
        orders = some_orders(APPROVAL, number=2)
        canceled = partial(move, orders[0], Status.PLACED, Status.CANCELED)
        with before_the_next_transaction(canceled):
            outcomes = move_them(orders, APPROVAL)
        sentence = f"Order …{orders[0].id[-8:]} is already cancelled, so it was not changed."
        assert outcomes == [Moved(orders[0].id, sentence), Moved(orders[1].id)]

    def test_are_no_refusal_where_the_mover_made_the_same_move(self):
        orders = some_orders(APPROVAL, number=3)
        same = partial(move, orders[1], Status.PLACED, Status.APPROVED, who="sam")
        with counting(orders, APPROVAL, expected=3), before_the_next_transaction(same):
            assert move_them(orders, APPROVAL) == moved(orders)


@contextmanager
def meeting(key_prefix: str, times: int) -> Iterator[list[int]]:
    """Let the next transactions meet others on an item whose partition key begins so."""
    met: list[int] = []

    def meet(params: dict[str, Any], **_: object) -> None:
        if len(met) == times:
            return
        for number, action in enumerate(params["TransactItems"]):
            (request,) = action.values()
            if request.get("Key", {}).get("pk", {}).get("S", "").startswith(key_prefix):
                met.append(number)
                raise cancelled(len(params["TransactItems"]), at=number)

    with hooked("provide-client-params.dynamodb.TransactWriteItems", meet):
        yield met


class TestAConflict:
    @pytest.mark.parametrize("times", [1, 2, 3])
    @pytest.mark.parametrize("on", ["the queue's counter", "an order", "a customer's counter"])
    def test_loses_and_doubles_nothing(self, on, times):
        orders = some_orders(APPROVAL)
        name = orders[7].username
        prefixes = {
            "the queue's counter": keys.counter(QUEUE, 0)["pk"].removesuffix("0"),
            "an order": keys.user(name),
            "a customer's counter": keys.counter(customer_counter(name), 0)["pk"],
        }
        with counting(orders, APPROVAL, expected=MANY), meeting(prefixes[on], times) as met:
            assert move_them(orders, APPROVAL) == moved(orders)
        assert len(met) == times
        assert histories(orders) == [["PLACED", "APPROVED"]] * MANY

    @pytest.mark.usefixtures("without_pauses")
    def test_that_lasts_leaves_what_the_same_call_moves(self):
        orders = some_orders(APPROVAL)
        with (
            counting(orders, APPROVAL, expected=0),
            meeting(keys.user(orders[7].username), 100),
            pytest.raises(Contended),
        ):
            move_them(orders, APPROVAL)
        with counting(orders, APPROVAL, expected=MANY):
            assert move_them(orders, APPROVAL) == moved(orders)

    @pytest.mark.usefixtures("without_pauses")
    def test_leaves_the_transactions_alone_that_are_written_at_the_same_time(self):
        bought = lines_of(*(unique("p") for _ in range(60)))
        orders = [made_order(unique("alex"), Status.SHIPPED, lines=bought) for _ in range(3)]
        put(*orders)
        moved_ids: list[str] = []

        def receive(order_id: str, **_: object) -> None:
            moved_ids.append(order_id)

        order_moved.connect(receive)
        try:
            with meeting(keys.user(orders[1].username), 100), pytest.raises(Contended):
                move_them(orders, DELIVERY)
        finally:
            order_moved.disconnect(receive)
        assert sorted(moved_ids) == sorted([orders[0].id, orders[2].id])
        assert [stored_status(o) for o in orders] == ["DELIVERED", "SHIPPED", "DELIVERED"]
        assert move_them(orders, DELIVERY) == moved(orders)
        assert len(listed(orders)) == 180
        assert differing(orders) == []


class TestStaffWhoMoveTheSameOrders:
    @pytest.mark.parametrize("seed", range(3))
    def test_move_each_once_on_a_busy_database(self, seed, without_pauses):
        """Each has most of the orders, in turn; a third of all transactions meet others."""
        orders = some_orders(APPROVAL, customers=5, number=2 * MANY)
        staff = [f"staff-{n}" for n in range(4)]
        chance = Random(seed)
        selected = [chance.sample(orders, MANY + 10) for _ in staff]

        def move_until_done(who: str, some: Sequence[NewOrder]) -> list[Moved]:
            while True:
                with suppress(*FAILURES):
                    return move_them(some, APPROVAL, who=who)

        union = {order.id: order for some in selected for order in some}
        with (
            counting(orders, APPROVAL, expected=len(union)),
            troubled(seed=seed, conflicts=0.3, throttled=0.02),
            ThreadPoolExecutor(len(staff)) as threads,
        ):
            results = list(threads.map(move_until_done, staff, selected))
        movers = Counter(
            outcome.order_id for some in results for outcome in some if not outcome.refusal
        )
        assert movers == dict.fromkeys(union, 1)
        refusals = [outcome for some in results for outcome in some if outcome.refusal]
        assert all(outcome.by_another for outcome in refusals)
        assert histories([*union.values()]) == [["PLACED", "APPROVED"]] * len(union)


class TestThrottling:
    def test_of_any_of_the_orders_spreads_the_queue(self):
        orders = some_orders(SHIPPING)
        shards = OPEN_ORDERS.count()
        left = [1, 2]

        def throttle(params: dict[str, Any], **_: object) -> None:
            if left:
                left.pop()
                raise cancelled(len(params["TransactItems"]), "ThrottlingError", at=5)

        with (
            counting(orders, SHIPPING, expected=MANY),
            hooked("provide-client-params.dynamodb.TransactWriteItems", throttle),
        ):
            assert move_them(orders, SHIPPING) == moved(orders)
        assert OPEN_ORDERS.count() == min(2 * shards, 8)

    @pytest.mark.usefixtures("without_pauses")
    def test_of_every_attempt_moves_nothing(self):
        orders = some_orders(SHIPPING)
        with (
            counting(orders, SHIPPING, expected=0),
            throttles(100),
            pytest.raises(Contended),
        ):
            move_them(orders, SHIPPING)


class TestALostAnswer:
    @pytest.fixture
    def orders(self):
        orders = some_orders(APPROVAL)
        fault = Fault("after it was applied", number=1)
        with fault.injected(), pytest.raises(EndpointConnectionError):
            move_them(orders, APPROVAL)
        assert statuses(orders) == {"APPROVED"}
        return orders

    def test_is_success_for_who_sends_the_same_again(self, orders):
        with counting(orders, APPROVAL, expected=0):
            assert move_them(orders, APPROVAL) == moved(orders)
        assert histories(orders) == [["PLACED", "APPROVED"]] * MANY

    def test_is_somebody_elses_move_for_others(self, orders):
        assert all(outcome.by_another for outcome in move_them(orders, APPROVAL, who="kim"))


def edges(order: NewOrder) -> dict[str, str]:
    """The orders of a customer's purchases that are listed among the buyers of their products."""
    found = {}
    for product_id in order.product_ids:
        edge = stored((keys.user(order.username), keys.bought(order.username, product_id)))
        if edge and "data" in edge:
            found[product_id] = edge["order_id"]["S"]
    return found


def listed(orders: Sequence[NewOrder]) -> dict[str, str]:
    """The same of several orders: the product, in the customer's hands, to the order."""
    found = {}
    for order in orders:
        for product_id, order_id in edges(order).items():
            found[f"{order.username} {product_id}"] = order_id
    return found


def differing(orders: Sequence[NewOrder]) -> list[str]:
    """What the checks find of orders and their customers."""
    subjects = {f"order {order.id}" for order in orders}
    subjects |= {f"customer {order.username}" for order in orders}
    found = []
    for name in ("orders", "catalogue"):
        found += [f"{d.kind} {d.subject}" for d in differences(name) if d.subject in subjects]
    return found


class TestMovesToDelivered:
    @pytest.mark.parametrize(("lines", "transactions"), [(1, 1), (3, 1), (40, 10)])
    def test_of_twenty_need_few_calls_and_rounds(self, lines, transactions):
        bought = lines_of(*(unique("p") for _ in range(lines)))
        orders = [made_order(unique("alex"), Status.SHIPPED, lines=bought) for _ in range(MANY)]
        put(*orders)
        with counting(orders, DELIVERY, expected=MANY), metered() as meter:
            assert move_them(orders, DELIVERY) == moved(orders)
        log = [call for call in meter.log if call.label != "counts"]
        operations = [call.operation for call in log]
        assert operations.count("Query") == MANY
        assert operations.count("TransactWriteItems") == transactions
        assert len(operations) + 1 <= 32  # and the user's
        assert max(call.round for call in log) <= 8
        assert len(listed(orders)) == MANY * lines

    @pytest.mark.parametrize("move", [DELIVERY, RETURN])
    def test_list_the_purchases_of_one_customer_once(self, move):
        """Each order has taken the product over from the one before: the last one has it."""
        name = unique("alex")
        pen, lamp, desk = (unique(kind) for kind in ("pen", "lamp", "desk"))
        products = [(pen,), (pen, lamp), (lamp, pen), (desk,)]
        orders = [
            made_order(
                name,
                move.source,
                placed_at=LATER - timedelta(days=9 - n),
                entered_at=LATER - timedelta(days=1),
                lines=lines_of(*some),
            )
            for n, some in enumerate(products)
        ]
        put(*orders)
        with transactions_sent() as sizes:
            assert move_them(orders, move) == moved(orders)
        assert sizes == [4 + 3 + 1]  # orders, purchases, and the customer's counter
        expected = {}
        if move is DELIVERY:
            expected = {pen: orders[2].id, lamp: orders[2].id, desk: orders[3].id}
        assert listed(orders) == {f"{name} {each}": order for each, order in expected.items()}
        assert differing(orders) == []

    def test_leave_purchases_to_an_order_that_was_put_last_though_it_is_older(self):
        name, pen = unique("alex"), unique("pen")
        newer, older = (
            made_order(name, Status.SHIPPED, placed_at=LATER - age, lines=lines_of(pen))
            for age in (timedelta(days=1), timedelta(days=2))
        )
        put(newer, older)
        assert move_them([newer, older], DELIVERY) == moved([newer, older])
        assert edges(newer) == {pen: older.id}
        assert differing([newer, older]) == []

    def test_leave_purchases_to_an_order_of_meanwhile(self):
        orders = some_orders(DELIVERY, number=4)
        again = made_order(orders[2].username, placed_at=LATER, lines=orders[2].lines)
        with before_the_next_transaction(partial(put, again)):
            assert move_them(orders, DELIVERY) == moved(orders)
        assert [bool(edges(order)) for order in orders] == [True, True, False, True]
        assert histories(orders) == [["PLACED", "SHIPPED", "DELIVERED"]] * 4

    def test_settle_large_orders_behind(self):
        large = [
            made_order(
                unique("alex"), Status.SHIPPED, lines=lines_of(*(unique("p") for _ in range(120)))
            )
            for _ in range(2)
        ]
        put(*large)
        orders = [*some_orders(DELIVERY, number=3), *large]
        assert move_them(orders, DELIVERY) == moved(orders)
        assert len(listed(orders)) == 3 + 2 * 120
        assert not any("unsettled" in stored_order(o.username, o.id) for o in large)
        assert differing(orders) == []

    def test_settle_what_was_interrupted(self):
        order = made_order(
            unique("alex"), Status.SHIPPED, lines=lines_of(*(unique("p") for _ in range(120)))
        )
        put(order)
        fault = Fault("before it is sent", number=5)
        with fault.injected(), pytest.raises(EndpointConnectionError):
            move_them([order], DELIVERY)
        assert "unsettled" in stored_order(order.username, order.id)
        assert move_them([order], DELIVERY) == moved([order])
        assert len(listed([order])) == 120


class TestAProcessThatIsKilled:
    @pytest.mark.parametrize("when", EVENTS)
    def test_leaves_what_the_same_call_completes_whichever_call_it_was_at(self, when):
        rounds = 0
        every_order: list[NewOrder] = []
        for fault in faults(when, every_call=True, kills=True):
            bought = lines_of(*(unique("p") for _ in range(99)))
            large = made_order(unique("alex"), Status.SHIPPED, lines=bought)
            put(large)
            orders = [*some_orders(DELIVERY, customers=2, number=3), large]
            with fault.injected(), suppress(Killed):
                move_them(orders, DELIVERY)
            assert move_them(orders, DELIVERY) == moved(orders)
            assert histories(orders) == [["PLACED", "SHIPPED", "DELIVERED"]] * 4
            assert len(listed(orders)) == 2 + 99  # two orders of one customer share a product
            every_order += orders
            rounds += 1
        assert rounds > 3
        assert differing(every_order) == []


class TestTransactions:
    """Which moves are written in one, and which transactions at the same time."""

    def write(self, username: str, *, purchases: int = 0, queue: bool = False) -> MoveWrite:
        order = made_order(username)
        counts: dict[str, Mapping[str, int]] = {username: {"SHIPPED": 1}}
        if queue:
            counts[QUEUE] = {"PROCESSING": -1}
        bought = {(username, f"{order.id} {n}"): {} for n in range(purchases)}
        item = Order(pk=keys.user(username), sk=keys.order(order.id))
        return MoveWrite(item, {}, counts, bought, (), None, is_large=False)

    def test_have_a_hundred_actions_at_most(self):
        moves = [self.write(f"user-{n:02}", queue=True) for n in range(60)]
        sizes = [len(some) for some in transactions_of(moves)]
        assert sizes == [49, 11]  # an order and a counter each, and that of the queue

    def test_have_the_orders_of_a_customer_together(self):
        moves = [self.write(f"user-{n % 2}", purchases=9) for n in range(20)]
        names = [{move.username for move in some} for some in transactions_of(moves)]
        assert names == [{"user-0"}, {"user-0", "user-1"}, {"user-1"}]

    def test_are_one_behind_the_other_where_both_change_the_queue(self):
        moves = [self.write(f"user-{n}", queue=True) for n in range(3)]
        groups = without_common_counters([[move] for move in moves])
        assert [len(group) for group in groups] == [1, 1, 1]

    def test_are_one_behind_the_other_where_they_are_one_customers(self):
        moves = [self.write(name) for name in ("alex", "alex", "kim", "sam", "kim")]
        groups = without_common_counters([[move] for move in moves])
        names = [[some[0].username for some in group] for group in groups]
        assert names == [["alex", "kim", "sam"], ["alex", "kim"]]


# As one by one

PRODUCTS = ("pen", "lamp", "desk", "bed")
PLACED_AT = LATER - timedelta(days=30)


@st.composite
def shops(draw: st.DrawFn) -> list[tuple[int, Status, tuple[str, ...]]]:
    """Orders as customer, status and products; those of a move's source are the most."""
    statuses = st.sampled_from([*Status, Status.SHIPPED, Status.DELIVERED, Status.PLACED])
    products = st.lists(st.sampled_from(PRODUCTS), min_size=1, max_size=3, unique=True)
    orders = st.tuples(st.integers(0, 2), statuses, products.map(tuple))
    return draw(st.lists(orders, min_size=1, max_size=12))


def stocked(shop: Sequence[tuple[int, Status, tuple[str, ...]]]) -> list[NewOrder]:
    """The orders of a shop, put for new customers."""
    names = [unique(f"customer-{n}") for n in range(3)]
    orders = [
        made_order(
            names[customer],
            status,
            placed_at=PLACED_AT + timedelta(hours=n),
            lines=lines_of(*products),
        )
        for n, (customer, status, products) in enumerate(shop)
    ]
    put(*orders)
    return orders


def contents(orders: Sequence[NewOrder]) -> list[object]:
    """All that is stored of orders, with plain names in the place of their own."""
    plain = {order.id: f"order {n}" for n, order in enumerate(orders)}
    for order in orders:
        plain.setdefault(order.username, f"customer {len(plain)}")
    items: list[object] = []
    for name in dict.fromkeys(order.username for order in orders):
        answer = client().query(
            TableName=TABLE,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": keys.user(name)}},
            ConsistentRead=True,
        )
        for item in answer["Items"]:
            for attribute in ("shard", "open_shard"):  # drawn by chance
                item.pop(attribute, None)
            text = json.dumps(item, sort_keys=True)
            for own, other in plain.items():
                text = text.replace(own, other)
                text = text.replace(mover_of(own, "sam"), f"mover of {other}")
            items.append(text)
        items.append(read_customer_counts(name))
    return items


class TestMovesAtOnce:
    @settings(max_examples=examples(60))
    @given(shop=shops(), move=st.sampled_from(MOVES))
    def test_leave_what_moves_one_by_one_leave(self, shop, move):
        together, one_by_one = stocked(shop), stocked(shop)
        lengths = [read_queue_lengths()]
        refusals = [outcome.refusal for outcome in move_them(together, move)]
        lengths.append(read_queue_lengths())
        assert refused_as(refusals) == refused_as(refusal_of(order, move) for order in one_by_one)
        lengths.append(read_queue_lengths())
        assert contents(together) == contents(one_by_one)
        for status in Status:
            before, between, after = (each.get(status, 0) for each in lengths)
            assert between - before == after - between


def refusal_of(order: NewOrder, move: Move) -> str:
    """Move an order by itself; what is said if it is refused."""
    try:
        move_order(
            username=order.username,
            order_id=order.id,
            source=move.source,
            target=move.target,
            is_staff=True,
            who="sam",
            now=LATER,
        )
    except MoveRefused as error:
        return str(error)
    return ""


def refused_as(refusals: Iterable[str]) -> list[str]:
    """What is said without the ids of orders."""
    return [refusal.partition(" is ")[2] for refusal in refusals]
