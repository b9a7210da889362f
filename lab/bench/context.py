"""The site in this process, on an engine that holds the data: what all measurements work with.

Data sets are files of dynoxide, made once: ``dynoxide import`` takes seconds where BatchWriteItem
takes minutes. It reads Amazon's "DynamoDB table export output format": below
``<folder>/<table>/data/*.json.gz`` a line ``{"Item": …}`` each.

What is compared is timed in turns, each in another order, so that other work on the machine slows
all alike; the median of the turns is reported.
"""

import gzip
import json
import logging
import os
import re
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar, cast

import botocore.session
from botocore import xform_name
from botocore.config import Config
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from config.running_demo import FileLock
from demo.processes import SECLUDED, DemoConfig, FileEngine
from dynapages.calls import Connection, build_client
from dynapages.django.options import Advance, Progress
from dynapages.engine.child import EngineError, free_port
from dynapages.engine.server import BinaryMissing, DynoxideEngine, find_dynoxide
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.process import client, connected
from dynapages.pynamodb import DynamoModel
from dynapages.tables import create_missing, index_shapes
from lab.bench.data import CommentData, OrderData
from lab.reports.results import Timing

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HOST = "bench.example"
Call = tuple[str, dict[str, Any]]
"""An operation such as ``Query`` and its parameters."""


class PageFailed(DynamoError):
    """The site answered with something else than a page."""

    def __init__(self, path: str, status: int) -> None:
        super().__init__(f"{path} answered {status}")


class Site:
    """Answers requests in this process as a WSGI server would, with all middleware."""

    def __init__(self, *, cookies: str = "") -> None:
        self._application = WSGIHandler()
        self._requests = RequestFactory(headers={"host": HOST, "cookie": cookies})

    def signed_in(self, user: AbstractBaseUser) -> "Site":
        """Return the site as a user sees it who has signed in."""
        visitor = Client(headers={"host": HOST})
        visitor.force_login(user)  # type: ignore[arg-type] # asks for no more than this
        return Site(cookies=visitor.cookies.output(attrs=[], header="", sep=";").strip())

    def get(self, path: str, *, fragment: bool = False) -> bytes:
        """Return the page at a path, or the fragment htmx would swap in. Raises PageFailed."""
        headers = {"HX-Request": "true"} if fragment else {}
        request = self._requests.get(path, headers=headers)
        response = cast("HttpResponse", self._application(request.environ, lambda *_: bytes))
        body = response.content
        response.close()
        if response.status_code != 200:  # noqa: PLR2004 - HTTP's
            raise PageFailed(path, response.status_code)
        return body


def require_binary() -> Path:
    """Return the path of dynoxide. Raises BinaryMissing where it is not installed."""
    binary = find_dynoxide(settings.BASE_DIR)
    if binary is None:
        raise BinaryMissing
    return binary


def local(endpoint_url: str) -> Connection:
    """Build the connection to an engine of this machine, which checks no credentials."""
    return Connection(
        region="us-east-1",
        endpoint_url=endpoint_url,
        access_key="local",
        secret_key="local",  # noqa: S106 - opens nothing
        library_transport=True,
    )


def site_config(endpoint_url: str, **own: str) -> DemoConfig:
    """Build the configuration of a site over HTTP on an engine, with ``own`` variables."""
    inherited = {name: value for name, value in os.environ.items() if name != "AWS_PROFILE"}
    shared = {
        "DYNAMODB_ENDPOINT_URL": endpoint_url,
        "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
        "SECRET_KEY": settings.SECRET_KEY,
    }
    return DemoConfig(free_port(), {**inherited, **SECLUDED, **shared, **own})


@contextmanager
def running(*, db_path: Path | None) -> Iterator[str]:
    """Run dynoxide on a file, or in memory, and yield its address. Raises EngineError."""
    binary = require_binary()
    engine = (
        FileEngine(binary=binary, db_path=db_path) if db_path else DynoxideEngine(binary=binary)
    )
    with engine:
        yield engine.endpoint_url


@dataclass(frozen=True, slots=True)
class BenchContext:
    """What each part of the benchmarks measures with.

    ``bare`` is a client on the same engine without the site's hooks, to compare the site with.
    """

    endpoint_url: str
    site: Site
    bare: "DynamoDBClient"
    page_size: int
    progress: Progress


@contextmanager
def open_context(*, db_path: Path, progress: Progress) -> Iterator[BenchContext]:
    """Start the engine on a file, and open the site on it as production has it, over plain HTTP.

    Raises EngineError.
    """
    logging.getLogger("request").setLevel(logging.WARNING)  # the terminal is for the figures
    with (
        running(db_path=db_path) as url,
        connected(local(url)),
        override_settings(ALLOWED_HOSTS=[HOST], DEBUG=False, SECURE_SSL_REDIRECT=False),
    ):
        yield BenchContext(
            endpoint_url=url,
            site=Site(),
            bare=_bare_client(local(url)),
            page_size=settings.PAGE_SIZE,
            progress=progress,
        )


def _bare_client(connection: Connection) -> "DynamoDBClient":
    built: DynamoDBClient = botocore.session.get_session().create_client(  # type: ignore[assignment] # knows its name only
        "dynamodb",
        region_name=connection.region,
        endpoint_url=connection.endpoint_url,
        aws_access_key_id=connection.access_key,
        aws_secret_access_key=connection.secret_key,
        config=Config(
            connect_timeout=connection.connect_seconds,
            read_timeout=connection.read_seconds,
            parameter_validation=False,
        ),
    )
    return built


