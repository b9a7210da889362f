"""The command and the Python that the explanation of a list's page shows."""

import json
import re
import shlex
from html import unescape
from io import StringIO
from urllib.parse import urldefrag

import pytest
from django.core.management import call_command

from config.programs import program_of
from tests.support.comments.browsing import Shown, with_explanation
from tests.support.config.lists import ListedShop, listed_shop
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")

COMMENTS = "/products/{product_id}/comments/~/~/"
LISTS = {
    COMMENTS: "comments",
    "/products/{product_id}/comments/de.en/1.2/": "comments",
    "/products/{product_id}/comments/~/~/?order=lowest": "comments",
    "/products/{product_id}/comments/de/~/?order=oldest": "comments",
    "/orders/": "items",
    "/orders/?status=PLACED&status=SHIPPED": "items",
    "/orders/?status=PLACED&from=2020-01-01&to=2090-01-01": "items",
    "/orders/?open=1": "items",
    "/staff/customers/{username}/orders/": "items",
    "/staff/orders/": "items",
    "/staff/orders/?status=PLACED&status=APPROVED": "items",
}
"""Lists, and where the Python has their items."""
CODE = re.compile(r'<pre class="explanation-code"><code>(.*?)</code>', re.DOTALL)


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture(autouse=True)
def two_on_a_page(settings):
    settings.PAGE_SIZE = 2


def pages_of(shop: ListedShop, route: str):
    """Yield the first page, the second, the one in front of that, and the last, as far as there.

    Each says how it was read.
    """
    yield (first := get(shop, shop.address(route)))
    links = read_markup(first.content.decode())
    for rel in ("next", "last"):
        for link in links.all("a", rel=rel)[:1]:
            yield (page := get(shop, link["href"]))
            for back in read_markup(page.content.decode()).all("a", rel="prev")[:1]:
                yield get(shop, back["href"])


def get(shop: ListedShop, url: str):
    return shop.browser.get(with_explanation(urldefrag(url).url), follow=True)


def ids_on(page) -> list[str]:
    shown = Shown(page, read_markup(page.content.decode()))
    return shown.comment_ids or shown.order_ids


def programs_on(page) -> tuple[str, str]:
    command, python = map(unescape, CODE.findall(page.content.decode()))
    return command, python


class TestThePython:
    @pytest.mark.parametrize("route", LISTS)
    def test_reads_the_same_items(self, shop, route):
        for number, page in enumerate(pages_of(shop, route)):
            names: dict = {}
            exec(programs_on(page)[1], names)  # noqa: S102 - what is under test
            found = [one.id for one in getattr(names["page"], LISTS[route])]
            assert found == ids_on(page), number


class TestTheCommand:
    @pytest.mark.parametrize("route", LISTS)
    def test_reads_the_same_queries(self, shop, route):
        for number, page in enumerate(pages_of(shop, route)):
            python, manage, *words = shlex.split(programs_on(page)[0])
            assert (python, manage) == ("python", "manage.py")
            call_command(*words, "--json", stdout=(output := StringIO()))
            explained, shown = json.loads(output.getvalue()), page.context["explanation"]
            keys = [query["key"] for query in explained["queries"] if query["rounds"]]
            assert keys == [query.key for query in shown.queries if query.rounds], number
            assert explained["items_returned"] == shown.items_returned, number

    def test_takes_either_side_of_a_position(self, shop):
        product = shop.arguments["product_id"]
        options = ["explain", "comments", "--product", product, "--json"]
        call_command(*options, "--before", "end", stdout=(output := StringIO()))
        assert json.loads(output.getvalue())["items_returned"] == 2


class TestTheLinks:
    def test_lead_to_the_feed(self, shop):
        *_, page = pages_of(shop, COMMENTS)
        forms = read_markup(page.content.decode()).one("p", class_="explanation-forms")
        (link,) = (each for each in forms.all("a") if each.text == "Atom")
        assert shop.browser.get(link["href"])["Content-Type"].startswith("application/atom+xml")

    @pytest.mark.parametrize("route", ["/categories/", "/rankings/most-loved/"])
    def test_are_to_the_api_alone_where_no_command_explains_a_list_without_a_feed(
        self, shop, route
    ):
        page = read_markup(get(shop, route).content.decode())
        forms = page.one("p", class_="explanation-forms")
        assert [link.text for link in forms.all("a")] == ["API"]
        assert page.all(class_="explanation-code") == []

    def test_are_missing_where_there_is_neither(self, shop):
        page = read_markup(get(shop, "/").content.decode())
        assert page.all("p", class_="explanation-forms") == []

    def test_are_missing_where_there_is_no_list(self, shop):
        order = shop.browser.get("/orders/").context["listing"]["orders"][0][0]
        page = read_markup(get(shop, order.url).content.decode())
        assert page.one(class_="explanation-body").all(class_="explanation-forms") == []


def test_a_name_with_quotes_and_spaces_stays_one_word():
    program = program_of("/staff/customers/o'neil%20x/orders/")
    assert shlex.split(program["command"])[-1] == "--user=o'neil x"
