"""What a list is called: in the title of its page, and where htmx swaps it in."""

import pytest

from comments.reports.services import Reason, report_comment
from dynapages.calls import clock
from shop.catalogue.services import put_catalogue
from tests.support.activity.making import made_entry, write_entries
from tests.support.catalogue.making import category
from tests.support.chance import unique
from tests.support.comments.browsing import HTMX
from tests.support.config.lists import ADDRESSES, ListedShop, listed_shop
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")
FIRST_PAGE_ONLY = "/products/{product_id}/"
LISTS = [*sorted(ADDRESSES.keys() - {FIRST_PAGE_ONLY}), "/", "/staff/comments/", "/staff/activity/"]


@pytest.fixture(scope="module")
def shop(tables):
    made = listed_shop()
    url = made.address("/api/v1/products/{product_id}/comments")
    for comment in made.browser.get(url).json()["items"][:3]:
        report_comment(
            comment_id=comment["id"], user_id="bob", reason=Reason.ABUSE, text="", now=clock.now()
        )
    put_catalogue(categories=[category(unique("shelf")) for _ in range(2)], products=[])
    write_entries([made_entry(clock.now()) for _ in range(3)])
    return made


@pytest.fixture(autouse=True)
def one_on_a_page(settings, monkeypatch):
    settings.PAGE_SIZE = 1
    monkeypatch.setattr("config.home.SHELVES_ON_A_PAGE", 1)


def whole(shop: ListedShop, url: str) -> Element:
    return read_markup(shop.browser.get(url).content.decode())


def swapped(shop: ListedShop, url: str) -> Element:
    answer = shop.browser.get(url, headers=HTMX)
    return read_markup(answer.content.decode()).one("section", data_list=True)


def title_of(page: Element) -> str:
    return page.one("head").one("title").text


class TestAList:
    @pytest.mark.parametrize("route", LISTS)
    def test_has_the_same_title_however_it_is_loaded(self, shop, route):
        first_url = shop.address(route)
        next_url = whole(shop, first_url).one("a", rel="next")["href"].partition("#")[0]
        last_url = f"{first_url}{'&' if '?' in first_url else '?'}before=end"
        first, *later = [title_of(whole(shop, url)) for url in (first_url, next_url, last_url)]
        for url, title in zip((next_url, last_url), later, strict=True):
            assert swapped(shop, url)["data-title"] == title != first

    @pytest.mark.parametrize("route", LISTS)
    def test_is_announced_by_the_part_that_is_shown(self, shop, route):
        first_url = shop.address(route)
        first = swapped(shop, first_url)
        second = swapped(shop, first.one("a", rel="next")["hx-get"])
        assert ": 1 of " in first["data-announce"]
        assert ": 2 of " in second["data-announce"]

    def test_says_how_long_it_is_as_far_as_that_is_known(self, shop):
        assert swapped(shop, "/orders/")["data-announce"] == "Your orders: 1 of 5"
        url = "/orders/?from=2020-01-01"
        assert swapped(shop, url)["data-announce"].endswith(" 1 of more than 1")
        last = swapped(shop, f"{url}&before=end")
        assert last["data-announce"] == "Your orders: the last 1"
        assert last["data-title"] == "Your orders, the last 1 · Dynashop"

    @pytest.mark.parametrize("route", LISTS)
    def test_ends_with_the_name_of_the_site(self, shop, settings, route):
        settings.SITE_NAME = ""
        first_url = shop.address(route)
        url = f"{first_url}{'&' if '?' in first_url else '?'}before=end"
        bare = title_of(whole(shop, url))
        settings.SITE_NAME = "Bazaar & Co"
        assert swapped(shop, url)["data-title"] == f"{bare} · Bazaar & Co"
