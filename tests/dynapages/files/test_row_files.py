"""Files of rows in every format, packing and encoding: no DynamoDB."""

import gzip
import json
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.files.around_rows import HeaderMissing
from dynapages.files.csv_rows import CsvFormat, CsvRows
from dynapages.files.encodings import EncodingUnknown, require_encoding
from dynapages.files.json_rows import JsonLines
from dynapages.files.lines import LONGEST_LINE, open_lines
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Record, Rejected
from dynapages.files.row_files import OpenRows, RowFile, open_rows


@pytest.fixture
def file(tmp_path):
    def make(content: bytes) -> Path:
        path = tmp_path / "comments.csv"
        path.write_bytes(content)
        return path

    return make


def csv_of(path: Path) -> list[Record | Rejected]:
    with open_lines(path) as lines:
        return list(CsvRows(lines))


def jsonl_of(path: Path) -> list[Record | Rejected]:
    with open_lines(path) as lines:
        return list(JsonLines(lines))


def read(path: Path, **known: Any) -> list[Record | Rejected]:
    with open_rows(RowFile(path, **known)) as found:
        return list(found.rows)


def values(path: Path, **known: Any) -> list[dict[str, object]]:
    """The values of rows none of which is rejected."""
    rows = read(path, **known)
    return [dict(row.values) for row in rows if isinstance(row, Record)]


