"""What docs/api.md shows is what the API takes and answers, by its generated schema."""

import json
import re
import shlex
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from config.api import api
from tests.support.project import PROJECT

TEXT = (PROJECT / "docs" / "api.md").read_text()
SCHEMA = api.get_openapi_schema()
SHOWN = re.findall(
    r"^    \$ (curl [^\n]*'http:[^\n]*)\n\n```json\n(.*?)```", TEXT, re.MULTILINE | re.DOTALL
)
COMMAND = r"^    \$ (curl (?:[^\n]*\\\n)*[^\n]*)$"
SENT = [shlex.split(each) for each in re.findall(COMMAND, TEXT, re.MULTILINE) if "-d" in each]


def url_in(words: list[str]) -> str:
    """The address in a command, without its host."""
    (url,) = (re.sub(r"^http://[^/]+", "", word) for word in words if word.startswith("http:"))
    return url


def operation_at(url: str, method: str) -> dict[str, Any]:
    """What the schema says of an address."""
    route = resolve(url.partition("?")[0]).route
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    found: dict[str, Any] = SCHEMA["paths"][path][method]
    return found


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = SCHEMA["components"]["schemas"][name] if name else schema
    return found


def faults(value: object, schema: dict[str, Any], at: str = "") -> Iterator[str]:
    """Yield where an example has other fields than its schema."""
    schema = resolved(schema)
    if "anyOf" in schema:
        choices = [[*faults(value, one, at)] for one in schema["anyOf"]]
        yield from min(choices, key=len)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{at}[{number}]")
    elif isinstance(value, dict):
        if value.keys() != schema.get("properties", {}).keys():
            yield f"{at}: {[*value]} are not {[*schema.get('properties', {})]}"
        for name, part in schema.get("properties", {}).items():
            yield from faults(value.get(name), part, f"{at}.{name}")
    elif KINDS[type(value)] not in schema["type"] and schema["type"] != "number":
        yield f"{at}: {value!r} is not {schema}"


KINDS = {bool: "boolean", int: "integer", str: "string", float: "number", type(None): "null"}


class TestAnExample:
    @pytest.mark.parametrize(("command", "shown"), SHOWN)
    def test_has_the_fields_of_its_answer(self, command, shown):
        answer = json.loads(shown)
        operation = operation_at(url_in(shlex.split(command)), "get")
        response = operation["responses"][answer.get("status", 200)]
        (media,) = response["content"].values()
        assert [*faults(answer, media["schema"])] == []

    def test_of_an_error_is_what_the_site_answers(self, tables):
        (pair,) = [each for each in SHOWN if '"status"' in each[1]]
        problem = json.loads(pair[1])
        problem["title"] = HTTPStatus(problem["status"]).phrase  # newer Pythons call 422 otherwise
        assert Client().get(url_in(shlex.split(pair[0]))).json() == problem

    @pytest.mark.parametrize("words", SENT)
    def test_sends_what_the_operation_takes(self, words):
        body = json.loads(words[words.index("-d") + 1])
        taken = operation_at(url_in(words), "post")["requestBody"]["content"]["application/json"]
        fields = resolved(taken["schema"])
        assert {*fields["required"]} <= body.keys() <= fields["properties"].keys()

    def test_is_there_of_reading_of_writing_and_of_an_error(self):
        assert len(SHOWN) == 2
        assert len(SENT) == 1
