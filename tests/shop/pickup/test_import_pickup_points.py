"""``import_pickup_points``, from a file to the table, and from the command to its exit code."""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dynamo.calls.client import client
from dynamo.calls.meter import metered
from dynamo.lists.site_reader import page_batches
from shop.models import ShopItem
from shop.pickup.coordinates import Coordinates
from shop.pickup.places import ZipPlace, find_zip, put_zips
from shop.pickup.points import PickupPoint, point_of
from shop.pickup.queries import NoSuchPoint, find_point, nearest_points
from tests.support.pickup.memory import World
from tests.support.pickup.stored import Fresh
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")

COLUMNS = ("id", "name", "address", "latitude", "longitude", "hours")
GEOLOCATION = (
    "geolocation_zip_code_prefix",
    "geolocation_lat",
    "geolocation_lng",
    "geolocation_city",
    "geolocation_state",
)
SELLERS = ("seller_id", "seller_zip_code_prefix", "seller_city", "seller_state")

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
def interrupt() -> Iterator[Callable[[int], None]]:
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
    def test_is_stored(self, tmp_path: Path, fresh: Fresh) -> None:
        point_id = fresh("point")
        counts = load(written(tmp_path, [row(point_id)]))
        assert counts["points"] == {"new": 1, "replaced": 0, "unchanged": 0}
        assert find_point(point_id) == PickupPoint(
            point_id, "Kiosk", "Rua Direita 7", Coordinates.at(38.7139, -9.1394), "Daily 7-22"
        )

    def test_may_be_compressed(self, tmp_path: Path, fresh: Fresh) -> None:
        plain = written(tmp_path, [row(fresh("point"))])
        packed = tmp_path / "points.csv.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        assert load(packed)["points"]["new"] == 1

    def test_may_be_json_with_nested_places_and_no_address(
        self, tmp_path: Path, fresh: Fresh
    ) -> None:
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

    def test_is_only_looked_at_in_a_trial(self, tmp_path: Path, fresh: Fresh) -> None:
        path = written(tmp_path, [row(fresh("point")), row(fresh("point"))])
        counts = load(path, dry_run=True, limit=1)
        assert (counts["rows"], counts["points"]["new"]) == (1, 0)
        assert load(path)["points"]["new"] == 2

    def test_may_call_its_columns_otherwise(self, tmp_path: Path, fresh: Fresh) -> None:
        point_id = fresh("point")
        path = written(
            tmp_path, [row(point_id)[:5]], columns=("nr", "name", "street", "lat", "lon")
        )
        load(path, columns="id=nr,address=street,latitude=lat,longitude=lon")
        assert find_point(point_id).hours == ""

    def test_changes_nothing_when_it_is_imported_again(self, tmp_path: Path, fresh: Fresh) -> None:
        path = written(tmp_path, [row(fresh("point")), row(fresh("point"))])
        load(path)
        assert load(path)["points"] == {"new": 0, "replaced": 0, "unchanged": 2}

    def test_goes_on_where_it_was_interrupted(
        self, tmp_path: Path, fresh: Fresh, interrupt: Callable[[int], None]
    ) -> None:
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

    def test_moves_points_that_are_elsewhere_now(self, tmp_path: Path, fresh: Fresh) -> None:
        point_id = fresh("point")
        load(written(tmp_path, [row(point_id)]))
        counts = load(written(tmp_path, [row(point_id, latitude="-17.5", longitude="179.9")]))
        assert counts["points"]["replaced"] == 1
        found = nearest_points(Coordinates.at(-17.5, 179.9), 1).points
        assert [near.point.id for near in found] == [point_id]

    def test_counts_the_last_of_several_rows_with_one_id(
        self, tmp_path: Path, fresh: Fresh
    ) -> None:
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
            ({"latitude": "38,7"}, "latitude: “38,7” is no number of degrees such as -23.5614"),
            ({"latitude": "nan"}, "latitude: “nan” is no number of degrees such as -23.5614"),
            ({"longitude": ""}, "longitude is missing"),
            ({"name": " "}, "name is missing"),
            ({"name": "x" * 301}, "name has 301 characters, more than 300"),
            ({"name": "a\0b"}, "name holds a NUL character"),
        ],
    )
    def test_has_each_bad_row_listed(
        self, tmp_path: Path, fresh: Fresh, changed: dict[str, str], reason: str
    ) -> None:
        good, bad = fresh("point"), fresh("point")
        error, lines = refused(written(tmp_path, [row(bad, **changed), row(good)]))
        assert error.returncode == 1
        assert lines == [["2", bad, reason]]
        assert find_point(good).id == good
        with pytest.raises(NoSuchPoint):
            find_point(bad)

    def test_has_ids_that_keys_can_hold(self, tmp_path: Path) -> None:
        _, lines = refused(written(tmp_path, [row(""), row("x" * 129), row("a\tb")]))
        assert [line[2] for line in lines] == [
            "id is missing",
            "id has 129 characters, more than 128",
            "id holds characters that cannot be seen",
        ]

    def test_cannot_begin_without_its_columns(self, tmp_path: Path, fresh: Fresh) -> None:
        path = written(tmp_path, [row(fresh("point"))[:4]], columns=COLUMNS[:4])
        error, _ = refused(path)
        assert error.returncode == 2
        assert "There is no column “longitude”" in str(error)

    def test_cannot_begin_when_it_is_not_there(self, tmp_path: Path) -> None:
        error, _ = refused(tmp_path / "nothing.csv")
        assert error.returncode == 2

    def test_cannot_begin_with_a_field_that_points_do_not_have(self, tmp_path: Path) -> None:
        error, _ = refused(written(tmp_path, []), columns="rating=stars")
        assert "There is no field “rating”" in str(error)
        assert error.returncode == 2


