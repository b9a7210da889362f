"""A process works on so many requests at a time, lets some wait, and refuses the rest at once."""

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.http.response import ResponseHeaders
from django.test import RequestFactory

from config.web import shedding
from config.web.shedding import Shedding
from tests.support.config.environments import open_api_to
from tests.support.markup import read_markup

pytestmark = pytest.mark.newest

ENOUGH = 60.0
OURS = "http://testserver"
APP = "https://app.example.com"
FORM = "application/x-www-form-urlencoded"
Send = Callable[..., "Future[HttpResponse]"]


class Answer(HttpResponse):
    """What gunicorn is given, with its way to end the connection."""

    is_last = False

    def start(self, status: str, given: list[tuple[str, str]]) -> None:
        self.status_code = int(status[:3])
        self.headers = ResponseHeaders(dict(given))

    def force_close(self) -> None:
        self.is_last = True


class Site:
    """Answers requests when it is let to."""

    def __init__(self) -> None:
        self.goes_on = Event()
        self.methods: list[str] = []
        self._application = Shedding(self._answer)
        self._threads = ThreadPoolExecutor(32)

    def send(self, path: str = "/", method: str = "GET", **headers: str) -> "Future[HttpResponse]":
        environ = RequestFactory(headers=headers).generic(method, path).environ
        return self._threads.submit(self._answered, environ)

    def post(
        self, fields: dict[str, str] | None = None, kind: str = FORM, **headers: str
    ) -> "Future[HttpResponse]":
        """Send a form, from a page of the site unless headers say otherwise."""
        typed, said = urlencode(fields or {}), {"Origin": OURS, **headers}
        environ = RequestFactory().post("/", typed, content_type=kind, headers=said).environ
        return self._threads.submit(self._answered, environ)

    def _answered(self, environ: dict[str, Any]) -> HttpResponse:
        answer = Answer()
        answer.content = b"".join(self._application(environ, answer.start))
        return answer

    def fill(self, requests: int) -> "list[Future[HttpResponse]]":
        """Send requests, and return when two of them are worked on."""
        sent = [self.send() for _ in range(requests)]
        self.wait_until_begun(2)
        return sent

    def fill_with_forms(self, forms: int) -> "list[Future[HttpResponse]]":
        """Send forms, and return when one of them is worked on."""
        sent = [self.post() for _ in range(forms)]
        self.wait_until_begun(1)
        return sent

    def wait_until_begun(self, number: int) -> None:
        until = monotonic() + ENOUGH
        while len(self.methods) < number and monotonic() < until:
            sleep(0.001)

    def close(self) -> None:
        self.goes_on.set()
        self._threads.shutdown()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] == "/":
            self.methods.append(environ["REQUEST_METHOD"])
            self.goes_on.wait(ENOUGH)
        start("200 OK", [])
        return [b"ok"]


@pytest.fixture
def site(settings):
    settings.MAX_CONCURRENT_REQUESTS = 2
    site = Site()
    yield site
    site.close()


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(shedding, "PAGE_WAITS", ENOUGH)
    monkeypatch.setattr(shedding, "FORM_WAITS", ENOUGH)


@pytest.mark.usefixtures("patient")
class TestRequests:
    def test_that_may_wait_are_answered_afterwards(self, site):
        sent = site.fill(6)
        site.goes_on.set()
        assert [one.result(ENOUGH).status_code for one in sent] == [200] * 6

    def test_that_are_too_many_are_refused_at_once(self, site):
        sent = site.fill(9)
        refused = answers(sent, 3)
        assert [(one.status_code, one["Retry-After"]) for one in refused] == [(503, "2")] * 3

    @pytest.mark.parametrize(("length", "is_last"), [(9, False), (70_000, True)])
    def test_end_their_connection_with_a_body_that_is_not_read(self, site, length, is_last):
        site.fill_with_forms(9)
        refused = site.post({"text": "x" * length}, kind="application/json").result(ENOUGH)
        assert (refused.status_code, refused.is_last) == (503, is_last)

    def test_of_health_checks_and_files_do_not_wait(self, site):
        site.fill(9)
        for path in ("/healthz", "/readyz", "/static/css/base.css", "/products/x/drawing.svg"):
            assert site.send(path).result(ENOUGH).status_code == 200

    def test_of_htmx_and_of_programs_are_refused_in_their_language(self, site):
        site.fill(9)
        refused = site.send(**{"HX-Request": "true"}).result(ENOUGH)
        assert refused["HX-Retarget"] == "#notice"
        assert b"<html" not in refused.content
        assert b"Too many people" in refused.content
        refused = site.send("/api/v1/categories").result(ENOUGH)
        assert (refused["Content-Type"], refused["Retry-After"]) == (
            "application/problem+json",
            "2",
        )
        assert "Too many people" in json.loads(refused.content)["detail"]
        refused = site.send("/?format=atom").result(ENOUGH)
        assert refused["Content-Type"] == "text/plain; charset=utf-8"
        assert refused.content == b"Too many people are in the shop at the moment.\n"


