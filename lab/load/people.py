"""What people of a load test find on a page: links, the hidden fields of forms, months."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from random import Random
from time import monotonic, sleep
from typing import ClassVar
from urllib.parse import urlsplit
from uuid import uuid4

from locust import HttpUser
from locust.exception import RescheduleTask


@dataclass(slots=True)
class Form:
    """A form: where it is sent to, and its hidden fields."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.options: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a":
            self.links.append((given.get("rel", ""), given.get("href", "")))
        elif tag == "form":
            self.forms.append(Form(given.get("action", "")))
        elif tag == "option":
            self.options.append(value)
        elif tag == "input" and given.get("type") == "hidden" and self.forms:
            self.forms[-1].fields[name] = value


@dataclass(frozen=True)
class Page:
    """A page, or the part of one that htmx asks for."""

    status: int
    text: str
    headers: Mapping[str, str]

    def links(self, pattern: str, *, rel: str | None = None) -> list[str]:
        """Return the paths of links that match from their beginning, without their fragments."""
        found = (href.partition("#")[0] for its, href in self._parsed.links if rel in {None, its})
        return [path for path in found if re.match(pattern, path)]

    def forms(self, pattern: str) -> list[Form]:
        """Return the forms whose action matches from its beginning."""
        return [form for form in self._parsed.forms if re.match(pattern, form.action)]

    def months(self) -> list[str]:
        """Return the months that the list can jump to, such as ``2026-03``."""
        return [value for value in self._parsed.options if re.fullmatch(r"\d{4}-\d\d", value)]

    def headline(self) -> str:
        """Return the words that tell what the page is, for a report of what went wrong."""
        return " · ".join(re.findall(r"<(?:title|h1)[^>]*>\s*([^<]*?)\s*<", self.text)[:2])

    @cached_property
    def _parsed(self) -> _Parser:
        parser = _Parser()
        parser.feed(self.text)
        return parser


OK, UNCHANGED, UNAVAILABLE = 200, 304, 503
SHED = ("Too many people are in the shop", "Too many passwords are being checked")
"""What a site that is full says; one without its database has other words for the same status."""
CSRF = "t" * 32
HTMX = {"HX-Request": "true"}
MOST_WAITED = 30.0
"""Seconds of a ``Retry-After`` that are waited for."""
PATIENCE = 15.0
"""Seconds after which htmx gives up."""
IDLE = 1.0
"""Seconds after which a connection is not used again.

gunicorn closes it after 2, and a request sent at that moment is lost; browsers repeat it unseen.
"""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def is_loopback(host: str) -> bool:
    """Return whether an address such as ``http://127.0.0.1:8000`` is of this machine."""
    return urlsplit(host).hostname in LOOPBACK


class Person(HttpUser):
    """A user of the load test; the tasks are those of its classes.

    Each has an address of its own, which a site with ``TRUSTED_PROXIES=1`` believes: the site's
    limits for one address are then not what is measured.
    """

    abstract = True
    default_host: ClassVar[str] = "http://127.0.0.1:8000"
    host = default_host

    def on_start(self) -> None:
        self.rng = Random()  # noqa: S311 - not a secret
        self._products: list[str] = []
        self._asked = monotonic()
        number = uuid4().int
        address = f"10.{number % 256}.{number // 256 % 256}.{1 + number // 65536 % 250}"
        self.client.headers.update({"X-Forwarded-For": address, "Accept-Language": "en"})

    def wait_time(self) -> float:
        """Return seconds to the next task: as a rule short, at times long, as people's are."""
        mean: float = self.environment.parsed_options.think_seconds
        return min(self.rng.expovariate(1 / mean), 5 * mean) if mean else 0.0

    def ask(
        self,
        name: str,
        path: str,
        *,
        marker: str = "<h1",
        send: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        statuses: Collection[int] = (OK,),
    ) -> Page:
        """Return a page, counted under ``name``; with ``send`` a form is posted.

        It fails with another status, and without ``marker`` in its text. The answer of a site that
        is full counts as "name (shed)", and its ``Retry-After`` is waited for. Then, as after a
        failure, the task ends by RescheduleTask.
        """
        form = None if send is None else {**send, "csrfmiddlewaretoken": CSRF}
        if form:  # the field has to be that of the cookie, which signing in changes
            self.client.cookies.set("csrftoken", None)
            self.client.cookies.set("csrftoken", CSRF)
        if monotonic() - self._asked > IDLE:
            self.client.close()
        with self.client.request(
            "GET" if form is None else "POST",
            path,
            name=name,
            data=form,
            headers=dict(headers or {}),
            timeout=PATIENCE,
            catch_response=True,
        ) as response:
            page = Page(response.status_code, response.text or "", response.headers)
            is_shed = page.status == UNAVAILABLE and any(words in page.text for words in SHED)
            wait = response.headers.get("Retry-After") if is_shed else None
            if wait is not None:
                response.request_meta["name"] = f"{name} (shed)"
                response.success()
            elif page.status not in statuses:
                error = getattr(response, "error", None)  # of the connection
                response.failure(error or f"{page.status}: {page.headline()}")
            elif page.status == OK and marker not in page.text:
                response.failure(f"without {marker!r}: {page.headline()}")
            else:
                response.success()
                self._asked = monotonic()
                return page
        self._asked = monotonic()
        if wait is not None:
            sleep(min(float(wait), MOST_WAITED))
        raise RescheduleTask

    def product(self) -> str:
        """Return the path of a product that the front page showed to this user."""
        if not self._products:
            self.look_at_front_page()
        return self.rng.choice(self._products)

    def look_at_front_page(self) -> None:
        """Open the front page, and remember its products."""
        self._products = sorted(set(self.ask("front page", "/").links(r"/products/[\w-]+/$")))

    def swap(self, name: str, path: str, marker: str) -> Page:
        """Return the part of a page that htmx swaps in."""
        return self.ask(f"{name} (htmx)", path, marker=marker, headers=HTMX)