class TestOlistsGeolocation:
    def rows(self, prefix: str) -> list[Row]:
        places = [("-23.50", "-46.60"), ("-23.52", "-46.64"), ("-23.51", "-46.61"), ("45", "9")]
        return [(prefix, *place, "sao paulo", "SP") for place in places[:3]] + [
            (prefix, *places[3], "milano", "IT")
        ]

    def test_says_where_the_middle_of_a_zip_prefix_is(self, tmp_path: Path) -> None:
        counts = load(written(tmp_path, self.rows("99901"), columns=GEOLOCATION))
        assert counts["kind"] == "olist-geolocation"
        assert (counts["zips"], counts["zips_written"], counts["points"]["new"]) == (1, 1, 1)
        middle = Coordinates.at(-23.505, -46.605)
        assert find_zip("99901-123") == ZipPlace("99901", middle, "Sao Paulo, SP")
        assert find_point("zip-99901") == PickupPoint(
            "zip-99901", "Sao Paulo 99901", "99901 Sao Paulo, SP", middle
        )

    def test_writes_nothing_again(self, tmp_path: Path) -> None:
        path = written(tmp_path, self.rows("99902"), columns=GEOLOCATION)
        load(path)
        counts = load(path)
        assert (counts["zips_written"], counts["points"]["unchanged"]) == (0, 1)

    def test_makes_no_points_when_only_zips_are_wanted(self, tmp_path: Path) -> None:
        load(written(tmp_path, self.rows("99903"), columns=GEOLOCATION), only_zips=True)
        assert find_zip("99903").city == "Sao Paulo, SP"
        with pytest.raises(NoSuchPoint):
            find_point("zip-99903")

    def test_has_each_bad_row_listed(self, tmp_path: Path) -> None:
        rows = [*self.rows("99904"), ("9990", "1", "1", "x", "SP"), ("99904", "", "1", "x", "SP")]
        error, lines = refused(written(tmp_path, rows, columns=GEOLOCATION))
        assert error.returncode == 1
        assert [line[:2] for line in lines] == [["6", "9990"], ["7", "99904"]]
        assert find_zip("99904").prefix == "99904"


class TestOlistsSellers:
    def test_are_placed_by_their_zip_prefix(self, tmp_path: Path, fresh: Fresh) -> None:
        place = ZipPlace("99911", Coordinates.at(-22.9, -43.2), "Rio")
        put_zips([place], batches=page_batches())
        seller = fresh("seller")
        counts = load(
            written(tmp_path, [(seller, "99911", "rio de janeiro", "RJ")], columns=SELLERS)
        )
        assert counts["kind"] == "olist-sellers"
        assert find_point(seller) == PickupPoint(
            seller,
            f"Rio De Janeiro, at seller {seller[:6]}",
            "99911 Rio De Janeiro, RJ",
            place.place,
        )

    def test_are_rejected_where_nobody_knows_the_prefix(self, tmp_path: Path, fresh: Fresh) -> None:
        seller = fresh("seller")
        error, lines = refused(written(tmp_path, [(seller, "99919", "x", "RJ")], columns=SELLERS))
        assert str(error).startswith("1 row was rejected; ")
        reason = "it is not known where the zip prefix 99919 is: import Olist's geolocation"
        assert lines == [["2", seller, reason]]

    def test_have_columns_of_their_own(self, tmp_path: Path, fresh: Fresh) -> None:
        path = written(tmp_path, [row(fresh("point"))])
        error, _ = refused(path, olist_sellers=True)
        assert "There is no column “seller_id”" in str(error)