class TestCsv:
    def test_numbers_the_line_a_row_begins_on_and_skips_blank_ones(self, file):
        rows = csv_of(file(b'id,body\n1,"two\nlines"\n\n2,x\n3,"a\r\nb"\r\n , \n4,y\n'))
        assert [row.line for row in rows] == [2, 5, 6, 9]

    def test_keeps_line_ends_inside_quotes(self, file):
        (row,) = csv_of(file(b'id,body\r\n1,"a\r\nb ""c"", d\n\re"'))
        assert row == Record(2, {"id": "1", "body": 'a\r\nb "c", d\n\re'})

    @pytest.mark.parametrize(
        ("row", "lines"),
        [
            (b"1", [2, 3, 4]),
            (b"1,2,3", [2, 3, 4]),
            (b'1,"x', [2, 3, 4]),
            (b'1,"x\n2,"y"', [2, 3, 4, 5]),
            (b"1," + b"x" * (3 * LONGEST_LINE), [2, 3, 4]),
        ],
        ids=["short", "long", "open quote", "stray quote", "endless"],
    )
    def test_loses_only_the_row_that_is_wrong(self, row, lines, file):
        refused, *others = csv_of(file(b"a,b\n" + row + b"\n8,9\n10,11\n"))
        assert isinstance(refused, Rejected)
        assert all(isinstance(other, Record) for other in others)
        assert [refused.line, *(other.line for other in others)] == lines

    def test_rejects_a_field_of_endless_length(self, file):
        lines = b"x" * 99 + b"\n"
        rows = csv_of(file(b'a,b\n1,"' + lines * (LONGEST_LINE // 100 + 1)))
        assert isinstance(rows[0], Rejected)
        assert "quote is never closed" in rows[0].reason

    @pytest.mark.parametrize("content", [b"\n\n", b'"a'])
    def test_needs_a_header(self, content, file):
        with pytest.raises(HeaderMissing):
            csv_of(file(content))

    @given(st.lists(st.binary(max_size=12), max_size=12))
    def test_never_fails_and_never_numbers_a_line_twice(self, tmp_path_factory, lines):
        path = tmp_path_factory.getbasetemp() / "any.csv"
        path.write_bytes(b"a,b\n" + b"\n".join(lines))
        numbers = [row.line for row in csv_of(path)]
        assert numbers == sorted(set(numbers))
        assert all(1 < n <= b"\n".join(lines).count(b"\n") + 2 for n in numbers)

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_finds_out_the_delimiter(self, delimiter, file):
        content = f'"a,;|\t{delimiter}"{delimiter}b\n1{delimiter}"2,;|\t3"\n'
        assert [*values(file(content.encode()))[0].values()] == ["1", "2,;|\t3"]

    def test_takes_the_delimiter_that_is_given(self, file):
        assert values(file(b"a;b:c\n1;2:3\n"), csv=CsvFormat(delimiter=":")) == [
            {"a;b": "1;2", "c": "3"}
        ]


class TestJsonLines:
    def test_numbers_lines_and_skips_empty_ones(self, file):
        rows = jsonl_of(file(b'{"id": 1}\n\n{"id": "2"}'))
        assert rows == [Record(1, {"id": 1}), Record(3, {"id": "2"})]

    @pytest.mark.parametrize(
        "line",
        [b"{", b"[1]", b'"text"', b'{"a": \xff}', b"null"],
    )
    def test_rejects_what_is_no_object(self, line, file):
        rows = jsonl_of(file(line + b'\n{"id": 1}\n'))
        assert [type(row) for row in rows] == [Rejected, Record]

    def test_name_what_is_nested_with_dots(self, file):
        line = b'{"id": 1, "dates": {"seen": "x", "by": {"whom": "y"}}, "tags": [1, 2]}'
        (row,) = jsonl_of(file(line))
        expected = {"id": 1, "dates.seen": "x", "dates.by.whom": "y", "tags": [1, 2]}
        assert row == Record(1, expected)


class TestJsonArray:
    @pytest.fixture
    def array(self, tmp_path):
        def make(text: str) -> Path:
            path = tmp_path / "rows.json"
            path.write_text(text, "utf-8")
            return path

        return make

    def test_is_read_as_its_objects_with_their_lines(self, array):
        rows = read(array('\n[{"id": 1},\n\n  {"id": 2,\n "body": "two\\nlines"}, {"id": 3}\n]\n'))
        assert [row.line for row in rows] == [2, 4, 5]

    @given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers())))
    @pytest.mark.parametrize("indent", [None, 1])
    def test_holds_what_was_written(self, tmp_path_factory, indent, made):
        path = tmp_path_factory.getbasetemp() / "any.json"
        path.write_text(json.dumps(made, indent=indent), "utf-8")
        assert values(path) == made

    def test_may_be_longer_than_what_is_read_at_a_time(self, array):
        made = [{"id": number, "body": "x" * (number * 997 % 90_000)} for number in range(60)]
        assert values(array(json.dumps(made))) == made

    def test_rejects_elements_that_are_no_objects(self, array):
        rows = read(array('[1, {"id": 1}, "x", [2], null]'))
        assert [type(row) for row in rows] == [Rejected, Record, Rejected, Rejected, Rejected]

    @pytest.mark.parametrize(
        "text", ["[", '[{"id": 1}', '[{"id": 1},', '[{"id": 1} {"id": 2}]', '[{"id": }]', "[{]"]
    )
    def test_that_is_malformed_is_unreadable(self, text, array):
        with pytest.raises(FileUnreadable, match=r"rows\.json is no array of JSON from line 1 on"):
            read(array(text))

    def test_within_an_object_has_to_be_named(self, array):
        path = array('{\n  "rows": [{"id": 1}]\n}')
        with pytest.raises(FileUnreadable, match="is one object of JSON: --rows names the list"):
            read(path)
        assert values(path, rows="rows") == [{"id": 1}]


