"""Clients of the site over HTTP, each signed in as somebody."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from time import monotonic
from urllib.parse import urlencode

from django.contrib.auth.base_user import AbstractBaseUser
from django.shortcuts import resolve_url
from django.test import Client

from dynamo.engine import LOOPBACK

TOKEN = "t" * 32
"""A CSRF token: the cookie and the field have to agree, whatever it is."""
LOGIN = "login"
PATIENCE = 15.0
"""Seconds after which htmx gives up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status, 0 where there was none, and the seconds until it came.

    Being sent to the login page counts as 403.
    """

    status: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Browser:
    """Sends requests to the site on ``port``, each on a connection of its own."""

    port: int
    cookies: str

    @classmethod
    def signed_in(cls, port: int, user: AbstractBaseUser) -> "Browser":
        """Return the browser of a user who has signed in with the SECRET_KEY of this process."""
        visitor = Client()
        visitor.force_login(user)  # type: ignore[arg-type] # asks for no more than this
        cookies = visitor.cookies.output(attrs=[], header="", sep=";").strip()
        return cls(port, f"{cookies}; csrftoken={TOKEN}")

    def get(self, path: str) -> Answer:
        """Ask for a page."""
        return self._send("GET", path, None, {})

    def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        """Send a form."""
        body = urlencode({**fields, "csrfmiddlewaretoken": TOKEN})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send("POST", path, body, kind)

    def _send(self, method: str, path: str, body: str | None, kind: Mapping[str, str]) -> Answer:
        connection = HTTPConnection(LOOPBACK, self.port, timeout=PATIENCE)
        begun = monotonic()
        try:
            connection.request(method, path, body, {"Cookie": self.cookies, **kind})
            response = connection.getresponse()
            response.read()
        except (OSError, HTTPException):
            return Answer(0, monotonic() - begun)
        else:
            is_sent_away = response.headers.get("Location", "").startswith(resolve_url(LOGIN))
            status = HTTPStatus.FORBIDDEN if is_sent_away else response.status
            return Answer(status, monotonic() - begun)
        finally:
            connection.close()