@pytest.mark.usefixtures("patient")
class TestAScriptOfAnotherSite:
    """Where the setting API_ORIGINS names that site."""

    @pytest.fixture
    def full(self, settings, tmp_path, site):
        open_api_to(settings, tmp_path, APP)
        site.fill(9)
        return site

    def test_may_read_that_it_was_refused(self, full):
        refused = full.send("/api/v1/categories", Origin=APP).result(ENOUGH)
        assert (refused.status_code, refused["Access-Control-Allow-Origin"]) == (503, APP)
        assert "Retry-After" in refused["Access-Control-Expose-Headers"]

    def test_is_answered_its_preflight(self, full):
        asked = {"Origin": APP, "Access-Control-Request-Method": "PATCH"}
        answered = full.send("/api/v1/orders", "OPTIONS", **asked).result(ENOUGH)
        assert (answered.status_code, answered["Access-Control-Allow-Origin"]) == (200, APP)
        assert "PATCH" in answered["Access-Control-Allow-Methods"]
        assert answered.content == b""

    @pytest.mark.parametrize(
        ("path", "origin"),
        [("/api/v1/categories", "https://evil.example"), ("/", APP)],
    )
    def test_may_not_where_it_or_the_page_is_another(self, full, path, origin):
        refused = full.send(path, Origin=origin).result(ENOUGH)
        assert refused.status_code == 503
        assert "Access-Control-Allow-Origin" not in refused.headers


class TestARequestThatHasWaited:
    def test_is_refused_when_it_is_too_late_and_leaves_its_place_to_others(self, site, monkeypatch):
        monkeypatch.setattr(shedding, "PAGE_WAITS", 0.01)
        assert [one.status_code for one in answers(site.fill(9), 7)] == [503] * 7
        site.goes_on.set()
        assert site.send().result(ENOUGH).status_code == 200


@pytest.mark.usefixtures("patient")
class TestForms:
    def test_take_half_of_the_slots_and_leave_the_others_to_pages(self, site):
        site.fill_with_forms(2)
        site.send()
        site.wait_until_begun(2)
        assert site.methods == ["POST", "GET"]

    def test_that_wait_leave_the_waiting_room_to_pages(self, site):
        site.fill_with_forms(6)
        pages = [site.send() for _ in range(1 + 4)]
        site.wait_until_begun(2)
        site.goes_on.set()
        assert [page.result(ENOUGH).status_code for page in pages] == [200] * 5

    def test_wait_longer_than_pages(self, site, monkeypatch):
        monkeypatch.setattr(shedding, "PAGE_WAITS", 0.01)
        site.fill(2)
        form, page = site.post(), site.send()
        assert page.result(ENOUGH).status_code == 503
        site.goes_on.set()
        assert form.result(ENOUGH).status_code == 200


@pytest.mark.usefixtures("patient")
class TestAFormThatIsRefused:
    TEXT = "Half an hour's <work>,\r\n“typed” & not lost\x7f"

    @pytest.fixture
    def full(self, site):
        site.fill_with_forms(5)
        return site

    def refused(self, full: Site, fields: dict[str, str], **how: str) -> HttpResponse:
        response = full.post(fields, **how).result(ENOUGH)
        assert (response.status_code, response["Retry-After"]) == (503, "2")
        return response

    def test_comes_back_with_its_fields_and_a_button(self, full):
        sent = {"csrfmiddlewaretoken": "t" * 32, "body": self.TEXT, "rating": "5"}
        refused = self.refused(full, sent)
        assert refused["Cache-Control"] == "no-store"
        assert refused["X-Frame-Options"] == "DENY"
        assert "form-action 'self'" in refused["Content-Security-Policy"]
        page = read_markup(refused.content.decode())
        form = page.one("main").one("form")
        assert (form["method"], form.get("action")) == ("post", None)
        fields = {field["name"]: field["value"] for field in form.all("input")}
        assert fields == sent
        assert form.one("button").text == "Send again"

    @pytest.mark.parametrize(
        "name",
        [*("password", "password1", "old_password", "new_password2", "code", "Recovery-Code")],
    )
    def test_comes_back_without_secrets(self, full, name):
        page = self.refused(full, {"username": "alice", name: "s3cret"}).content.decode()
        assert 'value="alice"' in page
        assert "s3cret" not in page
        assert "Passwords and codes" in page

    @pytest.mark.parametrize(
        "how",
        [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": ""},
            {"Sec-Fetch-Site": "cross-site"},
            {"Host": "evil.example", "Origin": "http://evil.example"},
            {"Referer": "http://[::1"},
            {"Content-Length": "x"},
            {"kind": "multipart/form-data; boundary=b"},
        ],
    )
    def test_of_another_site_or_kind_comes_back_without_a_word_of_it(self, full, how):
        page = self.refused(full, {"body": "pill sale"}, **how).content.decode()
        assert "Too many people" in page
        assert "pill sale" not in page
        assert "pill+sale" not in page

    def test_that_is_too_long_comes_back_without_its_fields(self, full, settings):
        sent = {"body": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE}
        assert len(self.refused(full, sent).content) < 20_000

    def test_without_a_token_leads_back_to_the_page_before(self, full):
        """As the choice of a language does, which is sent to an address without a page."""
        refused = self.refused(full, {"language": "de"}, Referer=f"{OURS}/products/42/")
        page = read_markup(refused.content.decode()).one("main")
        assert page.one("input", name="next")["value"] == "/products/42/"


def answers(sent: "list[Future[HttpResponse]]", number: int) -> list[HttpResponse]:
    """Return the answers that there are, when there are so many."""
    until = monotonic() + ENOUGH
    while sum(one.done() for one in sent) < number and monotonic() < until:
        sleep(0.001)
    return [one.result() for one in sent if one.done()]
