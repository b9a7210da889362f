"""What holds for every kind of page in Chromium: it stays in place, can be used, and prints."""

import re

import pytest
from playwright.sync_api import Page, expect

from comments.votes.services import vote
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.browser.test_typed_text_browser import PASSWORD, somebody_with_a_password
from tests.support.catalogue.making import category, products_in, sell
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import someone
from tests.support.orders.making import made_order, put

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

SHELF = "steady"
LAMP, *OTHERS = products_in(SHELF, 7)[3:]
PRODUCT = f"/products/{LAMP.id}/"
COMMENT = f"/comments/{LAMP.id}-0001/"
PAGES = (
    "/", "/categories/", f"/categories/{SHELF}/", PRODUCT, f"{PRODUCT}comments/en/1.2/",
    f"{PRODUCT}most-helpful/", f"{PRODUCT}also-bought/", "/rankings/most-loved/",
    COMMENT, "/users/{username}/", "/orders/", "/orders/{order_id}/", "/basket/",
    "/account/", "/accounts/login/", "/accounts/sign-up/", "/staff/orders/", "/staff/comments/",
    "/staff/activity/", "/lab/",
)  # fmt: skip
MOST_SHIFT = 0.05
"""Half of what counts as good."""
FIRST_COMMENT = 900
"""Pixels from the top of a list's page on a telephone, at the most."""
NOTE_SHIFTS = """
    window.shift = 0;
    new PerformanceObserver((list) => {
        const unasked = list.getEntries().filter((entry) => !entry.hadRecentInput);
        for (const entry of unasked) window.shift += entry.value;
    }).observe({type: "layout-shift", buffered: true});
"""
SMALL_TARGETS = """
    links => links.map(link => link.getBoundingClientRect())
        .filter(box => box.width < 24 || box.height < 24).length
"""
SKIPPED_LEVELS = """
    headings => headings.map(it => Number(it.tagName[1]))
        .filter((level, n, all) => n > 0 && level > all[n - 1] + 1)
"""


@pytest.fixture(scope="module", autouse=True)
def steady(tables):
    """A product that is bought with four others, with comments in two languages."""
    put_catalogue(categories=[category(SHELF)], products=[LAMP, *OTHERS])
    for _ in range(5):
        sold = [LAMP.id, *(product.id for product in OTHERS)]
        sell(unique("buyer"), sold, day=1, status=Status.DELIVERED)
    load(numbered_comments(LAMP.id, count=50, languages=("de", "en")))


@pytest.fixture
def staff():
    return someone("sam", is_staff=True)


@pytest.fixture
def sam(seat, staff):
    return seat(staff)


@pytest.fixture
def mine(staff):
    """A comment of the staff's that somebody finds helpful."""
    comment = staff.write(LAMP.id).comment
    vote(comment_id=comment.id, username=unique("bob"))
    return comment


def scroll_through(page: Page) -> None:
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height + 600, 600):
        page.evaluate("top => scrollTo(0, top)", top)
        page.wait_for_timeout(40)
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.wait_for_timeout(150)


class TestNothingMoves:
    @pytest.mark.parametrize("width", [375, 1280])
    def test_while_a_page_is_loaded_and_scrolled_through_nor_is_it_too_wide(
        self, sam, staff, mine, width
    ):
        put(order := made_order(staff.username))
        sam.page.add_init_script(NOTE_SHIFTS)
        sam.page.set_viewport_size({"width": width, "height": 844})
        shifts = {}
        for path in PAGES:
            sam.page.goto(path.format(username=staff.username, order_id=order.id))
            scroll_through(sam.page)
            shifts[path] = sam.page.evaluate("shift")
            assert sam.page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert {path: shift for path, shift in shifts.items() if shift > MOST_SHIFT} == {}


class TestOnATelephone:
    @pytest.mark.parametrize("chosen", ["~/~", "de.en/1.2"])
    def test_comments_begin_on_the_first_screen(self, visitor, chosen):
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.page.goto(f"{PRODUCT}comments/{chosen}/")
        first = visitor.page.locator("[data-comment-id]").first.bounding_box()
        assert first["y"] <= FIRST_COMMENT


class TestThePrintedPage:
    @pytest.fixture
    def on_paper(self, sam):
        sam.page.emulate_media(media="print")
        return sam.page

    def test_of_a_product_has_its_price_and_no_buttons(self, on_paper):
        on_paper.goto(PRODUCT)
        expect(on_paper.locator(".basket-form .price")).to_be_visible()
        expect(on_paper.locator("[data-comment-id]").first).to_be_visible()
        self.has_nothing_to_press(on_paper)

    @pytest.mark.parametrize("path", ["/orders/", "/orders/{}/", COMMENT])
    def test_has_no_buttons(self, on_paper, staff, path):
        put(order := made_order(staff.username))
        on_paper.goto(path.format(order.id))
        expect(on_paper.locator("h1")).to_be_visible()
        self.has_nothing_to_press(on_paper)

    @staticmethod
    def has_nothing_to_press(page: Page) -> None:
        pressed = page.locator(":is(button, .button, input, select, textarea, [role=button])")
        expect(pressed.filter(visible=True)).to_have_count(0)


class TestThoseWhoDoNotSeeOrPoint:
    def test_hit_every_link_that_deletes(self, sam):
        sam.page.goto(PRODUCT)
        links = sam.page.locator("[data-delete]")
        assert links.count() == 20
        assert links.evaluate_all(SMALL_TARGETS) == 0

    @pytest.mark.parametrize("path", [PRODUCT, f"{PRODUCT}most-helpful/", "/users/{}/"])
    def test_find_headings_without_a_gap(self, sam, staff, mine, path):
        sam.page.goto(path.format(staff.username))
        assert sam.page.locator("h1, h2, h3, h4").evaluate_all(SKIPPED_LEVELS) == []

    def test_hear_whose_comment_a_button_is_about(self, visitor):
        visitor.page.goto(f"{PRODUCT}comments/~/~/")
        named = visitor.page.get_by_role("link", name="the comment by").get_by_text("Helpful")
        expect(named).to_have_count(20)

    @pytest.mark.parametrize("width", [320, 390, 1280])
    def test_skip_to_the_comments(self, visitor, width):
        visitor.page.set_viewport_size({"width": width, "height": 844})
        visitor.page.goto(PRODUCT)
        for _ in range(2):
            visitor.page.keyboard.press("Tab")
        link = visitor.page.locator(":focus")
        expect(link).to_have_text("Skip to the comments")
        expect(link).to_be_in_viewport(ratio=1)
        visitor.page.keyboard.press("Enter")
        assert visitor.focus == "list-heading"
        expect(visitor.page.locator("#list-heading")).to_be_in_viewport()


class TestSigningIn:
    @pytest.mark.parametrize(
        ("link", "reason", "there"),
        [
            ("Helpful", "say that a comment is helpful", "#thread .helpful"),
            ("Report", "report a comment", ".report-form"),
            ("Write a comment", "write a comment", "#comment-form"),
        ],
    )
    def test_leads_to_what_the_visitor_wanted(self, visitor, link, reason, there):
        somebody, page = somebody_with_a_password(), visitor.page
        page.goto(PRODUCT)
        page.get_by_role("link", name=re.compile(f"^{link}")).first.click()
        expect(page.locator(".lede")).to_have_text(f"Sign in to {reason}.")
        page.get_by_label("User name").fill(somebody.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(there)).to_be_in_viewport()
