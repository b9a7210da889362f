"""The check of pickup points: what it finds, and that repairing mends it."""

from typing import Any

import pytest

from dynamo.calls.client import client
from dynamo.upkeep.integrity import Difference
from shop import keys
from shop.models import ShopItem
from shop.pickup.cells import Coordinates, geohash_of
from shop.pickup.points import COUNTER_PREFIX, PickupPoint, area_key, read_directories
from shop.pickup.queries import nearest_points
from shop.pickup.writing import put_points, remove_point
from shop.table import counters_of
from tests.support.chance import CHANCE
from tests.support.pickup.stored import (
    area_item,
    delete,
    made_point,
    own_item,
    put,
)
from tests.support.shop.checks import differences

TABLE = ShopItem.Meta.table_name


@pytest.fixture
def point(tables, fresh):
    """Somewhere in the South Atlantic where no other test has one."""
    point = made_point(fresh, (CHANCE.uniform(-33, -31), CHANCE.uniform(-10, -8)))
    put_points([point])
    return point


def found(kind: str, subject: str) -> list[Difference]:
    return [d for d in differences("pickup") if (d.kind, d.subject) == (kind, subject)]


def mend(difference: Difference) -> bool:
    assert difference.mend is not None
    return difference.mend()


def mended_cell(point: PickupPoint) -> str:
    """Mend the one wrong item of a point; give what was stored."""
    (difference,) = found("cells", f"pickup point {point.id}")
    assert mend(difference)
    return difference.stored


def mended_kinds() -> set[str]:
    """Mend all that is found, after which nothing is; give its kinds."""
    wrong = list(differences("pickup"))
    assert all(mend(difference) for difference in wrong)
    assert list(differences("pickup")) == []
    return {difference.kind for difference in wrong}


def must(item: dict[str, Any] | None) -> dict[str, Any]:
    assert item is not None
    return item


class TestTheCheck:
    def test_finds_nothing_wrong_with_what_the_shop_wrote(self, point):
        assert list(differences("pickup")) == []

    def test_finds_and_mends_a_cell_that_says_something_else(self, point):
        before = must(area_item(point))
        put(before | {"name": {"S": "Elsewhere"}})
        assert mended_cell(point).endswith("Elsewhere")
        assert area_item(point) == before

    def test_finds_and_mends_a_point_in_the_wrong_cell(self, point):
        item = must(area_item(point))
        delete(*area_key(point))
        put(item | {"pk": {"S": "GEO#s0"}, "sk": {"S": f"s000000000#{point.id}"}})
        wrong = found("cells", f"pickup point {point.id}")
        assert [mend(difference) for difference in wrong] == [True, True]
        assert list(differences("pickup")) == []
        assert nearest_points(point.place, 1).points[0].point == point

    def test_finds_and_mends_coordinates_that_were_changed_by_hand(self, point):
        put(must(own_item(point)) | {"latitude": {"N": "-30.5"}})
        assert mended_kinds() == {"cells", "counts"}
        (near,) = nearest_points(Coordinates.at(-30.5, point.place.longitude), 1).points
        assert (near.point.id, near.metres) == (point.id, 0)

    def test_finds_and_mends_what_is_left_of_a_point_that_is_gone(self, point):
        item = must(area_item(point))
        remove_point(point.id)
        put(item)
        assert mended_cell(point)
        assert area_item(point) is None

    @pytest.mark.parametrize("directory", ["~", "area"])
    def test_finds_and_mends_wrong_counts(self, point, directory):
        cell = geohash_of(point.place)[: 2 if directory == "~" else 4]
        directory = directory if directory == "~" else cell[:2]
        spoil(directory, cell, 777)
        (difference,) = found("counts", f"directory {directory}")
        assert difference.stored != difference.expected
        assert mend(difference)
        assert list(differences("pickup")) == []

    def test_does_not_mend_what_has_changed_since(self, point):
        delete(*area_key(point))
        (difference,) = found("cells", f"pickup point {point.id}")
        before = must(own_item(point))
        put(before | {"longitude": {"N": "-8.5"}})
        assert not mend(difference)
        put(before)
        assert mend(difference)


def spoil(directory: str, cell: str, number: int) -> None:
    key = keys.counter(f"PICKUP#{directory}", 0)
    client().update_item(
        TableName=TABLE,
        Key={name: {"S": value} for name, value in key.items()},
        UpdateExpression="SET #c = :n",
        ExpressionAttributeNames={"#c": f"_{cell}"},
        ExpressionAttributeValues={":n": {"N": str(number)}},
    )


def test_hints_at_a_directory_that_is_spread_and_folds_it(point):
    area = geohash_of(point.place)[:2]
    name = f"{COUNTER_PREFIX}{area}"
    before = read_directories([area], consistent=True)
    counters_of(name).spread(name)
    (hint,) = found("shards", f"directory {area}")
    assert hint.is_hint
    assert mend(hint)
    assert found("shards", f"directory {area}") == []
    assert read_directories([area], consistent=True) == before
