"""Files made to need much memory or time: no DynamoDB."""

import gzip
import json
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from dynapages.files.csv_rows import CsvRows
from dynapages.files.json_rows import JsonArray
from dynapages.files.lines import LONGEST_LINE, Lines, open_lines
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import MOST_NESTED, Record, Rejected
from dynapages.files.row_files import RowFile, open_rows
from dynapages.files.xml_rows import XmlRows
from tests.support.project import PROJECT

READ_ALL = """
import json, sys
from pathlib import Path
from dynapages.files.packing import FileUnreadable
from dynapages.files.row_files import RowFile, open_rows
lines, last = 0, None
try:
    with open_rows(RowFile(Path(sys.argv[1]), element=sys.argv[2] or None)) as found:
        for lines, last in enumerate(found.rows, 1):
            pass
    said = getattr(last, "reason", "")
except FileUnreadable as error:
    said = str(error)
# What getrusage says of a process itself begins with the memory of the one that started it.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps((int(status["VmHWM"].split()[0]) // 1024, lines, said)))
"""
MOST_OF_TEXT = 100
"""Megabytes: Python itself has 16 of them."""


def peak_memory(path: Path, element: str = "") -> tuple[int, int, str]:
    """Read a file in a process of its own: the megabytes that it had, the rows, and what was
    said of the last one or of the file.
    """
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, path, element],
        env={"PYTHONPATH": ":".join([str(PROJECT), *sys.path])},
        capture_output=True,
        check=True,
        text=True,
    )
    megabytes, rows, said = json.loads(done.stdout)
    return megabytes, rows, said


def rows_of(path: Path, element: str | None = None) -> list[Record | Rejected]:
    with open_rows(RowFile(path, element=element)) as found:
        return list(found.rows)


def feed(row: bytes) -> bytes:
    return b"<x><row>" + row + b"</row><row><id>2</id></row></x>"


def nested(depth: int, inner: bytes = b"1", tag: bytes = b"<a>") -> bytes:
    return tag * depth + inner + b"</a>" * depth


XML = {
    "nested": (feed(nested(12_000, tag=b'<a b="">')), "nested more than 1,000 deep"),
    "never closed": (b"<a>" * 2_000_000, "nested more than 1,000 deep"),
    "a long attribute": (feed(b'<a b="' + b"x" * 8_000_000 + b'"/>'), "a tag or comment of"),
    "a long name": (feed(b"<" + b"x" * 8_000_000 + b"/>"), "a tag or comment of"),
    "a long comment": (feed(b"<!--" + b"x" * 8_000_000 + b"-->"), "a tag or comment of"),
    "a long instruction": (feed(b"<?a " + b"x" * 8_000_000 + b"?>"), "a tag or comment of"),
    "many attributes": (
        feed(b"<a " + b" ".join(b'b%d=""' % n for n in range(700_000)) + b"/>"),
        "a tag or comment of",
    ),
    "ever new names": (
        feed(b"".join(b"<a%d/>" % n for n in range(400_000))),
        "too many names of elements",
    ),
    "entities": (b'<!DOCTYPE x [<!ENTITY a "a">]>' + feed(b"&a;"), "has a DOCTYPE"),
    "an encoding that does not exist": (
        b'<?xml version="1.0" encoding="klingon"?>' + feed(b""),
        "unknown encoding",
    ),
}


