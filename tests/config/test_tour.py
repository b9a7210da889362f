"""The tour: everybody asks for every address, with and without a form, and all that holds of that.

Each answer is fetched once and looked at from all sides.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.test import Client, RequestFactory

from config.web.shedding import WithoutBodies
from demo.sample.catalogue import sample_catalogue
from dynapages.calls import metered
from shop.catalogue.drawings import drawing_url
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import made_product
from tests.support.config.addresses import (
    MATRIX,
    ROLES,
    address,
    belongings,
    browser_of,
    people,
    routes,
)
from tests.support.markup import Element, read_markup

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
TOKEN = "t" * 32
TOKENLESS = {"language/", "account/replies/<token>/", "review-requests/<token>/"}
"""Forms on pages that shared caches keep, and that can do no harm; and of mail programs."""
DRAWN = {"products/<id:product_id>/drawing.svg"}
"""What is the same for everybody, signed in or not, and stays so."""
AT_BOTH_ENDS = {"nobody", "staff"}
"""Whom it is enough to ask as where an address answers all alike."""
USED_UP = {"comments/delete/<id_with_slashes:comment_id>/"}
"""Where even an empty form does away with what it is about."""
MOST_UNITS, MOST_UNITS_OF_SOMEBODY = 10.0, 16.5
"""The dearest page of somebody is the queue of open orders, while no count is remembered: its list
takes 6 units (twelve Queries), the counts 8, the user and the number of shards 1 each, and the
reports that the navigation counts 0.5.
"""
MOST_BYTES = 60_000
FIRST_DRAWINGS = 24
"""How many Chromium loads at once of the front page of the sample shop: others as one scrolls."""
PUBLIC = {"public", "max-age=0", "s-maxage=30"}
GERMAN = {"Accept-Language": "de"}
ENGLISH = re.compile(
    r"\b(the|of|and|are|your|this|that|with|from|to|by|not|no|you)\b", re.IGNORECASE
)
"""Words without which there is hardly a sentence in English, and that no German one has."""
ENGLISH_NUMBER = re.compile(r"\b[1-9]\d{0,2}(,\d{3})+\b|\b\d+\.\d\d?\b")
"""In German 2,500 is 2.500, and 1.5 is 1,5; coordinates are typed as in English."""
TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?(Z|\+00:00))?", re.ASCII)
"""https://html.spec.whatwg.org/multipage/text-level-semantics.html#datetime-value"""
DOCUMENT = "api/v1/openapi.json"
"""It is the same for everybody, with a key and without."""
OTHER_TAGS = frozenset({"bdi", "code", "script", "style", "textarea"})
"""What somebody has written, or nobody reads."""
READ_OUT = ("alt", "aria-label", "placeholder", "title", "data-announce", "data-title")


@dataclass(frozen=True)
class Stop:
    """An address, and somebody who asks for it with a browser of their own."""

    route: str
    role: str
    path: str
    browser: Client

    @cached_property
    def page(self) -> HttpResponse:
        with metered() as meter:
            answer = self.browser.get(self.path)
        answer.units = meter.units
        return answer

    @cached_property
    def german_page(self) -> HttpResponse:
        return self.browser.get(self.path, headers=GERMAN)

    @cached_property
    def forged(self) -> HttpResponse:
        return self.browser.post(self.path, {"next": "/"})

    @cached_property
    def sent(self) -> HttpResponse:
        self.browser.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
        return self.browser.post(self.path, {"csrfmiddlewaretoken": TOKEN})

    def wanted(self, column: int) -> str:
        return MATRIX[self.route][column].split()[ROLES.index(self.role)]


OPERATIONS = "api/v1/docs"
"""The page of the API's operations: one of the site's pages, with its header."""


def told(response: HttpResponse) -> str:
    location = response.get("Location", "")
    return "in" if location.startswith("/accounts/login/") else str(response.status_code)


def directives(response: HttpResponse) -> set[str]:
    return set(response.get("Cache-Control", "").split(", "))


def is_html(response: HttpResponse) -> bool:
    """Return whether an answer is a page of ours."""
    is_page = response.get("Content-Type", "").startswith("text/html")
    return is_page and response.status_code not in {301, 302, 405}


def visible(element: Element) -> Iterator[str]:
    """Yield the texts in the language of the page: people see them, or have them read out."""
    is_other = element.get("lang") not in {None, "de"} or element.tag in OTHER_TAGS
    if is_other:
        return
    yield from (element[name] for name in READ_OUT if name in element.attributes)
    for child in element.children:
        if isinstance(child, Element):
            yield from visible(child)
        else:
            yield child.strip()


def is_seen_by_whom_it_is_for(stop: Stop) -> None:
    assert told(stop.page) == stop.wanted(0)


def answers_head_as_get_but_for_the_body(stop: Stop) -> None:
    if stop.role not in AT_BOTH_ENDS:
        return
    headers, body = head(stop.path, stop.browser)
    page = stop.page
    assert headers["status"] == f"{page.status_code} {page.reason_phrase}"
    assert headers.get("Content-Type") == page.get("Content-Type")
    assert body == b""


def costs_little(stop: Stop) -> None:
    most = MOST_UNITS if stop.role == "nobody" else MOST_UNITS_OF_SOMEBODY
    assert stop.page.units <= most
    shown = re.search(r", ([\d.]+) units", stop.page.get("Server-Timing", ""))
    assert shown is None or (stop.role == "staff" and float(shown[1]) <= most)


def has_a_title_and_its_language(stop: Stop) -> None:
    if is_html(stop.page):
        page = read_markup(stop.page.content.decode())
        assert page.one("html")["lang"] == "en"
        assert re.search(r"\w", page.one("head").one("title").text)


