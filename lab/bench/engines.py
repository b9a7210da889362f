"""Engines of this machine, started for a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from dynamo.calls.client import Connection
from dynamo.engine import BinaryMissing, DynoxideEngine, find


def require_binary() -> Path:
    """Return the path of dynoxide. Raises BinaryMissing where it is not installed."""
    binary = find(settings.BASE_DIR)
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
    )


@contextmanager
def running(*, db_path: Path | None) -> Iterator[str]:
    """Run dynoxide on a file, or in memory, and yield its address. Raises EngineError."""
    with DynoxideEngine(binary=require_binary(), db_path=db_path) as engine:
        yield engine.endpoint_url
