"""Forms on a telephone: as wide as the window, and boxes to tick level with their labels."""

import pytest
from playwright.sync_api import Page

from tests.support.browser.folding import unfold_all
from tests.support.comments.writers import made_product, new_url, someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

WIDTH = 390
MOST_BESIDE = 2
"""Pixels between the middle of a box to tick and that of the first line of its label."""
BESIDE_LABELS = """
    () => {
        const boxes = document.querySelectorAll(
            "input[type=checkbox]:not([hidden]), input[type=radio]:not([hidden])"
        );
        const found = [];
        for (const box of boxes) {
            const place = box.getBoundingClientRect();
            const isSeen = box.checkVisibility({opacityProperty: true});
            if (!box.labels.length || place.width < 5 || !isSeen) continue;
            const words = document.createTreeWalker(box.labels[0], NodeFilter.SHOW_TEXT);
            let line = null;
            while (!line && words.nextNode()) {
                const node = words.currentNode;
                const isShown = node.parentElement.checkVisibility();
                if (!isShown || !node.data.trim()) continue;
                const range = document.createRange();
                const begin = node.data.search(/\\S/);
                range.setStart(node, begin);
                range.setEnd(node, begin + 1);
                const rect = range.getClientRects()[0];
                if (rect && rect.width > 1) line = rect;
            }
            if (!line) continue;
            const beside = place.top + place.height / 2 - line.top - line.height / 2;
            found.push([box.name + " " + box.labels[0].innerText.slice(0, 20), beside]);
        }
        return found;
    }
"""


@pytest.fixture
def page(seat):
    page: Page = seat(someone("sam", is_staff=True)).page
    page.set_viewport_size({"width": WIDTH, "height": 844})
    return page


class TestFormsOnATelephone:
    def test_fit_the_window_and_have_boxes_level_with_their_labels(self, page):
        product_id = made_product()
        paths = (
            "/staff/products/new/",
            f"/staff/products/{product_id}/edit/",
            "/staff/categories/new/",
            f"/products/{product_id}/",
            new_url(product_id),
        )
        wide, measured = {}, []
        for path in paths:
            page.goto(path)
            unfold_all(page)
            wide[path] = page.evaluate("document.documentElement.scrollWidth")
            measured += page.evaluate(BESIDE_LABELS)
        assert {path: width for path, width in wide.items() if width > WIDTH} == {}
        assert len(measured) >= 3
        assert [each for each in measured if abs(each[1]) >= MOST_BESIDE] == []
