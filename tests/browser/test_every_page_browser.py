"""What holds for every kind of page in Chromium: it stays in place, can be used, and prints."""

import re
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from shop.accounts.services import create_profile
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.pickup.bulk_writes import put_points
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint
from tests.support.catalogue.making import category, products_in, sell
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import someone
from tests.support.orders.making import made_order, put

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

SHELF = "steady"
PASSWORD = "correct horse battery staple"  # noqa: S105 - of nobody
LAMP, *OTHERS = products_in(SHELF, 7)[3:]
PRODUCT = f"/products/{LAMP.id}/"
COMMENT = f"/comments/{LAMP.id}-0001/"
FIRST_COMMENT = 900
"""Pixels from the top of a list's page on a telephone, at the most."""
WIDTH_WITHOUT_MENU = 768
FAULTS_OF_THE_HEADER = """
    () => [...document.querySelectorAll(".site-header :is(a, button, summary, [role=combobox])")]
        .filter((one) => one.checkVisibility())
        .filter((one) => {
            const { left, right, width, height } = one.getBoundingClientRect();
            return left < 0 || right > innerWidth || Math.min(width, height) < 24;
        })
        .filter((one) => !one.closest("[hidden]"))
        .map((one) => one.outerHTML)
"""


@pytest.fixture(scope="module", autouse=True)
def steady(tables):
    """A product that is bought with four others, with comments in two languages."""
    put_catalogue(categories=[category(SHELF)], products=[LAMP, *OTHERS])
    for _ in range(5):
        sold = [LAMP.id, *(product.id for product in OTHERS)]
        sell(unique("buyer"), sold, day=1, status=Status.DELIVERED)
    load(numbered_comments(LAMP.id, count=50, languages=("de", "en")))
    load([written(LAMP.id, created_at=datetime(2020, 1, 1, tzinfo=UTC))])


@pytest.fixture
def staff():
    return someone("sam", is_staff=True)


@pytest.fixture
def sam(seat, staff):
    return seat(staff)


def faults_of_the_header(page: Page) -> list[str]:
    """Return the controls of the header that are outside the window, or too small to press."""
    return list(page.evaluate(FAULTS_OF_THE_HEADER))


