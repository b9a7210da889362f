"""What docs/operations.md has jq say of a log is true of a log that the site has written."""

import json
import math
import re
import shutil
import subprocess
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory

from config.web import shedding
from dynapages.django.security_log import log_event
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, program_of
from tests.support.config.logs import written_log
from tests.support.project import PROJECT

pytestmark = [
    pytest.mark.usefixtures("tables"),
    pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed (Debian's jq)"),
]
BESIDE_IT = """\
Started dynashop-site.service - Dynashop.
config.SECRET_KEY: SECRET_KEY is not set.
12
"""
"""What a journal of the site has besides: lines of systemd, of a start that failed, and of code."""
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
Line = dict[str, Any]


def commands() -> dict[str, str]:
    """The commands of jq by their comments, in the order of the document."""
    text = (PROJECT / "docs" / "operations.md").read_text()
    section = text.partition("\n## The log of requests\n")[2].partition("\n## ")[0]
    found: dict[str, str] = {}
    for block in re.findall(r"(?:^ {4}.*\n)+", section, re.MULTILINE):
        comment, _, command = textwrap.dedent(block).partition("\n")
        if comment.startswith("# "):
            found[comment.removeprefix("# ")] = command
    return found


def visit() -> None:
    """Have the site answer pages, forms, operations of the API, and requests that it refuses."""
    product_id, author = made_product(), program_of(someone("author").username)
    path = f"/products/{product_id}/comments"
    browser = Client()
    for languages in ("~", "~", "de", "de.en"):
        browser.get(f"{path}/{languages}/~/")
    browser.get(f"{path}/~/5/?order=oldest")
    browser.get("/no-such-page/")
    browser.get("/accounts/login/")
    browser.post("/accounts/login/", {"username": "nobody", "password": "wrong"})
    comment = author.post(path, SAID).json()
    author.put(f"/comments/{comment['id']}", {**SAID, "rating": 5, "version": comment["version"]})
    author.get(f"/comments/{comment['id']}")
    author.get(path)
    author.delete(f"/comments/{comment['id']}")
    NOBODY.post(path, SAID)
    log_event("sign-in", user="alice")


def visit_a_full_process(times: int) -> None:
    """Have requests refused, as many of them, because there are too many."""
    full = shedding.Shedding(lambda *_: [])
    while full._slots.acquire(is_form=False):
        pass
    for _ in range(times):
        full(RequestFactory().get("/orders/").environ, lambda *_: lambda _: None)


@dataclass(frozen=True)
class Log:
    """A log in a folder, and the lines of its requests."""

    folder: Path
    lines: list[Line]

    def told_by(self, comment: str) -> list[str]:
        """What the command prints that has this comment, a line each."""
        return self._run(commands()[comment]).splitlines()

    def _run(self, command: str) -> str:
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout


@pytest.fixture(scope="module")
def log(tmp_path_factory, tables) -> Log:
    """A log of which the first command has taken the lines of requests; one of them was slow."""
    with pytest.MonkeyPatch.context() as patch, written_log(as_json=True) as written:
        visit()
        patch.setattr(shedding, "PAGE_WAITS", 0.01)
        visit_a_full_process(times=3)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    of_requests = [line for line in lines if line["logger"] == "request"]
    of_requests[0]["ms"] = 1000.1
    folder = tmp_path_factory.mktemp("log")
    (folder / "site.log").write_text(BESIDE_IT + "\n".join(map(json.dumps, lines)))
    log = Log(folder, of_requests)
    assert log.told_by("the lines of requests alone, without those of systemd") == []
    return log


def grouped(lines: list[Line], *names: str) -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """The units of lines by the values of these fields, of those that have the first of them."""
    units = defaultdict[tuple[str, ...], list[float]](list)
    for line in lines:
        if names[0] in line:
            units[tuple(line[name] for name in names)].append(line["units"])
    yield from units.items()


class TestTheLinesOfRequests:
    def test_are_all_that_the_first_command_writes(self, log):
        text = (log.folder / "requests.log").read_text()
        assert [json.loads(line) for line in text.splitlines()] == log.lines
        assert len(log.lines) > 15


class TestTheMostExpensiveViews:
    TOLD = "the most expensive views: units in all, requests, units of one, and which it is"

    def test_have_the_sums_of_each_view_and_method(self, log):
        told = {}
        for line in log.told_by(self.TOLD):
            units, times, of_one, which = line.split("\t")
            told[which] = (float(units), int(times), pytest.approx(float(of_one)))
        assert told == {
            f"{method} {view}": (sum(units), len(units), sum(units) / len(units))
            for (view, method), units in grouped(log.lines, "view", "method")
        }

    def test_come_first(self, log):
        units = [float(line.partition("\t")[0]) for line in log.told_by(self.TOLD)]
        assert units == sorted(units, reverse=True)

    def test_tell_writes_of_the_api_from_reads_of_the_same_address(self, log):
        which = [line.split("\t")[-1] for line in log.told_by(self.TOLD)]
        of_comments = [each for each in which if "api:comments_" in each]
        assert sorted(of_comments) == [
            "DELETE api:comments_delete",
            "GET api:comments_get_comment",
            "GET api:comments_list_comments",
            "POST api:comments_post",
            "PUT api:comments_edit",
        ]
        assert {"GET login", "POST login"} <= {*which}


class TestThePercentiles:
    TOLD = "the 99th percentile of units, by list and plan"

    def test_are_of_each_list_by_each_plan(self, log):
        truth = []
        for (name, plan), units in grouped(log.lines, "list", "plan"):
            nearest_rank = math.ceil(len(units) * 99 / 100)
            truth.append(f"{name} {plan}\t{sorted(units)[nearest_rank - 1]:g}")
        told = [_without_zeros(line) for line in log.told_by(self.TOLD)]
        assert sorted(told) == sorted(truth)
        assert len(told) > 1

    def test_of_two_hundred_leave_the_two_most_expensive_out(self, log, tmp_path):
        lines = [{"list": "comments", "plan": "all", "units": units} for units in range(200)]
        (tmp_path / "requests.log").write_text("\n".join(map(json.dumps, lines)))
        assert Log(tmp_path, lines).told_by(self.TOLD) == ["comments all\t197"]


class TestSlowRequests:
    def test_have_what_there_is_to_say_of_them_and_no_empty_fields(self, log):
        told = log.told_by("requests that took longer than a second, and why they may have")
        slow = [line for line in log.lines if line["ms"] > 1000]
        fields = re.findall(r"\w+", "time method view plan calls rounds units ms fault late")
        assert [json.loads(line) for line in told] == [
            {name: line[name] for name in fields if name in line} for line in slow
        ]
        assert slow


class TestRefusedRequests:
    def test_are_counted_by_minute(self, log):
        minutes = Counter(line["time"][:16] for line in log.lines if line.get("shed"))
        told = [line.split() for line in log.told_by("refused requests in each minute")]
        assert {minute: int(times) for times, minute in told} == minutes
        assert minutes.total() == 3


def _without_zeros(line: str) -> str:
    """A line whose last column is written as Python writes a number."""
    first, _, number = line.rpartition("\t")
    return f"{first}\t{float(number):g}"


def test_each_command_of_the_document_is_tried():
    assert [*commands()] == [
        "the lines of requests alone, without those of systemd",
        TestTheMostExpensiveViews.TOLD,
        TestThePercentiles.TOLD,
        "requests that took longer than a second, and why they may have",
        "refused requests in each minute",
    ]
