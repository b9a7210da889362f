"""The navigation on every page: where one is, and what waits there."""

import pytest
from django.core.cache import cache
from django.test import Client

from comments.lists.queries import find_comment
from comments.reports.services import Reason, report_comment
from config.navigation import COUNT_READERS, Waiting, remember_waiting
from dynapages.calls import Throttled, clock, metered
from shop.order_status import Status
from shop.orders.counts import read_queue_lengths
from tests.support.comments.browsing import HTMX
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import someone
from tests.support.markup import Element, read_markup
from tests.support.orders.making import made_order, put, put_product

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def sam():
    cache.clear()
    return someone("sam", is_staff=True).browser


def links(browser: Client, path: str) -> list[Element]:
    page = read_markup(browser.get(path).content.decode())
    return page.one("nav", aria_label="Site").all("a")


def texts(browser: Client, path: str) -> list[str]:
    return [link.text for link in links(browser, path)]


def marked(browser: Client, path: str) -> dict[str, str | None]:
    return {
        one["href"]: one.get("aria-current")
        for one in links(browser, path)
        if one.get("aria-current")
    }


class TestWhereOneIs:
    def test_is_marked_on_its_page(self, sam):
        for path in ("/orders/", "/staff/orders/", "/staff/comments/", "/basket/"):
            assert marked(sam, path) == {path: "page"}

    def test_is_marked_on_the_pages_below(self, sam):
        assert marked(sam, "/staff/orders/all/?status=PLACED") == {"/staff/orders/": "true"}

    def test_is_the_queue_for_orders_of_others(self, sam, fresh):
        put(order := made_order(fresh("alex")))
        for path in (
            f"/orders/{order.id}/",
            f"/orders/{order.id}/cancel/",
            f"/staff/customers/{order.username}/orders/",
            f"/staff/products/{put_product(fresh('lamp'))}/orders/",
            "/staff/find/",
        ):
            assert marked(sam, path) == {"/staff/orders/": "true"}, path

    def test_is_the_list_of_ones_own_orders_for_these(self):
        staff = someone("sam", is_staff=True)
        put(order := made_order(staff.username))
        assert marked(staff.browser, f"/orders/{order.id}/") == {"/orders/": "true"}

    def test_is_nowhere_on_other_pages(self):
        assert marked(Client(), "/") == {}


def swapped(browser: Client, path: str, fields: dict[str, object] | None = None) -> dict[str, str]:
    """The counts that a fragment for htmx brings along, by the ids of their places."""
    if fields is None:
        response = browser.get(path, headers=HTMX)
    else:
        response = browser.post(path, fields, headers=HTMX, follow=True)
    page = read_markup(response.content.decode())
    return {one["id"]: one.text for one in page.all("span", hx_swap_oob="true")}


def length() -> str:
    return f"{sum(read_queue_lengths().values()):,}"


class TestCountsThatAreRemembered:
    def test_are_each_in_its_place(self, sam):
        remember_waiting("queue", Waiting(11, clock.now()))
        remember_waiting("reports", Waiting(22, clock.now()))
        shown = texts(sam, "/orders/")
        assert "Queue 11" in shown
        assert "Reports 22" in shown


