"""Whatever goes wrong below /api/ is told as a problem (RFC 9457), never as a page."""

import json
import re

import httpx
import pytest
from django.core.handlers.wsgi import WSGIHandler

from dynapages.django.callers import Caller, Scope
from tests.support.comments.faulty import troubled, unreachable
from tests.support.comments.writers import made_product, someone
from tests.support.config.addresses import API_MATRIX, api_request, belongings
from tests.support.config.api import NOBODY, PROBLEM, ROOT, problem_of, program_of, schema, sent
from tests.support.config.environments import open_api_to
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")
GERMAN = {"Accept_Language": "de"}
APP = "https://app.example.com"
HEADER = re.compile(r"(?:^|[`'\"])([A-Z][\w-]*[a-z][\w-]*)(?:`|: )", re.MULTILINE)
"""A header in a sentence, in a call, or on a line of an answer of docs/api.md."""
ALWAYS_READ = ("Cache-Control", "Content-Length", "Content-Type")
"""Headers of answers that browsers show to every script."""


@pytest.fixture
def writer():
    return program_of(someone("writer").username)


class TestAProblem:
    @pytest.mark.parametrize("path", ["/api/", "/api/v2/orders", f"{ROOT}/nowhere"])
    def test_tells_of_an_unknown_address(self, path):
        status, sentence = problem_of(sent("GET", path, b"", Accept="text/html"))
        assert (status, sentence.endswith(".")) == (404, True)

    @pytest.mark.parametrize("method", ["POST", "PATCH", "FUZZ"])
    def test_tells_which_methods_there_are(self, method):
        answer = sent(method, f"{ROOT}/categories", b"")
        assert problem_of(answer) == (405, "Only these methods are allowed here: GET, HEAD.")
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_tells_of_all_methods_in_one_order(self):
        answer = sent("FUZZ", f"{ROOT}/comments/none", b"")
        assert answer.headers["Allow"] == "DELETE, GET, HEAD, PATCH, PUT"
        answer = sent("GET", f"{ROOT}/votes/none", b"")
        assert answer.headers["Allow"] == "DELETE, PUT"

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"7", b"null", b'{"rating": "x"}'])
    def test_tells_of_a_body_that_cannot_be_read(self, writer, body):
        url = f"{ROOT}/products/{made_product()}/comments"
        answer = sent("POST", url, body, Authorization=f"Bearer {writer.text}")
        status, sentence = problem_of(answer)
        assert status in {400, 422}
        assert sentence

    def test_tells_of_a_body_that_is_too_large(self, writer, settings):
        url = f"{ROOT}/products/{made_product()}/comments"
        body = json.dumps({"rating": 5, "text": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
        for more in ({}, {"Idempotency_Key": "a"}):
            answer = sent("POST", url, body.encode(), Authorization=f"Bearer {writer.text}", **more)
            assert problem_of(answer)[0] in {400, 413}

    def test_names_each_field_that_is_wrong(self, writer):
        url = f"/products/{made_product()}/comments"
        answer = writer.post(url, {"rating": 6, "title": "x" * 999, "language": "xx"})
        assert problem_of(answer)[0] == 422
        wrong = {each["at"]: each["detail"] for each in answer.json()["errors"]}
        assert wrong.keys() == {"body.rating", "body.title", "body.language"}
        assert wrong["body.language"] == (
            "Unknown language “xx”: use two-letter ISO 639-1 codes such as en, de or pt."
        )

    @pytest.mark.parametrize("name", [each for each in API_MATRIX if "{" in each])
    def test_tells_of_an_id_that_is_too_long(self, writer, name):
        method, _, path = name.partition(" ")
        field = path.partition("{")[2].partition("}")[0]
        known = belongings(someone("owner")).arguments | {field: "x" * 129}
        answer = writer.send(method, path.format_map(known), API_MATRIX[name][1])
        assert problem_of(answer)[0] in {403, 422}

    def test_tells_of_a_fault_of_ours(self, monkeypatch):
        monkeypatch.setattr("comments.api.comments.product_reader", None)
        monkeypatch.setattr("comments.api.comments.read_comment", None)
        status, sentence = problem_of(NOBODY.get("/comments/any"))
        assert (status, sentence[:31]) == (500, "Something went wrong on our sid")

    @pytest.mark.parametrize(
        ("url", "told"),
        [
            ("/orders", "Schlüssel"),
            ("/comments/none", "Kommentar"),
            ("/nowhere", "Adresse"),
        ],
    )
    def test_speaks_german_to_who_does(self, url, told):
        answer = NOBODY.get(url, **GERMAN)
        assert told in problem_of(answer)[1]
        assert answer.headers["Content-Language"] == "de"

    def test_has_a_body_for_get_alone(self):
        answers = [sent(method, f"{ROOT}/nowhere", b"") for method in ("GET", "HEAD")]
        assert [one.headers["Content-Type"] for one in answers] == [PROBLEM] * 2


class TestTheDatabaseAway:
    @pytest.mark.parametrize("is_key_known", [False, True])
    @pytest.mark.parametrize("name", API_MATRIX)
    def test_is_told_with_when_to_try_again(self, writer, monkeypatch, name, is_key_known):
        if is_key_known:
            caller = Caller("x", writer.username, Scope.STAFF)
            monkeypatch.setattr("config.api.authenticate", lambda *_: caller)
        method, url = api_request(name, dict.fromkeys(ARGUMENTS, "x"))
        with unreachable():
            answer = writer.send(method, url, API_MATRIX[name][1])
        status, sentence = problem_of(answer)
        assert (status, "cannot be reached" in sentence) == (503, True)
        assert int(answer.headers["Retry-After"]) > 0

    def test_is_told_to_who_has_no_key(self):
        with unreachable():
            answer = NOBODY.get("/rankings/most-loved")
        assert problem_of(answer)[0] == 503
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.headers["Cache-Control"] == "no-store"

    def test_is_told_apart_from_one_that_is_busy(self):
        with troubled(seed=1, conflicts=0, throttled=1):
            status, sentence = problem_of(NOBODY.get("/rankings/most-loved"))
        assert (status, "too busy" in sentence) == (503, True)


ARGUMENTS = ("product_id", "slug", "username", "order_id", "comment_id")


class TestOtherSites:
    def preflight(self, app, origin: str) -> httpx.Response:
        return NOBODY.send(
            "OPTIONS",
            "/orders",
            app=app,
            Origin=origin,
            Access_Control_Request_Method="POST",
            Access_Control_Request_Headers="authorization,content-type,idempotency-key",
        )

    def test_may_not_call_the_api_by_default(self):
        answer = NOBODY.get("/categories", Origin=APP)
        assert [name for name in answer.headers if name.startswith("access-control")] == []

    @pytest.fixture
    def open_to_app(self, settings, tmp_path):
        """The site whose setting API_ORIGINS names one origin."""
        open_api_to(settings, tmp_path, APP)
        return WSGIHandler()

    def test_that_are_named_may_ask_with_a_key(self, open_to_app):
        answer = self.preflight(open_to_app, APP)
        assert answer.status_code == 200
        assert answer.headers["Access-Control-Allow-Origin"] == APP
        methods = answer.headers["Access-Control-Allow-Methods"].split(", ")
        assert {"DELETE", "GET", "PATCH", "POST", "PUT"} <= {*methods}
        allowed = answer.headers["Access-Control-Allow-Headers"].split(", ")
        assert {"authorization", "content-type", "idempotency-key"} <= {*allowed}
        assert {"if-match", "if-none-match"} <= {*allowed}
        assert "Access-Control-Allow-Credentials" not in answer.headers

    def test_that_are_named_may_read_answers_and_problems(self, open_to_app, writer):
        for url in ("/categories", "/orders", "/orders/none", "/nowhere"):
            answer = writer.get(url, app=open_to_app, Origin=APP)
            assert answer.headers["Access-Control-Allow-Origin"] == APP, url
            shown = {*answer.headers["Access-Control-Expose-Headers"].split(", ")}
            assert {*schema()["components"]["headers"], "Allow"} <= shown

    def test_may_send_and_read_each_header_that_the_page_names(self, open_to_app, settings):
        text = (PROJECT / "docs" / "api.md").read_text()
        named = {*HEADER.findall(text)}
        assert {"Authorization", "Allow", "ETag", "If-Match", "Retry-After"} <= named
        sent_names = {each.title() for each in settings.CORS_ALLOW_HEADERS}
        read_names = {*settings.CORS_EXPOSE_HEADERS, *ALWAYS_READ}
        assert named - sent_names - read_names == {"Content-Encoding"}  # it is refused

    def test_that_are_not_named_may_not(self, open_to_app):
        for origin in ("https://evil.example", "http://app.example.com", "null"):
            for answer in (
                self.preflight(open_to_app, origin),
                NOBODY.get("/categories", app=open_to_app, Origin=origin),
            ):
                assert "Access-Control-Allow-Origin" not in answer.headers

    def test_may_read_no_page_of_the_site(self, open_to_app):
        with httpx.Client(
            transport=httpx.WSGITransport(open_to_app), base_url="http://testserver"
        ) as client:
            answer = client.get("/categories/", headers={"Origin": APP})
        assert "Access-Control-Allow-Origin" not in answer.headers
