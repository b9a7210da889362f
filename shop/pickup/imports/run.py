"""An import of pickup points, in two passes over the file: see `dynamo.files.two_pass`.

Of two rows with one id the later counts. Whatever is stored already is not written again: an
import that was interrupted continues when it is started again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.files.records import Record, Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.files.row_files import OpenRows, RowFile, open_rows
from dynamo.files.two_pass import TwoPassImport, checked_rows
from dynamo.progress import Progress
from shop.pickup.imports.kinds import Kind, kind_of
from shop.pickup.imports.rows import PointParser, point_of_zip
from shop.pickup.imports.zips import Middles
from shop.pickup.places import ZipPlace, find_zips, put_zips
from shop.pickup.writing import PointOutcome, put_points

AT_A_TIME = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PointFile:
    """A file, and how to read it (`shop.pickup.imports.kinds.kind_of`); a trial writes nothing."""

    file: RowFile
    asked: Kind | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    only_zips: bool = False
    is_trial: bool = False


@dataclass(slots=True)
class PointReport:
    """Counts of the rows: ``read + rejected == rows``.

    Of a file of points or sellers each row that was read is new, replaced, unchanged or
    superseded by a later row. Of Olist's geolocation, so many rows make one zip prefix.
    """

    kind: Kind
    rows: int = 0
    rejected: int = 0
    superseded: int = 0
    zips: int = 0
    zips_written: int = 0
    points: Counter[PointOutcome] = field(default_factory=Counter)

    @property
    def read(self) -> int:
        return self.rows - self.rejected


def import_points(source: PointFile, *, rejects: RejectsFile, progress: Progress) -> PointReport:
    """Write the pickup points of a file, and of Olist's geolocation where zip prefixes are.

    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `shop.pickup.writing.put_points` and `dynamo.calls.batches` raise.
    """
    with rejects:
        with open_rows(source.file) as found:
            if not found.are_columns_known:
                next(found.rows, None)
            kind, columns = kind_of(
                found.columns,
                are_all=found.are_columns_known,
                asked=source.asked,
                named=source.named,
            )
        if kind is Kind.GEOLOCATION:
            return _import_zips(source, columns, rejects, progress)
        zips = _zips_named_in(source.file, columns["zip"]) if kind is Kind.SELLERS else {}
        return _import(source, PointParser(kind, columns, zips), rejects, progress)


def _import_zips(
    source: PointFile, columns: Mapping[str, str], rejects: RejectsFile, progress: Progress
) -> PointReport:
    report, middles = PointReport(Kind.GEOLOCATION), Middles(columns)
    with checked_rows(source.file, _rows_of, progress) as (_, rows):
        for row in rows:
            report.rows += 1
            if (rejected := middles.take(row)) is not None:
                rejects.add(rejected)
                report.rejected += 1
    report.zips = len(middles)
    if source.is_trial:
        return report
    with progress.step("Zip prefixes", total=len(middles), unit="") as advance:
        for some in _chunks(middles):
            report.zips_written += put_zips(some, batches=Batches(client(), pool()))
            if not source.only_zips:
                report.points += put_points(map(point_of_zip, some))
            advance(len(some))
    return report


def _import(
    source: PointFile, parser: PointParser, rejects: RejectsFile, progress: Progress
) -> PointReport:
    passes = TwoPassImport(
        source.file,
        lambda found: map(parser.read, found.rows),
        version_of=lambda point: (point.id, 0),
    )
    passes.check(rejects, progress)
    report = PointReport(parser.kind, passes.rows, passes.rejected, passes.superseded)
    if source.is_trial:
        return report
    with progress.step("Pickup points", total=len(passes.winners), unit="") as advance:
        for some in _chunks(passes.winning()):
            report.points += put_points(some)
            advance(len(some))
    return report


def _rows_of(found: OpenRows) -> Iterator[Record | Rejected]:
    return found.rows


def _zips_named_in(file: RowFile, column: str) -> dict[str, ZipPlace]:
    """Read where the zip prefixes that a file names are, before its rows are checked."""
    with open_rows(file) as opened:
        named = {row.shown(column).strip() for row in opened.rows if isinstance(row, Record)}
    prefixes = sorted(prefix for prefix in named if prefix.isascii() and prefix.isdigit())
    batches = Batches(client(), pool())
    found: dict[str, ZipPlace] = {}
    for some in _chunks(prefix for prefix in prefixes if len(prefix) <= len("00000")):
        found |= find_zips(some, batches=batches)
    return found


def _chunks(things: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(things)
    while chunk := list(islice(iterator, AT_A_TIME)):
        yield chunk
