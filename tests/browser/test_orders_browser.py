"""Orders in Chromium, from the basket to the queue."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shop.accounts.services import create_profile
from shop.order_status import OPEN, Status
from shop.orders.items import NewLine, NewOrder
from tests.browser.conftest import hold_requests
from tests.support.browser.order_visits import Shopper, cancel_what_is_open, session_cookie
from tests.support.orders.addresses import TYPED
from tests.support.orders.making import START, made_order, put
from tests.support.orders.making import put_product as put_product_item

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

DAY = timedelta(days=1)
LONG_AGO = datetime(1971, 1, 1, tzinfo=UTC)
"""Nobody else's orders are as old: these come first in the queue."""


Arrive = Callable[..., Shopper]


@pytest.fixture
def arrive(site, open_context):
    """Opens a browser for somebody; none of them may have had anything to complain about."""
    shoppers = []

    def arrive(username: str = "", **options: Any) -> Shopper:
        context = open_context(locale="en-GB", **options)
        if username:
            context.add_cookies([session_cookie(username, site=site)])
        shoppers.append(Shopper.arrive(context))
        shoppers[-1].username = username
        return shoppers[-1]

    yield arrive
    assert all(shopper.is_clean() for shopper in shoppers)


@pytest.fixture
def enrol(arrive, fresh):
    def enrol(kind: str, *, is_staff: bool = False, **options: Any) -> Shopper:
        username = fresh(kind)
        create_profile(username=username, password=None, now=datetime.now(UTC), is_staff=is_staff)
        return arrive(username, **options)

    return enrol


@pytest.fixture
def alice(enrol):
    return enrol("alice")


@pytest.fixture
def sam(enrol):
    return enrol("sam", is_staff=True)


@pytest.fixture
def orders(alice):
    """Alice's: one a day, in turn shipped, delivered and canceled, nine in all."""
    statuses = [Status.SHIPPED, Status.DELIVERED, Status.CANCELED] * 3
    made = [
        made_order(alice.username, status, placed_at=START + n * DAY)
        for n, status in enumerate(statuses)
    ]
    put(*made)
    return made


@pytest.fixture
def queued(alice, settings):
    """Alice's again: the first page of the queue, with two that can be shipped at its end."""
    statuses = [*OPEN, Status.PROCESSING]
    made = [
        made_order(alice.username, status, placed_at=LONG_AGO + n * DAY)
        for n, status in enumerate(statuses)
    ]
    put(*made)
    settings.PAGE_SIZE = len(made)
    yield made
    cancel_what_is_open(made)


@pytest.fixture
def lamp(fresh):
    return put_product_item(fresh("lamp"), cents=1_999)


def in_status(orders: list[NewOrder], *statuses: Status) -> list[NewOrder]:
    return [order for order in orders if order.now_in.status in statuses]


class TestAnAccount:
    def test_shows_nothing_more_once_it_is_left(self, alice, orders):
        alice.page.goto("/orders/")
        alice.button("Sign out").click()
        alice.page.wait_for_url("**/accounts/logout/")
        alice.page.go_back()
        expect(alice.page.locator("h1")).to_have_text("Sign in")
        alice.sees([])


class TestTheListOfOrders:
    def test_is_gone_through_with_the_back_button(self, alice, orders, settings):
        settings.PAGE_SIZE = 2
        shipped = list(reversed(in_status(orders, Status.SHIPPED)))
        alice.page.goto("/orders/")
        alice.sees(orders[:-3:-1])
        alice.tab("SHIPPED").click()
        alice.sees(shipped[:2])
        alice.page_link("next").click()
        alice.sees(shipped[2:])
        alice.page.go_back()
        alice.sees(shipped[:2])
        alice.page.go_back()
        alice.sees(orders[:-3:-1])
        assert alice.address == "/orders/"
        alice.page.go_forward()
        alice.sees(shipped[:2])


class TestTheQueue:
    def test_stays_on_its_page_and_leaves_out_what_left_it(self, sam, queued, settings):
        settings.PAGE_SIZE = 2
        sam.page.goto("/staff/orders/")
        sam.page_link("next").click()
        sam.sees(queued[2:])
        address = sam.address
        sam.row(queued[2]).get_by_role("button", name="Ship").click()
        sam.sees(queued[3:])
        assert sam.address == address
        length = sam.page.locator(".heading-count").inner_text()
        expect(sam.page.locator("#count-queue")).to_have_text(length)
        sam.row(queued[3]).get_by_role("link").first.click()
        expect(sam.page.locator("h1")).to_have_text(f"Order …{queued[3].id[-8:]}")
        sam.page.go_back()
        sam.sees(queued[3:])


