"""The table of sources in docs/importing.md: each command, run on a small made file."""

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
"""A file or folder for each row of the table: made up, in the shape of a real one."""
HEADER = "| source | command | read | rejected | skipped |"
_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Source:
    """A row of the table."""

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
    """Yield the rows of the table."""
    lines = (PROJECT / "docs" / "importing.md").read_text().partition(HEADER)[2].splitlines()
    for line in lines[2:]:
        if not line.startswith("|"):
            return
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(line)[1:-1]]
        about, command, *counts = cells
        yield Source(about, tuple(shlex.split(command.strip("`"))), *map(int, counts))


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
    def test_goes_in_as_the_table_says(self, source, tmp_path):
        counts = source.run(tmp_path / "rejected.csv")
        assert counted(counts) == (source.read, source.rejected, source.skipped)
        assert not unchanged(counts)

    def test_changes_nothing_when_it_is_imported_again(self, source, tmp_path):
        source.run(tmp_path / "rejected.csv")
        assert unchanged(source.run(tmp_path / "rejected.csv"))


def test_every_small_file_is_in_the_table():
    named = {path for source in sources() for path in source.paths}
    assert named == set(SOURCES.iterdir())
