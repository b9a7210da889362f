"""Order ids sort by the moment of placing."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from shop.orders.ids import id_bound, imported_order_id, new_order_id

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

    def test_tells_apart_orders_of_one_moment(self):
        moment = datetime(2023, 1, 1, tzinfo=UTC)
        assert imported_order_id(moment, "a") != imported_order_id(moment, "b")
        assert new_order_id(moment) != new_order_id(moment)

    def test_bound_of_a_day_before_1970_is_below_all(self):
        assert id_bound(datetime(1, 1, 1, tzinfo=UTC)) == "0" * 10