@contextmanager
def handling(event: str, handler: Callable[..., Any], *, last: bool = False) -> Iterator[None]:
    """Register a handler for an event of the site's client within the block."""
    events = client().meta.events
    (events.register_last if last else events.register)(event, handler)
    try:
        yield
    finally:
        events.unregister(event, handler)


@contextmanager
def delayed(seconds: float) -> Iterator[None]:
    """Delay every call of the site's client within the block, as a network would."""

    def wait(**_: object) -> None:
        sleep(seconds)

    with handling("before-send.dynamodb.*", wait):
        yield


def calls_of(action: Callable[[], object]) -> list[Call]:
    """Return the calls to DynamoDB that an action makes."""
    calls: list[Call] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401 - botocore's
        asked = {k: deepcopy(v) for k, v in params.items() if k != "ReturnConsumedCapacity"}
        calls.append((model.name, asked))

    with handling("provide-client-params.dynamodb.*", note):
        action()
    return calls


def repeat_calls(bare: "DynamoDBClient", calls: list[Call]) -> None:
    """Make calls again, one after another."""
    for operation, params in calls:
        getattr(bare, xform_name(operation))(**params)


K = TypeVar("K")
WARM_UP = 5
"""Turns that are not counted, in which connections, caches and templates are made."""


def time_in_turns(
    actions: Mapping[K, Callable[[], object]],
    *,
    turns: int,
    warm_up: int = WARM_UP,
    clock: Callable[[], float] = time.perf_counter,
    after_turn: Callable[[int], object] = lambda _turns: None,
) -> dict[K, Timing]:
    """Do all actions in each turn, and return the timing of each; ``clock`` is in seconds."""
    order, rng = list(actions), Random(1)  # noqa: S311 - an order, not a secret
    seconds: dict[K, list[float]] = {name: [] for name in actions}
    of_processor: dict[K, list[float]] = {name: [] for name in actions}
    for turn in range(warm_up + turns):
        rng.shuffle(order)
        for name in order:
            began, worked = clock(), time.process_time()
            actions[name]()
            ended, worked = clock(), time.process_time() - worked
            if turn >= warm_up:
                seconds[name].append(ended - began)
                of_processor[name].append(worked)
        after_turn(1)
    return {name: Timing.of(found, of_processor[name]) for name, found in seconds.items()}


QUICK = 1
"""Level of compression of the files to import, which exist for seconds."""
SAMPLED = 500
"""Items that are compared to decide whether a file still fits."""


DataSet = CommentData | OrderData


class LoadFailed(EngineError):
    """The engine did not import the data; the sentence ends with the last line it printed."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that holds a data set.

    ``load`` is how it was loaded, now or when it was made: ``items``, the engine's ``seconds``, and
    ``megabytes`` with all indexes.
    """

    path: Path
    name: str
    load: dict[str, float]

    @property
    def sentence(self) -> str:
        items, seconds = self.load["items"], self.load["seconds"]
        return (
            f"Data: {self.name}, {items:,} items, loaded by `dynoxide import` in "
            f"{seconds:.1f} s ({items / seconds:,.0f} items a second); "
            f"{self.load['megabytes']:,.0f} MB with all indexes."
        )


@dataclass(frozen=True, slots=True)
class Stores:
    """The files of a folder, loaded by the engine ``binary``.

    Beside each is a note of what it was made from: the items, the table, the engine. It is written
    last, so that an interrupted load is not taken for a whole one.
    """

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
        if not fresh and path.exists() and note.exists():
            known = json.loads(note.read_text())
            if known["fingerprint"] == fingerprint:
                return Stored(path, data.name, known["load"])
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path):
            note.unlink(missing_ok=True)
            load = self._load(data, schema, path)
            note.write_text(json.dumps({"fingerprint": fingerprint, "load": load}))
        return Stored(path, data.name, load)

    def _fingerprint(self, data: DataSet, schema: dict[str, Any]) -> str:
        table = schema["Table"]
        indexes = sorted(index_shapes(table.get("GlobalSecondaryIndexes", [])).items())
        sample = [export_line(item) for item in islice(data.items(), SAMPLED)]
        basis = [version_of(self.binary), table["TableName"], data.name, indexes, sample]
        return blake2b(json.dumps(basis).encode(), digest_size=16).hexdigest()

    def _load(self, data: DataSet, schema: dict[str, Any], path: Path) -> dict[str, float]:
        with TemporaryDirectory(dir=self.folder, prefix="export-") as temporary:
            folder = Path(temporary)
            loaded = folder / "loaded.db"
            (folder / "schema.json").write_text(json.dumps([schema]))
            with self.progress.step("Making the data", total=data.count, unit="") as advance:
                table = schema["Table"]["TableName"]
                items = write_export(folder / "export", table, data.items(), advance=advance)
            began = time.perf_counter()
            with self.progress.step("Loading it", total=1, unit=""):
                files = {"source": folder / "export", "schema": folder / "schema.json"}
                options = [
                    f"--{name}={file}" for name, file in (files | {"output": loaded}).items()
                ]
                _run([str(self.binary), "import", *options])
            seconds = time.perf_counter() - began
            size = loaded.stat().st_size / 1_000_000
            for suffix in ("-wal", "-shm"):  # of the file that is replaced
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            loaded.replace(path)
        return {"items": items, "seconds": seconds, "megabytes": size}


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


def version_of(binary: Path) -> str:
    """Return the name and version of an engine's binary."""
    return _run([str(binary), "--version"]).strip()


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last_line = re.split(r"\n+", (done.stderr or done.stdout).strip())[-1]
        raise LoadFailed(f"dynoxide could not import the data: {last_line}")
    return done.stdout
