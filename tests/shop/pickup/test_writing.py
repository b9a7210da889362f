"""Points in the table: two items each, counted in two directories, by one transaction."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from itertools import count

import pygeohash
import pytest

from dynapages.calls import metered
from dynapages.writes import Contended
from shop.pickup.bulk_writes import PointOutcome, put_points, remove_point
from shop.pickup.cells import Coordinates
from shop.pickup.directory import read_directories
from shop.pickup.items import point_of
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.pickup.stored import (
    area_item,
    made_point,
    own_item,
)

pytestmark = pytest.mark.usefixtures("tables")

OSLO, KYOTO = (59.9139, 10.7522), (35.0116, 135.7681)


def counted(*names: str) -> dict[str, Counter[str]]:
    found = read_directories(names, consistent=True)
    return {name: Counter(found.get(name, {})) for name in names}


class TestPuttingPoints:
    def test_stores_each_by_its_id_and_by_where_it_is(self, fresh):
        point = made_point(fresh, OSLO)
        assert put_points([point]) == Counter({PointOutcome.NEW: 1, PointOutcome.UNCHANGED: 0})
        for item in (own_item(point), area_item(point)):
            assert item is not None
            assert point_of(item) == point
        item = area_item(point)
        assert item["pk"]["S"] == "GEO#u4"
        assert item["sk"]["S"] == f"u4xsudvxb2#{point.id}"

    def test_counts_it_in_its_area_and_in_the_world(self, fresh):
        before = counted("~", "u4")
        put_points([made_point(fresh, OSLO), made_point(fresh, OSLO)])
        after = counted("~", "u4")
        assert after["~"]["u4"] == before["~"]["u4"] + 2
        assert after["u4"]["u4xs"] == before["u4"]["u4xs"] + 2

    def test_again_writes_nothing(self, fresh):
        point = made_point(fresh, OSLO)
        put_points([point])
        with metered() as meter:
            assert put_points([point])[PointOutcome.UNCHANGED] == 1
        assert {call.operation for call in meter.log} == {"BatchGetItem"}

    def test_replaces_what_is_said_of_it(self, fresh):
        point = made_point(fresh, OSLO)
        put_points([point])
        before = counted("~", "u4")
        renamed = replace(point, name="Kaffe", hours="")
        assert put_points([renamed])[PointOutcome.REPLACED] == 1
        assert find_point(point.id) == renamed
        item = area_item(renamed)
        assert point_of(item) == renamed
        assert counted("~", "u4") == before

    def test_moves_it_with_its_counts(self, fresh):
        point = made_point(fresh, OSLO)
        before = counted("~", "u4", "xn")
        put_points([point])
        moved = replace(point, place=Coordinates.at(*KYOTO))
        assert put_points([moved])[PointOutcome.REPLACED] == 1
        assert area_item(point) is None
        assert area_item(moved) is not None
        after = counted("~", "u4", "xn")
        assert after["~"]["u4"] == before["~"]["u4"]
        assert after["~"]["xn"] == before["~"]["xn"] + 1

    @pytest.mark.parametrize("area", ["pk", "sk"])
    def test_counts_it_in_an_area_that_is_called_like_a_key(self, fresh, area):
        middle = pygeohash.decode_exactly(area)
        before = counted("~")
        put_points([made_point(fresh, (middle.latitude, middle.longitude))])
        assert counted("~")["~"][area] == before["~"][area] + 1

    def test_starts_over_when_somebody_else_wrote_the_same(self, fresh):
        point = made_point(fresh, OSLO)
        elsewhere = replace(point, place=Coordinates.at(*KYOTO))
        with before_the_next_transaction(lambda: put_points([elsewhere])):
            assert put_points([point])[PointOutcome.REPLACED] == 1
        assert find_point(point.id) == point
        assert area_item(elsewhere) is None

    def test_gives_up_when_somebody_else_never_stops(self, fresh):
        point, east = made_point(fresh, OSLO), count(1)

        def meet() -> None:
            put_points([replace(point, place=Coordinates.at(1.0, next(east)))])
            meetings.enter_context(before_the_next_transaction(meet))

        with ExitStack() as meetings:
            meetings.enter_context(before_the_next_transaction(meet))
            with pytest.raises(Contended):
                put_points([point])


class TestRemovingAPoint:
    def test_leaves_nothing_of_it(self, fresh):
        point = made_point(fresh, OSLO)
        before = counted("~", "u4")
        put_points([point])
        assert remove_point(point.id)
        assert (own_item(point), area_item(point)) == (None, None)
        assert counted("~", "u4") == before
        with pytest.raises(NoSuchPoint):
            find_point(point.id)


class TestAPointNearAPole:
    def test_is_stored_and_counted_in_a_cap(self, fresh):
        before = counted("~", "Nkj")
        put_points([point := made_point(fresh, (78.2232, 15.6267))])
        item = area_item(point)
        assert (item["pk"]["S"], item["sk"]["S"][:5]) == ("GEO#Nkj", "Nkjfr")
        after = counted("~", "Nkj")
        assert after["~"]["Nkj"] == before["~"]["Nkj"] + 1
        assert after["Nkj"]["Nkjfr"] == before["Nkj"]["Nkjfr"] + 1


@pytest.mark.real_engine
class TestWhatItCosts:
    def test_to_find_ten_points_in_a_city(self, fresh):
        """The figures of docs/designs/pickup-points.md: two directories, one round of cells."""
        where = Coordinates.at(-41.2866, 174.7756)
        put_points(
            made_point(fresh, (-41.2866 + n % 10 / 200, 174.7756 + n // 10 / 200))
            for n in range(60)
        )
        with metered() as meter:
            found = nearest_points(where, 10)
        assert len(found.points) == 10
        assert found.page.rounds == 1
        assert meter.units_of("directory") == 1.0
        assert [(call.operation, call.index) for call in meter.log] == [
            ("BatchGetItem", None),
            ("Query", None),
        ]
        assert meter.units <= 3.0

    def test_to_find_that_nothing_is_near(self, fresh):
        put_points([made_point(fresh, (-41.2866, 174.7756))])
        with metered() as meter:
            (near,) = nearest_points(Coordinates.at(-54.8, -68.3), 1).points
        assert near.metres > 1_000_000
        assert meter.units < 15

    def test_to_write_a_point_with_its_counts(self, fresh):
        """Two items and two directories at two units each; two entries in ``inverted`` at one."""
        put_points([made_point(fresh, (-20.0, 57.5))])
        with metered() as meter:
            put_points([made_point(fresh, (-20.0, 57.5))])
        writes = [call for call in meter.log if call.operation == "TransactWriteItems"]
        assert sum(call.capacity_units for call in writes) == 10.0
