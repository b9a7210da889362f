"""The README and the pages of docs/: their programs run, and print what the page says.

The Python blocks of a page are one program, in order. A block of text behind one is what it prints.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from dynapages_testing.names import PAGE, public_names

LIBRARY = Path(__file__).resolve().parents[1]
DOCS = LIBRARY / "docs"
ONLY_ON_THE_SITE = {DOCS / "index.md", DOCS / "changelog.md"}
"""They include the README and the changelog."""
PAGES = [LIBRARY / "README.md", *sorted({*DOCS.glob("*.md")} - ONLY_ON_THE_SITE)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


def program(page: Path) -> str:
    return "\n".join(text for kind, text in BLOCK.findall(page.read_text()) if kind == "python")


def printed(page: Path) -> str:
    return "".join(text for kind, text in BLOCK.findall(page.read_text()) if kind == "text")


def imported(programs: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each module of this library that programs import from, with each name."""
    for text in programs:
        for node in ast.walk(ast.parse(text)):
            is_import = isinstance(node, ast.ImportFrom) and node.module is not None
            if is_import and node.module.partition(".")[0] == "dynapages":
                for name in node.names:
                    yield node.module, name.name


def named(pages: list[Path]) -> list[object]:
    return [pytest.param(page, id=page.stem) for page in pages]


@pytest.fixture
def environment(sample_tables):
    """What a program finds: an engine, and this library wherever it is imported from here."""
    path = os.pathsep.join([*sys.path, str(LIBRARY / "examples")])
    return {**os.environ, **sample_tables, "PYTHONPATH": path, "PYTHONWARNINGS": "error"}


class TestTheProgramsOfAPage:
    @pytest.mark.parametrize("page", named([page for page in PAGES if program(page)]))
    def test_run_and_print_what_it_says(self, page, environment, tmp_path):
        for needed in re.findall(r"pip install 'dynapages\[(\w+)\]'", page.read_text()):
            if needed in {"django", "pynamodb"}:
                pytest.importorskip(needed)
            if needed == "drf":
                pytest.importorskip("rest_framework")
            if needed == "ninja" and find_spec("ninja") is None:  # importing it needs settings
                pytest.skip("django-ninja is not installed")
        if "import fastapi_relay" in program(page):
            pytest.importorskip("fastapi")
            pytest.importorskip("httpx2")  # of its TestClient
        if "from moto import" in program(page):
            pytest.importorskip("moto")
        path = tmp_path / "program.py"
        path.write_text(program(page))
        ended = subprocess.run(
            [sys.executable, str(path)],
            env=environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
        assert ended.stderr == ""
        assert ended.stdout == printed(page)


class TestTheReadme:
    def test_begins_with_the_first_example(self):
        example = (LIBRARY / "examples" / "boto3_script.py").read_text()
        assert BLOCK.search(PAGES[0].read_text())[2] == example


class TestLinks:
    @pytest.mark.parametrize("page", named(PAGES))
    def test_lead_to_a_file_of_the_library(self, page):
        targets = {target.partition("#")[0] for target in LINK.findall(page.read_text())}
        inner = {target for target in targets if target and "://" not in target}
        assert [target for target in inner if not (page.parent / target).exists()] == []

    def test_lead_from_the_readme_to_each_page(self):
        targets = LINK.findall(PAGES[0].read_text())
        assert {f"docs/{page.name}" for page in PAGES[1:]} <= set(targets)


class TestTheTableOfNames:
    def test_has_all_that_is_public(self):
        """`dynapages_testing.names` writes it, and so does `make readme`."""
        rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
        assert rows == list(public_names())

    def test_has_fifteen_names_at_the_most_for_the_face(self):
        (face,) = (row for row in public_names() if row.startswith("| `dynapages` |"))
        assert face.count("`") // 2 - 1 <= 15


class TestTheReference:
    def test_has_a_page_for_each_public_module(self):
        modules = {row.split("`")[1] for row in public_names()}
        pages = {page.stem: page.read_text() for page in (DOCS / "reference").glob("*.rst")}
        assert pages.keys() == modules
        assert [m for m in modules if not pages[m].endswith(f".. public-module:: {m}\n")] == []


class TestWhatIsShown:
    """In programs of pages, and in the examples."""

    def test_is_imported_by_public_names(self):
        public = {row.split("`")[1]: set(row.split("`")[3::2]) for row in public_names()}
        programs = [program(page) for page in PAGES]
        programs += [path.read_text() for path in (LIBRARY / "examples").glob("*.py")]
        private = {
            f"{module}.{name}"
            for module, name in imported(programs)
            if name not in public.get(module, set())
        }
        assert private == set()
