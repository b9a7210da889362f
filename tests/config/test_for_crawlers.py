"""What search engines are told: the address of each page, and which of them not to list."""

import pytest
from django.http import HttpResponse
from django.test import Client

from dynapages.calls import clock
from tests.support.comments.deciding import hide
from tests.support.config.lists import listed_shop
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")
SITE = "https://shop.example.com"
LISTED = {
    "/": "/",
    "/?utm_source=elsewhere": "/",
    "/products/{product_id}/": "/products/{product_id}/",
    "/products/{product_id}/comments/~/~/": "/products/{product_id}/",
    "/categories/": "/categories/",
    "/categories/{slug}/": "/categories/{slug}/",
    "/rankings/most-loved/": "/rankings/most-loved/",
    "/rankings/recently-commented/": "/rankings/recently-commented/",
    "/users/{username}/": "/users/{username}/",
    "/comments/{product_id}-0001/": "/comments/{product_id}-0001/",
    "/comments/~/{product_id}-0001/": "/comments/{product_id}-0001/",
}
"""Addresses, and those under which search engines may list what is there."""
NOT_LISTED = (
    "/products/{product_id}/comments/en/~/",
    "/products/{product_id}/comments/~/1.2/",
    "/categories/{slug}/?order=price",
    "/orders/",
    "/staff/orders/",
)
LATER = ("/products/{product_id}/comments/~/~/", "/categories/{slug}/", "/rankings/most-loved/")


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture(autouse=True)
def known_site(settings):
    settings.SITE_URL = SITE
    settings.PAGE_SIZE = 2


def head_of(response: HttpResponse) -> Element:
    assert response.status_code == 200
    return read_markup(response.content.decode()).one("head")


def canonical(head: Element) -> list[str]:
    return [link["href"] for link in head.all("link", rel="canonical")]


def robots(head: Element) -> list[str]:
    return [meta["content"] for meta in head.all("meta", name="robots")]


class TestAPage:
    @pytest.mark.parametrize(("route", "wanted"), LISTED.items())
    def test_has_one_address(self, shop, route, wanted):
        head = head_of(Client().get(shop.address(route)))
        assert canonical(head) == [f"{SITE}{shop.address(wanted)}"]
        assert robots(head) == []

    def test_has_the_host_that_was_asked_where_no_site_is_set(self, settings):
        settings.SITE_URL = ""
        assert canonical(head_of(Client().get("/"))) == ["http://testserver/"]

    @pytest.mark.parametrize("route", NOT_LISTED)
    def test_that_is_filtered_or_personal_is_not_to_be_listed(self, shop, route):
        head = head_of(shop.browser.get(shop.address(route)))
        assert (canonical(head), robots(head)) == ([], ["noindex, follow"])

    @pytest.mark.parametrize("route", LATER)
    def test_behind_the_first_is_not_to_be_listed(self, shop, route):
        first = read_markup(Client().get(shop.address(route)).content.decode())
        head = head_of(Client().get(first.one("a", rel="next")["href"]))
        assert (canonical(head), robots(head)) == ([], ["noindex, follow"])

    def test_of_a_hidden_comment_is_not_to_be_listed(self, shop):
        comment_id = shop.address("{product_id}-0002")
        hide(comment_id=comment_id, now=clock.now())
        assert canonical(head_of(shop.browser.get(f"/comments/{comment_id}/"))) == []


OF_THE_SHOP = "What customers say about everything we sell, by stars and by language."


class TestACard:
    @pytest.mark.parametrize(
        ("route", "kind", "title", "description"),
        [
            ("/products/{product_id}/", "product", "Größe “7” </script>", "Warm light."),
            ("/categories/{slug}/", "website", "Shelf", "All products in this category."),
            ("/", "website", "Dynashop", OF_THE_SHOP),
        ],
    )
    def test_says_what_a_link_leads_to(self, shop, route, kind, title, description):
        head = head_of(Client().get(shop.address(route)))
        told = {meta["property"]: meta["content"] for meta in head.all("meta", property=True)}
        image = f"{SITE}{shop.address(route)}drawing.svg" if kind == "product" else None
        assert told.pop("og:image", None) == image
        assert told == {
            "og:type": kind,
            "og:title": title,
            "og:description": description,
            "og:url": f"{SITE}{shop.address(route)}",
        }