class TestTheHeader:
    @pytest.mark.parametrize("language", ["en", "de"])
    @pytest.mark.parametrize("reader", ["staff", "customer", "visitor"])
    def test_fits_at_every_width_without_javascript_too(
        self, seat, staff, open_context, site, reader, language
    ):
        options = {"locale": language, "java_script_enabled": False}
        if reader == "visitor":
            page = open_context(**options).new_page()
        elif reader == "staff":
            page = seat(staff, **options).page
        else:
            page = seat(someone("alex"), **options).page
        page.goto(f"{site}/basket/")
        for width in (320, 390, 767, 768, 1200, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            menu = page.locator(".site-menu summary")
            assert menu.is_visible() == (width < WIDTH_WITHOUT_MENU)
            assert faults_of_the_header(page) == [], width
            if width < WIDTH_WITHOUT_MENU:
                menu.click()
                assert faults_of_the_header(page) == [], width
                menu.click()

    @pytest.mark.parametrize("language", ["en", "de"])
    def test_of_staff_is_one_row_on_a_desktop(self, seat, staff, language):
        page = seat(staff, locale=language).page
        page.set_viewport_size({"width": 1280, "height": 844})
        page.goto("/staff/orders/")
        links = page.locator(".site-header > .site-row > * > :is(a, form, details)")
        boxes = [link.bounding_box() for link in links.all() if link.is_visible()]
        assert len(boxes) > 6
        middles = [box["y"] + box["height"] / 2 for box in boxes]
        assert max(middles) - min(middles) < 20

    def test_of_staff_has_what_is_rare_in_a_menu_that_escape_and_a_press_elsewhere_close(self, sam):
        page = sam.page
        page.set_viewport_size({"width": 1280, "height": 844})
        page.goto("/staff/orders/")
        more, keys = page.locator(".nav-more summary"), page.get_by_role("link", name="API keys")
        more.click()
        expect(keys).to_be_in_viewport(ratio=1)
        keys.focus()
        page.keyboard.press("Escape")
        expect(keys).to_be_hidden()
        expect(more).to_be_focused()
        more.click()
        page.locator("h1").click(position={"x": 5, "y": 5})
        expect(keys).to_be_hidden()

    def test_folds_its_links_into_a_menu_beside_the_basket(self, seat, staff):
        page = seat(staff, java_script_enabled=False).page
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto("/staff/orders/")
        header, menu = page.locator(".site-header"), page.locator(".site-menu summary")
        leave = header.get_by_role("button", name="Sign out")
        expect(header.get_by_role("link", name="Basket")).to_be_visible()
        expect(leave).to_be_hidden()
        menu.focus()
        page.keyboard.press("Enter")
        expect(leave).to_be_in_viewport(ratio=1)
        expect(header.get_by_role("link", name="How it works")).to_be_in_viewport(ratio=1)

    def test_closes_its_menu_by_escape_and_by_a_press_elsewhere(self, sam):
        page = sam.page
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto("/orders/")
        menu, leave = (
            page.locator(".site-menu summary"),
            page.get_by_role("button", name="Sign out"),
        )
        menu.click()
        leave.focus()
        page.keyboard.press("Escape")
        expect(leave).to_be_hidden()
        expect(menu).to_be_focused()
        menu.click()
        expect(leave).to_be_visible()
        page.locator("h1").click()
        expect(leave).to_be_hidden()


class TestTheTimeline:
    @pytest.mark.parametrize("end", [Status.CANCELED, Status.RETURNED])
    def test_marks_an_order_called_off_or_sent_back_otherwise(self, sam, staff, end):
        put(order := made_order(staff.username, end))
        sam.page.goto(f"/orders/{order.id}/")
        placed, ended = (
            sam.page.locator(f".history [data-status={status}]").evaluate(
                "step => getComputedStyle(step, '::before').backgroundColor"
            )
            for status in ("PLACED", end.value)
        )
        assert placed != ended


class TestOnATelephone:
    def test_comments_begin_on_the_first_screen(self, visitor):
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.page.goto(f"{PRODUCT}comments/de.en/1.2/")
        first = visitor.page.locator("[data-comment-id]").first.bounding_box()
        assert first["y"] <= FIRST_COMMENT

    def test_the_choice_of_delivery_is_round(self, sam):
        far = Coordinates.at(-47.5, -160.5)
        name = "A kiosk whose name and address take more than a line"
        put_points([PickupPoint(unique("point"), name, f"{name}, 1", far, "Daily 7-22")])
        sam.page.set_viewport_size({"width": 390, "height": 844})
        sam.page.goto(PRODUCT)
        sam.page.locator(".basket-form button").click()
        sam.page.goto("/basket/order/?near=-47.5, -160.5")
        boxes = [radio.bounding_box() for radio in sam.page.get_by_role("radio").all()]
        assert len(boxes) > 1
        assert [box for box in boxes if round(box["width"]) != round(box["height"])] == []


class TestTheLab:
    def test_leads_on_by_what_looks_like_links(self, visitor):
        visitor.page.goto("/lab/")
        looks = visitor.page.locator(".lab-links a").evaluate_all(
            "links => links.map(link => [getComputedStyle(link, '::before').content,"
            " getComputedStyle(link).textDecorationLine])"
        )
        assert len(looks) >= 3
        assert {tuple(look) for look in looks} == {("none", "underline")}


class TestThePrintedPage:
    def test_has_what_it_is_about_and_no_buttons(self, sam, staff):
        put(order := made_order(staff.username))
        page = sam.page
        page.emulate_media(media="print")
        pressed = page.locator(":is(button, .button, input, select, textarea, [role=button])")
        for path, shown in (
            (PRODUCT, ".basket-form .price"),
            (PRODUCT, "[data-comment-id]"),
            (f"{PRODUCT}comments/~/~/", "[data-comment-id]"),
            (f"/orders/{order.id}/", "h1"),
            (COMMENT, "h1"),
        ):
            page.goto(path)
            expect(page.locator(shown).first).to_be_visible()
            expect(pressed.filter(visible=True)).to_have_count(0)


class TestThoseWhoDoNotSeeOrPoint:
    def test_skip_to_the_comments(self, visitor):
        visitor.page.set_viewport_size({"width": 320, "height": 844})
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
    def test_leads_to_what_the_visitor_wanted(self, visitor):
        username, page = unique("alice"), visitor.page
        create_profile(username=username, password=PASSWORD, now=timezone.now())
        page.goto(PRODUCT)
        page.get_by_role("link", name=re.compile("^Helpful")).first.click()
        expect(page.locator(".lede")).to_have_text("Sign in to say that a comment is helpful.")
        page.get_by_label("User name").fill(username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        comment = page.locator("article:target")
        expect(comment).to_be_in_viewport()
        expect(comment).to_be_focused()
        expect(comment.locator(".helpful")).to_have_attribute("aria-pressed", "true")
