"""What a benchmark stands on: the site in this process, on the engine that has the data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore import xform_name
from botocore.config import Config
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from dynamo.calls.client import client, connected
from dynamo.engine import DynoxideEngine
from dynamo.errors import DynamoError
from dynamo.progress import Progress
from lab.bench.exports import local

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HOST = "bench.example"
Call = tuple[str, dict[str, Any]]
"""An operation such as ``Query`` and its parameters."""


class PageFailed(DynamoError):
    """The site answered with something else than a page."""


@contextmanager
def connected_to(endpoint_url: str) -> Iterator[None]:
    """Let the site read from an engine of this machine, and from its own again afterwards."""
    with connected(local(endpoint_url)):
        yield


class Site:
    """Answers requests as a WSGI server would ask them, middleware and all, without the network."""

    def __init__(self, *, cookies: str = "") -> None:
        self._application = WSGIHandler()
        self._requests = RequestFactory(headers={"host": HOST, "cookie": cookies})

    def signed_in(self, user: AbstractBaseUser) -> "Site":
        """Give the site as a user sees it who has signed in."""
        visitor = Client(headers={"host": HOST})
        visitor.force_login(user)  # type: ignore[arg-type] # asks for no more than this
        return Site(cookies=visitor.cookies.output(attrs=[], header="", sep=";").strip())

    def get(self, path: str, *, fragment: bool = False) -> bytes:
        """Give the page at a path, or the fragment htmx would swap in. Raises PageFailed."""
        headers = {"HX-Request": "true"} if fragment else {}
        request = self._requests.get(path, headers=headers)
        response = cast("HttpResponse", self._application(request.environ, _start_response))
        body = response.content
        response.close()
        if response.status_code != 200:  # noqa: PLR2004 - HTTP's
            sentence = f"{path} answered {response.status_code}"
            raise PageFailed(sentence)
        return body


@dataclass(frozen=True, slots=True)
class Stage:
    """All that a part of the benchmarks needs to measure by.

    ``bare`` is a client that the site is compared with, on the same engine.
    """

    endpoint_url: str
    site: Site
    bare: "DynamoDBClient"
    page_size: int
    progress: Progress


@contextmanager
def set_stage(*, binary: Path, db_path: Path, progress: Progress) -> Iterator[Stage]:
    """Start the engine on a file, and open the site on it. Raises EngineError."""
    with (
        DynoxideEngine(binary=binary, db_path=db_path) as engine,
        connected_to(engine.endpoint_url),
        open_site() as site,
    ):
        yield Stage(
            endpoint_url=engine.endpoint_url,
            site=site,
            bare=bare_client(engine.endpoint_url),
            page_size=settings.PAGE_SIZE,
            progress=progress,
        )


@contextmanager
def open_site() -> Iterator[Site]:
    """Open the site as production has it, for one host and over plain HTTP."""
    with override_settings(ALLOWED_HOSTS=[HOST], DEBUG=False, SECURE_SSL_REDIRECT=False):
        yield Site()


def bare_client(endpoint_url: str) -> "DynamoDBClient":
    """Build a boto client that does nothing but call: what the site is compared with.

    It has the settings of the site's client, none of its hooks.
    """
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


def calls_of(action: Callable[[], object]) -> list[Call]:
    """Do something, and give the calls to DynamoDB it made."""
    calls: list[Call] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401 - botocore's
        asked = {k: deepcopy(v) for k, v in params.items() if k != "ReturnConsumedCapacity"}
        calls.append((model.name, asked))

    events = client().meta.events
    events.register("provide-client-params.dynamodb.*", note)
    try:
        action()
    finally:
        events.unregister("provide-client-params.dynamodb.*", note)
    return calls


def repeat_calls(bare: "DynamoDBClient", calls: list[Call]) -> None:
    """Make calls again, one after another."""
    for operation, params in calls:
        getattr(bare, xform_name(operation))(**params)


def _start_response(
    status: str, headers: list[tuple[str, str]], exc_info: object = None, /
) -> Callable[[bytes], object]:
    """Stand for WSGI's: what it is told is read from the response itself."""
    del status, headers, exc_info
    return bytes
