"""Every type of page in Chromium: it stays in place, fits its window, and its boxes are in line."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.folding import unfold_all
from tests.support.config.addresses import people
from tests.support.config.page_types import addresses_of, furnished

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

MOST_SHIFT = 0.005
"""What nobody sees: the words of a button, or the rows of a table, that come a moment later."""
MOST_OUT_OF_LINE = 2
"""Pixels between the middle of a box to tick and that of the words beside it."""
NOTE_SHIFTS = """
    window.shift = 0;
    window.shifted = [];
    new PerformanceObserver((list) => {
        const unasked = list.getEntries().filter((entry) => !entry.hadRecentInput);
        for (const entry of unasked) {
            window.shift += entry.value;
            for (const {node, previousRect, currentRect} of entry.sources) {
                const name = node?.id || node?.className || node?.nodeName;
                const [before, after] = [previousRect, currentRect].map(
                    ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" "),
                );
                window.shifted.push(`${name}: ${before} to ${after}`);
            }
        }
    }).observe({type: "layout-shift", buffered: true});
"""
SCROLL_THROUGH = """
    async () => {
        for (let top = 0; top < document.documentElement.scrollHeight; top += 600) {
            scrollTo(0, top);
            do await new Promise((seen) => setTimeout(seen, 20));
            while (document.querySelector(".htmx-request"));
        }
    }
"""
OUT_OF_LINE = """
    (most) => {
        const middle = (box) => box.top + box.height / 2;
        const firstLine = (label) => {
            const words = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
            for (let text = words.nextNode(); text; text = words.nextNode()) {
                const range = document.createRange();
                range.selectNodeContents(text);
                if (text.data.trim() && range.getClientRects().length)
                    return range.getClientRects()[0];
            }
            return null;
        };
        const boxes = [...document.querySelectorAll("input[type=checkbox], input[type=radio]")];
        return boxes.flatMap((box) => [...box.labels].flatMap((label) => {
            const line = firstLine(label);
            const shown = box.checkVisibility({opacityProperty: true}) && line && line.width > 1;
            const apart = shown ? middle(box.getBoundingClientRect()) - middle(line) : 0;
            return Math.abs(apart) < most ? [] : [`${label.textContent.trim()}: ${apart}`];
        }));
    }
"""


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def arguments(known):
    return furnished(known)


@pytest.fixture(autouse=True)
def short_pages(settings):
    settings.PAGE_SIZE = 3


def faults_of(page: Page, width: int) -> list[str]:
    """What is wrong with the layout of the page that is open."""
    page.evaluate(SCROLL_THROUGH)
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate("new Promise(requestAnimationFrame)")
    faults = []
    shift = page.evaluate("shift")
    if shift > MOST_SHIFT:
        faults.append(f"moves by {shift:.3f}: {page.evaluate('shifted')}")
    # What is folded may be as wide.
    unfold_all(page)
    shown = page.evaluate("document.documentElement.scrollWidth")
    if shown > width:
        faults.append(f"is {shown} px wide")
    faults += page.evaluate(OUT_OF_LINE, MOST_OUT_OF_LINE)
    return faults


class TestEveryTypeOfPage:
    @pytest.mark.parametrize("width", [320, 390, 1280])
    @pytest.mark.parametrize("role", ["nobody", "owner", "other", "staff"])
    def test_stays_in_place_and_fits_its_window(self, visitor, seat, known, arguments, role, width):
        arrived = seat(known[role]) if role in known else visitor
        arrived.page.add_init_script(NOTE_SHIFTS)
        arrived.page.set_viewport_size({"width": width, "height": 844})
        faults = {}
        for address in addresses_of(role, arguments):
            arrived.page.goto(address)
            found = faults_of(arrived.page, width)
            if found:
                faults[address] = found
            # The browser says of each page that it was refused, and nothing else.
            arrived.forgive("Failed to load resource: the server responded with a status of 40")
            assert arrived.is_clean()
        assert faults == {}
