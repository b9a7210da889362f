"""The site in this process, on an engine that holds the data: what all measurements work with."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore import xform_name
from botocore.config import Config
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from demo.processes import SECLUDED, DemoConfig
from dynamo.calls.client import Connection, client, connected
from dynamo.engine import BinaryMissing, DynoxideEngine, find, free_port
from dynamo.errors import DynamoError
from dynamo.progress import Progress

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
    with DynoxideEngine(binary=require_binary(), db_path=db_path) as engine:
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
            bare=_bare_client(url),
            page_size=settings.PAGE_SIZE,
            progress=progress,
        )


def _bare_client(endpoint_url: str) -> "DynamoDBClient":
    wanted = local(endpoint_url)
    session = botocore.session.get_session()
    built: DynamoDBClient = session.create_client(  # type: ignore[assignment] # knows its name only
        "dynamodb",
        region_name=wanted.region,
        endpoint_url=endpoint_url,
        aws_access_key_id=wanted.access_key,
        aws_secret_access_key=wanted.secret_key,
        config=Config(
            connect_timeout=wanted.connect_seconds,
            read_timeout=wanted.read_seconds,
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
