"""A page that has few matches, because its units were spent, is filled call by call."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from comments.lists import queries
from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, numbered_comments

pytestmark = [pytest.mark.browser, pytest.mark.real_engine, pytest.mark.usefixtures("tables")]

RARE = "/products/seasonal/comments/de.fr/1.2/"
SENTENCE = "Only a few matches on this page. More follow."


@pytest.fixture(scope="module")
def truth(tables) -> Truth:
    """Comments in English, with one in German or French among each dozen of them."""
    made = numbered_comments("seasonal", count=700)
    comments = [
        replace(one, language=("de", "fr")[number % 5 % 2] if number % 12 == 0 else "en")
        for number, one in enumerate(made)
    ]
    load(comments)
    return Truth(comments)


@pytest.fixture
def wanted(truth, monkeypatch) -> list[str]:
    """The comments of the list, which a page can hardly pay for."""
    monkeypatch.setattr(queries, "MOST_UNITS", 2.0)
    monkeypatch.setattr(queries, "MOST_UNITS_OF_AN_ITEM", 0.0)
    return truth.ids(languages=["de", "fr"], ratings=[1, 2])


class TestAShortPage:
    def test_is_filled_by_htmx(self, visitor, wanted):
        visitor.page.goto(RARE)
        visitor.wait_for(*wanted[:20])
        expect(visitor.page.get_by_text(SENTENCE)).to_have_count(0)
        expect(visitor.page.locator("#extent")).to_contain_text(f"1–20 of {len(wanted)}")  # noqa: RUF001
        assert visitor.address == RARE

    def test_leads_on_from_its_last_comment(self, visitor, wanted):
        visitor.page.goto(RARE)
        visitor.wait_for(*wanted[:20])
        visitor.page.locator("a[rel=next]").click()
        visitor.wait_for(*wanted[20:40])
        expect(visitor.page.locator("a[rel=next]")).to_have_count(0)

    def test_is_filled_from_behind_on_the_way_back(self, visitor, wanted):
        visitor.page.goto(f"{RARE}?before=end")
        visitor.wait_for(*wanted[-20:])
        expect(visitor.page.locator("#extent")).to_contain_text(f"of {len(wanted)}")
        visitor.page.locator("a[rel=prev]").first.click()
        visitor.wait_for(*wanted[:-20])

    def test_says_without_a_script_that_more_follow(self, open_context, wanted):
        page = open_context(java_script_enabled=False).new_page()
        page.goto(RARE)
        shown = page.locator("[data-comment-id]").count()
        assert shown < 20
        expect(page.get_by_text(SENTENCE if shown else "More may follow.")).to_be_visible()
