"""The chips above a filtered list: what is chosen, and the ways out of it."""

import pytest

from tests.support.comments.browsing import HTMX, Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments

pytestmark = pytest.mark.usefixtures("tables")

LISTS = "/products/chipped/comments"
REMOVE = "Remove the filter “{}”"


@pytest.fixture(scope="module", autouse=True)
def chipped(tables):
    load(numbered_comments("chipped", count=20, languages=("de", "en")))


def chips(shown: Shown) -> dict[str, str]:
    """Where each one leads, by its accessible name."""
    return {
        chip.get("aria-label") or chip.text: chip["href"]
        for chip in shown.page.one(class_="chips").all("a")
    }


class TestTheChips:
    def test_lead_to_the_list_without_a_value(self):
        assert chips(visit(f"{LISTS}/de.en/1/")) == {
            REMOVE.format("German"): f"{LISTS}/en/1/#comments",
            REMOVE.format("English"): f"{LISTS}/de/1/#comments",
            REMOVE.format("1 star"): f"{LISTS}/de.en/~/#comments",
            "Clear filters": f"{LISTS}/~/~/#comments",
        }

    def test_come_with_the_list_alone_as_well(self):
        assert [*chips(visit(f"{LISTS}/~/4/", **HTMX))] == [
            REMOVE.format("4 stars"),
            "Clear filters",
        ]

    def test_keep_the_order_of_the_list(self):
        shown = chips(visit(f"{LISTS}/~/4/?order=oldest"))
        assert shown["Clear filters"] == f"{LISTS}/~/~/?order=oldest#comments"

    def test_are_left_out_where_nothing_is_filtered(self):
        assert visit(f"{LISTS}/~/~/").page.all(class_="chips") == []

    def test_say_that_the_language_is_the_visitors(self):
        shown = visit("/products/chipped/", Accept_Language="de")
        assert [*chips(shown)] == ["Filter „Deutsch“ entfernen", "Filter aufheben"]
        assert "In Ihrer Sprache." in shown.page.one(class_="chips").text


@pytest.mark.parametrize(
    ("chosen", "summary"), [("~/~", "Filter"), ("de/~", "Filter (1)"), ("de.en/1.2", "Filter (4)")]
)
def test_the_filters_of_a_phone_say_how_many_values_are_chosen(chosen, summary):
    assert visit(f"{LISTS}/{chosen}/").page.one(id="filter").text == summary