class TestCountsBesideAFragment:
    def test_are_those_of_its_heading(self, sam, fresh):
        sam.get("/orders/")
        put(made_order(fresh("alex")))
        assert swapped(sam, "/staff/orders/")["count-queue"] == length()
        assert f"Queue {length()}" in texts(sam, "/orders/")

    def test_follow_an_order_that_left_the_queue(self, sam, fresh):
        put(order := made_order(fresh("alex")))
        before = length()
        fields = {"from_status": "PLACED", "move": "CANCELED"}
        url = f"/orders/{order.id}/move/?next=/staff/orders/"
        assert swapped(sam, url, fields)["count-queue"] == length() != before

    def test_follow_orders_moved_together(self, sam, fresh):
        put(order := made_order(fresh("alex"), Status.PROCESSING))
        sam.get("/staff/orders/")
        fields = {"move": "SHIPPED", "order": [order.id]}
        assert swapped(sam, "/staff/orders/move/", fields)["count-queue"] == length()

    def test_cost_nothing_beside_the_queue_which_counts_itself(self, sam, fresh):
        put(order := made_order(fresh("alex")))
        sam.get("/orders/")
        fields = {"from_status": "PLACED", "move": "APPROVED"}
        sam.post(f"/orders/{order.id}/move/", fields)
        with metered() as meter:
            assert swapped(sam, "/staff/orders/").keys() > {"count-queue", "count-reports"}
        assert meter.rounds == 1
        assert meter.calls_of("navigation") == 0

    def test_follow_a_decision_on_a_report(self, sam):
        comment = made_comment()
        report_comment(
            comment_id=comment.id, user_id="bob", reason=Reason.SPAM, text="", now=clock.now()
        )
        before = swapped(sam, "/staff/comments/")["count-reports"]
        fields = {"decision": "keep", "seen": find_comment(comment.id).seen}
        path = f"/staff/comments/decide/{comment.id}/?next=/staff/comments/hidden/"
        assert int(swapped(sam, path, fields)["count-reports"] or 0) == int(before) - 1

    def test_are_read_again_by_another_process_after_a_change(self, sam, fresh):
        put(order := made_order(fresh("alex")), made_order(fresh("alex")))
        stale = Waiting(99, clock.now())
        sam.post(f"/orders/{order.id}/move/", {"from_status": "PLACED", "move": "CANCELED"})
        remember_waiting("queue", stale)
        assert f"Queue {length()}" in texts(sam, "/orders/")

    def test_are_not_read_for_a_fragment_that_changed_nothing(self, sam):
        sam.get("/orders/", headers=HTMX)
        cache.clear()
        with metered() as meter:
            assert swapped(sam, "/orders/").keys() == {"count-basket"}
        assert meter.labelled("navigation") == []

    def test_of_staff_are_nobody_elses(self, fresh):
        browser = someone("alice").browser
        assert swapped(browser, "/orders/").keys() == {"count-basket"}


class TestTheCounts:
    def test_of_the_queue_are_those_of_all_open_orders(self, sam, fresh):
        put(made_order(fresh("alex")))
        assert f"Queue {sum(read_queue_lengths().values()):,}" in texts(sam, "/orders/")

    @pytest.mark.real_engine
    def test_are_read_once_in_some_seconds(self, sam):
        sam.get("/orders/")
        with metered() as meter:
            sam.get("/orders/")
        assert meter.labelled("navigation") == []

    def test_are_left_out_while_they_cannot_be_read(self, sam, monkeypatch):
        def away() -> None:
            raise Throttled

        monkeypatch.setitem(COUNT_READERS, "queue", away)
        assert "Queue" in texts(sam, "/orders/")

    def test_are_remembered_in_no_language(self, sam):
        remember_waiting("queue", Waiting(2_500, clock.now()))
        assert "Queue 2,500" in texts(sam, "/orders/")
        german = sam.get("/orders/", headers={"Accept-Language": "de"}).content.decode()
        assert '<span class="nav-count" id="count-queue">2.500</span>' in german

    def test_of_the_basket_are_its_pieces(self, fresh):
        browser = Client()
        assert "Basket" in texts(browser, "/basket/")
        browser.post("/basket/add/", {"product_id": put_product(fresh("lamp")), "quantity": "3"})
        assert "Basket 3" in texts(browser, "/basket/")

    def test_are_not_read_for_anybody_else(self, fresh):
        cache.clear()
        browser = someone("alice").browser
        with metered() as meter:
            assert "Queue" not in " ".join(texts(browser, "/orders/"))
        assert meter.labelled("navigation") == []