class TestWhatJavaScriptAdds:
    def test_is_that_no_page_is_loaded_anew_and_the_focus_goes_to_the_next_row(self, sam, queued):
        sam.page.goto("/staff/orders/")
        loads = len(sam.loads)
        sam.row(queued[2]).get_by_role("button", name="Ship").click()
        expect(sam.row(queued[2])).to_have_count(0)
        expect(sam.row(queued[3])).to_be_focused()
        sam.row(queued[1]).get_by_role("button", name="Process").click()
        expect(sam.row(queued[1])).to_have_attribute("data-status", "PROCESSING")
        expect(sam.row(queued[1])).to_be_focused()
        assert len(sam.loads) == loads

    def test_is_that_one_thing_is_done_to_the_queue_at_a_time(self, sam, queued):
        sam.page.goto("/staff/orders/")
        held = hold_requests(sam.page, "**/move/**")
        for order in queued[2:]:
            sam.row(order).get_by_role("button", name="Ship").click()
        while not held:
            sam.page.wait_for_timeout(50)
        held[0].continue_()
        sam.is_told(f"Order …{queued[2].id[-8:]} is now shipped.")
        sam.sees([*queued[:2], queued[3]])
        assert len(held) == 1

    def test_is_that_a_refusal_does_not_look_like_a_success(self, sam, queued):
        sam.page.goto("/staff/orders/")
        cancel_what_is_open(queued[2:3])
        sam.row(queued[2]).get_by_role("button", name="Ship").click()
        sam.is_told(f"Order …{queued[2].id[-8:]} is already cancelled, so it was not changed.")
        expect(sam.page.locator("#notice")).not_to_have_class("notice notice-said")
        sam.row(queued[3]).get_by_role("button", name="Ship").click()
        sam.is_told(f"Order …{queued[3].id[-8:]} is now shipped.")
        expect(sam.page.locator("#notice")).to_have_class("notice notice-said")

    def test_is_one_box_that_selects_all(self, sam, queued):
        sam.page.goto("/staff/orders/")
        bar = sam.page.locator("#bulk")
        expect(bar).to_contain_text("None selected")
        expect(sam.button("Ship (the selected orders)")).to_be_disabled()
        sam.page.get_by_label("All orders on this page").check()
        expect(bar).to_contain_text("4 selected")
        sam.button("Clear").click()
        expect(bar).to_contain_text("None selected")
        sam.page.get_by_label("All orders on this page").check()
        sam.row(queued[0]).get_by_role("checkbox").uncheck()
        sam.row(queued[1]).get_by_role("checkbox").uncheck()
        expect(sam.button("Approve (the selected orders)")).to_be_disabled()
        sam.button("Ship (the selected orders)").click()
        expect(sam.page.locator("h1")).to_have_text("2 orders were shipped.")
        assert sam.focus == "list-heading"
        sam.link("Back to the queue").click()
        sam.sees(queued[:2])

    def test_is_that_all_of_a_status_are_moved_by_one_click(self, sam, queued, settings):
        settings.PAGE_SIZE = 1
        sam.page.goto("/staff/orders/all/?status=PROCESSING&to=1971-02-01")
        loads = len(sam.loads)
        sam.button("Ship all").click()
        expect(sam.page.locator("#step")).to_contain_text("All done. 2 orders were shipped.")
        expect(sam.page.locator("[data-outcome]")).to_have_count(0)
        assert len(sam.loads) == loads


def fill_address(page: Page) -> None:
    """Type the address that an order goes to."""
    for name, text in TYPED.items():
        field = page.locator(f"[name={name}]")
        if name.endswith("country"):
            field.select_option(text)
        else:
            field.fill(text)


class TestTheCheckout:
    def test_takes_an_address_by_keyboard_and_keeps_what_is_typed(self, alice, lamp):
        page, keyboard = alice.page, alice.page.keyboard
        page.goto(f"/products/{lamp}/")
        alice.button("Add to basket").click()
        alice.link("Go to checkout").click()
        page.get_by_label("Delivery to your address").focus()
        for text in ("Erika Example", "Musterweg 1", "1011", "Berlin", "", "Germany"):
            keyboard.press("Tab")
            keyboard.type(text)
        expect(page.get_by_label("Country")).to_have_value("DE")
        alice.button("Place order").focus()
        keyboard.press("Enter")
        wrong = page.get_by_label("Postal code")
        expect(wrong).to_have_attribute("aria-invalid", "true")
        expect(wrong).to_have_value("1011")
        expect(page.get_by_label("Name")).to_have_value("Erika Example")
        wrong.fill("10115")
        alice.button("Place order").focus()
        keyboard.press("Enter")
        page.wait_for_url("**/orders/*/")
        expect(page.locator("main")).to_contain_text("10115 BERLIN")