@pytest.mark.real_engine
class TestOlistsOwnFiles:
    """The real ones: 45,928 places, 5,816 prefixes, 1,610 sellers."""

    @pytest.fixture
    def olist(self, real_data: Path) -> Path:
        folder = real_data / "olist"
        if not folder.is_dir():
            pytest.skip(f"there is no {folder}")
        return folder

    def test_are_read_as_they_are(self, olist: Path, tmp_path: Path) -> None:
        """The first rows of places, and of the sellers those that are placed by them."""
        with gzip.open(olist / "olist_geolocation_dataset.csv.gz", "rb") as whole:
            some = b"".join(islice(whole, 2_001))
        path = tmp_path / "geolocation.csv"
        path.write_bytes(some)
        assert load(path)["kind"] == "olist-geolocation"
        rejects = tmp_path / "rejected.csv"
        with pytest.raises(CommandError, match="rows were rejected"):
            load(olist / "olist_sellers_dataset.csv.gz", rejects=rejects)
        assert 0 < len(listed_in(rejects)) < 1_610
        world = World.of(every_point())
        for zip_code in ("01310-100", "01012"):
            place = find_zip(zip_code).place
            assert nearest_points(place, 20).points == world.by_brute_force(place, 20)

    @pytest.mark.slow
    def test_are_imported_whole_and_searched_exactly(self, olist: Path, tmp_path: Path) -> None:
        rejects = tmp_path / "rejected.csv"
        geolocation = load(olist / "olist_geolocation_dataset.csv.gz", rejects=rejects)
        assert (geolocation["rows"], geolocation["rejected"]) == (45_928, 0)
        assert geolocation["zips"] == 5_816
        with pytest.raises(CommandError, match="4 rows were rejected"):
            load(olist / "olist_sellers_dataset.csv.gz", rejects=rejects)
        reason = "it is not known where the zip prefix "
        assert [line[2].startswith(reason) for line in listed_in(rejects)] == [True] * 4
        world = World.of(every_point())
        for zip_code in ("01310-100", "20231", "70740", "69900", "96200"):
            place = find_zip(zip_code).place
            assert nearest_points(place, 20).points == world.by_brute_force(place, 20)
        self.require_what_is_documented(world)

    def require_what_is_documented(self, world: World) -> None:
        """The figures of docs/designs/pickup-points.md, for ten points each."""
        rng = Random(6)
        zips = sorted(point.id for point in world.points if point.id.startswith("zip-"))
        at_zips = [find_point(point_id).place for point_id in rng.sample(zips, 200)]
        anywhere = [Coordinates.at(rng.uniform(-33, 0), rng.uniform(-57, -35)) for _ in range(200)]
        assert_within(measured(at_zips), (3, 5, 12, 1))
        assert_within(measured(anywhere), (4, 6, 12, 2))


def assert_within(figures: Sequence[float], most: Sequence[float]) -> None:
    assert [f for f, m in zip(figures, most, strict=True) if f > m] == [], figures


def measured(origins: Sequence[Coordinates]) -> tuple[float, float, float, float]:
    """Capacity units of a search: median, 95 of 100, most; and of its directories, the median."""
    units, directories = [], []
    for origin in origins:
        with metered() as meter:
            nearest_points(origin, 10)
        units.append(meter.capacity_units())
        directories.append(meter.capacity_units("directory"))
    units.sort()
    return units[len(units) // 2], units[len(units) * 95 // 100], units[-1], median(directories)


def every_point() -> list[PickupPoint]:
    pages = client().get_paginator("scan").paginate(TableName=ShopItem.Meta.table_name)
    items = (item for page in pages for item in page["Items"])
    return [point_of(item) for item in items if item["pk"]["S"].startswith("PICKUP#")]
