"""The examples for Django, REST framework and django-ninja, each without this site."""

import json
import os
import subprocess
import sys
from http import HTTPStatus
from importlib.util import find_spec

import pytest
from django.conf import settings

from dynapages.process import client
from tests.support.project import PROJECT

EXAMPLES = PROJECT / "dynapages" / "examples"
TABLE = "dynapages-notes"
ASK = """
import json, sys
import sample_table
sample_table.fill(sample_table.client())
example = __import__(sys.argv[1])
import django
django.setup()
from django.test import Client
asked = [(sys.argv[3], {}), *json.loads(sys.argv[2])]
answers = []
for url, headers in asked:
    answer = Client(SERVER_NAME="localhost").get(url or follow(answers[-1]), headers=headers)
    answers.append((answer.status_code, answer.content.decode()))
ours = {"comments", "config", "demo", "lab", "shop"}
print(json.dumps({"answers": answers, "site": sorted(ours & sys.modules.keys())}))
"""
FOLLOW = """
import html, re
def follow(answer):
    found = re.search('href="([^"]*after=[^"]*)"|"next": ?"([^"]*)"', answer[1])
    return html.unescape(found[1] or found[2])
"""


@pytest.fixture
def answers_of():
    """Asks an example for its first page, and then for others; None follows the link to the next.

    Returns the status and the text of each answer.
    """

    def ask(
        example: str, *asked: tuple[str | None, dict[str, str]], first: str = "/notes/"
    ) -> list[tuple[int, str]]:
        ended = subprocess.run(
            [sys.executable, "-c", FOLLOW + ASK, example, json.dumps(asked), first],
            cwd=EXAMPLES,
            capture_output=True,
            text=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(PROJECT),
                "DYNAMODB_ENDPOINT_URL": settings.DYNAMODB_ENDPOINT_URL,
                "AWS_ACCESS_KEY_ID": "local",
                "AWS_SECRET_ACCESS_KEY": "local",
                "AWS_DEFAULT_REGION": settings.AWS_REGION,
            },
        )
        assert ended.returncode == 0, ended.stderr
        told = json.loads(ended.stdout)
        assert told["site"] == []
        return [tuple(answer) for answer in told["answers"]]

    yield ask
    client().delete_table(TableName=TABLE)


class TestTheViewWithHtmx:
    def test_shows_pages_and_to_htmx_the_list_alone(self, answers_of):
        first, second, again, wrong = answers_of(
            "django_view", (None, {}), (None, {"HX-Request": "true"}), ("/notes/?after=x", {})
        )
        assert [status for status, _ in (first, second, again, wrong)] == [200, 200, 200, 400]
        assert "<!doctype html>" in second[1]
        assert "<!doctype" not in again[1]
        shown = [text.count("<li>note-") for _, text in (first, second, again)]
        assert shown == [5, 5, 5]
        assert "This page link was damaged on its way, or is too old." in wrong[1]
        assert 'href="/notes/"' in wrong[1]


@pytest.mark.skipif(
    find_spec("rest_framework") is None, reason="djangorestframework is not installed"
)
class TestTheViewset:
    def test_links_to_pages_and_refuses_others_links(self, answers_of):
        first, second, fewer, wrong, html = answers_of(
            "drf_viewset",
            (None, {}),
            ("/notes/?size=2", {}),
            ("/notes/?after=x", {}),
            ("/notes/", {"Accept": "text/html"}),
        )
        assert [status for status, _ in (first, second, fewer, wrong, html)] == [
            *(200, 200, 200),
            *(404, 200),
        ]
        pages = [json.loads(text) for _, text in (first, second, fewer)]
        assert [len(page["results"]) for page in pages] == [5, 5, 2]
        assert pages[0]["previous"] is None
        assert pages[1]["previous"].startswith("http://localhost/notes/?before=")
        assert "size=2" in pages[2]["next"]
        assert 'rel="next"' in html[1]


class TestTheApiOfNinja:
    def test_links_to_pages_and_answers_errors_with_problems(self, answers_of):
        key = {"Authorization": "Bearer kims-key"}
        nobody, first, second, wrong = answers_of(
            "ninja_api",
            ("/api/notes", key),
            (None, key),
            ("/api/notes?cursor=x", key),
            first="/api/notes",
        )
        assert [status for status, _ in (nobody, first, second, wrong)] == [401, 200, 200, 400]
        pages = [json.loads(text) for _, text in (first, second)]
        assert [len(page["items"]) for page in pages] == [5, 5]
        assert pages[0]["previous"] is None
        assert pages[1]["previous"].startswith("/api/notes?cursor=before.")
        assert [json.loads(text)["title"] for _, text in (nobody, wrong)] == [
            HTTPStatus.UNAUTHORIZED.phrase,
            HTTPStatus.BAD_REQUEST.phrase,
        ]
