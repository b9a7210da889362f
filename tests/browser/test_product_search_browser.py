"""The search field of the header in Chromium: suggestions by the keyboard, by pointing, without."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import REFUSED, Visitor, hold_requests
from tests.support.browser.axe import AXE, axe_finds_nothing, bring_axe
from tests.support.catalogue.searching import made_stem, put_named
from tests.support.comments.writers import someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]
SUGGESTIONS = "**/search/suggestions/**"


@pytest.fixture(scope="module")
def stem(tables):
    """A word of three products."""
    stem = made_stem()
    put_named(f"{stem} one", f"{stem} two", f"{stem} three, of a name that is too long for a row")
    return stem


def field_of(page: Page) -> Locator:
    return page.get_by_role("combobox", name=re.compile("Search products|Produkte suchen"))


def typed(visitor: Visitor, text: str, path: str = "/") -> Locator:
    """Type into the field of a page, and wait for the suggestions."""
    visitor.page.goto(path)
    field = field_of(visitor.page)
    field.press_sequentially(text)
    expect(visitor.page.get_by_role("option")).to_have_count(3)
    expect(field).to_have_attribute("aria-expanded", "true")
    return field


def active(field: Locator) -> str:
    """The text of the option that assistive technology takes to be active."""
    text: str = field.evaluate(
        "field => document.getElementById(field.getAttribute('aria-activedescendant'))"
        "?.firstElementChild.textContent ?? ''"
    )
    return text


class TestTheArrowKeys:
    def test_go_round_the_options_and_the_field(self, visitor, stem):
        field = typed(visitor, stem)
        names = [f"{stem} one", f"{stem} three, of a name that is too long for a row"]
        names.append(f"{stem} two")
        for key, wanted in (
            *(("ArrowDown", name) for name in (*names, "", names[0])),
            ("ArrowUp", ""),
            ("ArrowUp", names[-1]),
        ):
            field.press(key)
            assert active(field) == wanted
            selected = visitor.page.locator("[role=option][aria-selected=true] > :first-child")
            assert selected.all_text_contents() == ([wanted] if wanted else [])
        expect(field).to_be_focused()

    def test_unfold_what_escape_has_folded(self, visitor, stem):
        field = typed(visitor, stem)
        field.press("Escape")
        expect(visitor.page.get_by_role("listbox")).to_be_hidden()
        expect(field).to_have_value(stem)
        expect(field).to_have_attribute("aria-expanded", "false")
        field.press("ArrowDown")
        assert active(field) == f"{stem} one"


class TestEnter:
    def test_opens_the_option_that_is_active(self, visitor, stem):
        typed(visitor, stem).press("ArrowDown")
        visitor.page.keyboard.press("Enter")
        expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"{stem} one")

    def test_searches_without_one(self, visitor, stem):
        typed(visitor, stem).press("Enter")
        visitor.page.wait_for_url(f"**/search/?q={stem}")
        expect(visitor.page.locator("#products .tile")).to_have_count(3)
        expect(field_of(visitor.page)).to_have_value(stem)


class TestTheSuggestions:
    def test_are_clicked(self, visitor, stem):
        typed(visitor, stem)
        visitor.page.get_by_role("option", name=f"{stem} two").click()
        expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"{stem} two")

    def test_are_folded_when_the_field_is_left(self, visitor, stem):
        typed(visitor, stem).blur()
        expect(visitor.page.get_by_role("listbox")).to_be_hidden()

    def test_that_come_late_stay_folded(self, visitor, stem):
        visitor.page.goto("/")
        held = hold_requests(visitor.page, SUGGESTIONS)
        field = field_of(visitor.page)
        field.press_sequentially(stem)
        expect(visitor.page.locator("#suggestions[aria-busy]")).to_be_attached()
        field.blur()
        held[-1].continue_()
        expect(visitor.page.locator("#suggestions > a")).to_have_count(3)
        expect(visitor.page.get_by_role("listbox")).to_be_hidden()

    def test_that_come_after_escape_stay_folded(self, visitor, stem):
        field = typed(visitor, stem)
        held = hold_requests(visitor.page, SUGGESTIONS)
        with visitor.page.expect_request(SUGGESTIONS):
            field.press_sequentially(" t")
        field.press("Escape")
        expect(visitor.page.locator("#suggestions[aria-busy]")).to_be_attached()
        held[-1].continue_()
        expect(visitor.page.locator("#suggestions > a")).to_have_count(2)
        expect(visitor.page.get_by_role("listbox")).to_be_hidden()

    def test_are_announced_and_replaced(self, visitor, stem):
        field = typed(visitor, stem)
        expect(visitor.page.locator("#announcement")).to_have_text("3 suggestions")
        field.press_sequentially(" tw")
        expect(visitor.page.get_by_role("option")).to_have_count(1)
        expect(visitor.page.locator("#announcement")).to_have_text("1 suggestion")

    def test_are_reached_by_a_slash_unless_one_is_typing(self, visitor, stem):
        visitor.page.goto("/")
        visitor.page.keyboard.press("/")
        expect(visitor.page.get_by_role("combobox")).to_be_focused()
        visitor.page.keyboard.type("a/b")
        expect(visitor.page.get_by_role("combobox")).to_have_value("a/b")

    def test_fail_in_silence(self, visitor, stem):
        field = typed(visitor, stem)
        visitor.page.route(SUGGESTIONS, lambda route: route.fulfill(status=503, body="Away"))
        # What htmx says comes a moment after the response, which is answered with nothing else.
        with visitor.page.expect_console_message(lambda said: said.text.startswith(REFUSED[1])):
            field.press_sequentially("x")
        expect(visitor.page.locator("#notice")).to_have_text("")
        visitor.forgive(*REFUSED)

    @pytest.mark.parametrize("language", ["en-GB", "de"])
    def test_fit_a_telephone(self, seat, stem, language):
        customer = seat(someone("customer"), locale=language)
        customer.page.set_viewport_size({"width": 390, "height": 844})
        typed(customer, stem)
        assert customer.page.evaluate("document.documentElement.scrollWidth") <= 390
        for option in customer.page.get_by_role("option").all():
            box = option.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            assert box["height"] >= 24

    @pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
    @pytest.mark.parametrize("path", ["/", "/search/?q=nothing"])
    def test_hinder_nobody(self, visitor, stem, path):
        bring_axe(visitor.page)
        visitor.page.goto(path)
        field_of(visitor.page).fill(stem)
        expect(visitor.page.get_by_role("option")).to_have_count(3)
        field_of(visitor.page).press("ArrowDown")
        assert axe_finds_nothing(visitor.page)


class TestWithoutJavaScript:
    def test_the_field_leads_to_the_page(self, open_context, stem):
        page = open_context(java_script_enabled=False).new_page()
        page.goto("/")
        page.locator("#product-search").fill(f"{stem} tw")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/search/?q={stem}+tw")
        assert page.locator("#products .tile-name").all_text_contents() == [f"{stem} two"]
        page.locator("#product-search").fill("nothing")
        page.locator(".product-search button").click()
        expect(page.locator("#products .empty")).to_be_visible()