class TestListsInObjects:
    @pytest.fixture
    def page(self, tmp_path):
        def make(*pages: object, indent: int | None = None, listed: bool = False) -> Path:
            path = tmp_path / "rows.json"
            texts = [json.dumps(one, indent=indent) for one in pages]
            path.write_text(f"[{','.join(texts)}]" if listed else "\n".join(texts), "utf-8")
            return path

        return make

    @pytest.mark.parametrize("indent", [None, 2])
    def test_are_found_by_their_path_whatever_is_beside_them(self, page, indent):
        others = {"a": 'x"]}\\', "rows": [1], "b": [{"rows": []}, [-1.5e3, None]], "c": {}, "d": 7}
        path = page({**others, "data": {"n": 1, "rows": [{"id": 1}, {"id": 2}]}, **others})
        assert values(path, rows="data.rows") == [{"id": 1}, {"id": 2}]

    def test_keep_their_lines(self, page):
        rows = read(page({"n": "a\nb", "rows": [{"id": 1}]}, indent=1), rows="rows")
        assert [row.line for row in rows] == [4]

    @pytest.mark.parametrize("listed", [True, False])
    def test_may_be_in_several_pages(self, page, listed):
        pages = [{"rows": [{"id": n}], "next": {"page": n + 1}} for n in range(3)]
        path = page(*pages, listed=listed)
        assert values(path, rows="rows") == [{"id": 0}, {"id": 1}, {"id": 2}]

    def test_may_be_behind_more_than_is_read_at_a_time(self, page):
        beside = {f"n{n}": ["x" * 90_000, 1234567890] for n in range(20)}
        path = page({**beside, "rows": [{"id": 1}], **{f"{name}b": 1 for name in beside}})
        assert values(path, rows="rows") == [{"id": 1}]

    @pytest.mark.parametrize(
        "text",
        [
            *('{"rows": 1}', '{"rows": {"a": 1}}', '{"other": []}', "{}", '{"rows": [{"id": 1}]'),
            *('{"a": {"rows": []}', '{"a" []}', '{"\\x": 1}', '{"rows": []} x', '[{"rows": []}'),
            '{"a": "' + "x" * LONGEST_LINE + '", "rows": []}',
        ],
    )
    def test_that_are_not_there_or_malformed_are_named(self, tmp_path, text):
        path = tmp_path / "rows.json"
        path.write_text(text, "utf-8")
        with pytest.raises(FileUnreadable, match="is no object of JSON with a list “rows” from"):
            read(path, rows="rows")

    def test_are_in_no_other_file(self, file):
        with pytest.raises(FileUnreadable, match="--rows names the list in an object of JSON"):
            read(file(b"id,rows\n1,2\n"), rows="rows")


class TestXml:
    FEED = b"""<?xml version="1.0"?>
<feed xmlns="http://example.com/ns"><name>shop</name>
  <row kind="a"><id>1</id><by><name>Ann &amp; Bob</name></by></row>
  <row><id>2</id><id>3</id><text>two
lines</text><empty/></row>
</feed>"""

    def test_has_a_row_for_each_element(self, file):
        rows = read(file(self.FEED), element="row")
        assert rows == [
            Record(3, {"@kind": "a", "id": "1", "by.name": "Ann & Bob"}),
            Record(4, {"id": "2", "text": "two\nlines", "empty": ""}),
        ]

    def test_that_is_malformed_is_unreadable(self, file):
        with pytest.raises(FileUnreadable, match="not well-formed XML in line 6"):
            read(file(self.FEED.replace(b"</row>\n</feed>", b"\n</feed>")), element="row")

    def test_may_declare_no_entities(self, file):
        bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x><row>&b;</row></x>'
        with pytest.raises(FileUnreadable, match="has a DOCTYPE"):
            read(file(bomb), element="row")

    def test_has_rows_that_are_named(self, tmp_path):
        path = tmp_path / "feed.xml"
        path.write_bytes(b"\xef\xbb\xbf" + self.FEED)
        with pytest.raises(FileUnreadable, match="is XML: --rows names the elements"):
            read(path)
        assert len(values(path, rows="row")) == 2


class TestParquet:
    @pytest.mark.parametrize(
        "content",
        [b"PAR1 and more", gzip.compress(b"PAR1 and more", mtime=0)],
        ids=["as it is", "compressed"],
    )
    def test_is_to_be_written_as_csv_first(self, file, content):
        with pytest.raises(FileUnreadable, match=r"is a Parquet file.*duckdb -c .COPY \(SELECT"):
            read(file(content))


