"""Start a DynamoDB for the tests. A plugin, because Django reads its settings before any conftest.

Each process of a parallel run has an engine of its own, in memory, and its own names of tables.
"""

import os
import signal
import tempfile
from collections.abc import Generator
from uuid import uuid4

import pytest

from dynapages.engine.child import EngineError
from dynapages.engine.server import DynoxideEngine, EngineServer, MotoEngine, find_dynoxide
from tests.support.project import PROJECT

OWN_CHOICES = ("PAGE_SIZE", "STATIC_ROOT", "COMMENTS_READ_MODEL", "COMMENT_SETS_KEY_FORMAT")
"""Settings of a developer's that would change what pages look like or how they are read."""

PATIENCE = 60.0
"""Seconds in which an engine must start and answer: a test machine may be very busy."""

engine_key = pytest.StashKey[EngineServer | None]()
name_key = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dynashop")
    group.addoption(
        "--engine",
        default=None,
        metavar="moto|dynoxide|URL",
        help="what stands in for DynamoDB (dynoxide where it is installed, else moto)",
    )
    group.addoption(
        "--write-sample-rows", action="store_true", help="pick the rows of docs/deploying.md anew"
    )
    group.addoption("--slow", action="store_true", help="run the tests that take minutes, too")


def engine_name(asked: str | None) -> str:
    """What to run on: 'moto', 'dynoxide' or an address."""
    if asked is None:
        return "dynoxide" if find_dynoxide(PROJECT) else "moto"
    if asked not in {"moto", "dynoxide"} and not asked.startswith(("http://", "https://")):
        message = f"--engine is {asked!r}: not moto, dynoxide or the URL of a DynamoDB."
        raise pytest.UsageError(message)
    return asked


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    options = early_config.known_args_namespace
    name = engine_name(options.engine)
    _heed_interrupts()
    early_config.stash[name_key] = name
    early_config.stash[engine_key] = None
    url = name if "://" in name else "http://127.0.0.1:9"  # the controller of a parallel run
    if "://" not in name and not _only_controls(options):
        url = _start(early_config, name)
    folder = tempfile.TemporaryDirectory(prefix="dynashop-")
    early_config.add_cleanup(folder.cleanup)
    _set_environment(url, var=folder.name)
    yield


def _heed_interrupts() -> None:
    """What was started in the background ignores Ctrl-C, and so would the commands under test."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _only_controls(options: object) -> bool:
    asked_for_workers = getattr(options, "numprocesses", None) or getattr(options, "tx", None)
    return bool(asked_for_workers) and "PYTEST_XDIST_WORKER" not in os.environ


def _start(config: pytest.Config, name: str) -> str:
    try:
        engine: EngineServer = (
            MotoEngine(start_seconds=PATIENCE)
            if name == "moto"
            else DynoxideEngine(binary=find_dynoxide(PROJECT), start_seconds=PATIENCE)
        )
        engine.start()
    except EngineError as error:
        raise pytest.UsageError(str(error)) from error
    config.add_cleanup(engine.stop)
    config.stash[engine_key] = engine
    return engine.endpoint_url


def _set_environment(url: str, *, var: str) -> None:
    """Nothing of the developer's own settings may reach the tests, an AWS account least of all."""
    for name in (*OWN_CHOICES, *_aws_variables(url)):
        os.environ.pop(name, None)
    os.environ.update(
        ALLOWED_HOSTS="localhost,127.0.0.1,testserver",
        DEBUG="0",
        DYNAMODB_ENDPOINT_URL=url,
        DYNAMODB_TABLE_PREFIX=f"test-{uuid4().hex[:12]}-",
        HTTPS="0",
        REQUEST_LOG="0",
        SECRET_KEY="tests" * 10,
        VAR_DIR=var,
    )


def _aws_variables(url: str) -> list[str]:
    if ".amazonaws.com" in url:  # asked for by --engine, so those credentials are meant
        return []
    return [name for name in os.environ if name.startswith("AWS_")]


def pytest_report_header(config: pytest.Config) -> str:
    return f"engine: {config.stash[name_key]}"
