"""The explanation of a list's page links the same page elsewhere, and says so only then."""

from urllib.parse import urldefrag

import pytest

from dynapages.django.callers import Scope
from tests.support.comments.browsing import with_explanation
from tests.support.config.api import Program, program_of
from tests.support.config.lists import ADDRESSES, IN_THE_API, ListedShop, listed_shop
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")

MARKS = ("data-comment-id", "data-order-id", "data-product-id", "data-product", "data-category")
MORE = (
    "/products/{product_id}/comments/~/~/?q=comment",
    "/orders/?status=PLACED&status=SHIPPED&from=2020-01-01&to=2090-01-01",
)
LISTS = tuple(dict.fromkeys((*ADDRESSES, *IN_THE_API, *MORE)))
NOWHERE_ELSE = ("/staff/comments/", "/staff/activity/", "/staff/products/{product_id}/orders/")


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture(scope="module")
def program(shop):
    return program_of(shop.arguments["username"], Scope.STAFF)


@pytest.fixture(autouse=True)
def two_on_a_page(settings):
    settings.PAGE_SIZE = 2


def read(shop: ListedShop, url: str) -> Element:
    response = shop.browser.get(with_explanation(urldefrag(url).url), follow=True)
    return read_markup(response.content.decode())


def pages_of(shop: ListedShop, address: str):
    """Yield the first page of a list, the next, and the last, as far as there are such."""
    yield (first := read(shop, address))
    for rel in ("next", "last"):
        for link in first.all("a", rel=rel)[:1]:
            yield read(shop, link["href"])


def ids_on(page: Element) -> list[str]:
    main = page.one("main")
    for mark in MARKS:
        found = main.all(**{mark.replace("-", "_"): True})
        if found:
            return list(dict.fromkeys(one[mark] for one in found))
    return []


def sentence(page: Element) -> list[Element]:
    return page.all("p", class_="explanation-forms")


def ids_in(program: Program, url: str) -> list[str]:
    answer = program.get(url)
    assert answer.status_code == 200, (url, answer.content)
    return [found_id(one) for one in answer.json()["items"]]


def found_id(item: dict) -> str:
    for name in ("id", "slug"):
        if name in item:
            return item[name]
    return item["product"]["id"]  # of a ranking


@pytest.mark.parametrize("route", LISTS)
def test_the_link_to_the_api_has_the_items_of_the_page(shop, program, route):
    for page in pages_of(shop, shop.address(route)):
        (told,) = sentence(page)
        link = told.all("a")[0]
        assert link.text == "API"
        assert ids_in(program, link["href"]) == ids_on(page) != []


@pytest.mark.parametrize("route", NOWHERE_ELSE)
def test_nothing_is_said_where_there_is_nothing(shop, route):
    for told in sentence(read(shop, shop.address(route))):
        assert told.all("a") != []


@pytest.mark.parametrize("route", ["/orders/", "/staff/orders/"])
def test_a_list_that_needs_a_key_says_so(shop, route):
    (told,) = sentence(read(shop, shop.address(route)))
    assert "(with a key)" in told.text
