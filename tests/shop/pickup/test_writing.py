"""Points in the table: two items each, counted in two directories, by one transaction."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pygeohash
import pytest

from dynamo.calls.client import client
from dynamo.calls.meter import metered
from dynamo.writes.transactions import Contended
from shop.pickup.coordinates import Coordinates
from shop.pickup.directory import read_directories
from shop.pickup.points import PickupPoint, point_of
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points
from shop.pickup.writing import PointOutcome, put_points, remove_point
from tests.support.pickup.stored import (
    Fresh,
    area_item,
    made_point,
    own_item,
)

pytestmark = pytest.mark.usefixtures("tables")

OSLO, KYOTO = (59.9139, 10.7522), (35.0116, 135.7681)


def counted(*names: str) -> dict[str, dict[str, int]]:
    return read_directories(names, consistent=True)


def number_in(directories: dict[str, dict[str, int]], name: str, cell: str) -> int:
    return directories[name].get(cell, 0)


class TestPuttingPoints:
    def test_stores_each_by_its_id_and_by_where_it_is(self, fresh: Fresh) -> None:
        point = made_point(fresh, OSLO)
        assert put_points([point]) == Counter({PointOutcome.NEW: 1, PointOutcome.UNCHANGED: 0})
        for item in (own_item(point), area_item(point)):
            assert item is not None
            assert point_of(item) == point
        item = area_item(point)
        assert item is not None
        assert item["pk"]["S"] == "GEO#u4"
        assert item["sk"]["S"] == f"u4xsudvxb2#{point.id}"

    def test_counts_it_in_its_area_and_in_the_world(self, fresh: Fresh) -> None:
        before = counted("~", "u4")
        put_points([made_point(fresh, OSLO), made_point(fresh, OSLO)])
        after = counted("~", "u4")
        assert number_in(after, "~", "u4") == number_in(before, "~", "u4") + 2
        assert number_in(after, "u4", "u4xs") == number_in(before, "u4", "u4xs") + 2

    def test_again_writes_nothing(self, fresh: Fresh) -> None:
        point = made_point(fresh, OSLO)
        put_points([point])
        with metered() as meter:
            assert put_points([point])[PointOutcome.UNCHANGED] == 1
        assert {call.operation for call in meter.calls} == {"BatchGetItem"}

    def test_replaces_what_is_said_of_it(self, fresh: Fresh) -> None:
        point = made_point(fresh, OSLO)
        put_points([point])
        before = counted("~", "u4")
        renamed = replace(point, name="Kaffe", hours="")
        assert put_points([renamed])[PointOutcome.REPLACED] == 1
        assert find_point(point.id) == renamed
        item = area_item(renamed)
        assert item is not None
        assert point_of(item) == renamed
        assert counted("~", "u4") == before

    def test_moves_it_with_its_counts(self, fresh: Fresh) -> None:
        point = made_point(fresh, OSLO)
        before = counted("~", "u4", "xn")
        put_points([point])
        moved = replace(point, place=Coordinates.at(*KYOTO))
        assert put_points([moved])[PointOutcome.REPLACED] == 1
        assert area_item(point) is None
        assert area_item(moved) is not None
        after = counted("~", "u4", "xn")
        assert number_in(after, "~", "u4") == number_in(before, "~", "u4")
        assert number_in(after, "~", "xn") == number_in(before, "~", "xn") + 1

    def test_takes_more_than_a_transaction_holds(self, fresh: Fresh) -> None:
        points = [made_point(fresh, (59.9 + n / 1_000, 10.7)) for n in range(95)]
        before = number_in(counted("~"), "~", "u4")
        assert put_points(points)[PointOutcome.NEW] == 95
        assert number_in(counted("~"), "~", "u4") == before + 95

    @pytest.mark.parametrize("area", ["pk", "sk"])
    def test_counts_it_in_an_area_that_is_called_like_a_key(self, fresh: Fresh, area: str) -> None:
        middle = pygeohash.decode_exactly(area)
        before = counted("~")
        put_points([made_point(fresh, (middle.latitude, middle.longitude))])
        assert number_in(counted("~"), "~", area) == number_in(before, "~", area) + 1

    def test_starts_over_when_somebody_else_wrote_the_same(
        self, fresh: Fresh, interfere: Any
    ) -> None:
        point = made_point(fresh, OSLO)
        interfere(lambda: put_points([replace(point, place=Coordinates.at(*KYOTO))]))
        assert put_points([point])[PointOutcome.REPLACED] == 1
        assert find_point(point.id) == point
        assert area_item(replace(point, place=Coordinates.at(*KYOTO))) is None

    def test_gives_up_when_somebody_else_never_stops(self, fresh: Fresh, interfere: Any) -> None:
        point = made_point(fresh, OSLO)
        places = iter([(1.0, n) for n in range(10)])
        again = lambda: put_points([replace(point, place=Coordinates.at(*next(places)))])  # noqa: E731
        interfere(again, times=5)
        with pytest.raises(Contended):
            put_points([point])


class TestRemovingAPoint:
    def test_leaves_nothing_of_it(self, fresh: Fresh) -> None:
        point = made_point(fresh, OSLO)
        before = counted("~", "u4")
        put_points([point])
        assert remove_point(point.id)
        assert (own_item(point), area_item(point)) == (None, None)
        assert counted("~", "u4") == before
        with pytest.raises(NoSuchPoint):
            find_point(point.id)

    def test_that_is_not_there_says_so(self, fresh: Fresh) -> None:
        assert not remove_point(fresh("point"))


class TestAPointNearAPole:
    def test_is_stored_and_counted_in_a_cap(self, fresh: Fresh) -> None:
        before = counted("~", "Nkj")
        put_points([point := made_point(fresh, (78.2232, 15.6267))])
        item = area_item(point)
        assert item is not None
        assert (item["pk"]["S"], item["sk"]["S"][:5]) == ("GEO#Nkj", "Nkjfr")
        after = counted("~", "Nkj")
        assert number_in(after, "~", "Nkj") == number_in(before, "~", "Nkj") + 1
        assert number_in(after, "Nkj", "Nkjfr") == number_in(before, "Nkj", "Nkjfr") + 1


@pytest.fixture
def interfere() -> Any:
    """Does something right before a transaction is sent."""
    registered: list[Any] = []

    def interfere(act: Any, *, times: int = 1) -> None:
        left, busy = [times], [False]

        def before(**_: object) -> None:
            if left[0] and not busy[0]:
                left[0] -= 1
                busy[0] = True
                act()
                busy[0] = False

        client().meta.events.register("before-parameter-build.dynamodb.TransactWriteItems", before)
        registered.append(before)

    yield interfere
    for before in registered:
        client().meta.events.unregister(
            "before-parameter-build.dynamodb.TransactWriteItems", before
        )


@pytest.mark.real_engine
class TestWhatItCosts:
    def test_to_find_ten_points_in_a_city(self, fresh: Fresh) -> None:
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
        assert meter.capacity_units("directory") == 1.0
        assert [(call.operation, call.index) for call in meter.calls] == [
            ("BatchGetItem", None),
            ("Query", None),
        ]
        assert meter.capacity_units() <= 3.0

    def test_to_find_that_nothing_is_near(self, fresh: Fresh) -> None:
        put_points([made_point(fresh, (-41.2866, 174.7756))])
        with metered() as meter:
            (near,) = nearest_points(Coordinates.at(-54.8, -68.3), 1).points
        assert near.metres > 1_000_000
        assert meter.capacity_units() < 15

    def test_to_write_a_point_with_its_counts(self, fresh: Fresh) -> None:
        """Two items and two directories at two units each; two entries in ``inverted`` at one."""
        put_points([made_point(fresh, (-20.0, 57.5))])
        with metered() as meter:
            put_points([made_point(fresh, (-20.0, 57.5))])
        writes = [call for call in meter.calls if call.operation == "TransactWriteItems"]
        assert sum(call.capacity_units for call in writes) == 10.0


def test_points_are_found_as_they_were_put(fresh: Fresh) -> None:
    near, far = made_point(fresh, (64.1466, -21.9426)), made_point(fresh, (65.6885, -18.1262))
    put_points([near, far])
    found = nearest_points(Coordinates.at(64.14, -21.94), 2)
    assert [one.point for one in found.points] == [near, far]
    assert isinstance(found.points[0].point, PickupPoint)
