"""Lists as CSV, streamed page by page."""

import csv
from collections.abc import Callable

import pytest

from dynapages.calls import Throttled
from dynapages.django.csv_lists import CsvPage, csv_response
from dynapages.lists import Entry, Index, Page, PageRequest, PageResult, Position, Run

RUN = Run(Index("t", None, partition="pk", sort="sk", table_key=lambda _position: {}), "p")
VALUES = ["a", "b", "c", "d", "e"]


def reader(values: list[str], asked: list[PageRequest]) -> Callable[[PageRequest], CsvPage]:
    """Reads a list whose places are its values."""

    def read(request: PageRequest) -> CsvPage:
        asked.append(request)
        start = values.index(request.position.place) + 1 if request.position else 0
        shown = values[start : start + request.size]
        entries = tuple(Entry({}, Position(value), RUN) for value in shown)
        has_next = start + request.size < len(values)
        return PageResult(
            tuple([value] for value in shown),
            Page(entries, has_next, has_previous=start > 0, rounds=1, reads=()),
        )

    return read


def rows_of(parts: list[bytes]) -> list[list[str]]:
    return list(csv.reader(b"".join(parts).decode().splitlines()))


class TestAListAsCsv:
    def test_has_all_pages_in_their_order(self):
        asked: list[PageRequest] = []
        response = csv_response("list", ["value"], reader(VALUES, asked), at_a_time=2)
        assert rows_of(list(response)) == [["value"], *([value] for value in VALUES)]
        assert response["Content-Disposition"] == 'attachment; filename="list.csv"'

    def test_is_read_no_further_than_it_was_sent(self):
        asked: list[PageRequest] = []
        parts = iter(csv_response("list", ["value"], reader(VALUES, asked), at_a_time=2))
        next(parts)
        next(parts)
        assert len(asked) == 1
        next(parts)
        assert len(asked) == 2

    def test_has_nothing_that_a_spreadsheet_carries_out(self):
        response = csv_response("list", ["value"], reader(["x;=1+1"], []))
        assert rows_of(list(response))[1] == ["x;'=1+1"]

    def test_fails_before_it_begins_like_any_page(self):
        def read(_request: PageRequest) -> CsvPage:
            raise Throttled

        with pytest.raises(Throttled):
            csv_response("list", ["value"], read)

    def test_that_cannot_be_read_to_the_end_says_so(self):
        first = reader(VALUES, [])

        def read(request: PageRequest) -> CsvPage:
            if request.position:
                raise Throttled
            return first(request)

        rows = rows_of(list(csv_response("list", ["value"], read, at_a_time=2)))
        assert rows[1:] == [
            ["a"],
            ["b"],
            ["This file is not complete: the database was not available."],
        ]
