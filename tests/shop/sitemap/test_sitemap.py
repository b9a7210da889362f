"""What search engines fetch: robots.txt, and a sitemap of all products in pages of little cost."""

import re
from urllib.robotparser import RobotFileParser
from xml.etree.ElementTree import fromstring

import pytest
from django.core.management import call_command
from django.test import Client

from dynapages.calls import metered
from dynapages.items import table_key
from dynapages.process import client
from dynapages_testing.strict import refuse_what_aws_refuses
from shop import keys
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.sitemap import services
from shop.table import TABLE
from tests.support.catalogue.switching import take_off
from tests.support.comments.outage import own_engine
from tests.support.config.addresses import MATRIX, address

SITE = "https://shop.example.com"
MOST_UNITS = 10
NAMES = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(autouse=True)
def known_site(settings):
    settings.SITE_URL = SITE


@pytest.fixture
def own_shop():
    """A shop in which nothing is but what a test puts there."""
    with own_engine():
        refuse_what_aws_refuses(client())
        yield


def addresses(url: str) -> list[str]:
    """The addresses in a file of the sitemap, which must be of this site."""
    response = Client().get(url.removeprefix(SITE))
    assert (response.status_code, response["Content-Type"]) == (200, "application/xml")
    root = fromstring(response.content)  # noqa: S314 - it is ours
    found = [loc.text or "" for loc in root.iter(f"{NAMES}loc")]
    assert all(one.startswith(f"{SITE}/") for one in found)
    return found


def walk() -> list[list[str]]:
    """The addresses on each page of the sitemap."""
    return [addresses(page) for page in addresses("/sitemap.xml")]


def put_shelf(slug: str, count: int, *, name: str = "Lamp") -> list[str]:
    """Put a category of so many products, and return the addresses of these."""
    numbers = [f"{slug}-{number:04}" for number in range(count)]
    products = [
        NewProduct(each, name, (slug,), unit_price_cents=1, currency="EUR") for each in numbers
    ]
    put_catalogue(categories=[NewCategory(slug, slug)], products=products)
    return [f"{SITE}/products/{number}/" for number in numbers]


@pytest.mark.real_engine
@pytest.mark.usefixtures("own_shop")
class TestTheSitemap:
    def test_of_a_new_shop_has_its_categories_and_its_products(self):
        lamps, chairs = put_shelf("a-lamps&", 3), put_shelf("b-chairs", 2, name="Stool")
        categories = [f"{SITE}/categories/a-lamps&/", f"{SITE}/categories/b-chairs/"]
        assert walk() == [categories, [*lamps, *chairs]]

    def test_has_a_product_without_a_category_but_none_that_is_taken_off(self):
        loose, off = NewProduct("loose", "Lamp", ()), NewProduct("off", "Lamp", ())
        put_catalogue(categories=[], products=[loose, off])
        take_off("off")
        assert walk() == [[], [f"{SITE}/products/loose/"]]

    def test_has_all_products_of_a_large_category_once_it_is_written(self, capsys):
        many = put_shelf("c-many", 300, name="n" * 900)
        call_command("write_sitemap")
        pages = [page for page in walk() if "/products/" in page[-1]]
        assert [one for page in pages for one in page] == many
        assert len(pages) > 2
        assert capsys.readouterr().out == f"Pages of the sitemap: {len(walk())}.\n"

    def test_that_an_earlier_version_wrote_is_as_that_of_a_new_shop(self):
        put_shelf("a-lamps", 1)
        item = {**table_key(keys.SITEMAP, keys.SITEMAP), "starts": {"B": b"old"}}
        client().put_item(TableName=TABLE, Item=item)
        assert walk() == [[f"{SITE}/categories/a-lamps/"], [f"{SITE}/products/a-lamps-0000/"]]

    def test_costs_little_whatever_the_sizes_of_products_are(self):
        put_shelf("d-dear", 150, name="n" * 900)
        put_shelf("e-empty", 0)
        call_command("write_sitemap")
        for url in ["/sitemap.xml", *addresses("/sitemap.xml")]:
            with metered() as meter:
                addresses(url)
            assert 0 < meter.units <= MOST_UNITS, url
            assert {call.operation for call in meter.log} <= {"Query", "GetItem"}

    def test_has_what_was_added_since_it_was_written(self):
        put_shelf("b-chairs", 2)
        call_command("write_sitemap")
        put_shelf("b-chairs", 4)
        assert sum("/products/b-chairs-" in one for page in walk() for one in page) == 4

    def test_has_no_more_on_a_page_than_a_page_may_have(self, monkeypatch):
        put_shelf("a-lamps", 3)
        monkeypatch.setattr(services, "MOST_ADDRESSES", 2)
        call_command("write_sitemap")
        monkeypatch.setattr("shop.sitemap.views.MOST_ADDRESSES", 2)
        found = [one for page in walk() for one in page if "/products/a-lamps" in one]
        assert len(found) == len({*found}) == 3
        assert max(len([one for one in page if "/products/" in one]) for page in walk()) == 2


@pytest.mark.usefixtures("tables")
class TestAPageOfTheSitemap:
    def test_is_of_a_list_that_there_is(self):
        assert Client().get("/sitemap-products.xml?of=orders").status_code == 404

    def test_takes_no_link_of_another(self):
        assert Client().get("/sitemap-products.xml?after=forged").status_code == 400


class TestRobots:
    def rules(self) -> RobotFileParser:
        response = Client().get("/robots.txt")
        assert response["Content-Type"] == "text/plain"
        parser = RobotFileParser()
        parser.parse(response.content.decode().splitlines())
        return parser

    def test_are_led_to_the_sitemap(self):
        assert self.rules().site_maps() == [f"{SITE}/sitemap.xml"]

    def test_are_kept_from_what_is_personal_and_from_forms(self):
        rules = self.rules()
        paths = [path_of(route) for route, (get, _) in MATRIX.items() if get != "200 200 200 200"]
        allowed = {path for path in paths if rules.can_fetch("any", f"{SITE}{path}")}
        # The first is below; the others lead to what everybody may see.
        assert allowed <= {
            "/products/x/comments/new/",
            "/products/x/most-helpful/",
            "/favicon.ico",
        }
        assert "Disallow: /products/*/comments/new/" in Client().get("/robots.txt").content.decode()


def path_of(route: str) -> str:
    names = re.findall(r":?(\w+)>", route)
    return address(route, dict.fromkeys(names, "x"))
