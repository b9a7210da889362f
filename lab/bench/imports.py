"""``bench imports``: how many rows a second an import writes, and what a row costs.

The same file is imported into an empty engine on disk, without and with the words for the search,
by one process and by two that take a part each. Each is ``manage.py import_comments`` as operators
run it. Engine and imports share the machine: with two cores, two processes are hardly faster than
one. Units, calls and bytes are the same elsewhere.
"""

import csv
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from demo.processes import LOCAL_ENVIRONMENT, manage
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.lists import dollars, prices
from lab.bench.data import ManyProducts
from lab.bench.engines import running_engine
from lab.report import Limit, Section, Table

PRODUCTS = 500
COLUMNS = ("id", "product_id", "language", "rating", "created_at", "author", "title", "body")
MANY_ROWS = 5_000_000
"""Rows to which the figures are extrapolated."""
MOST_MEGABYTES = 250
"""Memory of a process, however many rows there are."""
_KILOBYTE = 1_024
_SECONDS_BETWEEN_LOOKS = 0.2
_MOST_MEMORY = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
_GIGABYTE = 1_000**3
_HOUR = 3_600


class ImportFailed(DynamoError):
    """An import that was measured has failed; the sentence is its last line."""


@dataclass(frozen=True, slots=True)
class Variant:
    """An import to measure: with the words for the search or without, in so many parts."""

    has_search: bool
    parts: int

    @property
    def name(self) -> str:
        search = "with search" if self.has_search else "without search"
        if self.parts == 1:
            return search
        return f"{search}, {self.parts} parts"


VARIANTS = (
    Variant(has_search=False, parts=1),
    Variant(has_search=False, parts=2),
    Variant(has_search=True, parts=1),
    Variant(has_search=True, parts=2),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What the import of so many rows took: seconds, units of Amazon's, calls, bytes."""

    variant: Variant
    rows: int
    seconds: float
    units: float
    calls: int
    memory: int
    """Bytes of the process that took the most."""
    stored: int
    """Bytes of the engine's file."""

    @property
    def rows_a_second(self) -> float:
        return self.rows / self.seconds


def measure_imports(rows: int, progress: Progress) -> Section:
    """Import a file of so many rows in each way. Raises EngineError and ImportFailed."""
    with TemporaryDirectory(dir=_folder(), prefix="import-") as name:
        path = Path(name) / "comments.csv"
        _write_file(path, rows, progress)
        measured: list[Measured] = []
        with progress.step("Importing", total=len(VARIANTS), unit=" times") as advance:
            for variant in VARIANTS:
                measured.append(_measure(variant, path, rows, Path(name)))
                advance(1)
    return _section(measured)


def _folder() -> Path:
    folder = Path(settings.VAR_DIR) / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_file(path: Path, rows: int, progress: Progress) -> None:
    """Write the rows as CSV, product by product."""
    data = ManyProducts(rows, PRODUCTS, "import")
    with (
        path.open("w", encoding="utf-8", newline="") as file,
        progress.step("Making the file", total=rows, unit=" rows") as advance,
    ):
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for comment in data.comments():
            values = [getattr(comment, column) for column in COLUMNS]
            writer.writerow(values)
            advance(1)


def _measure(variant: Variant, path: Path, rows: int, folder: Path) -> Measured:
    """Import a file into an engine that is empty."""
    with _empty_engine(variant, folder) as (environment, db_path):
        begin = time.monotonic()
        processes = [_Import(path, environment, part) for part in _parts(variant)]
        counts = [process.counts() for process in processes]
        seconds = time.monotonic() - begin
        stored = sum(file.stat().st_size for file in folder.glob(f"{db_path.name}*"))
    return Measured(
        variant=variant,
        rows=rows,
        seconds=seconds,
        units=sum(one["amazon_units"] for one in counts),
        calls=sum(one["calls"] for one in counts),
        memory=max(process.memory for process in processes),
        stored=stored,
    )


def _parts(variant: Variant) -> Sequence[str]:
    return [f"{number}/{variant.parts}" for number in range(1, variant.parts + 1)]


@contextmanager
def _empty_engine(variant: Variant, folder: Path) -> Iterator[tuple[Mapping[str, str], Path]]:
    """Run an engine on a new file, and yield the environment of commands, and the file."""
    db_path = folder / f"{variant.name.replace(' ', '-').replace(',', '')}.db"
    with running_engine(db_path=db_path) as url:
        environment = {
            **os.environ,
            **LOCAL_ENVIRONMENT,
            "SECRET_KEY": settings.SECRET_KEY,
            "DYNAMODB_ENDPOINT_URL": url,
            "COMMENT_SEARCH": str(int(variant.has_search)),
        }
        _create_tables(environment)
        yield environment, db_path


def _create_tables(environment: Mapping[str, str]) -> None:
    """Create the tables. Raises ImportFailed."""
    command = manage(("create_tables",))
    completed = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    if completed.returncode:
        raise ImportFailed(completed.stderr.strip().rpartition("\n")[2])


class _Import:
    """A process that imports a part of a file."""

    def __init__(self, path: Path, environment: Mapping[str, str], part: str) -> None:
        command = manage(("import_comments", str(path), "--json", f"--part={part}"))
        self._process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.memory = 0

    def counts(self) -> dict[str, Any]:
        """Wait for the process, and return its figures. Raises ImportFailed."""
        # What it prints is little, and fits into the pipes.
        while self._process.poll() is None:
            self.memory = max(self.memory, _most_memory_of(self._process.pid))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        out, error = self._process.communicate()
        if self._process.returncode:
            raise ImportFailed(error.strip().rpartition("\n")[2])
        counts: dict[str, Any] = json.loads(out)
        return counts


def _most_memory_of(pid: int) -> int:
    """Return the most bytes of memory that a process has had; 0 where Linux does not tell.

    What a parent is told of a child that has ended would include its own memory: a child begins as
    a copy of it.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = _MOST_MEMORY.search(status)
    if found is None:
        return 0
    return int(found[1]) * _KILOBYTE


def _section(measured: Sequence[Measured]) -> Section:
    """Build the report."""
    rows = []
    for one in measured:
        rows.append(
            (
                one.variant.name,
                f"{one.rows_a_second:,.0f}",
                f"{one.units / one.rows:.1f}",
                f"{one.calls / one.rows:.2f}",
                f"{one.memory / 1_000**2:.0f}",
                f"{one.stored / one.rows / 1_000:.1f}",
                f"{MANY_ROWS / one.rows_a_second / _HOUR:.1f}",
                f"{MANY_ROWS / one.rows * one.stored / _GIGABYTE:.0f}",
                dollars(prices().writes(one.units / one.rows, times=MANY_ROWS)),
            )
        )
    titles = (
        "import",
        "rows a second",
        "units a row",
        "calls a row",
        "memory, MB",
        "stored, KB a row",
        "hours",
        "GB",
        "at Amazon",
    )
    caption = (
        f"{measured[0].rows:,} rows on {PRODUCTS} products; the last three columns are of "
        f"{MANY_ROWS:,} rows, on paper"
    )
    most = max(one.memory for one in measured) / 1_000**2
    return Section(
        "Imports of comments",
        ["All units are charged as writes here, which are the dearer ones."],
        [Table(caption, titles, rows)],
        [Limit("memory of a process, MB", MOST_MEGABYTES, most)],
    )
