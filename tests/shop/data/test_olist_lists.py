"""Every list of the imported orders, compared with the brute-force answer from the files.

The users with the most orders, and one made user who has copies of many. Without ``--slow``
it is their orders and some of the filters; with it all orders are imported, and many users and
filters are drawn.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import chain, combinations
from random import Random
from typing import NamedTuple

import pytest

from shop.accounts.queries import find_user
from shop.days import Days
from shop.order_status import OPEN, Status
from shop.orders.counts import read_customer_counts
from shop.orders.filters import OrderFilter
from shop.orders.queries import find_order
from tests.support.shop.olist_folders import give_copies, part_of
from tests.support.shop.olist_loading import import_folder
from tests.support.shop.olist_truth import OPEN as OPEN_STATUSES
from tests.support.shop.olist_truth import Truth, TruthOrder, truth_of
from tests.support.shop.order_walks import orders_of, queue_of, there_and_back

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


class Scale(NamedTuple):
    """How many users there are, and who has copies of each n-th order."""

    users: int
    made: str
    every: int


PART, WHOLE = Scale(25, "part-of-all", 60), Scale(1_000, "all-of-them", 1)
SETS = [
    frozenset(chosen)
    for chosen in chain.from_iterable(combinations(Status, size) for size in range(1, 8))
]
FIRST_DAY, LAST_DAY = date(2016, 9, 1), date(2018, 11, 1)


@pytest.fixture(scope="module", params=[PART, pytest.param(WHOLE, marks=pytest.mark.slow)])
def truth(request, tables, real_data, tmp_path_factory):
    """The orders of some users; and for a made one all orders again, or every sixtieth."""
    source, scale = real_data / "olist", request.param
    folder = part_of(source, users=truth_of(source).busiest(scale.users))
    give_copies(folder, source, user=scale.made, every=scale.every)
    import_folder(written := folder.write(tmp_path_factory.mktemp("olist")))
    return truth_of(written)


def filter_of(statuses: frozenset[Status] = frozenset(), *days: date | None) -> OrderFilter:
    return OrderFilter(tuple(s for s in Status if s in statuses), Days(*days))


def expected(truth: Truth, username: str, chosen: OrderFilter) -> list[str]:
    return truth.listed(
        username,
        chosen.statuses,
        since=str(chosen.days.since or ""),
        until=str(chosen.days.until or ""),
    )


def some_users(truth: Truth, count: int) -> list[str]:
    """The busiest, who are the most likely to be wrong, and as many others drawn."""
    first, *others = truth.busiest(len(truth.by_user))
    count = min(count, len(others))
    return [first, *others[: count // 10], *Random(count).sample(others, count)]


def check_user(truth: Truth, username: str, chosen: OrderFilter, *, size: int = 500) -> None:
    found = there_and_back(orders_of(username, chosen), size=size)
    assert found == expected(truth, username, chosen), (username, chosen)


def random_ranges(count: int) -> Iterator[tuple[date, date]]:
    """Spans of days, some of no day at all."""
    rng = Random(count)
    days = (LAST_DAY - FIRST_DAY).days
    for _ in range(count):
        since = FIRST_DAY + timedelta(rng.randrange(days))
        yield since, since + timedelta(int(days ** rng.random()) - 1)


def check_order(order: TruthOrder) -> None:
    for order_id in (order.id, order.foreign_id):
        found = find_order(order_id)
        pieces = Counter({line.product_id: line.quantity for line in found.items})
        assert found.username == order.username
        assert (found.status, found.total * 100) == (order.status, order.cents)
        assert (pieces, found.item_count) == (order.pieces, order.pieces.total())
        assert f"{found.date:%Y-%m-%d %H:%M:%S}" == order.entered
        assert found.history[-1].original == order.original


def check_counts(username: str, orders: Sequence[TruthOrder]) -> None:
    counted = {status.value: n for status, n in read_customer_counts(username).items() if n}
    assert counted == Counter(order.status for order in orders)


def check_queue(truth: Truth, *statuses: Status, size: int) -> None:
    """Compare the queue with ours; other tests may have left open orders in it, too."""
    ours = {order.id for order in truth.orders}
    found = there_and_back(queue_of(*statuses), size=size)
    wanted = truth.queue(statuses or OPEN_STATUSES)
    assert [order_id for order_id in found if order_id in ours] == wanted


class TestTheListsOfOlist:
    def test_are_of_every_user_with_their_orders_and_counts(self, truth):
        for username in some_users(truth, 500):
            assert find_user(username).get_username() == username
            check_user(truth, username, filter_of())
            check_counts(username, truth.by_user[username])

    def test_are_of_every_users_open_orders(self, truth):
        for username in some_users(truth, 300):
            found = there_and_back(orders_of(username, OrderFilter(open_only=True)), size=500)
            assert found == truth.open_of(username)

    def test_lead_to_every_order_by_either_id(self, truth):
        for order in Random(5).sample(truth.orders, min(len(truth.orders) // 8, 500)):
            check_order(order)

    def test_are_of_ranges_of_days(self, truth):
        rng = Random(3)
        for days in random_ranges(40):
            chosen = filter_of(rng.choice([frozenset(), *SETS]), *days)
            check_user(truth, truth.busiest(1)[0], chosen, size=300)

    def test_are_of_open_orders_of_everybody_the_oldest_first(self, truth):
        check_queue(truth, size=20)
        for status in OPEN:
            check_queue(truth, status, size=100)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [WHOLE], indirect=True)
def test_shipped_before_2018_is_exactly_that(truth):
    assert len(truth.by_user[WHOLE.made]) == 8_135
    chosen = filter_of(frozenset({Status.SHIPPED}), None, date(2018, 1, 1))
    assert len(expected(truth, WHOLE.made, chosen)) == 531
    check_user(truth, WHOLE.made, chosen, size=20)
