"""Imports of pickup points, and of where postcodes are."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from dynapages.django.options import Progress
from dynapages.files.records import RowRefused, short_text
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import RowFile
from shop.data.plain_files import PlainFile, Texts
from shop.pickup.bulk_writes import PointOutcome, put_points, put_zips
from shop.pickup.cells import BadCoordinates, Coordinates
from shop.pickup.items import PickupPoint, ZipLocation
from shop.pickup.locations import zip_code_of

POINT_FIELDS = ("id", "name", "address", "latitude", "longitude", "hours")
ZIP_FIELDS = ("zip", "city", "latitude", "longitude")
ALL_FIELDS = tuple(dict.fromkeys([*POINT_FIELDS, *ZIP_FIELDS]))
_OPTIONAL = frozenset({"address", "hours", "city"})
_LONGEST_ID = 128
_LONGEST_TEXT = 300
_DEGREES = re.compile(r"[-+]?\d{1,3}(\.\d{1,20})?", re.ASCII)
_SHOWN = 40
"""Characters of a wrong value that a reason repeats."""

Row = PickupPoint | ZipLocation


def point_file(file: RowFile, *, of_postcodes: bool = False) -> PlainFile[Row]:
    """Return a file of points, or of postcodes."""
    if of_postcodes:
        return PlainFile(file, ZIP_FIELDS, _OPTIONAL, _zip_location)
    return PlainFile(file, POINT_FIELDS, _OPTIONAL, _point)


def import_points(
    source: PlainFile[Row], *, rejects: RejectsFile, progress: Progress
) -> dict[str, Any]:
    """Write the pickup points of a file, or the places of its postcodes; return the figures.

    Each row that was read is superseded by a later one, or a point that is new, replaced or
    unchanged, or one of the ``zips``. Raises like `PlainFile.write`,
    `shop.pickup.bulk_writes.put_points` and `dynapages.calls.batches`.
    """
    of_postcodes = source.fields == ZIP_FIELDS
    zips_written = 0
    points: Counter[PointOutcome] = Counter()

    def put(rows: Sequence[Row]) -> None:
        nonlocal zips_written
        new_points: list[PickupPoint] = []
        zips: list[ZipLocation] = []
        for row in rows:
            if isinstance(row, ZipLocation):
                zips.append(row)
            else:
                new_points.append(row)
        zips_written += put_zips(zips)
        points.update(put_points(new_points))

    figures = source.write(put, id_of=_id_of, rejects=rejects, progress=progress)
    zip_count = 0
    if of_postcodes:
        zip_count = figures["read"] - figures["superseded"]
    return {
        "kind": "postcodes" if of_postcodes else "points",
        **figures,
        "zips": zip_count,
        "zips_written": zips_written,
        "points": {outcome.value: points[outcome] for outcome in PointOutcome},
    }


def _id_of(row: Row) -> str:
    if isinstance(row, ZipLocation):
        return row.prefix
    return row.id


def _point(texts: Texts) -> PickupPoint:
    """Build a pickup point of the texts of a row. Raises RowRefused."""
    point_id = short_text("id", _needed(texts, "id"), _LONGEST_ID)
    if not point_id.isprintable():
        raise RowRefused("id holds characters that cannot be seen")
    _needed(texts, "name")
    return PickupPoint(
        id=point_id,
        name=_line(texts, "name"),
        address=_line(texts, "address"),
        place=_place(texts),
        hours=_line(texts, "hours"),
    )


def _zip_location(texts: Texts) -> ZipLocation:
    """Build the location of a postcode of the texts of a row. Raises RowRefused."""
    code = zip_code_of(_needed(texts, "zip"))
    if not code:
        shown = texts["zip"][:_SHOWN]
        raise RowRefused(f"zip: “{shown}” is not 3 to 10 letters and digits of a postcode")
    return ZipLocation(code, _place(texts), _line(texts, "city"))


def _needed(texts: Texts, name: str) -> str:
    if not texts[name]:
        raise RowRefused(f"{name} is missing")
    return texts[name]


def _line(texts: Texts, name: str) -> str:
    """Return a text on one line, whatever the file has between its words."""
    return short_text(name, " ".join(texts[name].split()), _LONGEST_TEXT)


def _place(texts: Texts) -> Coordinates:
    """Parse the coordinates of a row. Raises RowRefused."""
    latitude, longitude = _degrees(texts, "latitude"), _degrees(texts, "longitude")
    try:
        return Coordinates.at(latitude, longitude)
    except BadCoordinates as error:
        raise RowRefused(str(error)) from error


def _degrees(texts: Texts, name: str) -> float:
    text = _needed(texts, name)
    if not _DEGREES.fullmatch(text):
        raise RowRefused(f"{name}: “{text[:_SHOWN]}” is no number of degrees such as -23.5614")
    return float(text)
