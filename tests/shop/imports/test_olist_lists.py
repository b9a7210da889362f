"""Every list of the imported orders, compared with the brute-force answer from the files.

The users with the most orders, and one made user who has copies of many. Without ``--slow``
it is their orders and some of the filters; with it all orders are imported, and many users and
filters are drawn.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import chain, combinations
from pathlib import Path
from random import Random

import pytest

from shop.accounts.queries import find_user
from shop.order_status import OPEN, Status
from shop.orders.actions import counts_of
from shop.orders.filters import OrderFilter
from shop.orders.queries import find_order
from tests.support.shop.olist_folders import give_copies, part_of
from tests.support.shop.olist_loading import import_folder
from tests.support.shop.olist_truth import OPEN as OPEN_STATUSES
from tests.support.shop.olist_truth import STATUS, Truth, TruthOrder, truth_of
from tests.support.shop.order_walks import orders_of, queue_of, there_and_back

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

PART, WHOLE = "part-of-all", "all-of-them"
"""The made users."""
SETS = [
    frozenset(chosen)
    for chosen in chain.from_iterable(combinations(Status, size) for size in range(1, 8))
]
FIRST_DAY, LAST_DAY = date(2016, 9, 1), date(2018, 11, 1)


@pytest.fixture(scope="module")
def olist(real_data):
    return real_data / "olist"


@pytest.fixture(scope="module")
def part(olist, tmp_path_factory):
    """The orders of 25 users, and every sixtieth order again for a made one."""
    folder = part_of(olist, users=truth_of(olist).busiest(25))
    give_copies(folder, olist, user=PART, every=60)
    return imported(folder.write(tmp_path_factory.mktemp("part")))


@pytest.fixture(scope="module")
def whole(olist, tmp_path_factory):
    """The orders of a thousand users, and all orders there are for a made one."""
    folder = part_of(olist, users=truth_of(olist).busiest(1_000))
    give_copies(folder, olist, user=WHOLE, every=1)
    return imported(folder.write(tmp_path_factory.mktemp("whole")))


def imported(folder: Path) -> Truth:
    truth = truth_of(folder)
    counts = import_folder(folder)
    orders = counts["files"]["olist_orders_dataset"]
    assert (orders["read"], orders["rejected"]) == (len(truth.orders), 0)
    return truth


def filter_of(statuses: frozenset[Status] = frozenset(), *days: date | None) -> OrderFilter:
    since, until = days or (None, None)
    return OrderFilter(tuple(s for s in Status if s in statuses), since=since, until=until)


def expected(truth: Truth, username: str, chosen: OrderFilter) -> list[str]:
    return truth.listed(
        username,
        chosen.statuses,
        since=str(chosen.since or ""),
        until=str(chosen.until or ""),
    )


def some_users(truth: Truth, count: int) -> list[str]:
    """The busiest, who are the most likely to be wrong, and as many others drawn."""
    first, *others = truth.busiest(len(truth.by_user))
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
        found = find_order(order_id).order
        pieces = Counter({line.product_id: line.quantity for line in found.items})
        assert found.username == order.username
        assert (found.status, found.total * 100) == (order.status, order.cents)
        assert (pieces, found.item_count) == (order.pieces, order.pieces.total())
        assert f"{found.date:%Y-%m-%d %H:%M:%S}" == order.entered
        assert found.history[-1].original == order.original


def check_counts(username: str, orders: Sequence[TruthOrder]) -> None:
    counted = {status.value: n for status, n in counts_of(username).items() if n}
    assert counted == Counter(order.status for order in orders)


def check_queue(truth: Truth, *statuses: Status, size: int = 500) -> None:
    """Compare the queue with ours; other tests may have left open orders in it, too."""
    ours = {order.id for order in truth.orders}
    found = there_and_back(queue_of(*statuses), size=size)
    wanted = truth.queue(statuses or OPEN_STATUSES)
    assert wanted
    assert [order_id for order_id in found if order_id in ours] == wanted


class TestPartOfOlist:
    def test_has_every_user_with_their_orders_and_counts(self, part):
        for username, orders in part.by_user.items():
            assert find_user(username).get_username() == username
            check_user(part, username, filter_of())
            check_counts(username, orders)

    def test_lists_every_users_open_orders(self, part):
        for username in part.by_user:
            found = there_and_back(orders_of(username, OrderFilter(open_only=True)), size=500)
            assert found == part.open_of(username)

    def test_finds_every_order_by_either_id(self, part):
        for username in part.busiest(11)[1:]:
            for order in part.by_user[username]:
                check_order(order)

    def test_lists_ranges_of_days(self, part):
        rng = Random(3)
        for days in random_ranges(40):
            chosen = filter_of(rng.choice([frozenset(), *SETS]), *days)
            check_user(part, PART, chosen, size=100)

    def test_lists_open_orders_of_everybody_the_oldest_first(self, part):
        check_queue(part, size=7)
        for status in OPEN:
            if part.queue([status]):
                check_queue(part, status, size=20)


@pytest.mark.slow
class TestOlist:
    def test_is_imported_whole(self, whole):
        assert len(whole.by_user[WHOLE]) == 8_135
        assert Counter(order.original for order in whole.orders).keys() == STATUS.keys()

    def test_lists_and_counts_the_orders_of_users(self, whole):
        for username in some_users(whole, 500):
            check_user(whole, username, filter_of())
            check_counts(username, whole.by_user[username])

    def test_lists_the_open_orders_of_users(self, whole):
        for username in some_users(whole, 300):
            found = there_and_back(orders_of(username, OrderFilter(open_only=True)), size=500)
            assert found == whole.open_of(username)

    def test_finds_orders_by_either_id(self, whole):
        orders = [order for order in whole.orders if order.username != WHOLE]
        for order in Random(5).sample(orders, 500):
            check_order(order)

    def test_shipped_before_2018_is_exactly_that(self, whole):
        chosen = filter_of(frozenset({Status.SHIPPED}), None, date(2018, 1, 1))
        wanted = [o for o in whole.by_user[WHOLE] if o.original == "shipped" and o.entered < "2018"]
        assert len(wanted) == 531
        found = there_and_back(orders_of(WHOLE, chosen), size=500)
        assert set(found) == {order.id for order in wanted}
        check_user(whole, WHOLE, chosen, size=20)

    def test_lists_open_orders_of_everybody_the_oldest_first(self, whole):
        check_queue(whole, size=500)
        for status in OPEN:
            check_queue(whole, status)
