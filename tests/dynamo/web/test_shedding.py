"""A process works on so many requests at a time, lets some wait, and refuses the rest at once."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from dynamo.web import shedding
from dynamo.web.shedding import Shedding

ENOUGH = 10.0
Send = Callable[..., "Future[HttpResponse]"]


class Site:
    """Answers requests when it is let to."""

    def __init__(self) -> None:
        self.goes_on = Event()
        self.begun = 0
        self._application = Shedding(self._answer)
        self._threads = ThreadPoolExecutor(32)

    def send(self, path: str = "/", **headers: str) -> "Future[HttpResponse]":
        environ = RequestFactory(headers=headers).get(path).environ
        return self._threads.submit(self._answered, environ)

    def _answered(self, environ: dict[str, Any]) -> HttpResponse:
        response = HttpResponse()

        def start(status: str, given: list[tuple[str, str]]) -> None:
            response.status_code, response.headers = int(status[:3]), dict(given)

        response.content = b"".join(self._application(environ, start))
        return response

    def fill(self, requests: int) -> "list[Future[HttpResponse]]":
        """Send requests, and return when two of them are worked on."""
        sent = [self.send() for _ in range(requests)]
        until = monotonic() + ENOUGH
        while self.begun < 2 and monotonic() < until:
            sleep(0.001)
        return sent

    def close(self) -> None:
        self.goes_on.set()
        self._threads.shutdown()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] == "/":
            self.begun += 1
            self.goes_on.wait(ENOUGH)
        start("200 OK", [])
        return [b"ok"]


@pytest.fixture
def site(settings) -> Iterator[Site]:
    settings.PAGES_AT_ONCE = 2
    site = Site()
    yield site
    site.close()


@pytest.fixture
def patient(monkeypatch) -> None:
    monkeypatch.setattr(shedding, "MOST_SECONDS", ENOUGH)


@pytest.mark.usefixtures("patient")
class TestRequests:
    def test_are_worked_on_so_many_at_a_time(self, site):
        site.fill(6)
        sleep(0.05)
        assert site.begun == 2

    def test_that_may_wait_are_answered_afterwards(self, site):
        sent = site.fill(6)
        site.goes_on.set()
        assert [one.result(ENOUGH).status_code for one in sent] == [200] * 6

    def test_that_are_too_many_are_refused_at_once(self, site):
        sent = site.fill(9)
        refused = answers(sent, 3)
        assert [(one.status_code, one["Retry-After"]) for one in refused] == [(503, "2")] * 3

    def test_of_health_checks_and_static_files_do_not_wait(self, site):
        site.fill(9)
        for path in ("/healthz", "/readyz", "/static/css/base.css"):
            assert site.send(path).result(ENOUGH).status_code == 200

    def test_of_htmx_leave_the_list_on_the_screen(self, site):
        site.fill(9)
        refused = site.send(**{"HX-Request": "true"}).result(ENOUGH)
        assert refused["HX-Retarget"] == "#notice"
        assert b"<html" not in refused.content
        assert b"Too many people" in refused.content

    def test_of_programs_are_refused_with_a_sentence(self, site):
        site.fill(9)
        refused = site.send("/?format=json").result(ENOUGH)
        assert refused["Content-Type"] == "application/json"
        assert "Too many people" in json.loads(refused.content)["error"]


class TestARequestThatHasWaited:
    def test_is_refused_when_it_is_too_late(self, site, monkeypatch):
        monkeypatch.setattr(shedding, "MOST_SECONDS", 0.01)
        assert [one.status_code for one in answers(site.fill(3), 1)] == [503]

    def test_leaves_its_place_to_others(self, site, monkeypatch):
        monkeypatch.setattr(shedding, "MOST_SECONDS", 0.01)
        sent = site.fill(9)
        answers(sent, 7)
        site.goes_on.set()
        assert site.send().result(ENOUGH).status_code == 200


def answers(sent: "list[Future[HttpResponse]]", number: int) -> list[HttpResponse]:
    """Return the answers that there are, when there are so many."""
    until = monotonic() + ENOUGH
    while sum(one.done() for one in sent) < number and monotonic() < until:
        sleep(0.001)
    return [one.result() for one in sent if one.done()]
