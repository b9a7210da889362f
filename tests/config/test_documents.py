"""The documents hold together: links lead somewhere, commands are spelled as they are."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from comments.items import NewComment, items_of
from comments.models import Comment
from tests.support.project import PROJECT
from tests.test_rooms import PACKAGES

DOCUMENTS = [
    *PROJECT.glob("*.md"),
    *(PROJECT / "docs").rglob("*.md"),
    *(PROJECT / "dynapages").rglob("*.md"),
]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
COMMAND = re.compile(r"manage\.py ([a-z_]+)((?: +[^\n`|]*)?)")
OF_THE_TUTORIAL = {"write_articles"}
"""Commands that the reader writes."""
MACHINES = re.compile(r"(?<!\w)/w[o]rk/|/r[o]ot/|/h[o]me/\w|r[e]gistry\.|p[y]pi\.")
"""Somebody's folders, and hosts of package indexes. The brackets keep this line itself out."""


def relative(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def links() -> Iterator[tuple[str, str]]:
    for path in DOCUMENTS:
        for found in LINK.finditer(_without_code(path.read_text())):
            target = found[1] or found[2]
            if "://" not in target and not target.startswith("mailto:"):
                yield relative(path), target


def _without_code(text: str) -> str:
    return re.sub(
        r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    )


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them, and those it has as HTML."""
    text = path.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    of_headings = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
    return of_headings | {*re.findall(r'<a id="([^"]+)"></a>', text)}


def commands() -> Iterator[tuple[str, str, str]]:
    for path in DOCUMENTS:
        text = path.read_text().replace("\\\n", " ")
        for found in COMMAND.finditer(text):
            if found[1] not in OF_THE_TUTORIAL:
                yield relative(path), found[1], found[2]


def tracked() -> list[Path]:
    """The project's own text files: those git knows, or would."""
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return [PROJECT / line for line in listed.stdout.splitlines()]


class TestLinks:
    def test_lead_to_a_file_and_a_heading_that_exist(self):
        assert [link for link in sorted(set(links())) if not self.leads_somewhere(*link)] == []

    def leads_somewhere(self, document: str, target: str) -> bool:
        name, _, anchor = target.partition("#")
        path = (PROJECT / document).parent / name if name else PROJECT / document
        return path.exists() and (not anchor or anchor in anchors(path))

    def test_lead_from_the_readme_to_the_index_of_documents(self):
        assert ("README.md", "docs/README.md") in links()


class TestCommands:
    def test_and_their_options_exist(self):
        spelled = sorted(set(commands()))
        helps = {name: self.help_of(name) for _, name, _ in spelled}
        unknown = [
            f"{document}: {name} has no {option}"
            for document, name, arguments in spelled
            for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", arguments)
            if not re.search(rf"{option}(?![\w-])", helps[name])
        ]
        assert unknown == []

    def help_of(self, name: str) -> str:
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        known = parser.format_help()
        for group in parser._subparsers._group_actions if parser._subparsers else ():
            known += "".join(sub.format_help() for sub in group.choices.values())
        return known


class TestFiles:
    def test_name_no_machine_and_no_package_index(self):
        for path in tracked():
            try:
                text = path.read_text()
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            assert not MACHINES.search(text), f"{relative(path)}: {MACHINES.search(text)}"


def room_rows() -> Iterator[str]:
    """Yield a row for each folder of the product: its path, and its docstring's first line."""
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("__init__.py")):
            docstring = ast.get_docstring(ast.parse(path.read_text()))
            if docstring:
                sentence = docstring.partition("\n")[0].rstrip(".:").replace("``", "`")
                yield f"| `{relative(path.parent)}/` | {sentence} |"


class TestTheKeysOfTheComments:
    def test_are_those_the_code_derives(self):
        comment = NewComment(
            id="100001",
            product_id="42",
            language="en",
            rating=5,
            created_at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
            author="Ada",
            title="Lovely",
            body="Bright and warm.",
        )
        item, _ = items_of(comment)
        told = (PROJECT / "docs" / "how-it-works.md").read_text()
        for name, value in item.serialize().items():
            (row,) = re.findall(rf"^\| (?:.*, )?`{name}`.*$", told, re.MULTILINE)
            assert f"`{next(iter(value.values()))}`" in row

    def test_are_all_told(self):
        told = (PROJECT / "docs" / "how-it-works.md").read_text()
        names = [attribute.attr_name for attribute in Comment.get_attributes().values()]
        untold = [
            name
            for name in names
            if not re.search(rf"^\| (?:`\w+`, )*`{name}`[ ,]", told, re.MULTILINE)
        ]
        assert untold == []


class TestTheRooms:
    def test_are_all_in_the_table_for_contributors(self):
        document = (PROJECT / "docs" / "contributing.md").read_text()
        table = document.partition("| room | what it holds |\n|---|---|\n")[2].partition("\n\n")[0]
        assert table.splitlines() == list(room_rows())


class TestTheSecurityTable:
    def test_names_tests_that_exist(self):
        text = (PROJECT / "docs" / "security.md").read_text()
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
        missing = [
            f"{path}::{name}"
            for path, name in named
            if f"def {name}(" not in (PROJECT / path).read_text()
        ]
        assert named
        assert missing == []
