"""The lists that the front page of the sample shop offers to try."""

from datetime import UTC, datetime, timedelta
from time import sleep

import pytest
from django.core.cache import cache
from django.test import Client

from comments.items import NewComment
from comments.rankings.views import BOARDS
from config import examples as example_lists
from config.examples import PRODUCT_ID
from config.home import RANKED_PRODUCTS, SHELVES_ON_A_PAGE
from dynapages.calls import metered
from shop.accounts.backend import ProfileBackend
from shop.catalogue.services import ensure_products
from shop.catalogue.shelves import SHELF_LENGTH
from shop.orders.items import NewLine
from tests.support.chance import unique
from tests.support.comments.browsing import visit
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import Writer, someone
from tests.support.markup import Element, read_markup
from tests.support.orders.making import made_order, put
from tests.support.project import PROJECT

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


@pytest.fixture
def staff(settings) -> Writer:
    """Staff of a sample shop, which has a product with comments, and orders."""
    staff = someone("sam", is_staff=True)
    settings.SAMPLE_SIGN_IN = ("alex", staff.username, "sample-shop")
    ensure_products(product_ids={PRODUCT_ID})
    load(
        NewComment(unique("c"), PRODUCT_ID, language, 1, START + timedelta(minutes=n))
        for n in range(25)
        for language in ("de", "en")
    )
    lines = [NewLine(PRODUCT_ID, "Pan", 1, 1_999)]
    put(made_order("alex", placed_at=datetime.now(UTC), lines=lines))
    cache.clear()
    example_lists._learn_shards.cache_clear()
    return staff


def examples(browser: Client) -> Element:
    return read_markup(browser.get("/examples/").content.decode()).one(class_="examples")


def chip(browser: Client, url: str) -> str:
    """What a page says that it cost, without the time."""
    page = read_markup(browser.get(url).content.decode())
    return page.one(class_="explanation-summary").text.rpartition(" · ")[0]


class TestTheExamples:
    def test_are_on_the_front_page(self, staff):
        links = visit("/").page.one(class_="examples").all("a")
        assert [link["href"] for link in links] == [
            f"/products/{PRODUCT_ID}/comments/de.en/1.2/",
            f"/products/{PRODUCT_ID}/comments/~/~/?before=end",
            "/staff/orders/",
        ]

    def test_lead_to_lists_and_cost_nothing_on_the_front_page_itself(self, staff):
        page = visit("/").page.one(class_="examples")
        for link in page.all("a")[:2]:
            assert visit(link["href"]).comment_ids
        assert page["hx-get"] == "/examples/"
        assert " · $" not in page.text

    def test_cost_what_the_pages_behind_them_say(self, staff):
        items = examples(Client()).all("li")
        urls = [item.one("a")["href"] for item in items]
        costs = [item.one(class_="example-cost").text for item in items]
        browsers = (Client(), Client(), staff.browser)
        assert costs == [chip(browser, url) for browser, url in zip(browsers, urls, strict=True)]

    def test_cost_no_less_where_an_account_is_read_late(self, staff, monkeypatch):
        read = ProfileBackend.get_user
        monkeypatch.setattr(ProfileBackend, "get_user", lambda *of: (sleep(0.1), read(*of))[1])
        queue = examples(Client()).all("li")[2]
        assert queue.one(class_="example-cost").text == chip(staff.browser, "/staff/orders/")

    def test_cost_somebody_who_is_signed_in_what_the_pages_say_to_them(self, staff):
        items = examples(staff.browser).all("li")
        chips = [chip(staff.browser, item.one("a")["href"]) for item in items]
        assert [item.one(class_="example-cost").text for item in items] == chips
        assert chips[0] != chip(Client(), items[0].one("a")["href"])

    def test_lead_to_all_that_the_third_one_says(self, staff):
        queue = examples(Client()).all("a")[2]
        assert queue.text == "Open orders of all customers"
        page = read_markup(staff.browser.get(queue["href"]).content.decode())
        assert not page.all("a", data_toggle="status", aria_pressed="true")

    def test_are_read_for_their_costs_once_in_a_while(self, staff):
        assert not examples(Client()).all(hx_get=True)
        with metered() as again:
            examples(Client())
        assert again.units == 0

    def test_are_remembered_apart_for_who_is_signed_in(self, staff):
        nobodys = [item.text for item in examples(Client()).all("li")]
        assert [item.text for item in examples(staff.browser).all("li")] != nobodys

    def test_are_remembered_in_no_language(self, staff):
        Client().get("/examples/")
        german = Client(headers={"Accept-Language": "de"}).get("/examples/")
        assert "2.500" in german.content.decode()


class TestTheFrontPage:
    def test_leads_developers_on(self, staff):
        links = [
            link["href"] for link in visit("/").page.one(class_="for-developers-links").all("a")
        ]
        assert len(links) == 4
        assert {visit(link).status for link in links} == {200}

    def test_says_to_developers_what_the_readme_says(self, staff):
        pitch = visit("/").page.one(class_="for-developers").one("h2").text
        assert pitch in (PROJECT / "README.md").read_text().splitlines()

    def test_has_no_more_than_24_drawings(self):
        shelves = len(BOARDS) + SHELVES_ON_A_PAGE
        assert shelves * max(SHELF_LENGTH, RANKED_PRODUCTS) <= 24

    def test_of_another_shop_has_nothing_to_try(self):
        assert visit("/").page.all(class_="examples") == []
        assert Client().get("/examples/").status_code == 404
