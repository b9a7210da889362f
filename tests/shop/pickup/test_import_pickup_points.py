"""``import_pickup_points``, from a file to the table, and from the command to its exit code."""

import csv
import gzip
import json
from collections.abc import Sequence
from io import StringIO
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynapages.calls import metered
from dynapages.process import client
from shop.models import ShopItem
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint, ZipLocation, point_of
from shop.pickup.locations import find_zip
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points
from tests.support.pickup.memory import World
from tests.support.shop.checks import differences
from tests.support.shop.olist_truth import rows_of

pytestmark = pytest.mark.usefixtures("tables")

COLUMNS = ("id", "name", "address", "latitude", "longitude", "hours")
EVENT = "before-parameter-build.dynamodb.TransactWriteItems"

Row = Sequence[str]


def row(
    point_id: str, *, name: str = "Kiosk", latitude: str = "38.7139", longitude: str = "-9.1394"
) -> Row:
    return point_id, name, "Rua Direita 7", latitude, longitude, "Daily 7-22"


def written(folder: Path, rows: Sequence[Row], *, columns: Row = COLUMNS) -> Path:
    path = folder / "points.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def load(path: Path, **options: Any) -> dict[str, Any]:
    out = StringIO()
    options.setdefault("rejects", path.with_name("rejected.csv"))
    call_command("import_pickup_points", path, json=True, stdout=out, **options)
    counts: dict[str, Any] = json.loads(out.getvalue())
    assert counts["read"] + counts["rejected"] == counts["rows"]
    return counts


def refused(path: Path, **options: Any) -> tuple[CommandError, list[list[str]]]:
    """The error of an import, and the rows of the file of rejected ones."""
    with pytest.raises(CommandError) as caught:
        load(path, **options)
    return caught.value, listed_in(path.with_name("rejected.csv"))


def listed_in(rejects: Path) -> list[list[str]]:
    lines = rejects.read_text(encoding="utf-8").splitlines() if rejects.exists() else []
    return list(csv.reader(lines[1:]))


@pytest.fixture
def interrupt():
    """Ctrl-C before the transaction that follows so many others."""
    registered: list[Any] = []

    def interrupt(after: int) -> None:
        numbers = count()

        def stop(**_: object) -> None:
            if next(numbers) == after:
                raise KeyboardInterrupt

        client().meta.events.register(EVENT, stop)
        registered.append(stop)

    yield interrupt
    for stop in registered:
        client().meta.events.unregister(EVENT, stop)


