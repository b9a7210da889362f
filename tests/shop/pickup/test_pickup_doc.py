"""The documentation of pickup points says what the code stores."""

import re

from shop import keys
from shop.pickup.cells import CAP_LATITUDE, Coordinates, geohash_of
from shop.pickup.frontier import (
    POINTS_READ_TOGETHER,
    POINTS_READ_UNDIVIDED,
    QUERIES_IN_A_ROUND,
)
from shop.pickup.items import PickupPoint, counted_cells, point_items
from shop.pickup.listing import FIRST_SHOWN, MOST_SHOWN
from tests.support.project import PROJECT

DOC = PROJECT / "docs" / "designs" / "pickup-points.md"
KIOSK = PickupPoint("kiosk-7", "Quiosque", "Rua Direita 7", Coordinates.at(38.7139, -9.1394))


def text() -> str:
    """Its words, wherever its lines end."""
    return " ".join(DOC.read_text(encoding="utf-8").split())


def rows() -> dict[tuple[str, str], str]:
    found = re.findall(
        r"^\| `([^`]+#[^`]+)` \| `([^`]+)` \| (.+) \|$", DOC.read_text(), re.MULTILINE
    )
    return {(pk, sk): holds for pk, sk, holds in found}


class TestThePictureOfTheItems:
    def test_has_the_keys_of_a_point(self):
        assert {(item.pk, item.sk) for item in point_items(KIOSK)} <= rows().keys()

    def test_has_its_counters_and_cells(self):
        for directory, cell in counted_cells(KIOSK).items():
            key = keys.counter(f"PICKUP#{directory}", 0)
            assert rows()[key["pk"], key["sk"]].startswith(f"`_{cell}` 1")

    def test_has_nothing_else_but_a_zip_prefix(self):
        assert len(rows()) == 5
        assert (keys.zip_prefix("1100"), keys.zip_prefix("1100")) in rows()


class TestTheBounds:
    def test_are_those_of_the_code(self):
        assert f"{QUERIES_IN_A_ROUND} directories and {QUERIES_IN_A_ROUND} queries" in text()
        assert f"at most {QUERIES_IN_A_ROUND} queries at once" in text()
        assert f"up to {POINTS_READ_TOGETHER} points together" in text()
        assert f"at most {POINTS_READ_UNDIVIDED} points for a cell" in text()

    def test_of_the_caps_are_those_of_the_code(self):
        longyearbyen = geohash_of(Coordinates.at(78.2232, 15.6267))
        assert f"`{keys.area_of(longyearbyen)}`" in text()
        assert f"Beyond {CAP_LATITUDE} degrees" in text()

    def test_are_those_of_the_page(self):
        assert f"A page shows {FIRST_SHOWN}, 20, 40 or {MOST_SHOWN} points." in text()
