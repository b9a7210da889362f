"""Imports of pickup points, and of where postcodes are: see `dynapages.files.two_passes`.

Of two rows with one id the later counts. What is stored already is not written again.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dynapages.calls import in_chunks
from dynapages.django.options import Progress
from dynapages.files.columns import columns_among
from dynapages.files.records import Record, Rejected, RowRefused, short_text, text_of
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile
from dynapages.files.two_passes import TwoPassImport
from dynapages.files.values import Skipped
from shop.pickup.bulk_writes import PointOutcome, put_points, put_zips
from shop.pickup.cells import BadCoordinates, Coordinates
from shop.pickup.items import PickupPoint, ZipLocation
from shop.pickup.locations import zip_code_of

POINT_FIELDS = ("id", "name", "address", "latitude", "longitude", "hours")
ZIP_FIELDS = ("zip", "city", "latitude", "longitude")
ALL_FIELDS = tuple(dict.fromkeys([*POINT_FIELDS, *ZIP_FIELDS]))
_OPTIONAL = frozenset({"address", "hours", "city"})
_AT_A_TIME = 500
_LONGEST_ID, _LONGEST_TEXT = 128, 300
_DEGREES = re.compile(r"[-+]?\d{1,3}(\.\d{1,20})?", re.ASCII)
_SHOWN = 40
"""Characters of a wrong value that a reason repeats."""

Row = PickupPoint | ZipLocation
R = TypeVar("R")
Texts = Mapping[str, str]
"""The texts of a row by field; those that it does not have are empty."""


@dataclass(frozen=True, slots=True)
class PlainFile(Generic[R]):
    """A file whose rows have a text for each of ``fields``, by the first of which they are known.

    ``build`` makes something of these texts, or raises RowRefused. ``named`` are the columns of
    fields that are not called like them, ``usual`` those that may be missing like ``optional``
    fields. A trial writes nothing.
    """

    file: RowFile
    fields: tuple[str, ...]
    optional: Collection[str]
    build: Callable[[Texts], R]
    named: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, str] = field(default_factory=dict)
    is_trial: bool = False

    def parse(self, found: OpenRows) -> Iterator[R | Rejected | Skipped]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        called = {**self.usual, **self.named}
        columns = {name: called.get(name, name) for name in self.fields}
        if found.are_columns_known:
            self._require(columns, found.columns)
        for row in found.rows:
            yield self._parsed(row, columns) if isinstance(row, Record) else row
        if found.columns:  # an empty file of JSON has none
            self._require(columns, found.columns)

    def _require(self, columns: Mapping[str, str], present: Sequence[str]) -> None:
        needed = [name for name in columns if name not in self.optional or self.named.get(name)]
        columns_among(present, columns, needed=needed)

    def _parsed(self, record: Record, columns: Mapping[str, str]) -> R | Rejected:
        try:
            return self.build(
                {
                    name: text_of(name, record.values.get(column)).strip()
                    for name, column in columns.items()
                }
            )
        except RowRefused as refused:
            return Rejected(record.line, str(refused), record.shown(columns[self.fields[0]]))

    def write(
        self,
        put: Callable[[Sequence[R]], object],
        *,
        id_of: Callable[[R], str],
        rejects: RejectsFile,
        progress: Progress,
    ) -> dict[str, Any]:
        """Check all rows, then ``put`` the last of each id, some at a time; return the figures.

        Raises FileUnreadable, BadMapping and RejectsUnwritable before the first is put.
        """
        passes = TwoPassImport[R](self.file, self.parse, version_of=lambda row: (id_of(row), 0))
        with rejects:
            passes.check(rejects, progress)
        if not self.is_trial:
            with progress.step("Writing", total=len(passes.winners), unit=" rows") as advance:
                for some in in_chunks(passes.winning(), _AT_A_TIME):
                    put(some)
                    advance(len(some))
        return {
            "rows": passes.rows,
            "read": passes.read,
            "rejected": passes.rejected,
            "superseded": passes.superseded,
        }


def point_file(file: RowFile, *, of_postcodes: bool = False) -> PlainFile[Row]:
    """Return a file of points, or of postcodes."""
    fields, build = (ZIP_FIELDS, _zip_place) if of_postcodes else (POINT_FIELDS, _point)
    return PlainFile(file, fields, _OPTIONAL, build)


def import_points(
    source: PlainFile[Row], *, rejects: RejectsFile, progress: Progress
) -> dict[str, Any]:
    """Write the pickup points of a file, or the places of its postcodes; return the figures.

    Each row that was read is superseded by a later one, or a point that is new, replaced or
    unchanged, or one of the ``zips``. Raises like `PlainFile.write`,
    `shop.pickup.bulk_writes.put_points` and `dynapages.calls.batches`.
    """
    zips_written, points = 0, Counter[PointOutcome]()

    def put(some: Sequence[Row]) -> None:
        nonlocal zips_written
        zips_written += put_zips(row for row in some if isinstance(row, ZipLocation))
        points.update(put_points(row for row in some if isinstance(row, PickupPoint)))

    of_postcodes = source.fields == ZIP_FIELDS
    figures = source.write(put, id_of=_id_of, rejects=rejects, progress=progress)
    return {
        "kind": "postcodes" if of_postcodes else "points",
        **figures,
        "zips": figures["read"] - figures["superseded"] if of_postcodes else 0,
        "zips_written": zips_written,
        "points": {outcome.value: points[outcome] for outcome in PointOutcome},
    }


def _id_of(row: Row) -> str:
    return row.prefix if isinstance(row, ZipLocation) else row.id


def _point(texts: Texts) -> PickupPoint:
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


def _zip_place(texts: Texts) -> ZipLocation:
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
    degrees = {name: _needed(texts, name) for name in ("latitude", "longitude")}
    for name, text in degrees.items():
        if not _DEGREES.fullmatch(text):
            raise RowRefused(f"{name}: “{text[:_SHOWN]}” is no number of degrees such as -23.5614")
    try:
        return Coordinates.at(*map(float, degrees.values()))
    except BadCoordinates as error:
        raise RowRefused(str(error)) from error
