"""Nothing that a request says is ignored: an operation refuses what it does not know.

All operations of the document are tried, so that a new one is, too.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import jsonschema_rs
import pytest
from ninja.operation import Operation

from dynapages.django.callers import Caller, Scope
from dynapages.django.problems import ProblemType
from dynapages.django.refusals import Refusal
from dynapages.ninja import strict
from tests.support.config.api import ROOT, operations, problem_of, schema, sent

ALL = operations()
READS = [name for name in ALL if name.startswith("GET ")]
WRITES = [name for name in ALL if name not in READS]
WITH_BODY = [name for name in ALL if "requestBody" in ALL[name]]
WITHOUT_BODY = [name for name in WRITES if name not in WITH_BODY]
VALUES = (None, True, False, 0, 1, 1.5, "", "5", [], ["5"], {}, {"x": 1})
"""Of every type of JSON: most are wrong for any one field."""
ARGUMENTS = dict.fromkeys(("product_id", "comment_id", "order_id", "slug", "username"), "x")
PYDANTICS_OWN = ("Input should", "String should", "List should", "Value error", "Extra inputs")
"""How sentences begin that are in English alone, and say what a program may not know."""
PROBES = {"string": "x", "integer": 1, "boolean": True, "array": [], "null": None}


class Accepted(Refusal):
    """The request is what the operation takes; it is not carried out."""

    problem_type = ProblemType("accepted", HTTPStatus.IM_A_TEAPOT, "Of these tests alone.")


@pytest.fixture(autouse=True)
def _nothing_is_carried_out(monkeypatch):
    """Let every request have a key of staff, and stop it where its operation would begin."""
    caller = Caller("key", "sam", Scope.STAFF)
    monkeypatch.setattr("config.api.authenticate", lambda *_: caller)
    read = Operation._get_values

    def stop(self, *arguments):
        read(self, *arguments)
        raise Accepted("So far it is right.")

    monkeypatch.setattr(Operation, "_get_values", stop)


# Requests that are made of the document


@dataclass(frozen=True)
class Field:
    """A field of a body, at any depth: its steps from the top, and its schema."""

    steps: tuple[str | int, ...]
    schema: Mapping[str, Any]

    @property
    def at(self) -> str:
        return ".".join(map(str, ("body", *self.steps)))


def resolved(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of the document, which may stand elsewhere, or be one of several: the first one."""
    if "$ref" in part:
        return resolved(schema()["components"]["schemas"][part["$ref"].rpartition("/")[2]])
    for several in ("anyOf", "allOf"):
        if several in part:
            return resolved(part[several][0])
    return part


def body_schema(name: str) -> Mapping[str, Any]:
    return resolved(ALL[name]["requestBody"]["content"]["application/json"]["schema"])


def objects_in(part: Mapping[str, Any], steps: tuple[str | int, ...] = ()) -> Iterator[Field]:
    """Yield each object that a body has, itself first."""
    part = resolved(part)
    if part["type"] == "object":
        yield Field(steps, part)
        for name, field in part["properties"].items():
            yield from objects_in(field, (*steps, name))
    elif part["type"] == "array":
        yield from objects_in(part["items"], (*steps, 0))


def fields_in(part: Mapping[str, Any]) -> Iterator[Field]:
    """Yield each field of each object that a body has."""
    for each in objects_in(part):
        for name, field in each.schema["properties"].items():
            yield Field((*each.steps, name), field)


def value_for(part: Mapping[str, Any]) -> Any:
    """A value of the type that the document says, with all that it needs."""
    part = resolved(part)
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "object":
        needed = part.get("required", ())
        return {name: value_for(part["properties"][name]) for name in needed}
    if part["type"] == "array" and part.get("minItems"):
        return [value_for(part["items"])]
    return PROBES[part["type"]]


