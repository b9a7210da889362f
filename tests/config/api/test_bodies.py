"""What bodies of requests may not be: each field of each operation, by the API's own document."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from dynapages.django.callers import Scope
from tests.support.comments.writers import someone
from tests.support.config.api import operations, problem_of, program_of, schema

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
WRONG: dict[str, list[object]] = {
    "integer": [True, "5", 1.5, [], {}],
    "number": [True, "5", [], {}],
    "boolean": [1, "true", [], {}],
    "string": [5, True, [], {}],
    "array": [5, "x", {}],
    "object": [5, "x", []],
}
"""By the type of a field, values that are not of it."""
EXPRESSION = re.compile(r"[\\^$]|\[0-9|\{\d")
"""What only a regular expression has."""


def bodies() -> dict[str, dict[str, Any]]:
    """The shapes of all bodies, by their operations."""
    found = {}
    for name, operation in operations().items():
        if "requestBody" in operation:
            found[name] = operation["requestBody"]["content"]["application/json"]["schema"]
    return found


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").rpartition("/")[2]
    return schema()["components"]["schemas"][name] if name else part


def choices_of(part: dict[str, Any]) -> list[dict[str, Any]]:
    """What a field may be, null among it."""
    return [resolved(each) for each in resolved(part).get("anyOf", [part])]


def right_value(part: dict[str, Any]) -> object:
    """A value that fits a field, so that nothing else is wrong with its body."""
    part = choices_of(part)[0]
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "object":
        return right_body(part)
    if part["type"] == "array":
        return [right_value(part["items"])]
    if part["type"] == "integer":
        return max(part.get("minimum", 0), 1)
    return {"boolean": False, "string": "words"}[part["type"]]


def right_body(part: dict[str, Any]) -> dict[str, Any]:
    properties = resolved(part)["properties"]
    return {name: right_value(properties[name]) for name in resolved(part).get("required", ())}


def wrong_bodies(part: dict[str, Any], at: str = "body") -> Iterator[tuple[str, object]]:
    """Yield bodies with one fault each, at any depth, and where that is."""
    part = resolved(part)
    right = right_body(part)
    yield f"{at}.unknown", {**right, "unknown": 1}
    for name, field in part["properties"].items():
        choices = choices_of(field)
        types = {choice["type"] for choice in choices}
        wrong = [value for each in types - {"null"} for value in WRONG[each]]
        if "null" not in types:
            wrong.append(None)
        for value in wrong:
            yield f"{at}.{name}", {**right, name: value}
        for choice in choices:
            if choice["type"] == "array" and "properties" in resolved(choice["items"]):
                for within, value in wrong_bodies(choice["items"], f"{at}.{name}.0"):
                    yield within, {**right, name: [value]}
    for name in part.get("required", ()):
        yield f"{at}.{name}", {other: right[other] for other in right if other != name}


@pytest.fixture(scope="module")
def staff(tables):
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


def sent(staff, name: str, body: object):
    method, _, path = name.partition(" ")
    return staff.send(method, re.sub(r"{\w+}", "none", path), body)


@pytest.mark.parametrize("name", bodies())
class TestABody:
    def test_is_refused_for_each_fault_by_a_sentence_that_names_it(self, staff, name):
        for at, body in wrong_bodies(bodies()[name]):
            answer = sent(staff, name, body)
            status, sentence = problem_of(answer)
            assert (status, answer.json()["code"]) == (422, "invalid"), body
            faults = answer.json()["errors"]
            assert [each["at"] for each in faults] == [at], body
            assert faults[0]["detail"].endswith("."), body
            assert not EXPRESSION.search(sentence), sentence

    def test_that_breaks_a_pattern_is_refused_without_it(self, staff, name):
        body = right_body(bodies()[name])
        for field, part in resolved(bodies()[name])["properties"].items():
            if any("pattern" in choice for choice in choices_of(part)):
                answer = sent(staff, name, {**body, field: "\0"})
                status, sentence = problem_of(answer)
                assert (status, EXPRESSION.search(sentence)) == (422, None), sentence

    def test_is_an_object(self, staff, name):
        for body in ([], "x", 5, None):
            answer = sent(staff, name, body)
            assert problem_of(answer)[0] in {400, 422}, body


def test_there_are_bodies_of_comments_and_of_the_shop():
    assert {"PATCH /comments/{comment_id}", "POST /orders"} <= {*bodies()}
