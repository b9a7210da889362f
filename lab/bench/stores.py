"""Data sets in files of dynoxide, loaded once and reused as long as they fit.

``dynoxide import`` takes seconds where BatchWriteItem takes minutes. A file fits when it was made
from the same items for the same table by the same engine, as a note beside it says. The note is
written last, so that an interrupted load is never taken for a whole one.

The files to import follow "DynamoDB table export output format" of the Developer Guide, as far as
dynoxide reads it: ``<folder>/<table>/data/*.json.gz``, a line ``{"Item": …}`` each.
"""

import gzip
import json
import re
import subprocess
import time
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dynamo.calls.client import build_client
from dynamo.calls.models import DynamoModel
from dynamo.engine import EngineError
from dynamo.engine.lock import FileLock
from dynamo.items import Item
from dynamo.progress import Advance, Progress
from dynamo.tables.create import create_missing
from lab.bench.context import local, running
from lab.bench.data import CommentData, OrderData

QUICK = 1
"""Level of compression of the files to import, which exist for seconds."""
SAMPLED = 500
"""Items that are compared to decide whether a file still fits."""


DataSet = CommentData | OrderData


class LoadFailed(EngineError):
    """The engine did not import the data; the sentence ends with the last line it printed."""


@dataclass(frozen=True, slots=True)
class Load:
    """How a file was loaded: ``seconds`` by the engine, after ``seconds_made`` of making it."""

    items: int
    seconds_made: float
    seconds: float
    megabytes: float

    @property
    def items_per_second(self) -> float:
        return self.items / self.seconds


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that holds a data set, and how it was loaded, now or when it was made."""

    path: Path
    name: str
    load: Load

    @property
    def sentence(self) -> str:
        load = self.load
        return (
            f"Data: {self.name}, {load.items:,} items, loaded by `dynoxide import` in "
            f"{load.seconds:.1f} s ({load.items_per_second:,.0f} items a second); "
            f"{load.megabytes:,.0f} MB with all indexes."
        )


@dataclass(frozen=True, slots=True)
class Stores:
    """The files of a folder, loaded by the engine ``binary``."""

    folder: Path
    binary: Path
    progress: Progress

    def hold(self, data: DataSet, *, fresh: bool = False) -> Stored:
        """Return the file of a data set, loaded now unless there is one that fits.

        Raises LoadFailed, FileBusy, and OSError when the disk is full.
        """
        path, note = self.folder / f"{data.name}.db", self.folder / f"{data.name}.json"
        schema = describe(data.model)
        fingerprint = self._fingerprint(data, schema)
        known = _read(note) if path.exists() and not fresh else {}
        if known.get("fingerprint") == fingerprint:
            return Stored(path, data.name, Load(**known["load"]))
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path):
            note.unlink(missing_ok=True)
            load = self._load(data, schema, path)
            note.write_text(json.dumps({"fingerprint": fingerprint, "load": asdict(load)}))
        return Stored(path, data.name, load)

    def _fingerprint(self, data: DataSet, schema: dict[str, Any]) -> str:
        table = schema["Table"]
        shape = [table["KeySchema"], *map(_index_shape, table.get("GlobalSecondaryIndexes", []))]
        sample = [export_line(item) for item in islice(data.items(), SAMPLED)]
        basis = [version_of(self.binary), table["TableName"], data.name, shape, sample]
        return blake2b(json.dumps(basis).encode(), digest_size=16).hexdigest()

    def _load(self, data: DataSet, schema: dict[str, Any], path: Path) -> Load:
        with TemporaryDirectory(dir=self.folder, prefix="export-") as temporary:
            folder = Path(temporary)
            (folder / "schema.json").write_text(json.dumps([schema]))
            began = time.perf_counter()
            with self.progress.step("Making the data", total=data.count, unit="") as advance:
                table = schema["Table"]["TableName"]
                items = write_export(folder / "export", table, data.items(), advance=advance)
            made = time.perf_counter()
            with self.progress.step("Loading it", total=1, unit=""):
                import_export(folder, binary=self.binary)
            seconds = time.perf_counter() - made
            size = (folder / "loaded.db").stat().st_size / 1_000_000
            for suffix in ("-wal", "-shm"):  # of the file that is replaced
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            (folder / "loaded.db").replace(path)
        return Load(items=items, seconds_made=made - began, seconds=seconds, megabytes=size)


def describe(model: type[DynamoModel]) -> dict[str, Any]:
    """Return the DescribeTable answer for a model's table, made in an engine in memory."""
    with running(db_path=None) as url:
        client = build_client(local(url))
        create_missing([model], client=client)
        table = client.describe_table(TableName=model.Meta.table_name)["Table"]
    return {"Table": json.loads(json.dumps(table, default=str))}


def write_export(folder: Path, table: str, items: Iterable[Item], *, advance: Advance) -> int:
    """Write a table's items below ``folder``, and return their number."""
    data = folder / table / "data"
    data.mkdir(parents=True)
    written = 0
    with gzip.open(data / "items.json.gz", "wt", compresslevel=QUICK, encoding="utf-8") as file:
        for item in items:
            file.write(f"{export_line(item)}\n")
            written += 1
            advance(1)
    return written


def export_line(item: Item) -> str:
    """Format an item as a line of an export: bytes as base64."""
    return json.dumps(
        {"Item": item}, default=lambda raw: b64encode(raw).decode(), ensure_ascii=False
    )


def import_export(folder: Path, *, binary: Path) -> None:
    """Load ``export`` and ``schema.json`` of a folder into its ``loaded.db``. Raises LoadFailed."""
    files = {"source": "export", "schema": "schema.json", "output": "loaded.db"}
    options = [part for name, file in files.items() for part in (f"--{name}", str(folder / file))]
    _run([str(binary), "import", *options])


def version_of(binary: Path) -> str:
    """Return the name and version of an engine's binary."""
    return _run([str(binary), "--version"]).strip()


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last_line = re.split(r"\n+", (done.stderr or done.stdout).strip())[-1]
        sentence = f"dynoxide could not import the data: {last_line}"
        raise LoadFailed(sentence)
    return done.stdout


def _index_shape(index: dict[str, Any]) -> list[Any]:
    projected = index["Projection"]
    return [index["IndexName"], index["KeySchema"], sorted(projected.get("NonKeyAttributes", []))]


def _read(note: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(note.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return found
