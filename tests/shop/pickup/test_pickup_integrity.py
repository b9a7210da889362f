"""The check of pickup points: what it finds, and that repairing mends it."""

import pytest

from dynapages.items import table_key
from shop import keys
from shop.pickup.bulk_writes import put_points, remove_point
from shop.pickup.cells import Coordinates, geohash_of
from shop.pickup.directory import COUNTER_PREFIX, read_directories
from shop.pickup.items import PickupPoint, area_key
from shop.pickup.queries import nearest_points
from shop.table import counters_of
from tests.support.chance import CHANCE
from tests.support.pickup.stored import area_item, made_point
from tests.support.shop.checks import Key, differences, lose, spoil, told


@pytest.fixture
def point(tables, fresh):
    """Somewhere in the South Atlantic where no other test has one."""
    point = made_point(fresh, (CHANCE.uniform(-33, -31), CHANCE.uniform(-10, -8)))
    put_points([point])
    return point


def mended_cell(point: PickupPoint) -> str:
    """Mend the one wrong item of a point; give what was stored."""
    (difference,) = told("pickup", "cells", f"pickup point {point.id}")
    assert difference.repair()
    return difference.stored


def mended_kinds() -> set[str]:
    """Mend all that is found, after which nothing is; give its kinds."""
    wrong = list(differences("pickup"))
    assert all(difference.repair() for difference in wrong)
    assert list(differences("pickup")) == []
    return {difference.kind for difference in wrong}


def own_key(point: PickupPoint) -> Key:
    return keys.pickup_point(point.id), keys.pickup_point(point.id)


class TestTheCheck:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, point):
        assert list(differences("pickup")) == []

    def test_finds_and_mends_a_cell_that_says_something_else(self, point):
        before = spoil(area_key(point), name={"S": "Elsewhere"})
        assert mended_cell(point).endswith("Elsewhere")
        assert area_item(point) == before

    def test_finds_and_mends_a_point_in_the_wrong_cell(self, point):
        item = spoil(area_key(point))
        lose(area_key(point))
        elsewhere = "GEO#s0", f"s000000000#{point.id}"
        spoil(elsewhere, **item | table_key(*elsewhere))
        wrong = told("pickup", "cells", f"pickup point {point.id}")
        assert [difference.repair() for difference in wrong] == [True, True]
        assert list(differences("pickup")) == []
        assert nearest_points(point.place, 1).points[0].point == point

    def test_finds_and_mends_coordinates_that_were_changed_by_hand(self, point):
        spoil(own_key(point), latitude={"N": "-30.5"})
        assert mended_kinds() == {"cells", "counts"}
        (near,) = nearest_points(Coordinates.at(-30.5, point.place.longitude), 1).points
        assert (near.point.id, near.metres) == (point.id, 0)

    def test_finds_and_mends_what_is_left_of_a_point_that_is_gone(self, point):
        item = spoil(area_key(point))
        remove_point(point.id)
        spoil(area_key(point), **item)
        assert mended_cell(point)
        assert area_item(point) is None

    @pytest.mark.parametrize("directory", ["~", "area"])
    def test_finds_and_mends_wrong_counts(self, point, directory):
        cell = geohash_of(point.place)[: 2 if directory == "~" else 4]
        directory = directory if directory == "~" else cell[:2]
        counter = keys.counter(f"PICKUP#{directory}", 0)
        spoil((counter["pk"], counter["sk"]), **{f"_{cell}": {"N": "777"}})
        (difference,) = told("pickup", "counts", f"directory {directory}")
        assert difference.stored != difference.expected
        assert difference.repair()
        assert list(differences("pickup")) == []

    def test_does_not_mend_what_has_changed_since(self, point):
        lose(area_key(point))
        (difference,) = told("pickup", "cells", f"pickup point {point.id}")
        before = spoil(own_key(point), longitude={"N": "-8.5"})
        assert not difference.repair()
        spoil(own_key(point), **before)
        assert difference.repair()


def test_hints_at_a_directory_that_is_spread_and_folds_it(point):
    area = geohash_of(point.place)[:2]
    name = f"{COUNTER_PREFIX}{area}"
    before = read_directories([area], consistent=True)
    counters_of(name).spread(name)
    (hint,) = told("pickup", "shards", f"directory {area}")
    assert hint.is_hint
    assert hint.repair()
    assert told("pickup", "shards", f"directory {area}") == []
    assert read_directories([area], consistent=True) == before
