"""The documentation in Chromium: wide and narrow, with all of every table, contents and links."""

import pytest
from playwright.sync_api import expect

from config.docs_pages import read_order

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

WIDTHS = (1280, 390)
TOO_WIDE = """
    () => {
        const edge = document.querySelector("article").getBoundingClientRect().right + 1;
        const parts = [...document.querySelectorAll("article table, article td")];
        const cut = parts.filter((part) =>
            part.getBoundingClientRect().right > edge || part.scrollWidth > part.clientWidth + 1);
        const page = document.documentElement;
        return [...(page.scrollWidth > innerWidth ? [page] : []), ...cut]
            .map((part) => `${part.tagName} ${part.innerText.slice(0, 60)}`);
    }
"""


class TestEveryDocument:
    @pytest.mark.parametrize("language", ["en", "de"])
    def test_has_tables_no_wider_than_its_window(self, open_context, language):
        page, too_wide = open_context(locale=language, java_script_enabled=False).new_page(), {}
        for path in ("/docs/", *(f"/docs/{name}/" for name in read_order())):
            page.goto(path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 844})
                too_wide[path, width] = page.evaluate(TOO_WIDE)
        assert {where: parts for where, parts in too_wide.items() if parts} == {}


class TestTheContents:
    def test_stay_beside_the_text_of_a_wide_window(self, visitor):
        visitor.page.set_viewport_size({"width": 1280, "height": 844})
        visitor.page.goto("/docs/how-it-works/#where-the-articles-err")
        contents = visitor.page.get_by_role("navigation", name="On this page")
        expect(contents).to_be_in_viewport()
        contents.get_by_role("link").first.click()
        expect(visitor.page.locator("article h2").first).to_be_in_viewport()

    def test_are_folded_on_a_telephone(self, visitor):
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.page.goto("/docs/how-it-works/")
        contents = visitor.page.get_by_role("navigation", name="On this page")
        expect(contents).to_be_hidden()
        visitor.page.locator("summary").filter(has_text="On this page").click()
        expect(contents.get_by_role("link").first).to_be_visible()


class TestTheLinkToAHeading:
    def test_is_shown_to_a_keyboard(self, visitor):
        visitor.page.goto("/docs/how-it-works/")
        link = visitor.page.locator(".heading-link").first
        expect(link).to_have_css("opacity", "0")
        link.focus()
        visitor.page.keyboard.press("Shift+Tab")
        visitor.page.keyboard.press("Tab")
        expect(link).to_be_focused()
        expect(link).to_have_css("opacity", "1")