def body_with(part: Mapping[str, Any], steps: tuple[str | int, ...], value: object) -> Any:
    """A body that has a value at the end of some steps."""
    if not steps:
        return value
    part = resolved(part)
    first, *others = steps
    if isinstance(first, int):
        return [body_with(part["items"], tuple(others), value)]
    # A field that is not known has no schema.
    below = part["properties"].get(first, {})
    return {**value_for(part), first: body_with(below, tuple(others), value)}


def is_right(value: object, part: Mapping[str, Any]) -> bool:
    """Whether a value is what the document says."""
    whole = {**part, "components": schema()["components"]}
    return bool(jsonschema_rs.Draft202012Validator(whole).is_valid(value))


def answer_to(name: str, body: object = None, query: str = "", **headers: str) -> Any:
    """What is answered to an operation with a body of bytes, or of a value that becomes JSON."""
    method, _, path = name.partition(" ")
    content = body
    if body is None:
        content = json.dumps(value_for(body_schema(name))).encode() if name in WITH_BODY else b""
    elif not isinstance(body, bytes):
        content = json.dumps(body).encode()
    url = f"{ROOT}{path.format_map(ARGUMENTS)}{query}"
    return sent(method, url, content, Authorization="Bearer key", **headers)


def faults_in(answer: Any) -> dict[str, tuple[str, str]]:
    """The codes and sentences of an answer that refuses values, by where these are."""
    status, sentence = problem_of(answer)
    assert (status, answer.json()["code"]) == (422, "invalid"), sentence
    faults = {each["at"]: (each["code"], each["detail"]) for each in answer.json()["errors"]}
    for _code, detail in faults.values():
        assert not detail.startswith(PYDANTICS_OWN)
    return faults


def parameters_of(name: str, place: str) -> list[Mapping[str, Any]]:
    return [each for each in ALL[name]["parameters"] if each["in"] == place]


# What they are answered


class TestAnOperation:
    @pytest.mark.parametrize("name", ALL)
    def test_is_reached_by_what_the_document_says(self, name):
        needed = [each for each in parameters_of(name, "query") if each["required"]]
        query = "&".join(f"{each['name']}={value_for(each['schema'])}" for each in needed)
        answer = answer_to(name, query=f"?{query}")
        assert answer.json()["code"] == "accepted", answer.text


class TestAQuery:
    @pytest.mark.parametrize("name", ALL)
    def test_of_an_unknown_parameter_is_refused_with_what_is_allowed(self, name):
        (fault,) = faults_in(answer_to(name, query="?ratings=1")).items()
        allowed = [each["name"] for each in parameters_of(name, "query")]
        assert fault[0] == "query.ratings"
        assert fault[1][0] == "unknown"
        assert fault[1][1].startswith("This is not known here: ")
        for each in allowed:
            assert each in fault[1][1]

    @pytest.mark.parametrize("name", ALL)
    def test_of_one_value_twice_is_refused(self, name):
        for each in parameters_of(name, "query"):
            if each["schema"].get("type") == "array":
                continue
            query = f"?{each['name']}=1&{each['name']}=1"
            found = faults_in(answer_to(name, query=query))
            assert found[f"query.{each['name']}"][0] == "given-twice"

    @pytest.mark.parametrize("name", ALL)
    def test_of_a_value_of_another_type_is_refused(self, name):
        for each in parameters_of(name, "query"):
            part = resolved(each["schema"])
            if part["type"] == "array":
                part = resolved(part["items"])
            if part["type"] == "string" and "enum" not in part:
                continue
            for value in ("x", "1.5", "", "%00", "null"):
                found = faults_in(answer_to(name, query=f"?{each['name']}={value}"))
                assert any(at.startswith(f"query.{each['name']}") for at in found), found

    @pytest.mark.parametrize("name", ALL)
    def test_is_read_by_names_in_their_own_case(self, name):
        for each in parameters_of(name, "query"):
            query = f"?{each['name'].upper()}=1"
            assert f"query.{each['name'].upper()}" in faults_in(answer_to(name, query=query))


