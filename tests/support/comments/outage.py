"""A DynamoDB of a test's own; on a file, to be stopped and started as the test likes."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from demo.file_engine import FileEngine
from dynapages import process
from dynapages.calls import Connection
from dynapages.engine.server import DynoxideEngine, EngineServer, find_dynoxide
from dynapages.pynamodb import FAILURES
from dynapages.tables import create_missing
from shop.activity.tables import make_tables
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.project import PROJECT


@contextmanager
def own_engine(folder: Path | None = None, *, with_tables: bool = True) -> Iterator[EngineServer]:
    """Put the site on an engine of its own, with all tables or none, for the length of the block.

    In memory, which is several times as fast, or on a file in ``folder``.
    """
    binary = find_dynoxide(PROJECT)
    if binary is None:
        pytest.skip("dynoxide is not installed, and moto forgets when it stops")
    own = partial(FileEngine, db_path=folder / "own.db") if folder else DynoxideEngine
    engine = own(binary=binary, port=spare_port(), start_seconds=PATIENCE)
    with engine, connected(engine.endpoint_url, read_seconds=PATIENCE):
        if with_tables:
            models = [import_string(name) for name in settings.DYNAMODB_MODELS]
            create_missing(models, client=process.client())
            make_tables(client=process.client(), now=datetime.now(UTC))
        yield engine


def wait_for_answers() -> None:
    """Return when the site's client is answered: for a moment its breaker may refuse all calls."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        with suppress(*FAILURES):
            process.client().list_tables()
            return
        sleep(0.05)


@contextmanager
def connected(endpoint_url: str, **limits: float) -> Iterator[None]:
    """Have the site look for DynamoDB elsewhere for the length of the block."""
    elsewhere = Connection(
        region=settings.AWS_REGION,
        endpoint_url=endpoint_url,
        access_key=settings.AWS_ACCESS_KEY_ID,
        secret_key=settings.AWS_SECRET_ACCESS_KEY,
        library_transport=settings.DYNAMODB_LIBRARY_TRANSPORT,
    )
    with process.connected(replace(elsewhere, **limits)):
        yield
