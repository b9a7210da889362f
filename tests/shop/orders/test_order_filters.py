"""What a list of orders is narrowed to, ids that sort by the moment of placing, and statuses."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shop.days import BadListFilter
from shop.order_status import MOVES, OPEN, Status, may_move, moves_from
from shop.orders.filters import OrderFilter
from shop.orders.ids import id_bound, imported_order_id, new_order_id


class TestAFilter:
    def test_is_spelled_in_one_way(self):
        chosen = OrderFilter.parse(
            statuses=["SHIPPED", "PLACED", "SHIPPED"], since="2023-01-01", until="2023-02-01"
        )
        assert chosen.query == "status=PLACED&status=SHIPPED&from=2023-01-01&to=2023-02-01"

    def test_begins_and_ends_at_midnight_utc(self):
        chosen = OrderFilter.parse(since="2023-01-01", until="2023-02-01")
        since, until = datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 2, 1, tzinfo=UTC)
        assert chosen.days.moments == (since, until)

    @pytest.mark.parametrize(
        "text",
        ["01.01.2023", "2023-1-1", "2023-02-29", "20230101", "2023-W01-1", "2023-01-0\u0661"],
    )
    def test_knows_one_spelling_of_days(self, text):
        with pytest.raises(BadListFilter, match="YYYY-MM-DD"):
            OrderFilter.parse(since=text)


class TestAToggle:
    def test_leaves_the_open_orders(self):
        assert not OrderFilter(open_only=True).toggle(Status.PLACED).open_only


class TestOpenStatuses:
    def test_that_are_all_narrow_nothing(self):
        assert OrderFilter.parse(statuses=OPEN, among=OPEN) == OrderFilter()

    def test_left_empty_count_for_nothing(self):
        assert OrderFilter.parse(statuses=[""], among=OPEN).statuses == ()


MOMENTS = st.datetimes(datetime(1971, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given a zone
MILLISECOND = timedelta(milliseconds=1)


class TestAnOrderId:
    @given(moment=MOMENTS, later=st.integers(1, 10**12))
    def test_sorts_before_those_of_a_later_millisecond(self, moment, later):
        try:
            then = moment + later * MILLISECOND
        except OverflowError:
            return
        assert new_order_id(moment) < new_order_id(then)

    @given(moment=MOMENTS)
    def test_lies_at_or_behind_the_bound_of_its_moment(self, moment):
        order_id = new_order_id(moment)
        assert id_bound(moment) < order_id
        assert order_id < id_bound(moment + MILLISECOND) if moment.year < 9999 else True

    @given(moment=MOMENTS, foreign_id=st.text())
    def test_of_an_import_is_always_the_same(self, moment, foreign_id):
        first = imported_order_id(moment, foreign_id)
        assert first == imported_order_id(moment, foreign_id)
        assert first[:10] == new_order_id(moment)[:10]

    def test_bound_of_a_day_before_1970_is_below_all(self):
        assert id_bound(datetime(1, 1, 1, tzinfo=UTC)) == "0" * 10


class TestTheMoves:
    def test_lead_to_every_status_but_the_first(self):
        assert {move.target for move in MOVES} == {*Status} - {Status.PLACED}

    def test_never_lead_in_a_circle(self):
        life = list(Status)
        assert all(life.index(move.source) < life.index(move.target) for move in MOVES)

    def test_let_a_customer_cancel_until_the_order_is_being_processed(self):
        may_cancel = [s for s in Status if may_move(s, Status.CANCELED, is_staff=False)]
        assert may_cancel == [Status.PLACED, Status.APPROVED]

    def test_let_a_customer_return_what_was_delivered(self):
        targets = [move.target for move in moves_from(Status.DELIVERED, is_staff=False)]
        assert targets == [Status.RETURNED]
