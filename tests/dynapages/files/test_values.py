"""What values of files mean: nothing, a fallback, a row that is left out."""

from collections.abc import Sequence
from typing import Any

import pytest

from dynapages.files.columns import BadMapping
from dynapages.files.records import Record
from dynapages.files.values import Skipped, parse_rules

COLUMNS = {
    "rating": ["stars"],
    "author": ["Email|Billing Name"],
    "created_at": ["when|Date+Time"],
    "sent": [],
}


def applied(
    values: dict[str, Any], *, nulls: Sequence[str] = (), skip: Sequence[str] = ()
) -> dict[str, object] | str:
    """The values of a row by the rules, or what it is left out for."""
    found = parse_rules(nulls=nulls, skip=skip, columns=COLUMNS).apply(Record(2, values))
    return found.because if isinstance(found, Skipped) else dict(found.values)


class TestNulls:
    def test_mean_nothing_in_every_column(self):
        row = {"a": "0", "b": " NULL ", "c": "-", "d": 0, "e": "null", "f": "10", "g": ["-"]}
        found = applied(row, nulls=["0,NULL,-"])
        assert found == dict.fromkeys("abcd") | {"e": "null", "f": "10", "g": ["-"]}

    def test_may_be_those_of_a_field_or_of_a_column(self):
        row = {"stars": "0", "price": "0", "days": "0"}
        found = applied(row, nulls=["rating=0", '"N/A, none",days=0'])
        assert found == {"stars": None, "price": "0", "days": None}


class TestFallbacks:
    @pytest.mark.parametrize(
        ("email", "name", "expected"),
        [("a@b.c", "Ann", "a@b.c"), ("", "Ann", "Ann"), (None, "Ann", "Ann"), ("", "", None)],
    )
    def test_are_the_first_column_with_a_value(self, email, name, expected):
        found = applied({"Email": email, "Billing Name": name})
        assert found["Email|Billing Name"] == expected

    def test_count_where_the_first_value_means_nothing(self):
        found = applied({"Email": "-", "Billing Name": "Ann"}, nulls=["-"])
        assert found["Email|Billing Name"] == "Ann"

    def test_are_a_column_where_one_of_them_is(self):
        rules = parse_rules(nulls=(), skip=(), columns=COLUMNS)
        assert rules.columns(["Email"]) == ("Email", "Email|Billing Name")
        assert rules.columns(["Phone"]) == ("Phone",)
        assert rules.columns(["Email|Billing Name"]) == ("Email|Billing Name",)


class TestJoinedColumns:
    @pytest.mark.parametrize(
        ("date", "time", "expected"),
        [
            ("05.03.2024", "14:30", "05.03.2024 14:30"),
            ("05.03.2024 ", "", "05.03.2024"),
            ("05.03.2024", None, "05.03.2024"),
            ("", "14:30", None),
            (20240305, 1430, "20240305 1430"),
        ],
    )
    def test_are_one_value_that_begins_with_the_first(self, date, time, expected):
        assert applied({"Date": date, "Time": time})["when|Date+Time"] == expected

    def test_count_where_the_column_before_has_no_value(self):
        row = {"Date": "2024-03-05", "Time": "14:30"}
        assert applied({"when": "", **row})["when|Date+Time"] == "2024-03-05 14:30"
        assert applied({"when": "2020-01-01", **row})["when|Date+Time"] == "2020-01-01"

    def test_may_lack_all_but_the_first_in_a_row(self):
        assert applied({"Date": "2024-03-05"})["when|Date+Time"] == "2024-03-05"

    def test_are_a_column_where_all_of_them_are(self):
        rules = parse_rules(nulls=(), skip=(), columns={"created_at": ["Date+Time"]})
        assert rules.columns(["Date", "Time"]) == ("Date", "Time", "Date+Time")
        assert rules.columns(["Date"]) == ("Date",)

    def test_are_not_made_where_a_column_has_that_name(self):
        rules = parse_rules(nulls=(), skip=(), columns={"created_at": ["A+B"]})
        row = Record(2, {"A": "1", "B": "2", "A+B": "3"})
        assert rules.apply(row).values["A+B"] == "3"
        assert rules.columns(["A+B", "A", "B"]) == ("A+B", "A", "B")


class TestSkip:
    @pytest.mark.parametrize(
        ("values", "skip"),
        [
            *(({"stars": "0"}, "rating=0"), ({"stars": 0}, "rating = 0")),
            *(({"spam": True}, "spam=true"), ({"note": "a, b"}, "note=a, b")),
            *(({"note": " "}, "note="), ({}, "note="), ({"stars": "-"}, "rating=")),
        ],
    )
    def test_leaves_out_rows_with_the_value(self, values, skip):
        assert applied(values, skip=[skip], nulls=["-"]) == skip.partition("=")[0].strip()

    @pytest.mark.parametrize("values", [{"stars": "0.0"}, {"stars": "10"}, {"rating": "0"}, {}])
    def test_keeps_the_others(self, values):
        assert isinstance(applied(values, skip=["rating=0"]), dict)


class TestBadRules:
    @pytest.mark.parametrize("skip", ["rating", "=0", ""])
    def test_are_no_pairs(self, skip):
        with pytest.raises(BadMapping, match="is no pair such as rating=0"):
            parse_rules(nulls=(), skip=[skip], columns={})

    def test_have_no_value_without_a_name(self):
        with pytest.raises(BadMapping, match="“=0” is no value, and no pair such as shipped_at=0"):
            parse_rules(nulls=["=0"], skip=(), columns={})

    @pytest.mark.parametrize(
        ("nulls", "skip", "name"),
        [([], ["rating=0"], "stars"), (["ratng=0"], [], "ratng"), ([], ["sent=0"], "sent")],
    )
    def test_name_a_column_that_is_not_there(self, nulls, skip, name):
        rules = parse_rules(nulls=nulls, skip=skip, columns=COLUMNS)
        with pytest.raises(BadMapping, match=f"There is no column “{name}”.*the columns are: id"):
            rules.require(["id"])
        parse_rules(nulls=nulls, skip=skip, columns=COLUMNS, concerns=lambda _: False).require([])