class TestWhatIsAllowed:
    @pytest.mark.parametrize("name", ALL)
    def test_says_the_values_of_a_parameter_as_they_are_sent(self, name):
        for each in parameters_of(name, "query"):
            part = resolved(each["schema"])
            if part["type"] == "array":
                part = resolved(part["items"])
            if "enum" not in part or part.get("title") == "Language":
                continue
            found = faults_in(answer_to(name, query=f"?{each['name']}=wrong"))
            (fault,) = found.values()
            assert fault == ("not-allowed", f"Allowed are {', '.join(part['enum'])}.")

    @pytest.mark.parametrize("name", WITH_BODY)
    def test_says_the_values_of_a_field_as_they_are_sent(self, name):
        whole = body_schema(name)
        for field in fields_in(whole):
            part = resolved(field.schema)
            if "enum" not in part or part.get("title") == "Language":
                continue
            found = faults_in(answer_to(name, body_with(whole, field.steps, "wrong")))
            assert found[field.at] == ("not-allowed", f"Allowed are {', '.join(part['enum'])}.")

    @pytest.mark.parametrize("name", WITH_BODY)
    def test_says_of_a_value_that_is_needed_that_it_must_not_be_empty(self, name):
        whole = body_schema(name)
        for field in fields_in(whole):
            part = resolved(field.schema)
            empty = None
            if part.get("minLength") == 1:
                empty = ""
            if part.get("minItems") == 1:
                empty = []
            if empty is not None:
                found = faults_in(answer_to(name, body_with(whole, field.steps, empty)))
                assert found[field.at][1] == "This must not be empty."


class TestABody:
    @pytest.mark.parametrize("name", WITH_BODY)
    def test_with_an_unknown_field_at_any_depth_is_refused_with_what_is_allowed(self, name):
        whole = body_schema(name)
        for each in objects_in(whole):
            steps = (*each.steps, "txt")
            code, sentence = faults_in(answer_to(name, body_with(whole, steps, "My review")))[
                Field(steps, {}).at
            ]
            assert code == "unknown"
            assert sentence == (
                f"This is not known here: allowed are {', '.join(each.schema['properties'])}."
            )

    @pytest.mark.parametrize("name", WITH_BODY)
    def test_with_a_value_of_another_type_is_refused(self, name):
        whole = body_schema(name)
        for field in fields_in(whole):
            for value in VALUES:
                if is_right(value, field.schema):
                    continue
                found = faults_in(answer_to(name, body_with(whole, field.steps, value)))
                assert any(at.startswith(field.at) for at in found), (field.at, value, found)

    @pytest.mark.parametrize("name", WITH_BODY)
    def test_without_a_field_that_is_needed_is_refused(self, name):
        whole = body_schema(name)
        for field in whole.get("required", ()):
            body = value_for(whole)
            del body[field]
            assert faults_in(answer_to(name, body)) == {
                f"body.{field}": ("missing", "This is needed.")
            }

    @pytest.mark.parametrize("name", WITH_BODY)
    @pytest.mark.parametrize("body", [[], [{}], "x", 7, True, None])
    def test_that_is_no_object_is_refused(self, name, body):
        answer = answer_to(name, json.dumps(body).encode())
        (at,) = faults_in(answer)
        assert at == "body"

    @pytest.mark.parametrize("name", WITHOUT_BODY)
    @pytest.mark.parametrize("body", [{"version": 1}, [], "x", 7, None])
    def test_is_refused_where_none_is_taken(self, name, body):
        found = faults_in(answer_to(name, json.dumps(body).encode()))
        assert [code for code, _sentence in found.values()] == ["unknown"]

    @pytest.mark.parametrize("name", WITHOUT_BODY)
    def test_that_says_nothing_is_taken_where_none_is(self, name):
        assert answer_to(name, b"{}").json()["code"] == "accepted"