def has_nothing_english_on_a_german_page(stop: Stop) -> None:
    if is_html(stop.page) and stop.page.status_code == HTTPStatus.OK:
        page = read_markup(stop.german_page.content.decode())
        assert page.one("html")["lang"] == "de"
        texts = [*visible(page)]
        assert [text for text in texts if ENGLISH.search(text)] == []
        assert [text for text in texts if ENGLISH_NUMBER.search(text)] == []


def has_only_times_that_html_knows(stop: Stop) -> None:
    if is_html(stop.page):
        page = read_markup(stop.page.content.decode())
        times = [time["datetime"] for time in page.all("time")]
        assert [time for time in times if not TIME.fullmatch(time)] == []


def takes_no_form_without_a_token(stop: Stop) -> None:
    is_of_api = stop.route.partition("/")[0] == "api"
    if stop.role in AT_BOTH_ENDS and not is_of_api:
        assert (stop.forged.status_code == 403) == (stop.route not in TOKENLESS)


def takes_a_form_from_whom_it_is_for(stop: Stop) -> None:
    assert told(stop.sent) == stop.wanted(1)


def is_kept_by_no_cache_for_somebody(stop: Stop) -> None:
    if stop.role != "nobody" and stop.route not in DRAWN:
        assert {"private", "no-store"} <= directives(stop.page)
    if stop.role == "staff":
        assert {"private", "no-store"} <= directives(stop.forged)


def is_kept_for_nobody_only_if_it_is_the_same_for_all(stop: Stop) -> None:
    if stop.route in DRAWN:
        assert {"public", "immutable"} <= directives(stop.page)
        assert stop.page.units == 0
        assert "Cookie" not in stop.page["Vary"]
    elif stop.role == "nobody" and "public" in directives(stop.page):
        assert directives(stop.page) == PUBLIC
        is_of_api = stop.route.startswith("api/") and stop.route != OPERATIONS
        by = "Authorization" if is_of_api else "Cookie"
        expected = {"Accept-Language"} if stop.route == DOCUMENT else {"Accept-Language", by}
        assert expected <= set(stop.page["Vary"].split(", "))
        assert not stop.page.cookies
        assert b"csrfmiddlewaretoken" not in stop.page.content


PROMISES = (
    is_seen_by_whom_it_is_for,
    answers_head_as_get_but_for_the_body,
    costs_little,
    has_a_title_and_its_language,
    has_nothing_english_on_a_german_page,
    has_only_times_that_html_knows,
    is_kept_for_nobody_only_if_it_is_the_same_for_all,
    takes_no_form_without_a_token,
    is_kept_by_no_cache_for_somebody,
    takes_a_form_from_whom_it_is_for,
)
"""What holds of each stop, in the order in which it is asked for: what changes things is last."""


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def things(known):
    return belongings(known["owner"])


class TestTheMatrix:
    def test_has_a_row_for_every_address(self):
        assert sorted(MATRIX) == sorted(routes())

    @pytest.mark.parametrize("route", MATRIX)
    def test_says_what_everybody_gets(self, known, things, engine_name, route):
        for role in ROLES:
            mine = belongings(known["owner"]) if route in USED_UP else things
            browser = browser_of(role, known, enforce_csrf_checks=True)
            stop = Stop(route, role, address(route, mine.arguments), browser)
            for promise in PROMISES:
                if promise is not costs_little or engine_name != "moto":
                    promise(stop)


def head(path: str, browser: Client) -> tuple[dict[str, str], bytes]:
    """The status and headers that a server gets for HEAD, and the body, which it has to drop."""
    cookies = "; ".join(f"{name}={one.value}" for name, one in browser.cookies.items())
    environ = RequestFactory(headers={"Cookie": cookies}).head(path).environ
    told: dict[str, str] = {}

    def start(status: str, headers: list[tuple[str, str]]) -> None:
        told.update(headers, status=status)

    return told, b"".join(WithoutBodies(WSGIHandler())(environ, start))


class TestHead:
    @pytest.mark.parametrize(
        "path", ["/api/v1/", "/users/sam/?format=atom", "/nowhere/", "/static/css/base.css"]
    )
    def test_has_no_body_in_another_form_either(self, known, path):
        assert head(path, Client())[1] == b""


def sent(path: str) -> bytes:
    """The body of an answer as it goes over the wire."""
    response = Client().get(path, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200, path
    return b"".join(response) if response.streaming else response.content


def named_by(path: str) -> list[str]:
    """The style sheets, scripts, fonts, icons and pictures of a page."""
    page = read_markup(Client().get(path).content.decode())
    loaded = {"stylesheet", "preload", "icon"}
    links = [one["href"] for one in page.all("link") if one["rel"] in loaded]
    return [*links, *(one["src"] for one in [*page.all("script", src=True), *page.all("img")])]


class TestAFirstVisit:
    def test_is_light(self, monkeypatch):
        monkeypatch.setattr(GZipMiddleware, "max_random_bytes", 0)  # against guesses by length
        product_id = made_product()
        load(numbered_comments(product_id, count=40))
        drawings = [drawing_url(one.id) for one in sample_catalogue().products]
        for path in ("/", f"/products/{product_id}/", f"/products/{product_id}/comments/~/~/"):
            named = named_by(path)
            paths = {path, *named}
            if path == "/":
                already = [each for each in named if each.endswith("drawing.svg")]
                paths.update(drawings[: FIRST_DRAWINGS - len(already)])
            assert len(paths) > 5
            weights = {one: len(sent(one)) for one in paths}
            assert sum(weights.values()) <= MOST_BYTES, weights
