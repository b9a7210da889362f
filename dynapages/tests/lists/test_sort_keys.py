from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import id_at, moment_at, parse_timestamp, sort_key_of, timestamp

MOMENT = datetime(2026, 11, 20, 9, 30, 0, 123456, tzinfo=UTC)

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.builds(
    datetime.astimezone,
    st.datetimes(timezones=st.just(UTC)).filter(lambda moment: 1 < moment.year < 9999),
    zones,
)
ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)


class TestTimestamp:
    def test_has_microseconds_even_when_they_are_zero(self):
        assert timestamp(MOMENT.replace(microsecond=0)) == "2026-11-20T09:30:00.000000Z"

    def test_is_in_utc_whatever_the_zone(self):
        tokyo = timezone(timedelta(hours=9))
        assert timestamp(MOMENT.astimezone(tokyo)) == "2026-11-20T09:30:00.123456Z"

    def test_refuses_a_moment_without_a_zone(self):
        with pytest.raises(ValueError, match="no time zone"):
            timestamp(MOMENT.replace(tzinfo=None))

    @given(moments, moments)
    def test_sorts_as_time_does(self, one, other):
        assert (timestamp(one) < timestamp(other)) is (one < other)

    @given(moments)
    def test_is_read_back_as_the_same_moment(self, moment):
        assert parse_timestamp(timestamp(moment)) == moment

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "2026-11-20",
            "2026-11-20T09:30:00Z",
            "2026-11-20T09:30:00.5Z",
            "2026-1-2T9:30:00.123456Z",
            "2026-11-20T09:30:00.123456",
            "2026-11-20T09:30:00.123456+00:00",
            "2026-11-20T09:30:00.12345٦Z",
            "2026-02-30T09:30:00.123456Z",
            "2026-11-20 09:30:00.123456Z",
            "2026-11-20T09:30:00,123456Z",
            "2026-11-20T24:00:00.000000Z",
            "2026-11-20T09:30:00.123456Z\n",
            "2026-W47-5T09:30:00.123456Z",
        ],
    )
    def test_is_not_read_from_another_spelling(self, text):
        with pytest.raises(ValueError, match=r"."):
            parse_timestamp(text)


class TestPlace:
    def test_is_the_timestamp_and_the_id(self):
        assert sort_key_of(MOMENT, "c7") == "2026-11-20T09:30:00.123456Z#c7"

    @given(moments, ids)
    def test_gives_back_its_moment_and_id(self, moment, unique_id):
        place = sort_key_of(moment, unique_id)
        assert (moment_at(place), id_at(place)) == (moment, unique_id)

    @given(moments, ids, ids)
    def test_of_one_moment_sorts_by_the_bytes_of_the_id(self, moment, one, other):
        in_order = sort_key_of(moment, one) < sort_key_of(moment, other)
        assert in_order is (one.encode() < other.encode())

    @given(moments, moments, ids, ids)
    def test_of_a_later_moment_sorts_behind_whatever_the_ids(self, moment, later, one, other):
        if moment < later:
            assert sort_key_of(moment, one) < sort_key_of(later, other)