class TestFile:
    def test_is_recognised_as_compressed_whatever_its_name(self, file):
        assert csv_of(file(gzip.compress(b"id\n1\n"))) == [Record(2, {"id": "1"})]

    def test_that_ends_too_early_is_unreadable(self, file):
        with pytest.raises(FileUnreadable, match="damaged"):
            csv_of(file(gzip.compress(b"id\n" + bytes(range(48, 58)) * 900)[:-12]))

    def test_that_is_no_file_is_unreadable(self, tmp_path):
        for path in (tmp_path, tmp_path / "missing.csv"):
            with pytest.raises(FileUnreadable, match=r"cannot be read|does not exist"):
                csv_of(path)

    def test_may_be_the_only_one_of_an_archive(self, tmp_path):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/rows.jsonl", '{"id": 1}')
            archive.writestr("__MACOSX/folder/._rows.jsonl", "x")
        assert values(path) == [{"id": 1}]

    def test_is_not_chosen_among_several(self, tmp_path):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "id\n1\n")
            archive.writestr("b.csv", "id\n1\n")
        with pytest.raises(FileUnreadable, match=r"holds 2 files \(a\.csv, b\.csv\), not one"):
            read(path)

    def test_counts_the_bytes_read(self, file):
        path = file(b"id\n1\n2\n")
        with open_rows(RowFile(path)) as found:
            list(found.rows)
            assert found.bytes_read() == path.stat().st_size


def packed(text: bytes) -> bytes:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.csv", text)
    return archive.getvalue()


WHOLE = (
    b'id,body\n1,"two\nlines"\n2,x\n',
    b'[{"id": 1, "a": {"b": "c"}},\n {"id": 2}]',
    b'{"id": 1}\n{"id": 2}\n',
    b'{"a": [1, {"b": "\\""}], "row": [{"id": 1},\n {"id": 2}], "c": {}}',
    b"<?xml version='1.0'?><feed><row><id>1</id></row></feed>",
    "id;body\n1;ä\n".encode("utf-16"),
    gzip.compress(b"id,body\n1,2\n" * 9, mtime=0),
    packed(b"id,body\n1,2\n" * 9),
)


class TestADamagedFile:
    @given(
        st.sampled_from(WHOLE),
        st.lists(st.tuples(st.integers(0, 10**4), st.binary(max_size=2)), max_size=5),
        st.sampled_from(["", ".csv", ".json"]),
    )
    def test_is_unreadable_or_has_rows_and_nothing_else_happens(
        self, tmp_path_factory, content, damages, suffix
    ):
        for place, put in damages:
            at = place % len(content)
            content = content[:at] + put + content[at + 1 :]
        path = tmp_path_factory.getbasetemp() / f"damaged{suffix}"
        path.write_bytes(content)
        for known in ({}, {"element": "row"}, {"rows": "row"}):
            with suppress(FileUnreadable):
                read(path, **known)


class TestEncoding:
    TEXT = "id,body\n1,Käse\n"

    def open(self, path: Path, **known: Any) -> tuple[list[Any], OpenRows]:
        with open_rows(RowFile(path, **known)) as found:
            return list(found.rows), found

    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]
    )
    def test_is_found_out(self, encoding, file):
        assert values(file(self.TEXT.encode(encoding))) == [{"id": "1", "body": "Käse"}]

    def test_is_told_where_it_is_not_utf_8(self, file):
        assert self.open(file(self.TEXT.encode()))[1].detected == ""
        content = self.TEXT.replace(",", ";").encode("latin-1")
        assert self.open(file(content))[1].detected == "read as cp1252, fields separated by “;”"

    def test_is_utf_8_where_some_of_it_is(self, file):
        rows, _ = self.open(file(self.TEXT.encode() + b"2,K\xe4se\n"))
        assert rows[0].values["body"] == "Käse"
        assert rows[1].values["body"] == "K\udce4se"

    def test_is_the_one_that_is_given(self, file):
        (row,), _ = self.open(file(self.TEXT.encode("cp850")), encoding="cp850")
        assert row.values["body"] == "Käse"

    def test_of_utf_16_that_is_cut_is_unreadable(self, file):
        with pytest.raises(FileUnreadable, match="is not text in utf-16"):
            self.open(file(self.TEXT.encode("utf-16")[:-1]))

    @pytest.mark.parametrize("name", ["klingon", "hex", "rot13", ""])
    def test_must_exist(self, name):
        with pytest.raises(EncodingUnknown, match="is no encoding: use utf-8"):
            require_encoding(name)
