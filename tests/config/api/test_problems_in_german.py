"""Who asks for German gets no problem in English: no sentence is as in an English answer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.utils.translation import override

from comments.api.problems import ERRORS as COMMENT_ERRORS
from config import api
from dynapages.django.callers import Scope
from dynapages.ninja import errors
from shop.api.problems import ERRORS as SHOP_ERRORS
from tests.support.comments.writers import made_product, someone
from tests.support.config.addresses import API_MATRIX, api_request, belongings
from tests.support.config.api import NOBODY, Program, operations, problem_of, program_of

pytestmark = pytest.mark.usefixtures("tables")
ARGUMENTS = dict.fromkeys(("product_id", "comment_id", "order_id", "slug", "username"), "nope")
WRONG_QUERIES = {
    "/search": ("", "?q=", "?q=%21", f"?q={'x' * 201}", "?q=a+b+c+d+e+f+g+h+i", "?q=a&by=b"),
    "/rankings/most-loved": ("?limit=0", "?limit=101", "?limit=x", "?cursor=x", "?x=1"),
    "/orders": ("?status=open", "?since=x", "?open=1&open=1", "?open=1&status=PLACED"),
    "/staff/orders": ("?status=DELIVERED", "?status=x"),
    "/categories/nope/products": ("?order=x",),
}
OF_COMMENTS = (
    *("?q=a&order=highest", f"?q={'x' * 201}", "?q=a+b+c+d+e+f+g+h+i", "?hidden=true"),
    *("?language=xx", "?rating=6", "?month=x", "?order=highest&month=2026-03"),
)
"""Wrong queries of a product's comments."""
WRONG_BODIES: tuple[object, ...] = (
    *({}, [], {"rating": 6}, {"rating": 0}, {"rating": "5"}, {"rating": 5, "txt": ""}),
    *({"rating": 5, "title": "x" * 999}, {"rating": 5, "text": "\0"}, {"rating": 5, "text": 1}),
)


@pytest.fixture(scope="module")
def staff():
    return program_of(someone("staff", is_staff=True).username, Scope.STAFF)


def sentences_of(program: Program, method: str, url: str, body: object = None) -> list[list[str]]:
    """What is said of a request that is wrong, in English and in German."""
    said = []
    for language in ("en", "de"):
        answer = program.send(method, url, body, Accept_Language=language)
        status, sentence = problem_of(answer)
        assert status >= 400
        assert answer.headers["Content-Language"] == language
        details = [each["detail"] for each in answer.json().get("errors", ())]
        said.append(details or [sentence])
    return said


def untranslated(program: Program, *requests: tuple) -> Iterator[tuple]:
    """Yield each wrong request of which something is said in English to who asks for German."""
    for request in requests:
        english, german = sentences_of(program, *request)
        same = set(english) & set(german)
        if same:
            yield request, same


class TestEachSentence:
    @pytest.mark.parametrize("sentences", [COMMENT_ERRORS, SHOP_ERRORS])
    def test_of_an_error_is_translated(self, sentences):
        for error, (_kind, sentence) in sentences.items():
            with override("de"):
                assert sentence is None or str(sentence) != in_english(sentence), error

    def test_of_a_value_is_translated(self):
        known = [fault.sentence for fault in errors._FAULTS.values()]
        for sentence in (*known, errors._EMPTY.sentence, errors._UNKNOWN):
            with override("de"):
                assert str(sentence) != in_english(sentence)


def in_english(sentence: object) -> str:
    with override("en"):
        return str(sentence)


class TestAProblem:
    @pytest.mark.parametrize("name", operations())
    def test_of_what_is_not_there_is_in_german(self, staff, name):
        method, url = api_request(name, ARGUMENTS)
        answer = staff.send(method, url, API_MATRIX[name][1])
        if answer.status_code < 400:
            return
        assert [*untranslated(staff, (method, url, API_MATRIX[name][1]))] == []

    @pytest.mark.parametrize("name", operations())
    def test_of_a_request_that_is_not_known_is_in_german(self, staff, name):
        method, url = api_request(name, belongings(someone("owner")).arguments)
        unknown = f"{url}{'&' if '?' in url else '?'}unknown=1"
        assert [*untranslated(staff, (method, unknown, API_MATRIX[name][1]))] == []

    @pytest.mark.parametrize("name", [n for n in operations() if "security" in operations()[n]])
    def test_of_a_key_that_is_missing_is_in_german(self, name):
        method, url = api_request(name, ARGUMENTS)
        answer = NOBODY.send(method, url, API_MATRIX[name][1])
        if answer.status_code < 400:
            return
        assert [*untranslated(NOBODY, (method, url, API_MATRIX[name][1]))] == []

    def test_of_a_key_of_another_scope_is_in_german(self):
        reader = program_of("", Scope.READ)
        requests = [
            ("GET", "/orders", None),
            ("GET", "/staff/orders", None),
            ("PUT", "/votes/nope", None),
        ]
        assert [*untranslated(reader, *requests)] == []

    @pytest.mark.parametrize("path", WRONG_QUERIES)
    def test_of_a_wrong_parameter_is_in_german(self, staff, path):
        requests = [("GET", path + query, None) for query in WRONG_QUERIES[path]]
        assert [*untranslated(staff, *requests)] == []

    def test_of_a_wrong_list_of_comments_is_in_german(self, settings):
        url = f"/products/{made_product()}/comments"
        assert [*untranslated(NOBODY, *[("GET", url + query) for query in OF_COMMENTS])] == []

    def test_of_a_wrong_body_is_in_german(self, staff):
        url = f"/products/{made_product()}/comments"
        assert [*untranslated(staff, *[("POST", url, body) for body in WRONG_BODIES])] == []

    # The limit is counted in a thread of the pool, where no language is active.
    @pytest.mark.parametrize("method", ["GET", "PUT"])
    def test_of_a_key_that_calls_too_often_is_in_german(self, monkeypatch, method):
        for name in ("READ_LIMIT", "WRITE_LIMIT"):
            monkeypatch.setattr(api, name, replace(getattr(api, name), times=1))
        writer = program_of(someone("writer").username)
        url = "/votes/nope" if method == "PUT" else "/categories"
        writer.send(method, url)
        (english,), (german,) = sentences_of(writer, method, url)
        assert english.startswith("This key has sent too many requests.")
        assert german.startswith("Dieser Schlüssel hat zu viele Anfragen gesendet.")
        assert "second" not in german