class TestTheBasket:
    def test_is_empty_behind_the_back_button_once_it_is_ordered(self, alice, lamp):
        alice.page.goto(f"/products/{lamp}/")
        alice.button("Add to basket").click()
        alice.link("Go to checkout").click()
        fill_address(alice.page)
        alice.button("Place order").click()
        alice.page.wait_for_url("**/orders/*/")
        alice.page.go_back()
        alice.page.wait_for_url("**/basket/")
        expect(alice.page.locator(".basket")).to_contain_text("Your basket is empty.")


class TestTheQueueAsATable:
    @pytest.fixture
    def many(self, alice, settings):
        made = [
            made_order(alice.username, Status.PROCESSING, placed_at=LONG_AGO + n * DAY)
            for n in range(20)
        ]
        put(*made)
        settings.PAGE_SIZE = len(made)
        yield made
        cancel_what_is_open(made)

    def test_shows_eighteen_orders_at_once_on_a_wide_screen(self, enrol, many):
        sam = enrol("sam", is_staff=True, viewport={"width": 1920, "height": 1080})
        sam.page.goto("/staff/orders/")
        boxes = [sam.row(order).bounding_box() for order in many]
        assert sum(box["y"] + box["height"] <= 1080 for box in boxes) >= 18
        assert all(40 <= box["height"] <= 44 for box in boxes)


class TestTheRowsOfOrders:
    @pytest.mark.parametrize("width", [1280, 390])
    def test_are_low_and_have_two_lines_beside_a_picture(self, enrol, width):
        buyer = enrol("alice", viewport={"width": width, "height": 800})
        lines = [NewLine(f"pan-{n}", "Enamelled Frying Pan", 2, 12_345) for n in range(3)]
        made = [
            made_order(buyer.username, status, placed_at=LONG_AGO, lines=lines)
            for status in (Status.SHIPPED, Status.CANCELED)
        ]
        put(*made)
        for query in ("", "?status=SHIPPED&status=CANCELED"):
            buyer.page.goto(f"/orders/{query}")
            for order in made:
                assert 56 <= buyer.row(order).bounding_box()["height"] <= 72
                expect(buyer.row(order).locator("img")).to_be_visible()

    def test_are_on_the_first_screen_of_a_phone_whose_filters_are_folded(self, enrol):
        buyer = enrol("alice", viewport={"width": 375, "height": 800})
        put(order := made_order(buyer.username, Status.SHIPPED, placed_at=LONG_AGO))
        buyer.page.goto("/orders/")
        box = buyer.row(order).bounding_box()
        assert box["y"] + box["height"] <= 800
        expect(buyer.page.locator("#dates-today")).to_be_hidden()
        buyer.page.locator("#filter summary").click()
        buyer.page.locator("#dates-today").click()
        expect(buyer.page.locator("#filter summary")).to_have_text("Filter (1)")
        expect(buyer.page.locator("#dates-today")).to_be_visible()
        expect(buyer.page.locator("#dates-today")).to_have_attribute("aria-current", "true")


class TestAWindowOf320Pixels:
    @pytest.fixture
    def narrow(self, enrol):
        return enrol("sam" + "w" * 40, is_staff=True, viewport={"width": 320, "height": 640})

    @pytest.fixture
    def wide_order(self, narrow, fresh):
        lines = [NewLine("lamp", "Donaudampfschifffahrtslampe" * 4, 99, 99_999_999)]
        order = made_order(
            narrow.username,
            Status.PROCESSING,
            placed_at=LONG_AGO - DAY,
            foreign_id=fresh("f" * 64),
            lines=lines,
        )
        put(order)
        yield order
        cancel_what_is_open([order])

    def test_needs_no_sideways_scrolling_for_orders(self, narrow, wide_order):
        for address in (
            "/orders/",
            "/orders/?status=SHIPPED&from=2023-01-01",
            f"/orders/{wide_order.id}/",
            "/staff/orders/",
            f"/staff/customers/{narrow.username}/orders/",
        ):
            narrow.is_narrow_enough(address)

    def test_has_room_for_what_is_told(self, narrow, wide_order):
        narrow.page.goto("/staff/orders/")
        narrow.row(wide_order).get_by_role("button", name="Ship").click()
        dismiss = narrow.button("Dismiss")
        expect(dismiss).to_be_visible()
        assert dismiss.evaluate("button => button.getBoundingClientRect().right") <= 320 - 16
        dismiss.click()
        narrow.is_told()
