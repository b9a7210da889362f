"""Lists of orders by any filter, against the plain answer."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynapages.calls import metered
from dynapages.lists import PageRequest
from shop.days import Days
from shop.for_comments import has_bought
from shop.order_status import Status
from shop.orders.filters import OrderFilter
from shop.orders.items import NewLine, NewOrder
from shop.orders.queries import NoSuchOrder, find_order, list_orders, owner_of
from tests.support.chance import unique
from tests.support.orders.making import by_status_date, is_open, made_order, newest_first, put
from tests.support.shop.order_walks import orders_of, there_and_back

DAYS = [date(2023, 1, 1) + timedelta(days=n) for n in range(5)]
MIDNIGHTS = [datetime(d.year, d.month, d.day, tzinfo=UTC) for d in DAYS]
MOMENTS = [m + timedelta(microseconds=us) for m in MIDNIGHTS for us in (-1_000, 0, 1_000)]
"""Just before, at, and just after each midnight, so that many orders share a moment."""

PAGE = PageRequest(20)


def expected(orders: Sequence[NewOrder], chosen: OrderFilter) -> list[str]:
    """Filter and sort in memory, as the pages must."""

    def moment_of(order: NewOrder) -> datetime:
        return order.now_in.moment if chosen.statuses else order.placed_at

    def is_within(moment: datetime) -> bool:
        day = moment.date()
        since, until = chosen.days.since, chosen.days.until
        return (since is None or day >= since) and (until is None or day < until)

    wanted = [
        order
        for order in orders
        if (not chosen.statuses or order.now_in.status in chosen.statuses)
        and (not chosen.open_only or is_open(order))
        and is_within(moment_of(order))
    ]
    return by_status_date(wanted) if chosen.statuses else newest_first(wanted)


@st.composite
def filters(draw: st.DrawFn) -> OrderFilter:
    statuses = draw(st.sets(st.sampled_from(Status)))
    days = sorted(draw(st.lists(st.sampled_from(DAYS), min_size=2, max_size=2)))
    return OrderFilter(
        statuses=tuple(status for status in Status if status in statuses),
        days=Days(*(draw(st.sampled_from([None, day])) for day in days)),
        open_only=not statuses and draw(st.booleans()),
    )


@pytest.fixture(scope="module")
def crowded(tables):
    """A customer with orders of all statuses, many at one moment, and neighbours around."""
    username = unique("crowded")
    orders = [
        made_order(
            username,
            status,
            placed_at=MOMENTS[n % len(MOMENTS)],
            entered_at=MOMENTS[(n * 7) % len(MOMENTS)] + timedelta(milliseconds=n % 2),
        )
        for n, status in enumerate([*Status] * 6)
    ]
    neighbours = [made_order(f"{username}{suffix}", s) for suffix in ("#", "0") for s in Status]
    put(*orders, *neighbours)
    return username, orders


@pytest.mark.real_engine
class TestEveryFilter:
    @given(chosen=filters(), size=st.integers(1, 9))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_gives_the_plain_answer_there_and_back(self, crowded, chosen, size):
        username, orders = crowded
        found = there_and_back(orders_of(username, chosen), size=size)
        assert found == expected(orders, chosen)


class TestWhatAListReads:
    @pytest.mark.parametrize("chosen", [(), (Status.SHIPPED,), tuple(Status)])
    def test_is_one_query_for_each_status_and_no_scan(self, fresh, tables, chosen):
        username = fresh("alex")
        put(*(made_order(username, status) for status in Status))
        with metered() as meter:
            page = list_orders(username, OrderFilter(statuses=chosen), PAGE).page
        assert [call.operation for call in meter.log] == ["Query"] * (len(chosen) or 1)
        assert page.rounds == 1

    def test_is_nothing_for_no_day_at_all(self, tables):
        with metered() as meter:
            assert list_orders("alex", OrderFilter(days=Days(DAYS[0], DAYS[0])), PAGE).items == ()
        assert meter.log == []

    @pytest.mark.real_engine
    def test_of_own_open_orders_is_read_strongly_for_one_query(self, fresh, tables):
        put(order := made_order(fresh("alex")))
        with metered() as meter:
            list_orders(order.username, OrderFilter(open_only=True), PAGE)
        (call,) = meter.log
        assert (call.index, call.capacity_units) == ("open_by_date", 1.0)


class TestFindingAnOrder:
    def test_gives_the_lines_in_their_order(self, fresh, tables):
        lines = [NewLine(f"p{n}", f"Product {n}", n + 1, 100 * n) for n in range(40)]
        put(order := made_order(fresh("alex"), lines=lines))
        found = find_order(order.id)
        assert [line.product_id for line in found.items] == [line.product_id for line in lines]
        assert found.total == sum(line.total for line in found.items)
        assert owner_of(order.id) == order.username

    @pytest.mark.parametrize("order_id", ["", "nonsense", "x" * 5_000])
    def test_of_no_such_id_says_so(self, tables, order_id):
        for find in (find_order, owner_of):
            with pytest.raises(NoSuchOrder):
                find(order_id)


class TestAPurchase:
    def test_is_known_by_one_read(self, fresh, tables):
        username, product = fresh("alex"), fresh("lamp")
        put(made_order(username, lines=[NewLine(product, "Lamp", 1, 100)]))
        with metered() as meter:
            assert has_bought(username, product)
        assert [call.operation for call in meter.log] == ["GetItem"]
        assert not has_bought(username, fresh("chair"))
        assert not has_bought(fresh("bob"), product)