class TestAFileOfPoints:
    def test_is_stored_also_if_it_is_compressed(self, tmp_path, fresh):
        path = written(tmp_path, [row(point_id := fresh("point"))]).rename(tmp_path / "p.csv.gz")
        path.write_bytes(gzip.compress(path.read_bytes()))
        assert load(path)["points"] == {"new": 1, "replaced": 0, "unchanged": 0}
        assert find_point(point_id) == PickupPoint(
            point_id, "Kiosk", "Rua Direita 7", Coordinates.at(38.7139, -9.1394), "Daily 7-22"
        )

    def test_may_be_json_with_nested_places_and_no_address(self, tmp_path, fresh):
        first, second = fresh("locker"), fresh("locker")
        rows = [
            {"id": first, "name": "Locker", "position": {"lat": 38.7139, "lon": -9.1394}},
            {"id": second, "name": "Kiosk", "position": {"lat": 38, "lon": -9}, "hours": "24 h"},
        ]
        path = tmp_path / "lockers.json"
        path.write_text(json.dumps(rows))
        counts = load(path, columns="latitude=position.lat,longitude=position.lon")
        assert counts["points"]["new"] == 2
        assert find_point(first) == PickupPoint(
            first, "Locker", "", Coordinates.at(38.7139, -9.1394), ""
        )
        assert find_point(second).hours == "24 h"

    def test_may_have_a_title_above_its_columns(self, tmp_path, fresh):
        path = written(tmp_path, [("Points of 2024",), COLUMNS, row(fresh("kiosk"))], columns=())
        counts = load(path)
        assert counts["points"]["new"] == 1
        assert counts["spelling"] == "1 line above the header left out"

    def test_is_only_looked_at_in_a_trial(self, tmp_path, fresh):
        path = written(tmp_path, [row(fresh("point")), row(fresh("point"))])
        counts = load(path, dry_run=True, limit=1)
        assert (counts["rows"], counts["points"]["new"]) == (1, 0)
        assert load(path)["points"]["new"] == 2

    def test_changes_nothing_when_it_is_imported_again(self, tmp_path, fresh):
        path = written(tmp_path, [row(fresh("point")), row(fresh("point"))])
        load(path)
        assert load(path)["points"] == {"new": 0, "replaced": 0, "unchanged": 2}

    def test_goes_on_where_it_was_interrupted(self, tmp_path, fresh, interrupt):
        """After the third transaction there is what three transactions have written."""
        path = written(tmp_path, [row(fresh("point")) for _ in range(150)])
        interrupt(3)
        with pytest.raises(SystemExit) as stopped:
            load(path)
        assert stopped.value.code == 130
        points = load(path)["points"]
        assert 0 < points["unchanged"] < 150
        assert points["new"] + points["unchanged"] == 150
        assert list(differences("pickup")) == []

    def test_counts_the_last_of_several_rows_with_one_id(self, tmp_path, fresh):
        point_id = fresh("point")
        names = ("First", "Second", "Last")
        counts = load(written(tmp_path, [row(point_id, name=name) for name in names]))
        assert (counts["superseded"], counts["points"]["new"]) == (2, 1)
        assert find_point(point_id).name == "Last"

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"latitude": "91"}, "the latitude 91 is not between -90 and 90"),
            ({"longitude": "-180.5"}, "the longitude -180.5 is not between -180 and 180"),
            ({"longitude": "180.0001"}, "the longitude 180.0001 is not between -180 and 180"),
            ({"latitude": "38,7"}, "latitude: “38,7” is no number of degrees such as -23.5614"),
            ({"latitude": "nan"}, "latitude: “nan” is no number of degrees such as -23.5614"),
            ({"longitude": ""}, "longitude is missing"),
            ({"name": " "}, "name is missing"),
            ({"name": "x" * 301}, "name has 301 characters, more than 300"),
            ({"name": "a\0b"}, "name holds a NUL character"),
        ],
    )
    def test_has_each_bad_row_listed(self, tmp_path, fresh, changed, reason):
        good, bad = fresh("point"), fresh("point")
        error, lines = refused(written(tmp_path, [row(bad, **changed), row(good)]))
        assert error.returncode == 1
        assert lines == [["2", bad, reason]]
        assert find_point(good).id == good
        with pytest.raises(NoSuchPoint):
            find_point(bad)

    def test_has_ids_that_keys_can_hold(self, tmp_path):
        _, lines = refused(written(tmp_path, [row(""), row("x" * 129), row("a\tb")]))
        assert [line[2] for line in lines] == [
            "id is missing",
            "id has 129 characters, more than 128",
            "id holds characters that cannot be seen",
        ]

    @pytest.mark.parametrize(
        ("columns", "options", "sentence"),
        [
            (COLUMNS[:4], {}, "There is no column “longitude”"),
            (COLUMNS, {"columns": "rating=stars"}, "There is no field “rating”"),
            (None, {}, "points.csv does not exist"),
        ],
        ids=["columns", "fields", "file"],
    )
    def test_cannot_begin_without_its(self, tmp_path, fresh, columns, options, sentence):
        path = tmp_path / "points.csv"
        if columns:
            written(tmp_path, [row(fresh("point"))[: len(columns)]], columns=columns)
        error, _ = refused(path, **options)
        assert error.returncode == 2
        assert sentence in str(error)


class TestPostcodes:
    ROW = ("99901", "Sao Paulo", "-23.51", "-46.61")

    def load(self, folder: Path, *rows: Row, **options: Any) -> dict[str, Any]:
        path = written(folder, rows, columns=("zip", "city", "latitude", "longitude"))
        return load(path, postcodes=True, **options)

    def test_are_found_by_what_begins_with_them(self, tmp_path):
        counts = self.load(tmp_path, self.ROW)
        assert (counts["kind"], counts["zips"], counts["zips_written"]) == ("postcodes", 1, 1)
        place = ZipLocation("99901", Coordinates.at(-23.51, -46.61), "Sao Paulo")
        assert find_zip("99901-123") == place

    def test_are_where_the_last_of_their_rows_says(self, tmp_path):
        counts = self.load(tmp_path, self.ROW, ("999 01-1", "Rio", "-22.9", "-43.2"))
        assert (counts["superseded"], find_zip("99901").city) == (1, "Rio")

    def test_have_each_bad_row_listed(self, tmp_path):
        bad = [("99", "x", "1", "1"), ("99904", "x", "", "1"), ("", "x", "1", "1")]
        with pytest.raises(CommandError) as caught:
            self.load(tmp_path, self.ROW, *bad)
        assert caught.value.returncode == 1
        assert listed_in(tmp_path / "rejected.csv") == [
            ["3", "99", "zip: “99” is not 3 to 10 letters and digits of a postcode"],
            ["4", "99904", "latitude is missing"],
            ["5", "", "zip is missing"],
        ]


