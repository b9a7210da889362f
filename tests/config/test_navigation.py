"""The navigation on every page: where one is, and what waits there."""

import pytest
from django.core.cache import cache
from django.test import Client

from dynamo.calls.faults import Throttled
from dynamo.calls.meter import metered
from shop.orders.actions import queue_lengths
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

    def test_is_nowhere_on_other_pages(self):
        assert marked(Client(), "/") == {}


class TestTheCounts:
    def test_of_the_queue_are_those_of_all_open_orders(self, sam, fresh):
        put(made_order(fresh("alex")))
        assert f"Queue {sum(queue_lengths().values()):,}" in texts(sam, "/orders/")

    @pytest.mark.real_engine
    def test_are_read_once_in_some_seconds(self, sam):
        sam.get("/orders/")
        with metered() as meter:
            sam.get("/orders/")
        assert meter.labelled("navigation") == []

    def test_are_left_out_while_they_cannot_be_read(self, sam, monkeypatch):
        def away() -> None:
            raise Throttled

        monkeypatch.setattr("config.site.queue_lengths", away)
        assert "Queue" in texts(sam, "/orders/")

    def test_are_remembered_in_no_language(self, sam, monkeypatch):
        monkeypatch.setattr("config.site.queue_lengths", lambda: {"PLACED": 2_500})
        assert "Queue 2,500" in texts(sam, "/orders/")
        german = sam.get("/orders/", headers={"Accept-Language": "de"}).content.decode()
        assert '<span class="nav-count">2.500</span>' in german

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