BROKEN = {
    b"{": "line 1, column 2",
    b'{"rating": 5,\n "text": }': "line 2, column 10",
    b"rating=5&text=Good": "line 1, column 1",
    b'{"rating": 5} {"rating": 1}': "line 1, column 15",
    b'{"rating": 1, "rating": 5}': "“rating” is in the body twice",
    b'{"lines": [{"product_id": "a", "product_id": "b"}]}': "“product_id” is in the body twice",
    b'{"rating": NaN}': "NaN is no number",
    b'{"rating": -Infinity}': "-Infinity is no number",
    b'{"text": "\xff"}': "it has to be text in UTF-8",
    '{"text": "x"}'.encode("utf-16"): "it has to be text in UTF-8",
    b'{"text": "\xed\xa0\x80"}': "it has to be text in UTF-8",
    b'{"text": "\\ud800"}': "it has to be text in UTF-8",
    b'{"\\ud800": 1, "\\ud800": 2}': "“?” is in the body twice",
    b'{"rating": ' + b"[" * 100_000: "nested too deeply",
    b'{"rating": ' + b"5" * 5_000 + b"}": "a number with too many digits",
}
"""Bodies that are not JSON, and what is said of each."""


class TestJSON:
    @pytest.mark.parametrize("name", WRITES)
    def test_that_is_broken_is_refused_with_where(self, name):
        for body, said in BROKEN.items():
            answer = answer_to(name, body)
            status, sentence = problem_of(answer)
            assert (status, answer.json()["code"]) == (400, "bad-json"), body[:40]
            assert said in sentence

    def test_may_have_a_mark_of_its_encoding_in_front(self):
        name = "POST /products/{product_id}/comments"
        assert answer_to(name, b'\xef\xbb\xbf{"rating": 5}').json()["code"] == "accepted"

    def test_may_have_characters_of_two_halves(self):
        name = "POST /products/{product_id}/comments"
        body = b'{"rating": 5, "text": "\\ud83d\\ude00"}'
        assert answer_to(name, body).json()["code"] == "accepted"


MULTIPART = b'--x\r\nContent-Disposition: form-data; name="rating"\r\n\r\n5\r\n--x--\r\n'
FORMS = {
    "application/x-www-form-urlencoded": b"rating=5&text=Good",
    "multipart/form-data; boundary=x": MULTIPART,
}


class TestABodyOfAnotherKind:
    @pytest.mark.parametrize("name", WRITES)
    @pytest.mark.parametrize("kind", FORMS)
    def test_is_refused_where_it_is_a_form(self, name, kind):
        answer = answer_to(name, FORMS[kind], Content_Type=kind)
        assert problem_of(answer) == (415, "The body is a form: send JSON.")
        assert answer.json()["code"] == "unsupported-media-type"

    @pytest.mark.parametrize("kind", [*FORMS, "text/plain", "text/json", ""])
    def test_is_taken_where_it_is_json_all_the_same(self, kind):
        answer = answer_to("POST /products/{product_id}/comments", Content_Type=kind)
        assert answer.json()["code"] == "accepted"

    @pytest.mark.parametrize("name", WRITES)
    def test_is_refused_where_it_is_compressed(self, name):
        for encoding in ("gzip", "br", "Deflate", "identity, gzip"):
            answer = answer_to(name, gzip.compress(b"{}"), Content_Encoding=encoding)
            sentence = "Send the body uncompressed, without Content-Encoding."
            assert problem_of(answer) == (415, sentence)
            assert answer.json()["code"] == "unsupported-encoding"

    def test_is_refused_where_it_says_wrongly_that_it_is_compressed(self):
        name = "POST /products/{product_id}/comments"
        answer = answer_to(name, Content_Encoding="gzip")
        assert answer.json()["code"] == "unsupported-encoding"

    def test_may_say_that_it_is_not_compressed(self):
        answer = answer_to("POST /products/{product_id}/comments", Content_Encoding="identity")
        assert answer.json()["code"] == "accepted"


