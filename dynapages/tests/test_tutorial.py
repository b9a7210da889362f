"""The tutorial, followed step by step in an empty folder.

Blocks that name a file are written. Commands of ``console`` are run, and print what is below them.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dynapages.engine import embedded
from dynapages.engine.server import find_dynoxide
from dynapages_testing.names import public_names

pytest.importorskip("django")
pytest.importorskip("pynamodb")
pytestmark = pytest.mark.real_engine

TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
STEP = re.compile(r"^## (\d+)\. .*?(?=^## )", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(\w+) ?(\S*) ?(append)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^from (dynapages\S*) import (.*)$", re.MULTILINE)
NOT_RUN = (
    "python3 -m venv",
    ". .venv",
    "pip ",
    "export ",
    "python -m dynapages engine",
    "python manage.py runserver",
)
"""How commands begin that the fixtures and `VISITOR` stand for."""
VISITOR = """\
import html, json, re, sys
from mysite.wsgi import application
from django.test import Client
client, page, pages = Client(SERVER_NAME="localhost"), "", []
for wanted in sys.argv[1:]:
    address = wanted
    if not wanted.startswith("/"):
        address = html.unescape(re.search(f'rel="{wanted}"\\\\s+href="([^"]*)"', page)[1])
    answer = client.get(address)
    page = answer.content.decode()
    pages.append((answer.status_code, address, page))
print(json.dumps(pages))
"""
"""A program that visits addresses, or links by their ``rel``, and prints what it gets."""


class Project:
    """A folder in which the tutorial is followed."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment

    def follow(self, number):
        """Write the files of a step, and run its commands, which print what it says."""
        (step,) = (found[0] for found in STEP.finditer(TUTORIAL.read_text()) if found[1] == number)
        for language, name, is_appended, text in BLOCK.findall(step):
            if name:
                self._write(self.folder / name, text, is_appended=bool(is_appended))
            elif language == "console":
                self._run_all(text)

    def _write(self, path, text, *, is_appended):
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_appended:
            text = f"{path.read_text()}\n{text}"
        path.write_text(text)

    def _run_all(self, text):
        printed = ""
        for line in text.splitlines():
            if not line.startswith("$ "):
                assert line in printed
            elif not line.removeprefix("$ ").startswith(NOT_RUN):
                printed = self.run(shlex.split(line.removeprefix("$ ")))

    def run(self, command):
        """Run a command in the folder, and return all that it prints."""
        programs = {"python": [sys.executable], "django-admin": [sys.executable, "-m", "django"]}
        ended = subprocess.run(
            [*programs[command[0]], *command[1:]],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
            timeout=60,
        )
        assert ended.returncode == 0, f"{command}\n{ended.stdout}"
        return ended.stdout

    def visit(self, *wanted):
        """Return the pages at some addresses, and behind links by their ``rel``."""
        printed = self.run(["python", "-c", VISITOR, *wanted])
        return [Page(*page) for page in json.loads(printed.splitlines()[-1])]


class Page:
    def __init__(self, status, address, text):
        self.status = status
        self.address = address
        self.text = text
        self.numbers = {int(number) for number in re.findall(r"<li>Article (\d+) ", text)}
        self.links = re.findall(r'rel="(first|prev|next|last)"', text)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """What there is after the first five steps; the engine of the second is one of this test."""
    binary = find_dynoxide()
    if binary is None:
        pytest.skip("moto's units are not Amazon's")
    with embedded() as engine:
        environment = {
            **os.environ,
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_DEFAULT_REGION": "us-east-1",
            "DYNAMODB_ENDPOINT_URL": engine.endpoint_url,
            # The tutorial's own test starts an engine in its folder, which has none.
            "PATH": os.pathsep.join([str(binary.parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        project = Project(tmp_path_factory.mktemp("mysite"), environment)
        for number in "12345":
            project.follow(number)
        yield project


@pytest.fixture(scope="module")
def plain(project):
    """Pages after step 6: the first one, the next one, back, the last, and an altered link."""
    project.follow("6")
    return project.visit("/", "next", "prev", "last", "/?after=altered")


@pytest.fixture(scope="module")
def counted(plain, project):
    """Pages after step 7: the first one, the same explained, and the last one."""
    project.follow("7")
    return project.visit("/", "/?explain=1", "/?before=end")


@pytest.fixture(scope="module")
def tested(counted, project):
    """The file of the tutorial's own test, which has passed."""
    project.follow("9")
    return project.folder / "news" / "tests.py"


class TestThePageOfTheSixthStep:
    def test_has_the_newest_articles_and_leads_on(self, plain):
        assert plain[0].status == 200
        assert plain[0].numbers == set(range(290, 300))
        assert plain[0].links == ["next", "last"]

    def test_leads_to_the_next_page_which_leads_back(self, plain):
        assert "?after=" in plain[1].address
        assert plain[1].numbers == set(range(280, 290))
        assert plain[2].numbers == plain[0].numbers

    def test_leads_to_the_last_page(self, plain):
        assert plain[3].numbers == set(range(10))

    def test_refuses_a_link_that_was_altered(self, plain):
        assert plain[4].status == 400
        assert 'href="/"' in plain[4].text


class TestThePageOfTheSeventhStep:
    def test_says_how_many_articles_there_are(self, counted):
        assert "10 of 300 articles" in counted[0].text

    @pytest.mark.parametrize("number", [0, 2], ids=["first", "last"])
    def test_says_what_it_cost(self, counted, number):
        assert "Capacity units: 1.5" in counted[number].text

    def test_says_how_it_was_read_to_those_who_ask(self, counted):
        (said,) = (
            text for kind, _, _, text in BLOCK.findall(TUTORIAL.read_text()) if kind == "text"
        )
        assert said.strip() in counted[1].text


class TestTheTestOfTheNinthStep:
    def test_passes(self, tested):
        assert tested.is_file()

    def test_fails_where_the_page_takes_more(self, tested, project):
        tested.write_text(tested.read_text().replace("at_most=1.5", "at_most=1.0"))
        with pytest.raises(AssertionError, match="may take 1 unit"):
            project.run(["python", "manage.py", "test"])


class TestWhatTheTutorialImports:
    def test_is_public(self):
        public = {row.split("`")[1]: set(row.split("`")[3::2]) for row in public_names()}
        for module, names in IMPORT.findall(TUTORIAL.read_text()):
            assert set(names.split(", ")) <= public[module]
