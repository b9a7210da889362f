"""Exports: what they write, and that an interrupted one goes on as if it never had been."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest

from dynapages.files.exports import (
    Batch,
    ExportUnwritable,
    Layout,
    Position,
    export_to_file,
    export_to_stream,
    progress_of,
)

ROWS = [{"id": n, "text": f"„{n}“, “a”;\r\nand b"} for n in range(10)]
COLUMNS = ("id", "text", "more")
ABOUT = {"of": "everything"}


class Stopped(Exception):
    """The walk was interrupted."""


def walk(position: Position | None, *, until: int = 10, at_once: int = 3) -> Iterator[Batch]:
    """Yield the rows behind a position; stop like an interruption before row ``until``."""
    for start in range((position or {"row": 0})["row"], len(ROWS), at_once):
        if start >= until:
            raise Stopped
        end = start + at_once
        yield Batch(ROWS[start:end], {"row": end} if end < len(ROWS) else None)


@pytest.fixture(params=["csv", "jsonl"])
def layout(request):
    return Layout(request.param, COLUMNS)


@pytest.fixture
def whole(layout):
    out = StringIO()
    assert export_to_stream(out.write, layout, walk) == len(ROWS)
    return out.getvalue()


class TestAnExport:
    def test_to_csv_is_read_back(self):
        out = StringIO()
        export_to_stream(out.write, Layout("csv", COLUMNS), walk)
        found = list(csv.DictReader(StringIO(out.getvalue(), newline="")))
        assert found == [{"id": str(row["id"]), "text": row["text"], "more": ""} for row in ROWS]

    def test_to_json_lines_leaves_out_what_is_missing(self):
        out = StringIO()
        export_to_stream(out.write, Layout("jsonl", COLUMNS), walk)
        assert [json.loads(line) for line in out.getvalue().splitlines()] == ROWS

    def test_to_a_file_is_the_same_and_leaves_nothing_else(self, layout, whole, tmp_path):
        path = tmp_path / "out"
        assert export_to_file(path, layout, walk, about=ABOUT) == len(ROWS)
        assert path.read_bytes().decode() == whole
        assert list(tmp_path.iterdir()) == [path]


class TestAnInterruptedExport:
    def interrupted(self, path: Path, layout: Layout, *, until: int) -> None:
        with pytest.raises(Stopped):
            export_to_file(path, layout, lambda p: walk(p, until=until), about=ABOUT)
        with path.open("ab") as file:
            file.write(b"half a ro")  # written, but not noted

    @pytest.mark.parametrize("until", [0, 3, 9])
    def test_goes_on_to_the_same_file(self, layout, whole, tmp_path, until):
        path = tmp_path / "out"
        self.interrupted(path, layout, until=until)
        begun = []

        def went_on(position: Position | None) -> Iterator[Batch]:
            begun.append(position)
            return walk(position)

        assert export_to_file(path, layout, went_on, about=ABOUT) == len(ROWS)
        assert begun == [{"row": until} if until else None]
        assert path.read_bytes().decode() == whole
        assert list(tmp_path.iterdir()) == [path]

    def test_behind_the_last_row_writes_no_row_again(self, layout, whole, tmp_path, monkeypatch):
        path = tmp_path / "out"
        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", Mock(side_effect=Stopped))
            with pytest.raises(Stopped):
                export_to_file(path, layout, walk, about=ABOUT)
        assert export_to_file(path, layout, walk, about=ABOUT) == len(ROWS)
        assert path.read_bytes().decode() == whole

    def test_is_not_continued_by_another_export(self, layout, tmp_path):
        path = tmp_path / "out"
        self.interrupted(path, layout, until=3)
        with pytest.raises(ExportUnwritable, match="belongs to another export: delete it"):
            export_to_file(path, layout, walk, about={"of": "alex"})

    def test_is_not_continued_where_the_output_is_shorter(self, layout, tmp_path):
        path = tmp_path / "out"
        self.interrupted(path, layout, until=6)
        path.write_text("")
        with pytest.raises(ExportUnwritable, match="tells of more than out has"):
            export_to_file(path, layout, walk, about=ABOUT)

    @pytest.mark.parametrize("text", ["", "{", "[1]", "7", "[1,2,3,4,5,6]"])
    def test_is_not_continued_by_damaged_progress(self, layout, tmp_path, text):
        path = tmp_path / "out"
        progress_of(path).write_text(text)
        with pytest.raises(ExportUnwritable, match=r"is damaged|another export"):
            export_to_file(path, layout, walk, about=ABOUT)


def test_an_export_into_no_folder_says_so(tmp_path):
    with pytest.raises(ExportUnwritable, match="cannot be written: No such file or directory"):
        export_to_file(tmp_path / "none" / "out", Layout("csv", COLUMNS), walk, about=ABOUT)