class TestABodyOfJson:
    def test_is_read_once(self, monkeypatch):
        read = []
        json_of = strict.json_of

        def spy(body: bytes) -> object:
            read.append(body)
            return json_of(body)

        monkeypatch.setattr(strict, "json_of", spy)
        answer = answer_to("POST /products/{product_id}/comments")
        assert answer.json()["code"] == "accepted"
        assert len(read) == 1


class TestAVersion:
    @pytest.mark.parametrize("name", ALL)
    @pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
    def test_in_a_header_is_refused_where_none_is_compared(self, name, header):
        compared = [each["name"] for each in parameters_of(name, "header")]
        if header in compared or (header == "If-None-Match" and name in READS):
            return
        found = faults_in(answer_to(name, **{header.replace("-", "_"): '"3"'}))
        assert found == {
            f"header.{header}": (
                "not-taken",
                "This header is not taken here: leave it out.",
            )
        }


COMMENTS = "/products/{product_id}/comments"


class TestAStranger:
    """What the first ones who called it got wrong, and were not told."""

    @pytest.mark.parametrize(
        ("name", "query", "body", "at"),
        [
            (f"POST {COMMENTS}", "", {"rating": 5, "txt": "My long review"}, "body.txt"),
            (f"GET {COMMENTS}", "?ratings=1", None, "query.ratings"),
            (f"GET {COMMENTS}", "?size=5", None, "query.size"),
            ("GET /search", "?query=pan", None, "query.query"),
            (f"POST {COMMENTS}", "", {"rating": True}, "body.rating"),
            (f"POST {COMMENTS}", "", {"rating": "5"}, "body.rating"),
        ],
    )
    def test_is_told_which_name_or_value_is_not_known(self, name, query, body, at):
        assert at in faults_in(answer_to(name, body, query))


class TestALongRequest:
    """It takes no more time or room than a short one."""

    def test_with_many_faults_is_told_the_first_ones(self):
        query = "&".join(f"a{number}=1" for number in range(900))
        answer = answer_to(f"GET {COMMENTS}", query=f"?{query}")
        assert [*faults_in(answer)] == [f"query.a{number}" for number in range(20)]
        many = {f"a{number}": 0 for number in range(5_000)}
        for name in (f"POST {COMMENTS}", "PUT /votes/{comment_id}"):
            assert len(faults_in(answer_to(name, many))) == 20

    def test_with_more_parameters_than_any_form_is_refused(self):
        query = "&".join(f"a{number}=1" for number in range(1_001))
        answer = answer_to(f"GET {COMMENTS}", query=f"?{query}")
        assert problem_of(answer) == (400, "The request is malformed.")

    @pytest.mark.parametrize("name", WRITES)
    def test_with_a_longer_body_than_is_read_is_refused(self, name, settings):
        body = b'{"text": "%s"}' % (b"x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        sentence = "The body is too large: it may have 262,144 bytes."
        assert problem_of(answer_to(name, body)) == (413, sentence)


class TestASentence:
    @pytest.mark.parametrize("name", WITH_BODY)
    def test_on_a_field_is_in_the_language_of_who_asks(self, name):
        whole = body_schema(name)
        for field in fields_in(whole):
            for value in (*VALUES, "x" * 200_000, 10**9, -1, ["x"] * 1_000):
                if is_right(value, field.schema):
                    continue
                body = body_with(whole, field.steps, value)
                english = faults_in(answer_to(name, body))
                german = faults_in(answer_to(name, body, Accept_Language="de"))
                same = [at for at in english if english[at][1] == german[at][1]]
                assert same == [], (field.at, value, english)
                assert not any(" or " in detail for _code, detail in german.values())

    @pytest.mark.parametrize("body", BROKEN)
    def test_on_what_is_no_json_is_in_the_language_of_who_asks(self, body):
        answers = [
            answer_to(f"POST {COMMENTS}", body, Accept_Language=each) for each in ("en", "de")
        ]
        english, german = (problem_of(each)[1] for each in answers)
        assert english != german
