"""Lists of orders by any filter, against the plain answer."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamo.calls.meter import metered
from dynamo.lists.reader import PageRequest
from shop.order_status import Status
from shop.orders.filters import OrderFilter
from shop.orders.items import NewLine, NewOrder
from shop.orders.queries import NoSuchOrder, find_order, has_bought, list_orders, owner_of
from tests.support.chance import unique
from tests.support.orders.making import by_status_date, is_open, made_order, newest_first, put
from tests.support.shop.order_walks import orders_of, there_and_back

DAYS = [date(2023, 1, 1) + timedelta(days=n) for n in range(5)]
MIDNIGHTS = [datetime(d.year, d.month, d.day, tzinfo=UTC) for d in DAYS]
MOMENTS = [m + timedelta(microseconds=us) for m in MIDNIGHTS for us in (-1_000, 0, 1_000)]
"""Just before, at, and just after each midnight, so that many orders share a moment."""


def expected(orders: Sequence[NewOrder], chosen: OrderFilter) -> list[str]:
    """Filter and sort in memory, as the pages must."""

    def moment_of(order: NewOrder) -> datetime:
        return order.now_in.moment if chosen.statuses else order.placed_at

    def is_within(moment: datetime) -> bool:
        day = moment.date()
        return (chosen.since is None or day >= chosen.since) and (
            chosen.until is None or day < chosen.until
        )

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
        since=draw(st.sampled_from([None, days[0]])),
        until=draw(st.sampled_from([None, days[1]])),
        open_only=not statuses and draw(st.booleans()),
    )


@pytest.fixture(scope="module")
def crowded(tables: None) -> tuple[str, list[NewOrder]]:
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
    def test_gives_the_plain_answer_there_and_back(
        self, crowded: tuple[str, list[NewOrder]], chosen: OrderFilter, size: int
    ) -> None:
        username, orders = crowded
        found = there_and_back(orders_of(username, chosen), size=size)
        assert found == expected(orders, chosen)


class TestTheBoundsOfARange:
    """A5 and A6: from is in, to is out, and no other status ever is."""

    @pytest.fixture
    def shipped(self, fresh: Callable[[str], str], tables: None) -> Callable[..., list[str]]:
        """Asks for shipped orders of a customer who has one at each of four moments."""
        username, moment = fresh("alex"), datetime(2018, 1, 1, tzinfo=UTC)
        orders = {
            name: made_order(
                username, Status.SHIPPED, placed_at=moment - timedelta(days=99), entered_at=at
            )
            for name, at in {
                "before": moment - timedelta(microseconds=1),
                "at": moment,
                "within": moment + timedelta(hours=9),
                "at the end": moment + timedelta(days=1),
            }.items()
        }
        others = [
            made_order(username, s, placed_at=moment - timedelta(days=99))
            for s in Status
            if s is not Status.SHIPPED
        ]
        put(*orders.values(), *others)
        names = {order.id: name for name, order in orders.items()}

        def ask(**days: date) -> list[str]:
            chosen = OrderFilter(statuses=(Status.SHIPPED,), **days)
            found = list_orders(username, chosen, PageRequest(50)).items
            return [names[order.id] for order in found]

        return ask

    def test_an_order_exactly_at_from_is_in_and_exactly_at_to_is_out(
        self, shipped: Callable[..., list[str]]
    ) -> None:
        days = {"since": date(2018, 1, 1), "until": date(2018, 1, 2)}
        assert shipped(**days) == ["within", "at"]

    def test_before_a_date_holds_no_other_status(self, shipped: Callable[..., list[str]]) -> None:
        assert shipped(until=date(2018, 1, 1)) == ["before"]

    def test_from_a_date_holds_no_other_status(self, shipped: Callable[..., list[str]]) -> None:
        assert shipped(since=date(2018, 1, 2)) == ["at the end"]

    def test_of_no_day_is_empty_and_reads_nothing(self, shipped: Callable[..., list[str]]) -> None:
        with metered() as meter:
            assert shipped(since=date(2018, 1, 1), until=date(2018, 1, 1)) == []
        assert meter.calls == []


class TestWhatAListReads:
    @pytest.mark.parametrize("chosen", [(), (Status.SHIPPED,), tuple(Status)])
    def test_is_one_query_for_each_status_and_no_scan(
        self, fresh: Callable[[str], str], tables: None, chosen: tuple[Status, ...]
    ) -> None:
        username = fresh("alex")
        put(*(made_order(username, status) for status in Status))
        with metered() as meter:
            page = list_orders(username, OrderFilter(statuses=chosen), PageRequest(20)).page
        assert [call.operation for call in meter.calls] == ["Query"] * (len(chosen) or 1)
        assert page.rounds == 1

    @pytest.mark.real_engine
    def test_of_own_open_orders_is_read_strongly_for_one_query(
        self, fresh: Callable[[str], str], tables: None
    ) -> None:
        username = fresh("alex")
        put(made_order(username))
        with metered() as meter:
            list_orders(username, OrderFilter(open_only=True), PageRequest(20))
        (call,) = meter.calls
        assert (call.index, call.capacity_units) == ("open_by_date", 1.0)


class TestFindingAnOrder:
    def test_gives_the_lines_in_their_order(
        self, fresh: Callable[[str], str], tables: None
    ) -> None:
        lines = [NewLine(f"p{n}", f"Product {n}", n + 1, 100 * n) for n in range(40)]
        order = made_order(fresh("alex"), lines=lines)
        put(order)
        found = find_order(order.id).order
        assert [line.product_id for line in found.items] == [line.product_id for line in lines]
        assert found.total == sum(line.total for line in found.items)
        assert owner_of(order.id) == order.username

    def test_takes_its_foreign_id_as_well(self, fresh: Callable[[str], str], tables: None) -> None:
        order = made_order(fresh("alex"), foreign_id=fresh("elsewhere"))
        put(order)
        assert find_order(order.foreign_id or "").order.id == order.id

    @pytest.mark.parametrize("order_id", ["", "nonsense", "x" * 5_000])
    def test_of_no_such_id_says_so(self, tables: None, order_id: str) -> None:
        for find in (find_order, owner_of):
            with pytest.raises(NoSuchOrder):
                find(order_id)


class TestAPurchase:
    def test_is_known_by_one_read(self, fresh: Callable[[str], str], tables: None) -> None:
        username, product = fresh("alex"), fresh("lamp")
        put(made_order(username, lines=[NewLine(product, "Lamp", 1, 100)]))
        with metered() as meter:
            assert has_bought(username, product)
        assert [call.operation for call in meter.calls] == ["GetItem"]
        assert not has_bought(username, fresh("chair"))
        assert not has_bought(fresh("bob"), product)
