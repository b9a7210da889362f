"""The page of the API's operations in Chromium: in the site's look, and at rest."""

import pytest
from playwright.sync_api import expect

from tests.support.browser.axe import axe_finds_nothing, bring_axe

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

PATH = "/api/v1/docs"
NOTE_SHIFTS = """
    window.shifted = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            if (!entry.hadRecentInput) {
                window.shifted.push(entry.value);
            }
        }
    }).observe({type: "layout-shift", buffered: true});
"""
COLOURS = """() => {
    const page = getComputedStyle(document.body);
    const shown = getComputedStyle(document.querySelector(".opblock-summary-path"));
    return [page.backgroundColor, page.color, shown.color];
}"""
WIDTH = "document.documentElement.scrollWidth"


def brightness(colour: str) -> float:
    """The mean of the parts of a colour like ``rgb(17, 22, 20)``."""
    parts = [int(part) for part in colour[4:-1].split(",")]
    return sum(parts) / len(parts)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_operations_are_in_the_look_of_the_site_and_do_not_move(open_context, scheme, width):
    context = open_context(
        color_scheme=scheme, viewport={"width": width, "height": 844}, locale="en-GB"
    )
    page = context.new_page()
    page.add_init_script(NOTE_SHIFTS)
    page.goto(PATH)
    expect(page.locator(".opblock").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.shifted") == []
    paper, ink, shown = (brightness(colour) for colour in page.evaluate(COLOURS))
    assert (paper < 128) == (scheme == "dark")
    assert abs(ink - paper) > 128
    assert abs(shown - paper) > 128
    post = page.locator(".opblock-post").first
    post.get_by_role("button").first.click()
    expect(post.locator(".responses-wrapper")).to_be_visible()
    assert page.evaluate(WIDTH) == width
    for tab in post.get_by_role("tab", name="Schema").all():
        tab.click()
    assert "`" not in page.locator("#swagger-ui").inner_text()


def test_axe_finds_nothing_in_the_operations_wide_and_narrow_light_and_dark(open_context):
    page = open_context(locale="en-GB").new_page()
    bring_axe(page)
    page.goto(PATH)
    operation = page.locator(".opblock-post").first
    operation.get_by_role("button").first.click()
    expect(operation.locator(".responses-wrapper")).to_be_visible()
    assert axe_finds_nothing(page)
