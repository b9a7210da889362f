"""The comparison with other libraries: the page has what the programs do."""

import base64
import json

import pytest

from lab.beside import measuring
from lab.beside.__main__ import CAPTIONS, TIME, report
from lab.beside.behaviours import changed, readable
from lab.beside.calls import Seen, begins_elsewhere, rounds_of
from lab.beside.libraries import LIBRARIES, lines_of
from lab.beside.measuring import Column, Comparison
from lab.beside.notes import ONE, SEVERAL, SIZE, notes
from tests.support.project import PROJECT

PAGE = PROJECT / "dynapages" / "docs" / "beside-the-others.md"
KEY = {"id": "note-1", "shelf": "shelf/0", "at": "2026"}


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def table_below(caption):
    """The table of the page below a heading: the cells of each title."""
    text = PAGE.read_text().partition(f"## {caption}\n")[2].partition("\n## ")[0]
    titles, _, *rows = [cells_of(line) for line in text.splitlines() if line.startswith("|")]
    return {
        title: {row[0]: row[number] for row in rows} for number, title in enumerate(titles) if title
    }


@pytest.fixture(scope="module")
def measured(dynoxide):
    """What the programs of the libraries that are here do. Times are not held."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "WARM_UP", 5)
        patch.setattr(measuring, "BATCHES", 1)
        patch.setattr(measuring, "PAGES_OF_A_BATCH", 1)
        return measuring.measure()


@pytest.mark.slow
class TestThePage:
    @pytest.mark.parametrize("task", CAPTIONS)
    @pytest.mark.parametrize("library", [pytest.param(each, id=each.name) for each in LIBRARIES])
    def test_has_what_was_measured_of_a_library(self, measured, library, task):
        if library.why_not():
            pytest.skip(library.why_not())
        found = [column for column in measured.columns[task] if column.title == library.title]
        written = table_below(CAPTIONS[task])[library.title]
        del written[TIME]
        assert dict(found[0].cells) == written


class TestTheLinesOfAProgram:
    @pytest.mark.parametrize("task", CAPTIONS)
    def test_are_those_of_the_page(self, task):
        table = table_below(CAPTIONS[task])
        for library in LIBRARIES:
            written = table[library.title]["lines of the program"]
            assert str(lines_of(library.source(task))) == written, library.title

    def test_are_those_that_say_something(self, tmp_path):
        program = tmp_path / "program.py"
        program.write_text('"""What it is."""\n\n# why\nvalue = 1\n// why\nprint(value)\n')
        assert lines_of(program) == 2


class TestRounds:
    def test_of_calls_at_once_are_one(self):
        assert rounds_of([Seen(0.0, 1.0, 0.5), Seen(0.5, 1.5, 0.5)]) == 1

    def test_of_calls_behind_one_another_are_as_many(self):
        calls = [Seen(0.0, 1.0, 0.5), Seen(0.1, 1.0, 0.5), Seen(1.2, 2.0, 0.5), Seen(2.1, 3.0, 0.5)]
        assert rounds_of(calls) == 3

    def test_of_no_calls_are_none(self):
        assert rounds_of([]) == 0


class TestTheNotes:
    @pytest.mark.parametrize(
        "shelves", [pytest.param(ONE, id="one"), pytest.param(SEVERAL, id="8")]
    )
    def test_have_equal_times_on_two_sides_of_an_edge(self, shelves):
        times = [each["at"]["S"] for each in notes() if each["shelf"]["S"] in shelves]
        times.sort(reverse=True)
        edges = range(SIZE, len(times), SIZE)
        assert any(times[edge - 1] == times[edge] for edge in edges)


class TestAQuery:
    def test_that_begins_at_a_key_of_another_partition_is_found(self):
        values = {"ExpressionAttributeValues": {":p": {"S": "shelf/0"}}}
        key = {"id": {"S": "a"}, "at": {"S": "b"}}
        assert not begins_elsewhere(values)
        assert not begins_elsewhere(
            {**values, "ExclusiveStartKey": key | {"shelf": {"S": "shelf/0"}}}
        )
        assert begins_elsewhere({**values, "ExclusiveStartKey": key | {"shelf": {"S": "other/0"}}})


class TestALink:
    def older(self, key):
        return {**key, "at": "2025"}

    @pytest.mark.parametrize("kind", ["in base64", "of JSON", "of several", "within JSON"])
    def test_is_changed_where_it_has_a_key(self, kind):
        inner = base64.urlsafe_b64encode(json.dumps(KEY).encode()).decode()
        links = {
            "in base64": inner,
            "of JSON": json.dumps([False, KEY]),
            "of several": json.dumps({"a": KEY, "b": KEY}),
            "within JSON": json.dumps([False, inner.rstrip("=")]),
        }
        link = changed(links[kind], self.older)
        assert '"2025"' in readable(link)
        assert '"2026"' not in readable(link)

    def test_that_is_signed_is_changed_in_one_character(self):
        link = "AfImLToTKQAAADMAAE4yNTAwMwAA.yfbnufCZjyloi8"
        other = changed(link, self.older)
        assert sum(a != b for a, b in zip(link, other, strict=True)) == 1


class TestTheReport:
    def test_says_what_was_left_out(self):
        columns = {task: [Column("boto3", [("rounds", "1")], 2.0)] for task in CAPTIONS}
        text = report(Comparison(columns, {"boto3": "1.44.5"}, ["pydynox is not here"]))
        assert "Versions: boto3 1.44.5." in text
        assert text.endswith("Left out: pydynox is not here.\n")
