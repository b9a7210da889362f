"""The field of a search in Chromium: found while typing, by keyboard, back, and for axe."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import REFUSED, hold_requests
from tests.support.browser.axe import AXE, axe_finds_nothing, bring_axe
from tests.support.browser.plain import PlainBrowser
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.comments.writers import someone
from tests.support.markup import Element

pytestmark = [pytest.mark.browser, pytest.mark.real_engine]

ALL = "/products/phone/comments/~/~/"
BODIES = ("The battery is empty.", "A good display.", "Battery empty, display new.")


@pytest.fixture(scope="module", autouse=True)
def phone(tables, engine_name):
    """A product with three comments, the last one the newest."""
    with searching(engine_name):
        load_searched(
            written("phone", id=f"phone-{n}", created_at=START + timedelta(minutes=n), body=body)
            for n, body in enumerate(BODIES)
        )
        yield


def field(visitor):
    return visitor.page.get_by_role("searchbox", name="Search in comments")


class TestTheField:
    def test_finds_while_it_is_typed_into_and_keeps_the_focus(self, visitor):
        visitor.page.goto(ALL)
        loads = len(visitor.loads)
        field(visitor).press_sequentially("battery")
        visitor.wait_for("phone-2", "phone-0")
        field(visitor).press_sequentially(" new")
        visitor.wait_for("phone-2")
        assert visitor.address == f"{ALL}?q=battery%20new"
        expect(field(visitor)).to_have_value("battery new")
        expect(field(visitor)).to_be_focused()
        assert len(visitor.loads) == loads
        assert visitor.is_clean()

    def test_loses_nothing_that_is_typed_while_an_answer_is_on_its_way(self, visitor):
        visitor.page.goto(ALL)
        held = hold_requests(visitor.page, re.compile(r"q=display$"))
        field(visitor).press_sequentially("display")
        with visitor.page.expect_request(re.compile(r"q=display$")):
            pass
        visitor.page.keyboard.type(" new")
        held[0].continue_()
        visitor.wait_for("phone-2")
        expect(field(visitor)).to_have_value("display new")
        assert visitor.is_clean()

    def test_is_sent_by_enter_and_emptied_by_its_chip(self, visitor):
        visitor.page.goto(ALL)
        field(visitor).fill("display")
        field(visitor).press("Enter")
        visitor.wait_for("phone-2", "phone-1")
        expect(visitor.page.locator("mark")).to_have_text(["display", "display"])
        visitor.page.get_by_label("Remove the word “display”").click()
        visitor.wait_for("phone-2", "phone-1", "phone-0")
        expect(field(visitor)).to_have_value("")
        assert visitor.address == ALL

    def test_stays_when_a_filter_is_chosen(self, visitor):
        visitor.page.goto(f"{ALL}?q=battery")
        visitor.page.locator("#toggle-language-en").click()
        visitor.page.wait_for_url("**/comments/en/~/?q=battery")
        visitor.wait_for("phone-2", "phone-0")
        visitor.page.locator("#order").select_option("oldest")
        visitor.wait_for("phone-0", "phone-2")
        expect(field(visitor)).to_have_value("battery")

    def test_keeps_what_is_too_much(self, visitor):
        visitor.page.goto(ALL)
        words = " ".join("abcdefghi")
        field(visitor).fill(words)
        expect(visitor.page.locator("#notice")).to_contain_text("at most 8 words")
        expect(field(visitor)).to_have_value(words)
        visitor.forgive(*REFUSED)
        assert visitor.is_clean()

    @pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: 'npm ci' installs it")
    @pytest.mark.parametrize("words", ["battery+empty", "the+is", "bicycle"])
    def test_is_sound_to_axe(self, visitor, words):
        bring_axe(visitor.page)
        visitor.page.goto(f"{ALL}?q={words}")
        assert axe_finds_nothing(visitor.page)


class TestWithoutJavaScript:
    def test_a_search_is_sent_as_a_form_and_goes_on_from_page_to_page(self, settings):
        settings.PAGE_SIZE = 1
        browser = PlainBrowser.of(someone("bob").browser)
        browser.goto(ALL)
        form = browser.page.one("form", class_="list-search")
        browser.press("Search", within=Element("", {}, [form]), q="battery empty")
        assert browser.url.partition("#")[0] == f"{ALL}?q=battery+empty"
        shown = [one["data-comment-id"] for one in browser.page.all(data_comment_id=True)]
        assert shown == ["phone-2"]
        browser.click("Older")
        shown = [one["data-comment-id"] for one in browser.page.all(data_comment_id=True)]
        assert shown == ["phone-0"]