class TestXml:
    @pytest.mark.parametrize("name", XML)
    def test_that_no_parser_can_bound_is_unreadable(self, tmp_path, name):
        content, problem = XML[name]
        path = tmp_path / "feed.xml.gz"
        path.write_bytes(gzip.compress(content, 1))
        with pytest.raises(FileUnreadable, match=problem):
            rows_of(path, "row")

    def test_of_a_long_attribute_is_read_no_further_than_it_may_be_long(self):
        content = BytesIO(XML["a long attribute"][0])
        with pytest.raises(FileUnreadable):
            list(XmlRows(content, name="feed.xml", element="row"))
        assert content.tell() < 3 * LONGEST_LINE

    def test_may_have_comments_and_blanks_of_any_length_together(self, tmp_path):
        path = tmp_path / "feed.xml"
        much = b"<!-- a comment -->\n" * 100_000
        path.write_bytes(much + feed(b"<id>1</id>" + much) + much)
        ids = [row.values["id"] for row in rows_of(path, "row") if isinstance(row, Record)]
        assert ids == ["1", "2"]

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (nested(MOST_NESTED), "the element is nested more than 32 deep"),
            (b'<a b="' + b"x" * 600_000 + b'"/>' + b"<t>" + b"x" * 400_000 + b"</t>", "has"),
            (b"<t>" + b"x" * LONGEST_LINE + b"</t>", "has 1,000,000 characters or more"),
            # Each column repeats the names around it.
            (nested(9, b"<b/>" * 90, b"<a>").replace(b"a>", b"a" * 2_000 + b">"), "has"),
        ],
    )
    def test_loses_only_the_row_that_is_too_long(self, tmp_path, row, reason):
        path = tmp_path / "feed.xml"
        path.write_bytes(feed(row))
        refused, read = rows_of(path, "row")
        assert isinstance(refused, Rejected)
        assert reason in refused.reason
        assert isinstance(read, Record)


def deep_json(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


LONG_NAMES = json.dumps({"k" * 300_000: dict.fromkeys(map(str, range(3_000)), 1)})


@pytest.mark.parametrize("form", ["{}\n", "[{}]"])
class TestJson:
    @pytest.fixture
    def read(self, tmp_path, form):
        def read(row: str) -> Record | Rejected:
            path = tmp_path / "rows.json"
            path.write_text(form.replace("{}", row))
            (found,) = rows_of(path)
            return found

        return read

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (deep_json(MOST_NESTED + 1), "is nested more than 32 deep"),
            (deep_json(2_000), "is nested more than 32 deep"),
            ('{"a":%s}' % ("9" * 5_000), "has an integer of more than 4,300 digits"),
            ('{"a":%s}' % ("[" * 32 + "]" * 32), "is nested more than 32 deep"),
            ('{"a":%s}' % ('[{"b":' * 20 + "1" + "}]" * 20), "is nested more than 32 deep"),
            (LONG_NAMES, "has names of 1,000,000 characters or more"),
            ('{"a":"%s"}' % ("x" * LONGEST_LINE), "has 1,000,000 characters or more"),
        ],
    )
    def test_row_is_rejected_with_the_reason(self, read, row, reason):
        found = read(row)
        assert isinstance(found, Rejected)
        assert reason in found.reason

    def test_row_may_be_nested_up_to_the_bound(self, read):
        found = read(deep_json(MOST_NESTED))
        assert found == Record(1, {".".join("a" * MOST_NESTED): 1})

    def test_numbers_that_are_none_are_missing(self, read):
        found = read('{"a": NaN, "b": {"c": -Infinity}, "d": 1.5}')
        assert found == Record(1, {"a": None, "b.c": None, "d": 1.5})


UNDECODABLE = {
    "deep": deep_json(2_000),
    "deep lists": '{"a":%s}' % ("[" * 2_000 + "]" * 2_000),
    "deep, with marks in strings": deep_json(2_000).replace("1", r'["}]\\\"}]", "\\\\"]'),
    "deep, and longer than what is read at a time": deep_json(100_000),
    "deep, with many digits before": f'{{"b":{"9" * 5_000},"a":{deep_json(2_000)}}}',
    "many digits": '{"a":{"b":[-%s]}}' % ("9" * 5_000),
    "many digits alone": "9" * 5_000,
    "more digits than are read at a time": "9" * 100_000,
}


