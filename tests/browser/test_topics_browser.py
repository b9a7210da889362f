"""What buyers say, in Chromium: chips on a product's page lead to the comments with their word."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.axe import AXE, axe_finds_nothing, bring_axe
from tests.support.browser.plain import PlainBrowser
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.topical import Word, put_topics, with_topics
from tests.support.comments.truth import START, written

pytestmark = [pytest.mark.browser, pytest.mark.real_engine]

PAGE = "/products/drill/"
SEARCH = f"{PAGE}comments/en/~/?q=battery"
BODIES = {
    "en": ("The batteries are empty.", "A good chuck.", "Battery empty, chuck new."),
    "de": ("Der Akku ist leer.", "Ein gutes Futter."),
}
ENGLISH = (
    *(Word("battery", 1_483, 193), Word("chuck", 912, 657), Word("gearbox", 644, 97)),
    *(Word("instructions", 512, 210), Word("lightweight", 398, 390), Word("customer", 220, 9)),
    *(Word("screwdriver", 180, 160), Word("charger", 75, 30)),
)
GERMAN = (Word("Bedienungsanleitung", 47, 6), Word("Ladegerät", 38, 30))
WIDE = {"width": 1280, "height": 900}
TELEPHONE = {"width": 390, "height": 844}
HIGHEST = 215
"""Pixels of what stands above the comments."""
LEAST_TARGET = 24
"""Pixels of a link's height."""


@pytest.fixture(scope="module", autouse=True)
def drill(tables, engine_name):
    """A product with five comments in two languages, and topics in both."""
    comments = []
    for language, bodies in BODIES.items():
        for number, body in enumerate(bodies):
            comments.append(
                written(
                    "drill",
                    id=f"drill-{language}-{number}",
                    language=language,
                    created_at=START + timedelta(minutes=number),
                    body=body,
                )
            )
    with searching(engine_name), with_topics():
        load_searched(comments)
        put_topics("drill", {"en": ENGLISH, "de": GERMAN})
        yield


def chip(page: Page, word: str):
    return page.get_by_role("region", name="What buyers say").get_by_role("link", name=word)


class TestAChip:
    def test_leads_to_the_comments_with_its_word(self, visitor):
        visitor.page.goto(PAGE)
        chip(visitor.page, "battery · 1,483 · 13 % happy").click()
        visitor.wait_for("drill-en-2", "drill-en-0")
        assert visitor.address.partition("#")[0] == SEARCH
        expect(visitor.page.locator("mark")).to_have_text(["Battery", "batteries"])
        assert visitor.is_clean()

    def test_does_so_without_javascript(self):
        plain = PlainBrowser()
        plain.goto(PAGE)
        plain.click("battery")
        assert plain.url.partition("#")[0] == SEARCH
        found = [one["data-comment-id"] for one in plain.page.all(data_comment_id=True)]
        assert found == ["drill-en-2", "drill-en-0"]

    def test_in_another_language_is_behind_a_fold(self, visitor):
        visitor.page.goto(PAGE)
        expect(chip(visitor.page, "Ladegerät")).to_be_hidden()
        visitor.page.get_by_text("In other languages").focus()
        visitor.page.keyboard.press("Enter")
        chip(visitor.page, "Ladegerät").click()
        expect(visitor.page.get_by_text("No comments with “Ladegerät”.")).to_be_visible()

    def test_is_high_enough_for_a_finger(self, open_context):
        page = open_context(viewport=TELEPHONE, locale="en-GB").new_page()
        page.goto(PAGE)
        for link in page.locator(".topics a:visible").all():
            assert link.bounding_box()["height"] >= LEAST_TARGET


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
@pytest.mark.parametrize("size", [WIDE, TELEPHONE])
class TestThePage:
    @pytest.fixture
    def page(self, open_context, locale, size):
        page = open_context(viewport=size, locale=locale).new_page()
        page.goto(PAGE)
        return page

    def test_is_no_wider_than_the_window(self, page, size):
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]

    def test_keeps_its_comments_near(self, page):
        assert page.locator(".topics").bounding_box()["height"] < HIGHEST


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: 'npm ci' installs it")
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_axe_finds_nothing(open_context, locale):
    page = open_context(locale=locale).new_page()
    bring_axe(page)
    page.goto(PAGE)
    assert axe_finds_nothing(page)
