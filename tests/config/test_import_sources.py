"""The sources of all kinds in tests/data/sources: each command, run on a small made file."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.importing import run_import
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

SOURCES = PROJECT / "tests" / "data" / "sources"
"""A file or folder for each source of the document: made up, in the shape of a real one."""
SOURCE = re.compile(
    r"^(?P<about>\S.*): (?P<read>\d+) read(?:, (?P<rejected>\d+) rejected)?"
    r"(?:, (?P<skipped>\d+) skipped)?\.\n\n(?P<command>(?: {4}.*\n)+)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Source:
    """A source of the document."""

    about: str
    words: tuple[str, ...]
    read: int
    rejected: int
    skipped: int

    @property
    def paths(self) -> list[Path]:
        return [SOURCES / word for word in self.words if (SOURCES / word).exists()]

    def run(self, rejects: Path) -> dict[str, Any]:
        """Run the command on the files that it names; return the counts."""
        name, *arguments = self.words
        paths = {path.name: path for path in self.paths}
        given = [paths.get(word, word) for word in arguments]
        return run_import(name, *given, "--rejects", rejects)


def sources() -> Iterator[Source]:
    """Yield the sources of the document."""
    for found in SOURCE.finditer((SOURCES / "README.md").read_text()):
        counts = (int(found[name] or 0) for name in ("read", "rejected", "skipped"))
        words = shlex.split(found["command"].replace("\\\n", " "))
        yield Source(found["about"], tuple(words[1:]), *counts)


def counted(counts: dict[str, Any]) -> tuple[int, int, int]:
    """Return the rows read, rejected and skipped, of all files together."""
    files = counts.get("files", {"": counts}).values()
    read, rejected = (sum(file[name] for file in files) for name in ("read", "rejected"))
    return read, rejected, sum(file.get("skipped", 0) for file in files)


def unchanged(counts: dict[str, Any]) -> bool:
    """Return whether an import changed nothing."""
    orders = counts.get("orders", {})
    written = counts.get("written", orders.get("created", 0) + orders.get("updated", 0))
    return bool(written == counts["products_created"] == 0)


@pytest.mark.parametrize("source", list(sources()), ids=lambda source: source.about)
class TestSource:
    def test_goes_in_as_the_document_says(self, source, tmp_path):
        counts = source.run(tmp_path / "rejected.csv")
        assert counted(counts) == (source.read, source.rejected, source.skipped)
        assert not unchanged(counts)

    def test_changes_nothing_when_it_is_imported_again(self, source, tmp_path):
        source.run(tmp_path / "rejected.csv")
        assert unchanged(source.run(tmp_path / "rejected.csv"))


def test_every_small_file_is_in_the_document():
    named = {path for source in sources() for path in source.paths}
    assert named | {SOURCES / "README.md"} == set(SOURCES.iterdir())
