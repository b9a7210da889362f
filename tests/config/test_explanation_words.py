"""The sentences of a page's explanation, in the visitor's language."""

from dataclasses import replace

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from config.merge_picture import Picture
from config.templatetags.site import in_short, merge_picture, plural_of, times, verdict
from dynapages.lists import RULES, SCAN, Alternative, Explanation, Total
from dynapages.lists.explain import Computed, QueryLine
from tests.support.markup import read_markup

TOTAL = Total(calls=4, rounds=1, capacity_units=2.0, milliseconds=6.4)
READ = Explanation(
    plan="by_kind",
    queries=(),
    rounds=1,
    items_returned=3,
    items_read=5,
    capacity_units=1.0,
    mean_item_bytes=None,
    total=TOTAL,
    estimated_capacity_units=1.2,
)


class TestTheLine:
    @pytest.mark.parametrize(
        ("changes", "line"),
        [
            ({}, "4 calls · 2 units · $0.25 per million views · 6 ms"),
            ({"milliseconds": 0.3}, "4 calls · 2 units · $0.25 per million views · 1 ms"),
            ({"milliseconds": 0}, "4 calls · 2 units · $0.25 per million views"),
            ({"capacity_units": 0.5}, "4 calls · 0.5 units · $0.06 per million views · 6 ms"),
            ({"capacity_units": 1.0}, "4 calls · 1 unit · $0.13 per million views · 6 ms"),
        ],
    )
    def test_says_what_a_page_cost_and_its_time(self, changes, line):
        assert in_short(replace(TOTAL, **changes)) == line

    def test_writes_numbers_as_the_language_does(self):
        with override("de"):
            assert "2.500" in in_short(replace(TOTAL, calls=2_500))
            assert "0,5" in in_short(replace(TOTAL, capacity_units=0.5))


class TestTheVerdict:
    def test_compares_with_the_cheapest_of_the_other_plans(self):
        others = (Alternative("all", 7.5), Alternative("none", None), Alternative("some", 2.254))
        assert verdict(replace(READ, alternatives=others)) == (
            "The cheapest of 4 ways: 1 unit. The next was expected to take 2.25. "
            "5 items were read to show 3."
        )

    def test_does_not_call_a_plan_the_cheapest_that_is_not(self):
        words = verdict(replace(READ, alternatives=(Alternative("all", 0.5),)))
        assert words.startswith(
            "Of 2 ways, this is the cheapest that misses nothing: 1 unit. 5 items"
        )

    def test_of_the_only_plan_says_what_was_read(self):
        words = verdict(replace(READ, items_read=1, items_returned=1))
        assert words == "1 item was read to show 1."


def test_the_picture_has_the_same_lines_in_every_language():
    lines = (QueryLine("by_kind", "A", 1, 9_000, 3, 1.0), QueryLine("by_kind", "B", 1, 2, 0, 1.0))
    picture = merge_picture(
        replace(READ, queries=lines, merged_from=(0,) * 300, places=("x",) * 300)
    )
    english, german = (drawn(picture, language) for language in ("en", "de"))
    assert english.replace("8,991", "8.991") == german


def drawn(picture: dict[str, Picture], language: str) -> str:
    with override(language):
        svg = read_markup(render_to_string("_explanation_picture.html", picture)).one("svg")
    paths = [path["d"] for path in svg.all("path")]
    return " ".join([svg["width"], *paths, *(text.text for text in svg.all("text"))])


class TestOtherDesigns:
    def rows(self, **changes) -> list[str]:
        explanation = replace(READ, **changes)
        html = render_to_string("_explanation_computed.html", {"explanation": explanation})
        return [row.text for row in read_markup(html).one("tbody").all("tr")]

    def test_are_named_with_their_least_units_and_how_many_times_as_much_that_is(self):
        own, scan, by_rule = self.rows(
            computed=(Computed(SCAN, 2_500, 98.0), Computed(RULES, 84, 4.5, partitions=4))
        )
        assert own.split() == ["This", "list", "1"]
        assert "2,500 items, and all others of the table" in scan
        assert "at least 98 98 times as much" in " ".join(scan.split())
        assert "84 items of 4 partitions 4.5 4.5 times as much" in " ".join(by_rule.split())

    def test_are_told_in_german(self):
        with override("de"):
            _, scan = self.rows(computed=(Computed(SCAN, 2_500, 98.0),), capacity_units=40.0)
        assert "2.500 Elemente" in scan
        assert "mindestens 98 2,5-mal so viel" in " ".join(scan.split())

    def test_may_cost_the_same(self):
        assert "the same" in self.rows(computed=(Computed(RULES, 21, 1.0, partitions=1),))[1]

    @pytest.mark.parametrize(("units", "shown"), [(3, "1.5"), (19, "9.5"), (21, "10"), (67, "34")])
    def test_are_compared_in_tenths_up_to_ten_times(self, units, shown):
        assert times(units, 2) == shown


@pytest.mark.parametrize(("number", "counts_as"), [(0, 0), (0.5, 2), (1.0, 1), (2_500.0, 2_500)])
def test_the_plural_of_a_part_is_that_of_many(number, counts_as):
    assert plural_of(number) == counts_as
