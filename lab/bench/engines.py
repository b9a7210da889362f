"""Engines of the lab's own, and the files of data that they serve.

A data set is a file of dynoxide, made once: ``dynoxide import`` takes seconds where BatchWriteItem
takes minutes. It reads Amazon's "DynamoDB table export output format": below
``<folder>/<table>/data/*.json.gz`` a line ``{"Item": …}`` each.
"""

import gzip
import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from django.conf import settings

from config.running_demo import FileLock
from demo.file_engine import FileEngine
from dynapages.calls import Connection, build_client
from dynapages.django.options import Advance, Progress
from dynapages.engine.child import EngineError
from dynapages.engine.server import BinaryMissing, DynoxideEngine, find_dynoxide
from dynapages.items import Item
from dynapages.pynamodb import DynamoModel
from dynapages.tables import create_missing, index_shapes

GZIP_LEVEL = 1
"""The quickest compression, for files that exist for seconds."""
FINGERPRINT_ITEMS = 500
"""Items that are compared to decide whether a file still has the data that is wanted."""


class LoadFailed(EngineError):
    """The engine did not import the data; the sentence ends with the last line it printed."""


# Engines.


def require_binary() -> Path:
    """Return the path of dynoxide. Raises BinaryMissing where it is not installed."""
    binary = find_dynoxide(settings.BASE_DIR)
    if binary is None:
        raise BinaryMissing
    return binary


def local_connection(endpoint_url: str) -> Connection:
    """Build the connection to an engine of this machine, which checks no credentials."""
    return Connection(
        region="us-east-1",
        endpoint_url=endpoint_url,
        access_key="local",
        secret_key="local",  # noqa: S106 - opens nothing
        library_transport=True,
    )


@contextmanager
def running_engine(*, db_path: Path | None = None) -> Iterator[str]:
    """Run dynoxide on a file, or in memory, and yield its address. Raises EngineError."""
    binary = require_binary()
    engine = DynoxideEngine(binary=binary)
    if db_path is not None:
        engine = FileEngine(binary=binary, db_path=db_path)
    with engine:
        yield engine.endpoint_url


def engine_version(binary: Path) -> str:
    """Return the name and version of an engine's binary."""
    return _run([str(binary), "--version"]).strip()


def _run(command: list[str]) -> str:
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode:
        printed = (completed.stderr or completed.stdout).strip()
        last_line = printed.rpartition("\n")[2]
        raise LoadFailed(f"dynoxide could not import the data: {last_line}")
    return completed.stdout


# Files of data.


class DataSet(Protocol):
    """Items of one model's table, the same each time; the name is that of the file."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> type[DynamoModel]: ...

    def items(self) -> Iterable[Item]: ...


def data_file(data: DataSet, *, fresh: bool, progress: Progress) -> Path:
    """Return a file of the engine that holds a data set, made unless there is one that fits.

    Next to each file is a note of what it was made from: the items, the table, the engine. The note
    is written last, so that an interrupted load is made again. ``fresh`` makes the file anew.
    Raises LoadFailed, FileBusy, and OSError when the disk is full.
    """
    folder = settings.VAR_DIR / "bench"
    path, note = folder / f"{data.name}.db", folder / f"{data.name}.json"
    schema = describe_table(data.model)
    fingerprint = _fingerprint(data, schema)
    # A fingerprint of some items suffices: whoever changes the data changes the first ones, too.
    is_there = path.exists() and note.exists()
    if is_there and not fresh and note.read_text() == fingerprint:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    # An engine that serves the file holds the lock: it must not lose it meanwhile.
    with FileLock(path):
        note.unlink(missing_ok=True)
        _load(data, schema, path, progress)
        note.write_text(fingerprint)
    return path


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """Yield a copy of a file of data, which may be written to and is gone at the end."""
    with TemporaryDirectory(dir=path.parent, prefix="copy-") as folder:
        copy = Path(folder) / path.name
        shutil.copy(path, copy)
        yield copy


def _fingerprint(data: DataSet, schema: dict[str, Any]) -> str:
    table = schema["Table"]
    indexes = sorted(index_shapes(table.get("GlobalSecondaryIndexes", [])).items())
    sample = [_export_line(item) for item in islice(data.items(), FINGERPRINT_ITEMS)]
    version = engine_version(require_binary())
    basis = [version, table["TableName"], data.name, indexes, sample]
    return blake2b(json.dumps(basis).encode(), digest_size=16).hexdigest()


def _load(data: DataSet, schema: dict[str, Any], path: Path, progress: Progress) -> None:
    with TemporaryDirectory(dir=path.parent, prefix="export-") as temporary:
        folder = Path(temporary)
        loaded = folder / "loaded.db"
        (folder / "schema.json").write_text(json.dumps([schema]))
        with progress.step("Making the data", total=0, unit=" items") as advance:
            name = schema["Table"]["TableName"]
            write_export(folder / "export", name, data.items(), advance=advance)
        command = [
            str(require_binary()),
            "import",
            f"--source={folder / 'export'}",
            f"--schema={folder / 'schema.json'}",
            f"--output={loaded}",
        ]
        _run(command)
        for suffix in ("-wal", "-shm"):  # of the file that is replaced
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        loaded.replace(path)


def describe_table(model: type[DynamoModel]) -> dict[str, Any]:
    """Return the answer to DescribeTable for a model's table, made in an engine in memory."""
    with running_engine() as url:
        client = build_client(local_connection(url))
        create_missing([model], client=client)
        table = client.describe_table(TableName=model.Meta.table_name)["Table"]
    return {"Table": json.loads(json.dumps(table, default=str))}


def write_export(folder: Path, table: str, items: Iterable[Item], *, advance: Advance) -> None:
    """Write a table's items below a folder as Amazon exports them."""
    data = folder / table / "data"
    data.mkdir(parents=True)
    with gzip.open(
        data / "items.json.gz", "wt", compresslevel=GZIP_LEVEL, encoding="utf-8"
    ) as file:
        for item in items:
            file.write(f"{_export_line(item)}\n")
            advance(1)


def _export_line(item: Item) -> str:
    return json.dumps({"Item": item}, default=_as_base64, ensure_ascii=False)


def _as_base64(value: bytes) -> str:
    return b64encode(value).decode()
