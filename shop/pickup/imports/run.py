"""An import of pickup points, in two passes over the file.

The first one checks every row, so that nothing is written when the file turns out to be
unreadable; the second one writes. Of two rows with one id the later counts. Whatever is written
already is found to be there: an import that was interrupted goes on when it is started again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TypeVar

from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.files.csv_rows import CsvRows, HeaderMissing
from dynamo.files.lines import FileUnreadable, Lines, open_lines
from dynamo.files.records import Record, Rejected
from dynamo.files.rejects import RejectsFile
from dynamo.progress import Advance, Progress
from shop.pickup.imports.kinds import Kind, kind_of
from shop.pickup.imports.rows import Reading, point_of_zip
from shop.pickup.imports.zips import Middles
from shop.pickup.places import ZipPlace, find_zips, put_zips
from shop.pickup.points import PickupPoint
from shop.pickup.writing import Outcome, put_points

AT_A_TIME = 500
REPORT_EVERY = 500
"""Rows between two movements of the bar."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and how to read it: see `shop.pickup.imports.kinds.kind_of`."""

    path: Path
    asked: Kind | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    only_zips: bool = False


@dataclass(slots=True)
class Report:
    """What became of the rows: ``read + rejected == rows``.

    Of a file of points or sellers each row that was read is new, replaced, unchanged or
    superseded by a later row. Of Olist's geolocation, so many rows make one zip prefix.
    """

    kind: Kind
    rows: int = 0
    rejected: int = 0
    superseded: int = 0
    zips: int = 0
    zips_written: int = 0
    points: Counter[Outcome] = field(default_factory=Counter)

    @property
    def read(self) -> int:
        return self.rows - self.rejected


def import_points(source: Source, *, rejects: RejectsFile, progress: Progress) -> Report:
    """Write the pickup points of a file, and of Olist's geolocation where zip prefixes are.

    Raises FileUnreadable, BadMapping and RejectsUnwritable before anything is written, and what
    `shop.pickup.writing.put_points` and `dynamo.calls.batches` raise.
    """
    with rejects:
        with _opened(source.path) as (_, rows):
            kind, columns = kind_of(rows.columns, asked=source.asked, named=source.named)
        if kind is Kind.GEOLOCATION:
            return _import_zips(source, columns, rejects, progress)
        zips = _zips_named_in(source.path, columns["zip"]) if kind is Kind.SELLERS else {}
        return _Import(source.path, Reading(kind, columns, zips), rejects, progress).run()


def _import_zips(
    source: Source, columns: Mapping[str, str], rejects: RejectsFile, progress: Progress
) -> Report:
    report, middles = Report(Kind.GEOLOCATION), Middles(columns)
    with _rows_checked(source.path, progress) as rows:
        for row in rows:
            report.rows += 1
            if (rejected := middles.take(row)) is not None:
                rejects.add(rejected)
                report.rejected += 1
    report.zips = len(middles)
    with progress.step("Zip prefixes", total=len(middles), unit="") as advance:
        for some in _chunks(middles):
            report.zips_written += put_zips(some, batches=Batches(client(), pool()))
            if not source.only_zips:
                report.points += put_points(map(point_of_zip, some))
            advance(len(some))
    return report


@dataclass(frozen=True, slots=True)
class _Import:
    path: Path
    reading: Reading
    rejects: RejectsFile
    progress: Progress

    def run(self) -> Report:
        report, winners = Report(self.reading.kind), dict[bytes, int]()
        with _rows_checked(self.path, self.progress) as rows:
            for number, row in enumerate(rows):
                report.rows += 1
                point = self.reading.read(row)
                if isinstance(point, Rejected):
                    self.rejects.add(point)
                    report.rejected += 1
                else:
                    winners[_digest(point)] = number
        report.superseded = report.read - len(winners)
        with self.progress.step("Pickup points", total=len(winners), unit="") as advance:
            for some in _chunks(self._winning(winners)):
                report.points += put_points(some)
                advance(len(some))
        if report.points.total() != len(winners):
            raise FileUnreadable(f"{self.path} changed while it was read: run the import again.")
        return report

    def _winning(self, winners: Mapping[bytes, int]) -> Iterator[PickupPoint]:
        """Give the points of the file again, each by its last row only."""
        with _opened(self.path) as (_, rows):
            for number, row in enumerate(rows):
                point = self.reading.read(row)
                if isinstance(point, PickupPoint) and winners.get(_digest(point)) == number:
                    yield point


def _zips_named_in(path: Path, column: str) -> dict[str, ZipPlace]:
    """Read where the zip prefixes that a file names are, before its rows are checked."""
    with _opened(path) as (_, rows):
        named = {str(row.values[column]).strip() for row in rows if isinstance(row, Record)}
    prefixes = sorted(prefix for prefix in named if prefix.isascii() and prefix.isdigit())
    batches = Batches(client(), pool())
    found: dict[str, ZipPlace] = {}
    for some in _chunks(prefix for prefix in prefixes if len(prefix) <= len("00000")):
        found |= find_zips(some, batches=batches)
    return found


@contextmanager
def _rows_checked(path: Path, progress: Progress) -> Iterator[Iterator[Record | Rejected]]:
    with (
        _opened(path) as (lines, rows),
        progress.step("Checking", total=path.stat().st_size, unit="B") as advance,
    ):
        yield _told(rows, lines, advance)


def _told(rows: CsvRows, lines: Lines, advance: Advance) -> Iterator[Record | Rejected]:
    done = 0
    for number, row in enumerate(rows):
        yield row
        if number % REPORT_EVERY == 0:
            advance(lines.bytes_read - done)
            done = lines.bytes_read
    advance(lines.bytes_read - done)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Lines, CsvRows]]:
    with open_lines(path) as lines:
        try:
            rows = CsvRows(lines)
        except HeaderMissing as error:
            raise FileUnreadable(f"{path} cannot be read: {error}.") from error
        yield lines, rows


def _digest(point: PickupPoint) -> bytes:
    return blake2b(point.id.encode(), digest_size=12).digest()


def _chunks(things: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(things)
    while chunk := list(islice(iterator, AT_A_TIME)):
        yield chunk
