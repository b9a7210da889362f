"""The site in this process, on an engine that holds the data of a benchmark."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import botocore.session
from botocore.config import Config
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from dynapages.calls import Connection
from dynapages.errors import DynamoError
from dynapages.process import connected, current_connection
from lab.bench.engines import local_connection, running_engine

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

HOST = "bench.example"


class PageFailed(DynamoError):
    """The site answered with something else than a page."""

    def __init__(self, path: str, status: int) -> None:
        super().__init__(f"{path} answered {status}")


class Site:
    """Answers requests in this process as a WSGI server would, with all middleware.

    ``language`` is the Accept-Language of the visitor, whose products show comments in it.
    """

    def __init__(self, *, cookies: str = "", language: str = "") -> None:
        self._application = WSGIHandler()
        headers = {"host": HOST, "cookie": cookies, "accept-language": language}
        self._requests = RequestFactory(headers=headers)

    def signed_in(self, user: AbstractBaseUser) -> "Site":
        """Return the site as a user sees it who has signed in."""
        visitor = Client(headers={"host": HOST})
        visitor.force_login(user)  # type: ignore[arg-type] # asks for no more than this
        return Site(cookies=visitor.cookies.output(attrs=[], header="", sep=";").strip())

    def get(self, path: str, *, fragment: bool = False) -> bytes:
        """Return the page at a path, or the fragment htmx would swap in. Raises PageFailed."""
        headers = {"HX-Request": "true"} if fragment else {}
        request = self._requests.get(path, headers=headers)
        response = cast("HttpResponse", self._application(request.environ, _start_response))
        body = response.content
        response.close()  # as a server does, which ends what the request has opened
        if response.status_code != 200:  # noqa: PLR2004 - HTTP's
            raise PageFailed(path, response.status_code)
        return body


def _start_response(*_: object) -> type[bytes]:
    return bytes


@contextmanager
def open_site(db_path: Path) -> Iterator[Site]:
    """Start the engine on a file, and yield the site on it as production has it, over plain HTTP.

    Within the block this process is connected to that engine. Raises EngineError.
    """
    logging.getLogger("request").setLevel(logging.WARNING)  # the terminal is for the figures
    with (
        running_engine(db_path=db_path) as url,
        connected(local_connection(url)),
        override_settings(ALLOWED_HOSTS=[HOST], DEBUG=False, SECURE_SSL_REDIRECT=False),
    ):
        yield Site()


def bare_client() -> "DynamoDBClient":
    """Build botocore's own client for the same engine, without what the site adds to it."""
    # With the site's timeouts, a slow machine would make failures of what is only slow.
    connection: Connection = current_connection()
    client: DynamoDBClient = botocore.session.get_session().create_client(  # type: ignore[assignment] # knows its name only
        "dynamodb",
        region_name=connection.region,
        endpoint_url=connection.endpoint_url,
        aws_access_key_id=connection.access_key,
        aws_secret_access_key=connection.secret_key,
        config=Config(parameter_validation=False),
    )
    return client
