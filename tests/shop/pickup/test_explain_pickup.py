"""``explain pickup``: what finding the nearest points takes, as its page does it."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynamo.lists.reader import page_batches
from shop.pickup.cells import Coordinates
from shop.pickup.locations import ZipLocation, put_zips
from shop.pickup.writing import put_points
from tests.support.chance import CHANCE, digits
from tests.support.pickup.stored import Fresh, made_point

pytestmark = pytest.mark.usefixtures("tables")


def explained(near: str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("explain", "pickup", near=near, json=True, stdout=out, **options)
    figures: dict[str, Any] = json.loads(out.getvalue())
    return figures


class TestExplainPickup:
    def test_tells_of_the_queries_and_the_directories(self, fresh: Fresh) -> None:
        place = (-8.0 + CHANCE.random(), -14.4)
        put_points([made_point(fresh, place)])
        figures = explained(f"{place[0]}, {place[1]}", count=1)
        assert figures["plan"] == "nearest"
        assert figures["items_returned"] == 1
        assert [query["index"].endswith("shop") for query in figures["queries"]] == [True]
        assert figures["other"]["directory"]["calls"] == 1

    @pytest.mark.real_engine
    def test_meters_what_is_read(self, fresh: Fresh) -> None:
        prefix = digits(9)
        place = Coordinates.at(-16.0 + CHANCE.random(), -5.7)
        put_zips([ZipLocation(prefix, place, "Jamestown")], batches=page_batches())
        put_points([made_point(fresh, (place.latitude, place.longitude))])
        figures = explained(prefix, count=1)
        assert figures["capacity_units"] == 0.5
        assert figures["other"] == {
            "postcode": {"calls": 1, "capacity_units": 3.5},
            "directory": {"calls": 1, "capacity_units": 1.0},
        }

    @pytest.mark.parametrize("near", ["nowhere!", "91, 0", "ZZZ9ZZZ"])
    def test_says_in_one_line_what_is_no_place(self, near: str) -> None:
        with pytest.raises(CommandError):
            explained(near)
