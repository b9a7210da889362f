"""The addresses of the API besides its operations: its document, and those where nothing is."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import httpx
import pytest

from config.api import api
from dynapages.ninja import ProblemAPI
from tests.support.config.addresses import MATRIX
from tests.support.config.api import PROBLEM, ROOT, problem_of, schema, sent

pytestmark = pytest.mark.usefixtures("tables")
URL = f"{ROOT}/openapi.json"
THREADS = 12
WRITING = ("POST", "PUT", "PATCH", "DELETE")
OF_THE_API = [route for route in MATRIX if route.partition("/")[0] == "api"]
"""The routes of all its addresses."""


def document(**headers: str) -> httpx.Response:
    """What is answered to who asks for the document."""
    return sent("GET", URL, b"", **headers)


@pytest.fixture
def made(monkeypatch):
    """A process that has not made the document; notes each time that it does."""
    monkeypatch.setattr(api, "_documents", {})
    make = ProblemAPI.get_openapi_schema
    times = []

    def note(self, **options):
        times.append(options)
        sleep(0.05)  # so that others ask meanwhile
        return make(self, **options)

    monkeypatch.setattr(ProblemAPI, "get_openapi_schema", note)
    return times


class TestTheDocument:
    def test_is_made_once(self, made):
        answers = {document().content for _ in range(3)}
        assert len(answers) == 1
        assert len(made) == 1

    def test_is_made_once_by_requests_that_come_at_once(self, made):
        together = Barrier(THREADS)

        def ask(_number: int) -> bytes:
            together.wait()
            return document().content

        with ThreadPoolExecutor(THREADS) as threads:
            answers = set(threads.map(ask, range(THREADS)))
        assert len(answers) == 1
        assert len(made) == 1

    def test_is_the_schema_in_json(self):
        answer = document()
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert answer.json()["paths"].keys() == schema()["paths"].keys()

    def test_is_answered_304_to_who_has_it(self):
        first = document(Accept_Encoding="gzip")
        assert first.headers["Content-Encoding"] == "gzip"
        again = document(If_None_Match=first.headers["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["Cache-Control"] == first.headers["Cache-Control"]

    def test_may_be_kept_by_caches_that_ask_again(self):
        answer = document()
        assert {"public", "max-age=0"} <= {*answer.headers["Cache-Control"].split(", ")}

    def test_needs_no_key_and_looks_at_none(self):
        answer = document(Authorization="Bearer nonsense")
        assert answer.status_code == 200

    @pytest.mark.parametrize("method", WRITING)
    def test_is_read_alone(self, method):
        answer = sent(method, URL, b"{}")
        assert problem_of(answer)[0] == 405
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_takes_no_parameters(self):
        answer = sent("GET", f"{URL}?version=2", b"")
        assert problem_of(answer)[0] == 422
        (fault,) = answer.json()["errors"]
        assert fault["at"] == "query.version"

    def test_is_compared_with_no_version(self):
        answer = document(If_Match='"3"')
        assert problem_of(answer)[0] == 422

    def test_has_no_schema_that_nothing_refers_to(self):
        whole = document().text
        names = schema()["components"]["schemas"]
        assert [name for name in names if f'"#/components/schemas/{name}"' not in whole] == []

    def test_names_the_server(self):
        assert [each["url"] for each in schema()["servers"]] == ["/"]


NOWHERE = ("/api", "/api/", "/api/v2/orders", f"{ROOT}/nowhere", f"{ROOT}/products/", "/api/v10")


@pytest.mark.parametrize("debug", [False, True], ids=["production", "debug"])
class TestAnUnknownAddress:
    @pytest.mark.parametrize("path", NOWHERE)
    @pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "FUZZ"])
    def test_is_a_problem_to_any_method(self, settings, debug, method, path):
        settings.DEBUG = debug
        answer = sent(method, path, b'{"rating": 5}', Accept="text/html")
        status, sentence = problem_of(answer)
        assert (status, answer.json()["code"]) == (404, "not-found")
        assert sentence == "There is no such address in this API: look at its document."

    def test_is_one_to_head_as_well(self, settings, debug):
        settings.DEBUG = debug
        answer = sent("HEAD", f"{ROOT}/nowhere", b"")
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, PROBLEM)

    def test_of_the_api_itself_leads_to_what_there_is(self, settings, debug):
        settings.DEBUG = debug
        for path in (ROOT, f"{ROOT}/"):
            answer = sent("GET", path, b"")
            assert (answer.status_code, answer.headers["Location"]) == (302, f"{ROOT}/docs")


@pytest.mark.parametrize("method", WRITING)
class TestAnAddress:
    @pytest.mark.parametrize("route", OF_THE_API)
    def test_asks_for_no_token_of_a_form(self, method, route):
        answer = sent(method, f"/{re.sub('<[^>]*>', 'x', route)}", b"{}")
        assert problem_of(answer)[0] in {401, 404, 405}

    def test_of_a_page_is_read_alone(self, method):
        for path in (ROOT, f"{ROOT}/", f"{ROOT}/docs"):
            answer = sent(method, path, b"{}")
            assert problem_of(answer)[0] == 405
            assert answer.headers["Allow"] == "GET, HEAD"
