"""People at the order pages: what they see there, and what they press."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.test import Client
from playwright.sync_api import Locator, expect

from shop.accounts.queries import find_user
from shop.order_status import Status
from shop.orders.items import NewOrder
from shop.orders.moving import move_order
from tests.browser.conftest import Visitor
from tests.support.browser.folding import unfold_all
from tests.support.orders.making import stored_order


@dataclass
class Shopper(Visitor):
    """A visitor who knows the order pages, signed in or not."""

    username: str = ""

    def tab(self, status: str) -> Locator:
        return self.page.locator(f"#toggle-status-{status}")

    def row(self, order: NewOrder) -> Locator:
        return self.page.locator(f":is(li, tr)[data-order-id='{order.id}']")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    def page_link(self, rel: str) -> Locator:
        return self.page.locator(f"a[rel={rel}]")

    def sees(self, orders: Iterable[NewOrder]) -> None:
        """Wait until exactly these orders are listed."""
        ids = [order.id for order in orders]
        rows = self.page.locator(":is(li, tr)[data-order-id]")
        expect(rows).to_have_count(len(ids))
        for number, order_id in enumerate(ids):
            expect(rows.nth(number)).to_have_attribute("data-order-id", order_id)

    def is_told(self, *sentences: str) -> None:
        """Wait for what a page says at its top, or in its notice where htmx stays on it."""
        expect(self.page.locator(".message, #notice > p")).to_have_text(list(sentences))

    def is_narrow_enough(self, address: str) -> None:
        """Open an address with all that folds out: nothing may be wider than the window."""
        self.page.goto(address)
        unfold_all(self.page)
        width = self.page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= self.page.viewport_size["width"], address


def session_cookie(username: str, *, site: str) -> dict[str, str]:
    """The cookie of somebody who has just signed in."""
    browser = Client()
    browser.force_login(find_user(username))
    return {"name": "sessionid", "value": browser.cookies["sessionid"].value, "url": site}


def cancel_what_is_open(orders: Iterable[NewOrder]) -> None:
    """Take orders out of the queue, which all tests share."""
    for order in orders:
        status = Status(stored_order(order.username, order.id)["status"]["S"])
        if status.is_open:
            move_order(
                username=order.username,
                order_id=order.id,
                source=status,
                target=Status.CANCELED,
                is_staff=True,
                now=datetime.now(UTC),
            )
