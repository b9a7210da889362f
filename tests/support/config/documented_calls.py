"""The commands of a document in order, as a reader would type them, and the answers it shows.

A command is an indented line that begins with a dollar. A block of ``json`` behind one of ``curl``
is the body of its answer; a block of ``http`` has its status and some of its headers as well. What
is shown is what is answered, to each field and value, but for this:

- ``…`` stands for any text, also within one. At the end of a list it stands for further items, and
  as a field, ``"…": "…"``, for further fields.
- A variable that is set to it has the ``id`` of the last answer, or its ``ETag``.
- A moment stands for any other one, a cost for any other one (a process plans by what it has read
  before), and the title of a problem for that of this Python.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from io import StringIO
from string import Template
from typing import Any

import httpx
from django.core.management import call_command

from tests.support.config.api import faults_of, site

ANY = "…"
PART = re.compile(
    r"^    \$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)$"
    r"|^```(?P<kind>json|http)\n(?P<shown>.*?)^```$"
    r"|^(?P<other>[^\s`][^\n]*)$",
    re.MULTILINE | re.DOTALL,
)
"""A command, a block, or a line of text, which parts a command from what comes behind it."""
ASSIGNMENT = re.compile(r"(?P<name>[A-Z]+)=(?P<value>.*)", re.DOTALL)
MANAGE = re.compile(r"\$\(\.venv/bin/python manage\.py (?P<words>.*)\)", re.DOTALL)
COST = "cost"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
RUN_ELSEWHERE = ("npx", "openapi-python-client")
"""Generators, which ``test_generated_clients`` runs."""
WITH_VALUE = ("-H", "-X", "-d", "--json")


@dataclass(frozen=True)
class Example:
    """A command, and what is shown of its answer: a block of a kind, or nothing."""

    command: str
    kind: str = ""
    shown: str = ""


def examples_in(text: str) -> list[Example]:
    """Return the commands of a document. Raises AssertionError for an answer to none."""
    examples: list[Example] = []
    is_answer_awaited = False
    for part in PART.finditer(text):
        if part["command"]:
            examples.append(Example(part["command"].replace("\\\n", " ")))
        elif part["kind"]:
            assert is_answer_awaited, part["shown"]
            examples[-1] = Example(examples[-1].command, part["kind"], part["shown"])
        is_answer_awaited = bool(part["command"])
    return examples


@dataclass
class Session:
    """A reader's shell: variables that were set, and the last answer."""

    variables: dict[str, str] = field(default_factory=dict)
    answer: httpx.Response | None = None

    def run(self, command: str) -> httpx.Response | None:
        """Run a command; return the answer to one of ``curl``."""
        assignment = ASSIGNMENT.fullmatch(command)
        if assignment:
            self.variables[assignment["name"]] = self._value(**assignment.groupdict())
            return None
        program, *words = self._words(command)
        if program in RUN_ELSEWHERE:
            return None
        assert program == "curl", command
        self.answer = sent(words)
        return self.answer

    def _words(self, command: str) -> list[str]:
        """Return the words of a command, with the values of its variables."""
        return [Template(word).substitute(self.variables) for word in shlex.split(command)]

    def _value(self, name: str, value: str) -> str:
        """Return what a variable is set to: a new key, a part of the last answer, or a text."""
        command = MANAGE.fullmatch(value)
        if command:
            printed = StringIO()
            call_command(*shlex.split(command["words"]), stdout=printed, stderr=StringIO())
            return printed.getvalue().strip()
        (text,) = self._words(value)
        if text != ANY:
            return text
        assert self.answer is not None
        if name == "ETAG":
            return self.answer.headers["ETag"]
        return str(self.answer.json()["id"])


def sent(words: list[str]) -> httpx.Response:
    """Send what the words behind ``curl`` say to the site."""
    method, url, body = "", "", None
    headers = {}
    options = iter(words)
    for word in options:
        value = next(options) if word in WITH_VALUE else ""
        if word == "-H":
            name, _colon, text = value.partition(": ")
            headers[name] = text
        elif word == "-X":
            method = value
        elif word in {"-d", "--json"}:
            body = value.encode()
        elif word.startswith("http://"):
            url = word
        else:
            assert word in {"-s", "-i", "-si"}, word
    if "--json" in words:
        headers |= {"Content-Type": "application/json", "Accept": "application/json"}
    method = method or ("GET" if body is None else "POST")
    with httpx.Client(transport=httpx.WSGITransport(site())) as client:
        # Unlike httpx, curl asks for nothing that is compressed.
        del client.headers["Accept-Encoding"]
        answer = client.request(method, url, content=body, headers=headers)
    assert faults_of(answer) == []
    return answer


def faults_of_example(example: Example, answer: httpx.Response) -> list[str]:
    """What an example shows otherwise than it was answered; without a block, a status of 400."""
    if not example.kind:
        is_error = answer.status_code >= HTTPStatus.BAD_REQUEST
        return [answer.text] if is_error else []
    if example.kind == "json":
        return [*differences(_with_title(json.loads(example.shown)), answer.json())]
    head, _blank, body = example.shown.partition("\n\n")
    status, *lines = head.splitlines()
    found = [*differences(int(status.split()[1]), answer.status_code, "status")]
    for line in lines:
        name, _colon, value = line.partition(": ")
        found += differences(value, answer.headers.get(name, ""), name)
    if body:
        found += differences(_with_title(json.loads(body)), answer.json())
    return found


def _with_title(shown: Any) -> Any:
    """Return what is shown, a problem with the title that this Python knows for its status."""
    if isinstance(shown, dict) and {"title", "status"} <= shown.keys():
        return {**shown, "title": HTTPStatus(shown["status"]).phrase}
    return shown


def differences(shown: Any, found: Any, at: str = "") -> Iterator[str]:
    """Yield where what is shown is not what was found."""
    if type(shown) is not type(found):
        yield f"{at}: {found!r} is shown as {shown!r}"
    elif isinstance(shown, dict):
        yield from _differences_of_fields(shown, found, at)
    elif isinstance(shown, list):
        items = shown
        if shown[-1:] == [ANY]:
            items = shown[:-1]
            found = found[: len(items)]
        if len(items) != len(found):
            yield f"{at}: {len(found)} are shown as {len(items)}"
        for number, (one, other) in enumerate(zip(items, found, strict=False)):
            yield from differences(one, other, f"{at}[{number}]")
    elif not _is_like(shown, found):
        yield f"{at}: {found!r} is shown as {shown!r}"


def _differences_of_fields(shown: dict[str, Any], found: dict[str, Any], at: str) -> Iterator[str]:
    names = [name for name in shown if name != ANY]
    has_further = ANY in shown
    if not ({*names} <= found.keys() if has_further else {*names} == found.keys()):
        yield f"{at}: {[*found]} are shown as {names}"
    for name in names:
        is_other_cost = name == COST and found.get(name, 0) > 0
        if name in found and not is_other_cost:
            yield from differences(shown[name], found[name], f"{at}.{name}")


def _is_like(shown: Any, found: Any) -> bool:
    if not isinstance(shown, str):
        return bool(shown == found)
    if MOMENT.fullmatch(shown):
        return bool(MOMENT.fullmatch(found))
    pattern = ".*".join(re.escape(part) for part in shown.split(ANY))
    return bool(re.fullmatch(pattern, found, re.DOTALL))
