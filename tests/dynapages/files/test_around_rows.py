"""What is in files of CSV besides their rows: lines above the header, it again, footers, quotes."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.files.columns import BadMapping, columns_among
from dynapages.files.csv_rows import CsvFormat
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Record, Rejected
from dynapages.files.row_files import RowFile, open_rows

ROW = {"id": "1", "name": "Lamp", "price": "9", "stock": "3"}


def require(present: Sequence[str]) -> None:
    columns_among(present, {"id": "id", "name": "name"}, needed=("id", "name"))


@pytest.fixture
def file(tmp_path):
    def make(content: str | bytes, name: str = "rows.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def read(path: Path, **known: Any) -> tuple[list[Record | Rejected], str]:
    """The rows of a file that must have an id and a name, and what is said of it in words."""
    with open_rows(RowFile(path, csv=CsvFormat(**known), require=require)) as opened:
        rows = list(opened.explaining(opened.rows))
        return rows, opened.detected


def values(path: Path, **known: Any) -> list[dict[str, object]]:
    """The values of rows none of which may be rejected."""
    rows, _ = read(path, **known)
    found: list[dict[str, object]] = []
    for row in rows:
        assert isinstance(row, Record), row
        found.append(dict(row.values))
    return found


def reasons(path: Path, **known: Any) -> list[str]:
    rows, _ = read(path, **known)
    return [row.reason for row in rows if isinstance(row, Rejected)]


class TestTheLineOfExcel:
    @pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_says_what_separates_columns_and_is_no_header(self, file, line, end):
        text = end.join([line, "id;name;price,stock", "1;Lamp;9,3", ""])
        rows, spelling = read(file(text))
        assert rows == [Record(3, {"id": "1", "name": "Lamp", "price,stock": "9,3"})]
        assert spelling == "fields separated by “;”"

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_may_be_behind_a_byte_order_mark(self, file, encoding):
        text = "sep=\t\nid\tname\n1\tLamp\n"
        assert values(file(text.encode(encoding))) == [{"id": "1", "name": "Lamp"}]

    def test_counts_less_than_an_option(self, file):
        path = file("sep=;\nid,name\n1,A;B\n")
        assert values(path, delimiter=",") == [{"id": "1", "name": "A;B"}]


class TestLinesAboveTheHeader:
    def test_are_left_out_and_counted(self, file):
        text = "Report of products\n\nShop;Lamps, Inc.\nid,name,price,stock\n1,Lamp,9,3\n"
        rows, spelling = read(file(text))
        assert rows == [Record(5, ROW)]
        assert spelling == "2 lines above the header left out"

    def test_may_be_malformed(self, file):
        assert values(file('The "shop" of\n"us\nid,name\n1,Lamp\n')) == [
            {"id": "1", "name": "Lamp"}
        ]

    def test_do_not_tell_what_separates_columns(self, file):
        assert values(file("Shop, Street, Town, Land\nid;name\n1;Lamp\n")) == [
            {"id": "1", "name": "Lamp"}
        ]

    def test_may_be_named_by_the_header_below_them(self, file):
        path = file("id,name\n7,no row\nid,name,price\n1,Lamp,9\n")
        rows, spelling = read(path, header_line=3)
        assert rows == [Record(4, {"id": "1", "name": "Lamp", "price": "9"})]
        assert spelling == "2 lines above the header left out"

    def test_are_not_looked_for_far_down(self, file):
        with pytest.raises(BadMapping, match="There is no column “id”"):
            read(file("Lamps\n" * 30 + "id,name\n"))

    def test_are_guessed_where_no_line_has_the_columns(self, file):
        path = file("Lamps\n\nsku,title,price\n1,Lamp,9\n")
        with pytest.raises(BadMapping, match=r"Line 3 has more columns.* --header-line 3"):
            read(path)

    def test_are_not_guessed_where_the_first_line_has_most_columns(self, file):
        with pytest.raises(BadMapping) as caught:
            read(file("sku,title,price\n1,Lamp,9\n"))
        assert "--header-line" not in str(caught.value)

    def test_may_be_very_many(self, file):
        path = file("x" * 1_000 + "\n" + "a,b,c\n" * 400_000 + "id;name\n1;Lamp\n")
        assert values(path, header_line=400_002) == [{"id": "1", "name": "Lamp"}]

    def test_cannot_be_all_lines(self, file):
        with pytest.raises(FileUnreadable, match="it has only 2 lines; --header-line is 4"):
            read(file("id,name\n1,Lamp\n"), header_line=4)

    def test_are_none_of_json(self, file):
        with pytest.raises(FileUnreadable, match="is JSON: --header-line"):
            read(file('{"id": 1}', "rows.jsonl"), header_line=2)


class TestTheHeaderAgain:
    def test_is_no_row(self, file):
        once = "id,name\n1,Lamp\n"
        rows, spelling = read(file(once + "\ufeff" + once))
        assert [row.line for row in rows] == [2, 4]
        assert spelling == "1 repetition of the header left out"

    def test_may_be_behind_footers(self, file):
        once = "Shop\nid,name,price,stock\n1,Lamp,9,3\n\n1 record\n"
        rows, spelling = read(file(once + once[5:]))
        assert rows == [Record(3, ROW), Record(7, ROW)]
        assert "2 lines behind the rows" in spelling


class TestFooters:
    def test_are_left_out_and_counted_behind_a_blank_line(self, file):
        text = "id,name,price,stock\n1,Lamp,9,3\n\n1,record(s)\n\nSeller ID : me"
        rows, spelling = read(file(text))
        assert rows == [Record(2, ROW)]
        assert spelling == "2 lines behind the rows left out"

    @pytest.mark.parametrize(
        "end",
        [
            "2,Bu",  # cut off
            "\n2,Bulb,3\n",  # more than half of the columns
            "2,Bulb\n",  # no blank line
            "\n2,Bulb,3,3\n\n3,Lo",  # blank lines between rows
            "2,Bulb\n\nwhite\n",  # a text with a blank line
        ],
    )
    def test_are_not_certain_where_a_row_may_be_broken(self, file, end):
        found = reasons(file(f"id,name,price,stock\n1,Lamp,9,3\n{end}"))
        assert found
        assert "; use --footer-lines 1 if this line is no row" in found[-1]

    def test_are_not_certain_before_a_row(self, file):
        found = reasons(file("id,name,price,stock\n1,Lamp,9,3\n\n2,Bulb\n3,Desk,9,3\n"))
        assert found == ["the row has 2 fields, the header has 4"]

    def test_are_the_last_lines_that_an_option_says(self, file):
        text = "id,name,price,stock\n1,Lamp,9,3\nTotal,,9,3\n\n1 row\n \n"
        rows, spelling = read(file(text), footer_lines=2)
        assert rows == [Record(2, ROW)]
        assert spelling == "2 lines behind the rows left out"

    def test_may_be_all_that_is_there(self, file):
        path = file("id,name,price,stock\n\n0,record(s)\nSeller ID : me\n")
        assert reasons(path) == [
            (
                "the row has 2 fields, the header has 4; "
                "use --footer-lines 2 if the last 2 lines are no rows"
            ),
            "the row has 1 fields, the header has 4; use --footer-lines 1 if this line is no row",
        ]
        assert values(path, footer_lines=2) == []

    def test_are_explained_only_at_the_end(self, file):
        assert reasons(file("id,name,price,stock\n1\n2,Bulb,3,3\n")) == [
            "the row has 1 fields, the header has 4"
        ]


class TestQuotes:
    HEADER = "id\tname\tprice\n"

    @pytest.mark.parametrize("text", ['"Best pan ever', '"Bad" is what I say', '"'])
    def test_are_text_where_a_field_with_tabs_does_not_end_with_them(self, file, text):
        path = file(f'{self.HEADER}1\t{text}\t9\n2\t"Bulb"\t3"\n')
        rows, spelling = read(path)
        assert rows == [
            Record(2, {"id": "1", "name": text, "price": "9"}),
            Record(3, {"id": "2", "name": '"Bulb"', "price": '3"'}),
        ]
        assert spelling == "fields separated by tabs, quotes are text"

    @pytest.mark.parametrize(
        ("text", "value"),
        [('"two\nlines"', "two\nlines"), ('"a ""b"""', 'a "b"'), ('"a\tb"', "a\tb")],
    )
    def test_begin_and_end_fields_where_all_are_closed(self, file, text, value):
        assert values(file(f"{self.HEADER}1\t{text}\t9\n2\tBulb\t3\n"))[0]["name"] == value
        assert values(file(f"id\tprice\tname\n1\t9\t{text}\n2\t3\tBulb\n"))[0]["name"] == value

    @pytest.mark.parametrize(("text", "is_text"), [('"Best pan', False), ('"Best" pan', True)])
    def test_are_text_in_the_last_line_where_one_is_closed_too_early(self, file, text, is_text):
        _, spelling = read(file(f"{self.HEADER}1\tLamp\t9\n2\t3\t{text}\n"))
        assert ("quotes are text" in spelling) == is_text

    def test_are_no_text_where_some_are_doubled(self, file):
        path = file(f'{self.HEADER}1\t"a ""b"""\t9\n2\t"Bulb" x\t3\n')
        (reason,) = reasons(path)
        assert "use --no-quotes if quotes are text in this file" in reason

    def test_are_text_by_an_option(self, file):
        path = file('id,name\n1,"Lamp\n2,9" bulb\n')
        assert "use --no-quotes if" in reasons(path)[0]
        assert values(path, no_quotes=True) == [
            {"id": "1", "name": '"Lamp'},
            {"id": "2", "name": '9" bulb'},
        ]

    def test_are_named_where_one_is_open_for_several_lines(self, file):
        path = file('id,name,price\n1,"Lamp,9\n2,Bulb",3,3\n')
        (reason,) = reasons(path)
        assert "a quote in it is open for several lines: use --no-quotes" in reason


WORD = st.text("abc 'éß0;,", min_size=1, max_size=6).map(lambda text: f"x{text}y")
FULL_ROW = st.lists(WORD, min_size=4, max_size=4)
SHORT_ROW = st.lists(WORD, min_size=1, max_size=2)
TITLE = st.text("ab \"';,\t|", max_size=20)


def written(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    text = StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


@given(
    titles=st.lists(TITLE, max_size=5),
    rows=st.lists(FULL_ROW, min_size=1, max_size=5),
    footers=st.lists(SHORT_ROW, max_size=5),
    delimiter=st.sampled_from(",;\t|"),
)
def test_rows_are_the_same_with_lines_above_and_behind_them(
    tmp_path_factory, titles, rows, footers, delimiter
):
    path = tmp_path_factory.getbasetemp() / "around.csv"
    table = written([["id", "name", "price", "stock"], *rows], delimiter)
    behind = written(footers, delimiter)
    path.write_text(table, encoding="utf-8", newline="")
    expected = values(path)
    path.write_text("\n".join([*titles, table, behind]), encoding="utf-8", newline="")
    assert values(path) == expected
    assert [list(row.values()) for row in expected] == rows