@pytest.mark.parametrize("arguments", [(), ("points.csv", "--remove", "x")])
def test_a_file_or_a_point_to_remove_is_given(arguments):
    with pytest.raises(CommandError, match="Give a file of points, or --remove") as caught:
        call_command("import_pickup_points", *arguments)
    assert caught.value.returncode == 2


def remove(point_id: str) -> str:
    out = StringIO()
    call_command("import_pickup_points", remove=point_id, stdout=out)
    return out.getvalue()


def test_removal_takes_a_point_away_and_says_so(points, spot):
    gone, *others = points
    assert remove(gone.id) == f"The pickup point “{gone.id}” is removed.\n"
    with pytest.raises(NoSuchPoint):
        find_point(gone.id)
    found = nearest_points(Coordinates.at(*spot), len(others)).points
    assert [each.point.id for each in found] == [point.id for point in others]


def test_removal_of_what_is_not_there_is_no_error(points, fresh):
    remove(points[0].id)
    for point_id in (points[0].id, fresh("point")):
        assert remove(point_id) == f"The pickup point “{point_id}” is not there (any more).\n"


@pytest.mark.slow
@pytest.mark.real_engine
def test_a_dense_country_is_searched_exactly_at_the_documented_price(real_data, tmp_path):
    """The figures of docs/designs/pickup-points.md, for ten points each."""
    places = olist_places(real_data / "olist")
    zips = [(f"zip-{prefix}", prefix, "", *map(str, place)) for prefix, place in places.items()]
    sellers = [
        (row["seller_id"], "seller", "", *map(str, places[row["seller_zip_code_prefix"]]))
        for row in rows_of(real_data / "olist", "olist_sellers_dataset")
        if row["seller_zip_code_prefix"] in places
    ]
    assert load(written(tmp_path, [*zips, *sellers], columns=COLUMNS[:5]))["read"] == 5_816 + 1_606
    world = World.of(every_point())
    for prefix in ("01310", "20231", "70740", "69900", "96200"):
        place = Coordinates.at(*places[prefix])
        assert nearest_points(place, 20).points == world.by_brute_force(place, 20)
    rng = Random(6)
    at_zips = [Coordinates.at(*places[prefix]) for prefix in rng.sample(sorted(places), 200)]
    anywhere = [Coordinates.at(rng.uniform(-33, 0), rng.uniform(-57, -35)) for _ in range(200)]
    assert_within(measured(at_zips), (3, 5, 12, 1))
    assert_within(measured(anywhere), (4, 6, 12, 2))


def olist_places(folder: Path) -> dict[str, tuple[float, float]]:
    """The medians of the places of each zip prefix: a few of São Paulo are in Italy."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows_of(folder, "olist_geolocation_dataset"):
        place = float(row["geolocation_lat"]), float(row["geolocation_lng"])
        found.setdefault(row["geolocation_zip_code_prefix"], []).append(place)
    return {
        prefix: (median(a for a, _ in places), median(b for _, b in places))
        for prefix, places in found.items()
    }


def assert_within(figures: Sequence[float], most: Sequence[float]) -> None:
    assert [f for f, m in zip(figures, most, strict=True) if f > m] == [], figures


def measured(origins: Sequence[Coordinates]) -> tuple[float, float, float, float]:
    """Capacity units of a search: median, 95 of 100, most; and of its directories, the median."""
    units, directories = [], []
    for origin in origins:
        with metered() as meter:
            nearest_points(origin, 10)
        units.append(meter.units)
        directories.append(meter.units_of("directory"))
    units.sort()
    return units[len(units) // 2], units[len(units) * 95 // 100], units[-1], median(directories)


def every_point() -> list[PickupPoint]:
    pages = client().get_paginator("scan").paginate(TableName=ShopItem.Meta.table_name)
    items = (item for page in pages for item in page["Items"])
    return [point_of(item) for item in items if item["pk"]["S"].startswith("PICKUP#")]
