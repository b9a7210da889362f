"""Imports in two passes, of a file that must be the same in both."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynapages.django.options import Progress
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Record, Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile
from dynapages.files.two_passes import TwoPassImport
from dynapages.files.values import Skipped


@pytest.fixture
def path(tmp_path):
    path: Path = tmp_path / "rows.csv"
    path.write_text("id,said\n1,one\n2,two\n")
    return path


def passes_of(path: Path, second: list[str]) -> TwoPassImport[str]:
    """A file that is checked, of which the second pass finds other texts."""
    texts = [["one", "two"], second]

    def parse(opened: OpenRows) -> Iterator[str | Rejected | Skipped]:
        rows = texts.pop(0)
        for number, row in enumerate(opened.rows):
            assert isinstance(row, Record)
            yield rows[number]

    passes = TwoPassImport(RowFile(path), parse, lambda text: (text, 0))
    with RejectsFile(path.with_name("rejected.csv")) as rejects:
        passes.check(rejects, Progress(shown=False))
    return passes


def test_the_same_rows_are_read_again(path):
    assert list(passes_of(path, ["one", "two"]).winning()) == ["one", "two"]


def test_other_rows_of_the_same_number_are_refused(path):
    with pytest.raises(FileUnreadable, match="changed while it was read"):
        list(passes_of(path, ["one", "three"]).winning())
