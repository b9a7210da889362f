"""Files of comments made rows, and rows made comments: no DynamoDB."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comments.imports.rows import CommentParser
from comments.imports.run import version_of
from comments.imports.shape import FIELDS, Shape
from comments.items import NewComment
from dynamo.files.columns import BadMapping, columns_among, parse_columns, parse_pairs
from dynamo.files.csv_rows import CsvRows, HeaderMissing
from dynamo.files.json_rows import JsonLines
from dynamo.files.lines import LONGEST_LINE, FileUnreadable, open_lines
from dynamo.files.moments import parse_moment
from dynamo.files.records import Record, Rejected
from dynamo.files.two_pass import Winners

NOW = datetime(2024, 6, 1, tzinfo=UTC)
GOOD: dict[str, object] = {
    "id": "c1",
    "product_id": "42",
    "language": "en",
    "rating": "5",
    "created_at": "2024-01-01T10:00:00Z",
    "author": "ann",
    "title": "Fine",
    "body": "Does what it says.",
}
READING = CommentParser(Shape(languages={"us": "en"}), NOW)


def read(**changed: object) -> NewComment | Rejected:
    return READING.read(Record(7, GOOD | changed))


def reason(**changed: object) -> str:
    rejected = read(**changed)
    assert isinstance(rejected, Rejected)
    assert rejected.line == 7
    return rejected.reason


def comment(**changed: object) -> NewComment:
    accepted = read(**changed)
    assert isinstance(accepted, NewComment), accepted
    return accepted


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes], Path]:
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


class TestCsv:
    def test_numbers_the_line_a_row_begins_on(self, file: Callable[[bytes], Path]) -> None:
        rows = csv_of(file(b'id,body\n1,"two\nlines"\n\n2,x\n3,"a\r\nb"\r\n4,y\n'))
        assert [row.line for row in rows] == [2, 5, 6, 8]

    def test_keeps_line_ends_inside_quotes(self, file: Callable[[bytes], Path]) -> None:
        (row,) = csv_of(file(b'id,body\r\n1,"a\r\nb ""c"", d\n\re"\r\n'))
        assert row == Record(2, {"id": "1", "body": 'a\r\nb "c", d\n\re'})

    def test_drops_a_byte_order_mark(self, file: Callable[[bytes], Path]) -> None:
        assert csv_of(file(b"\xef\xbb\xbfid\n1\n")) == [Record(2, {"id": "1"})]

    def test_reads_a_last_line_without_an_end(self, file: Callable[[bytes], Path]) -> None:
        assert csv_of(file(b"id\n1")) == [Record(2, {"id": "1"})]

    @pytest.mark.parametrize("row", [b"1", b"1,2,3", b"1,"])
    def test_rejects_a_row_of_another_length(
        self, row: bytes, file: Callable[[bytes], Path]
    ) -> None:
        rows = csv_of(file(b"a,b\n" + row + b"\n8,9\n"))
        expected = Rejected if row != b"1," else Record
        assert isinstance(rows[0], expected)
        assert rows[1] == Record(3, {"a": "8", "b": "9"})

    def test_loses_only_the_row_whose_quote_is_never_closed(
        self, file: Callable[[bytes], Path]
    ) -> None:
        rows = csv_of(file(b'a,b\n1,"x\n2,y\n3,z\n'))
        assert [type(row) for row in rows] == [Rejected, Record, Record]
        assert [row.line for row in rows] == [2, 3, 4]

    def test_loses_only_the_row_with_a_stray_quote(self, file: Callable[[bytes], Path]) -> None:
        rows = csv_of(file(b'a,b\n1,"x\n2,"y"\n3,z\n'))
        assert [type(row) for row in rows] == [Rejected, Record, Record]
        assert rows[1] == Record(3, {"a": "2", "b": "y"})

    def test_rejects_a_row_of_endless_length(self, file: Callable[[bytes], Path]) -> None:
        rows = csv_of(file(b"a,b\n1," + b"x" * (3 * LONGEST_LINE) + b"\n2,y\n"))
        assert [type(row) for row in rows] == [Rejected, Record]
        assert [row.line for row in rows] == [2, 3]

    def test_rejects_a_field_of_endless_length(self, file: Callable[[bytes], Path]) -> None:
        lines = b"x" * 99 + b"\n"
        rows = csv_of(file(b'a,b\n1,"' + lines * (LONGEST_LINE // 100 + 1)))
        assert isinstance(rows[0], Rejected)
        assert "quote is never closed" in rows[0].reason

    @pytest.mark.parametrize("content", [b"", b"\n\n", b'"a'])
    def test_needs_a_header(self, content: bytes, file: Callable[[bytes], Path]) -> None:
        with pytest.raises(HeaderMissing):
            csv_of(file(content))

    @given(st.lists(st.binary(max_size=12), max_size=12))
    def test_never_fails_and_never_numbers_a_line_twice(
        self, tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "any.csv"
        path.write_bytes(b"a,b\n" + b"\n".join(lines))
        numbers = [row.line for row in csv_of(path)]
        assert numbers == sorted(set(numbers))
        assert all(1 < n <= b"\n".join(lines).count(b"\n") + 2 for n in numbers)


class TestJsonLines:
    def test_numbers_lines_and_skips_empty_ones(self, file: Callable[[bytes], Path]) -> None:
        rows = jsonl_of(file(b'{"id": 1}\n\n{"id": "2"}'))
        assert rows == [Record(1, {"id": 1}), Record(3, {"id": "2"})]

    @pytest.mark.parametrize(
        "line",
        [b"{", b"[1]", b'"text"', b"[" * 100_000, b"1" * 5_000, b'{"a": \xff}', b"null"],
    )
    def test_rejects_what_is_no_object(self, line: bytes, file: Callable[[bytes], Path]) -> None:
        rows = jsonl_of(file(line + b'\n{"id": 1}\n'))
        assert [type(row) for row in rows] == [Rejected, Record]

    def test_rejects_a_line_of_endless_length(self, file: Callable[[bytes], Path]) -> None:
        long = b'{"body": "' + b"x" * (2 * LONGEST_LINE) + b'"}'
        rows = jsonl_of(file(long + b'\n{"id": 1}\n'))
        assert [type(row) for row in rows] == [Rejected, Record]
        assert rows[1].line == 2


class TestFile:
    def test_is_recognised_as_compressed_whatever_its_name(
        self, file: Callable[[bytes], Path]
    ) -> None:
        assert csv_of(file(gzip.compress(b"id\n1\n"))) == [Record(2, {"id": "1"})]

    def test_that_ends_too_early_is_unreadable(self, file: Callable[[bytes], Path]) -> None:
        with pytest.raises(FileUnreadable, match="damaged"):
            csv_of(file(gzip.compress(b"id\n" + bytes(range(48, 58)) * 900)[:-12]))

    def test_that_is_no_file_is_unreadable(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "missing.csv"):
            with pytest.raises(FileUnreadable, match=r"cannot be read|does not exist"):
                csv_of(path)


class TestReading:
    def test_makes_a_comment(self) -> None:
        assert comment() == NewComment(
            id="c1",
            product_id="42",
            language="en",
            rating=5,
            created_at=datetime(2024, 1, 1, 10, tzinfo=UTC),
            author="ann",
            title="Fine",
            body="Does what it says.",
        )

    def test_puts_all_under_the_product_asked_for(self) -> None:
        reading = replace(READING, shape=Shape().under("all"))
        accepted = reading.read(Record(2, GOOD))
        assert isinstance(accepted, NewComment)
        assert accepted.product_id == "all"

    @pytest.mark.parametrize(
        "good", ["x" * 128, "lg:AOqp_-x", "a#b", "a/b", "a b", "日本", "...", 17]
    )
    def test_keeps_ids_as_they_are(self, good: object) -> None:
        assert comment(id=good).id == str(good)

    @pytest.mark.parametrize(
        "bad",
        ["", None, "x" * 129, "a\nb", "a\x07", ".", "..", "a/../b", " a", "a\u200b", True, []],
    )
    def test_rejects_ids_that_no_page_could_have(self, bad: object) -> None:
        assert reason(id=bad).startswith("id ")

    @pytest.mark.parametrize("bad", ["", "-a", "a/b", "a b", "ä", "x" * 129, "a\n", "a#b"])
    def test_rejects_ids_that_no_product_could_have(self, bad: str) -> None:
        assert reason(product_id=bad).startswith("product_id: ")

    @pytest.mark.parametrize("spelled", ["en", "EN", " en ", "us", "US", "en-US", "en_GB"])
    def test_translates_languages(self, spelled: str) -> None:
        assert comment(language=spelled).language == "en"

    @pytest.mark.parametrize("bad", ["", "uk2", "jp", "eng", "US-en"])
    def test_rejects_what_is_no_language(self, bad: str) -> None:
        assert reason(language=bad).startswith("language: ")

    @pytest.mark.parametrize(
        ("spelled", "rating"), [("1", 1), ("5.0", 5), (3, 3), (4.0, 4), ("4,5", 5), ("2.4", 2)]
    )
    def test_reads_ratings(self, spelled: object, rating: int) -> None:
        assert comment(rating=spelled).rating == rating

    @pytest.mark.parametrize(
        "bad", ["", "0", "6", "5.1", "five", "-1", "\u0665", "5e0", True, "nan"]
    )
    def test_rejects_other_ratings(self, bad: object) -> None:
        assert reason(rating=bad).startswith("rating")

    def test_takes_comments_of_up_to_a_day_ahead(self) -> None:
        assert comment(created_at="2024-06-02").created_at == NOW + timedelta(days=1)
        assert "in the future" in reason(created_at="2024-06-02T00:00:01Z")

    @pytest.mark.parametrize("field", ["author", "title", "body"])
    def test_takes_empty_and_missing_texts(self, field: str) -> None:
        assert getattr(comment(**{field: ""}), field) == ""
        assert getattr(comment(**{field: None}), field) == ""

    def test_keeps_texts_as_they_are(self) -> None:
        text = "  emoji 🎉,\r\n\ttabs and ends  "
        assert comment(body=text).body == text

    def test_bounds_texts(self) -> None:
        assert comment(body="x" * 100_000)
        assert reason(body="é" * 50_001) == "body has 100,002 bytes, more than 100,000"
        assert reason(title="x" * 1_001) == "title has 1,001 characters, more than 1,000"
        assert reason(author="x" * 1_001).startswith("author ")

    @pytest.mark.parametrize("field", sorted(GOOD))
    @pytest.mark.parametrize("bad", ["a\udcffb", "a\0b", ["a"], {"a": 1}, False])
    def test_rejects_what_is_no_text(self, field: str, bad: Any) -> None:
        assert reason(**{field: bad}).startswith(field)

    def test_names_the_row_it_rejects(self) -> None:
        assert read(rating="9") == Rejected(7, "rating: “9” is no number from 1 to 5", "c1")


class TestMoments:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2023-01-05", "2023-01-05T00:00:00+00:00"),
            ("2023-01-05 12:30", "2023-01-05T12:30:00+00:00"),
            ("2023-01-05 12:30:01", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05T12:30:01Z", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05t12:30:01z", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05 12:30:01 UTC", "2023-01-05T12:30:01+00:00"),
            ("2023-01-05T12:30:01.5+02:00", "2023-01-05T10:30:01.500000+00:00"),
            ("2023-01-05T00:30:01,123456789 +0200", "2023-01-04T22:30:01.123456+00:00"),
            ("2023-01-05T00:30:01-05", "2023-01-05T05:30:01+00:00"),
            ("1672921801", "2023-01-05T12:30:01+00:00"),
            ("1672921801250", "2023-01-05T12:30:01.250000+00:00"),
        ],
    )
    def test_are_read_as_utc(self, text: str, expected: str) -> None:
        moment = parse_moment(text)
        assert moment.isoformat() == expected
        assert moment.tzinfo is UTC

    @pytest.mark.parametrize(
        "text",
        [
            *("", "yesterday", "05.01.2023", "2023-13-01", "2023-02-30", "20230105", "123"),
            *("2023-01-05T25:00", "2023-01-05T12:30:60Z", "0000-01-01", "2023-W01-1"),
            *("0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "2023-01-05X10:00", "²" * 10),
        ],
    )
    def test_are_refused_when_they_are_none(self, text: str) -> None:
        with pytest.raises(ValueError, match="“"):
            parse_moment(text)


class TestColumns:
    def test_are_named_like_their_fields_unless_told_otherwise(self) -> None:
        present = ["review_id", "product_id", "language", "rating", "created_at", "other"]
        found = Shape(columns={"id": ["review_id"]}).among(present)
        assert found.of("id") == ["review_id"]
        assert found.of("rating") == ["rating"]
        assert found.of("body") == []

    def test_that_are_missing_are_named_beside_those_there_are(self) -> None:
        with pytest.raises(BadMapping, match=r"“review_id” \(for id\); the columns are: a, b\."):
            Shape(columns={"id": ["review_id"]}).among(["a", "b"])

    def test_of_optional_fields_must_exist_when_they_are_named(self) -> None:
        needed = ["id", "language", "rating", "created_at"]
        assert Shape().under("42").among(needed)
        with pytest.raises(BadMapping, match="“text”"):
            Shape(columns={"body": ["text"]}, named=["body"]).under("42").among(needed)

    def test_must_not_be_there_twice(self) -> None:
        with pytest.raises(BadMapping, match="2 columns “id”"):
            Shape().under("42").among(["id", "id", "language", "rating", "created_at"])

    @pytest.mark.parametrize("bad", ["x", "=x", "x=", "a=b,a=c"])
    def test_are_given_as_pairs(self, bad: str) -> None:
        with pytest.raises(BadMapping):
            parse_pairs(bad, example="us=en")

    def test_are_asked_for_with_an_example_that_fits(self) -> None:
        with pytest.raises(BadMapping, match="“us” is no pair such as us=en"):
            parse_pairs("us", example="us=en")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
    def test_that_are_not_utf_8_are_not_spelled_out(self, encoding: str) -> None:
        present = "id,rating".encode(encoding).decode("utf-8", "surrogateescape").split(",")
        with pytest.raises(BadMapping, match="is not UTF-8 text") as refused:
            columns_among(present, {"id": "id"}, needed=["id"])
        assert str(refused.value).isprintable()

    def test_are_given_for_fields_there_are(self) -> None:
        assert parse_columns("id=a, body = b=c,", fields=FIELDS) == {"id": "a", "body": "b=c"}
        with pytest.raises(BadMapping, match="the fields are: id, product_id"):
            parse_columns("text=body", fields=FIELDS)


class TestWinners:
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-3, 3)), max_size=20))
    def test_are_the_newest_and_of_those_the_last(self, versions: list[tuple[str, int]]) -> None:
        rows = [comment(id=name, created_at=f"{1970 + day:04}-01-01") for name, day in versions]
        winners = Winners()
        for number, version in enumerate(rows):
            winners.offer(version_of(version), row=number)
        won = {n for n, version in enumerate(rows) if winners.is_winner(version_of(version), row=n)}
        newest = {
            name: max((d, n) for n, (i, d) in enumerate(versions) if i == name)[1]
            for name in {name for name, _ in versions}
        }
        assert won == set(newest.values())
        assert len(winners) == len(newest)