@pytest.mark.parametrize("name", UNDECODABLE)
@pytest.mark.parametrize("form", [("{}\n", "\n"), ("[{}]", ",\n")])
def test_json_loses_only_the_rows_that_cannot_be_decoded(tmp_path, form, name):
    path, wrong = tmp_path / "rows.json", UNDECODABLE[name]
    rows = (wrong, '{"id": 1}', wrong, '{"id": 2}', wrong)
    path.write_text(form[0].replace("{}", form[1].join(rows)))
    found = rows_of(path)
    assert [type(row) for row in found] == [Rejected, Record, Rejected, Record, Rejected]
    assert [row.line for row in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("after", ["", ' {"id": 2}]'])
def test_json_array_that_is_malformed_after_a_deep_row_is_unreadable(tmp_path, after):
    path = tmp_path / "rows.json"
    path.write_text(f"[{deep_json(2_000)}{after}")
    with pytest.raises(FileUnreadable, match="is no array of JSON from line"):
        rows_of(path)


@pytest.mark.parametrize("part", ["[", '{"a":', '{"a":["\\\\",'])
def test_json_array_that_is_never_closed_is_read_no_further_than_a_row_may_be_long(tmp_path, part):
    path = tmp_path / "rows.json"
    path.write_text("[" + part * (8_000_000 // len(part)))
    with open_lines(path) as lines:
        with pytest.raises(FileUnreadable, match="has 1,000,000 characters or more"):
            list(JsonArray(lines))
        assert lines.bytes_read() < 3 * LONGEST_LINE


@pytest.mark.parametrize("start", ['{"', '{"a": "', '{"a": 1', '{"a": [["'])
def test_what_is_beside_a_list_is_read_no_further_than_a_text_may_be_long(tmp_path, start):
    path = tmp_path / "rows.json"
    path.write_text(start + "1" * 8_000_000)
    with open_lines(path) as lines:
        with pytest.raises(FileUnreadable, match="has 1,000,000 characters or more"):
            list(JsonArray(lines, ["rows"]))
        assert lines.bytes_read() < 3 * LONGEST_LINE


def test_what_is_beside_a_list_may_be_nested_as_deep_as_it_is(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(f'{{"a": {"[" * 100_000}{"]" * 100_000}, "rows": [{{"id": 1}}]}}')
    with open_lines(path) as lines:
        assert list(JsonArray(lines, ["rows"])) == [Record(1, {"id": 1})]


OTHER_NAMES = "\n".join(json.dumps({"k" * 900_000 + str(n): 1}) for n in range(150))
MUCH = {
    **{f"{name}.xml": XML[name][0] for name in ("nested", "many attributes", "ever new names")},
    "long names.jsonl.gz": gzip.compress(f"{LONG_NAMES}\n{OTHER_NAMES}".encode(), 1),
    "many columns.csv": ("a," * 400_000 + "b\n" + ("1," * 400_000 + "2\n") * 2).encode(),
}


@pytest.mark.parametrize("name", MUCH)
def test_a_file_of_text_takes_little_memory(tmp_path, name):
    (tmp_path / name).write_bytes(MUCH[name])
    megabytes, _, _ = peak_memory(tmp_path / name, "row" if name.endswith(".xml") else "")
    assert megabytes < MOST_OF_TEXT


def test_csv_whose_quotes_are_never_closed_is_read_a_few_times_alone(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + 'x","\n' * 500 + "1,2\n")
    count = 0
    following = Lines.__next__

    def counted(lines: Lines) -> str:
        nonlocal count
        count += 1
        return following(lines)

    monkeypatch.setattr(Lines, "__next__", counted)
    with open_lines(path) as lines:
        rows = list(CsvRows(lines))
    assert [type(row) for row in rows] == [Rejected] * 500 + [Record]
    assert count < 5 * 500


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_unpacks_at_once_is_unreadable(tmp_path, packing):
    path = tmp_path / "rows.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("rows.csv", "id\n1\n")
    with pytest.raises(FileUnreadable, match="is packed in an unusual way: unpack it"):
        rows_of(path)
