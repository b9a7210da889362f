"""What a list of orders is narrowed to."""

from datetime import UTC, date, datetime

import pytest

from shop.order_status import OPEN, Status
from shop.orders.filters import BadOrderFilter, OrderFilter


class TestAFilter:
    def test_is_spelled_in_one_way(self) -> None:
        chosen = OrderFilter.parse(
            statuses=["SHIPPED", "PLACED", "SHIPPED"], since="2023-01-01", until="2023-02-01"
        )
        assert chosen.query == "status=PLACED&status=SHIPPED&from=2023-01-01&to=2023-02-01"

    def test_that_narrows_nothing_is_spelled_as_nothing(self) -> None:
        assert OrderFilter.parse().query == ""

    def test_begins_and_ends_at_midnight_utc(self) -> None:
        chosen = OrderFilter.parse(since="2023-01-01", until="2023-02-01")
        assert chosen.moments == (
            datetime(2023, 1, 1, tzinfo=UTC),
            datetime(2023, 2, 1, tzinfo=UTC),
        )

    def test_may_be_of_no_day_at_all(self) -> None:
        day = date(2023, 1, 1)
        assert OrderFilter(since=day, until=day).query == "from=2023-01-01&to=2023-01-01"

    @pytest.mark.parametrize(
        "text",
        ["01.01.2023", "2023-1-1", "2023-02-29", "20230101", "2023-W01-1", "2023-01-0\u0661"],
    )
    def test_knows_one_spelling_of_days(self, text: str) -> None:
        with pytest.raises(BadOrderFilter, match="YYYY-MM-DD"):
            OrderFilter.parse(since=text)

    def test_never_ends_before_it_begins(self) -> None:
        with pytest.raises(BadOrderFilter, match="start date is after the end date"):
            OrderFilter.parse(since="2023-02-01", until="2023-01-31")


class TestAToggle:
    def test_from_any_status_chooses_one(self) -> None:
        assert OrderFilter().toggle(Status.SHIPPED).statuses == (Status.SHIPPED,)

    def test_adds_and_removes_in_the_order_of_an_orders_life(self) -> None:
        both = OrderFilter(statuses=(Status.SHIPPED,)).toggle(Status.PLACED)
        assert both.statuses == (Status.PLACED, Status.SHIPPED)
        assert both.toggle(Status.SHIPPED).statuses == (Status.PLACED,)

    def test_leaves_the_open_orders(self) -> None:
        assert not OrderFilter(open_only=True).toggle(Status.PLACED).open_only

    def test_keeps_the_days(self) -> None:
        chosen = OrderFilter(since=date(2023, 1, 1))
        assert chosen.toggle(Status.PLACED).since == chosen.since
        assert chosen.only_open().since == chosen.since


class TestOpenStatuses:
    def test_that_are_all_narrow_nothing(self) -> None:
        assert OrderFilter.parse(statuses=OPEN, among=OPEN) == OrderFilter()

    def test_never_include_a_closed_one(self) -> None:
        with pytest.raises(BadOrderFilter, match="choose from PLACED, APPROVED, PROCESSING"):
            OrderFilter.parse(statuses=["SHIPPED"], among=OPEN)

    def test_left_empty_count_for_nothing(self) -> None:
        assert OrderFilter.parse(statuses=[""], among=OPEN).statuses == ()
