"""Where the lab runs: on an engine of its own, or on the one the site has."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from dynamo.calls.client import Connection, connected, current_connection
from dynamo.engine import BinaryMissing, DynoxideEngine, find
from lab.bench.exports import local
from lab.bench.stores import version_of

PATIENCE = 120.0
"""Seconds that one call may take: a Scan reads a megabyte, a batch writes 25 items."""


MOST_IN_MEMORY = 10_000
"""Comments that an engine of the lab's own holds in memory: half a gigabyte with their copies.

Loading waits for no disk then, which takes longer than all else together.
"""


@contextmanager
def own_engine(*, comments: int) -> Iterator[str]:
    """Connect to a new dynoxide for so many comments; give its name, and where it keeps them.

    That is in memory, or for many on a file below VAR_DIR, which is removed. Raises EngineError:
    BinaryMissing where it is not installed.
    """
    binary = find(settings.BASE_DIR)
    if binary is None:
        raise BinaryMissing
    with (
        _place(comments) as db_path,
        DynoxideEngine(binary=binary, db_path=db_path) as engine,
        _patiently(local(engine.endpoint_url)),
    ):
        yield f"{version_of(binary)} {'on disk' if db_path else 'in memory'}"


@contextmanager
def _place(comments: int) -> Iterator[Path | None]:
    if comments <= MOST_IN_MEMORY:
        yield None
        return
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="lab-", dir=settings.VAR_DIR) as folder:
        yield Path(folder) / "lab.db"


@contextmanager
def engine_of_the_site() -> Iterator[str]:
    """Stay connected as the site is; give what that engine is called."""
    with _patiently(current_connection()):
        if settings.DYNAMODB_ENDPOINT_URL:
            yield "the DynamoDB-compatible engine of the site"
        else:
            yield f"Amazon DynamoDB in {settings.AWS_REGION}"


def _patiently(connection: Connection) -> AbstractContextManager[None]:
    """Connect so that a slow answer is measured, not given up: nobody waits for a page here."""
    return connected(replace(connection, read_seconds=PATIENCE))
