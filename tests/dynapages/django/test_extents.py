"""Extents: which part of its list a page says it is, as far as that is known."""

from dataclasses import replace

import pytest
from django.template.defaultfilters import floatformat
from django.utils.formats import number_format
from django.utils.translation import override

from dynapages.django.paging import extent_of, grouped, rounded
from dynapages.lists import Entry, Ordinal, Page, Position, Run
from dynapages_testing.merged_lists import INDEX


def page(first: int | None, *, count: int = 20, more: bool = True) -> Page:
    """A page whose first entry has a number, from the list's beginning or (below 0) its end."""
    numbers = range(first or 0, (first or 0) + count)
    entries = tuple(
        Entry(
            {},
            Position("place", ordinal=None if first is None else Ordinal.from_signed(n)),
            Run(INDEX, "A"),
        )
        for n in numbers
    )
    return Page(entries, has_next=more, has_previous=first != 1, rounds=1, reads=())


def told(page: Page, total: int | None) -> str:
    return extent_of(page, total).replace("\N{EN DASH}", "-")


class TestANumber:
    @pytest.mark.parametrize("language", ["en", "de", "fr", "hi"])
    @pytest.mark.parametrize("number", [0, 7, 999, 1_000, 2_500, 1_234_567, -5, -1_000])
    def test_is_grouped_as_django_does(self, number, language):
        with override(language):
            assert grouped(number) == number_format(number, force_grouping=True)

    def test_has_the_decimal_places_that_are_asked_for(self):
        assert grouped(7, places=2) == "7.00"

    @pytest.mark.parametrize("number", [4.25, 4.05, 4.75, 2.5, 4.249, 0.0])
    def test_is_rounded_as_django_does(self, number):
        assert str(rounded(number, 1)) == floatformat(number, "1u")


class TestWithATotal:
    @pytest.mark.parametrize(
        ("first", "more", "extent"),
        [
            (1, True, "1-20 of 2,361"),
            (21, True, "21-40 of 2,361"),
            (-20, False, "2,342-2,361 of 2,361"),
            (-40, True, "2,322-2,341 of 2,361"),
            (None, True, "2,361 in all"),
        ],
    )
    def test_the_numbers_are_told(self, first, more, extent):
        assert told(page(first, more=more), 2_361) == extent

    def test_a_total_that_the_page_refutes_is_not(self):
        assert told(page(1), 7) == "1-20 of more than 20"
        assert told(page(21, count=5, more=False), 7) == "21-25 of 25"
        assert told(page(-20, more=False), 7) == "20 in all"


class TestWithoutATotal:
    @pytest.mark.parametrize(
        ("first", "more", "extent"),
        [
            (1, True, "1-20 of more than 20"),
            (1, False, "20 in all"),
            (21, True, "21-40 of more than 40"),
            (21, False, "21-40 of 40"),
            (-20, False, "the last 20"),
            (-40, True, "20 shown"),
            (None, True, "20 shown"),
        ],
    )
    def test_what_the_place_says_is_told(self, first, more, extent):
        assert told(page(first, more=more), None) == extent


def test_nothing_is_told_of_an_empty_page():
    empty = replace(page(None), entries=())
    assert [told(empty, total) for total in (None, 0, 7)] == ["", "", ""]
