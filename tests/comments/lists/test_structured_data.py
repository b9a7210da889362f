"""A product's page tells search engines what it shows, and nothing else."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.comments.browsing import Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import made_product
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("tables")

Thing = dict[str, Any]
REQUIRED = {
    "Product": {"name"},
    "Offer": {"price", "priceCurrency", "availability"},
    "AggregateRating": {"ratingValue", "reviewCount"},
    "Review": {"author", "reviewRating", "datePublished"},
    "Person": {"name"},
    "Rating": {"ratingValue", "bestRating", "worstRating"},
    "BreadcrumbList": {"itemListElement"},
    "ListItem": {"position", "name", "item"},
}
"""What search engines ask for of each type, or recommend, as they document it."""


@pytest.fixture
def lamp(fresh):
    """A lamp of 19.99 EUR in a category within another, with 25 comments."""
    rooms, lamps = (NewCategory(fresh("rooms"), "Rooms"), NewCategory(fresh("lamps"), "Lamps & co"))
    lamps = NewCategory(lamps.slug, lamps.name, rooms.slug)
    product = NewProduct(fresh("lamp"), "Lamp “7”", (lamps.slug,), "Warm & bright.", 1_999, "EUR")
    put_catalogue(categories=[rooms, lamps], products=[product])
    load(numbered_comments(product.id, count=25, languages=("de", "en")))
    return product.id


def elements(page: Element) -> list[Element]:
    return page.all("script", type="application/ld+json")


def things(page: Element) -> dict[str, Thing]:
    """What the page tells, by type."""
    (element,) = elements(page)
    (text,) = element.children
    assert isinstance(text, str)
    data = json.loads(text)
    assert data["@context"] == "https://schema.org"
    return {thing["@type"]: thing for thing in data["@graph"]}


def every(thing: object) -> list[Thing]:
    """A thing and all within it that have a type."""
    if isinstance(thing, list):
        return [one for part in thing for one in every(part)]
    if not isinstance(thing, dict):
        return []
    own = [thing] if "@type" in thing else []
    return own + [one for part in thing.values() for one in every(part)]


def product_of(product_id: str) -> tuple[Shown, Thing]:
    shown = visit(f"/products/{product_id}/")
    return shown, things(shown.page)["Product"]


class TestEachThing:
    def test_has_what_search_engines_ask_for(self, lamp):
        found = every([*things(visit(f"/products/{lamp}/").page).values()])
        assert {thing["@type"] for thing in found} == REQUIRED.keys()
        assert [one for one in found if not REQUIRED[one["@type"]] <= one.keys()] == []

    def test_has_whole_addresses_of_the_site(self, lamp, settings):
        settings.SITE_URL = "https://shop.example.com"
        found = every([*things(visit(f"/products/{lamp}/").page).values()])
        names = ("url", "item", "image")
        addresses = [one[name] for one in found for name in names if name in one]
        assert addresses
        assert {urlsplit(one)[:2] for one in addresses} == {("https", "shop.example.com")}


class TestTheProduct:
    def test_is_the_one_on_the_page(self, lamp):
        shown, product = product_of(lamp)
        assert product["name"] == shown.page.one("h1").text
        about = shown.page.one(class_="product-about")
        assert product["description"] == about.one(class_="lede").text
        assert product["url"] == f"http://testserver/products/{lamp}/"
        assert product["image"] == f"http://testserver/products/{lamp}/drawing.svg"
        rating, offer = product["aggregateRating"], product["offers"]
        assert rating["ratingValue"] == shown.page.one(class_="average-figure").text
        assert rating["reviewCount"] == 25
        assert (offer["price"], offer["priceCurrency"]) == ("19.99", "EUR")
        assert offer["availability"] == "https://schema.org/InStock"

    def test_has_its_rating_with_a_point_in_all_languages(self, lamp):
        german = things(visit(f"/products/{lamp}/", accept_language="de").page)["Product"]
        assert german["aggregateRating"]["ratingValue"] == "2.8"

    def test_tells_nothing_that_is_not_known(self):
        product_id = made_product()
        page = visit(f"/products/{product_id}/").page
        assert things(page).keys() == {"BreadcrumbList"}
        load([written(product_id, author="")])
        assert not {"offers", "review"} & product_of(product_id)[1].keys()

    def test_without_comments_has_no_average_and_no_reviews(self, fresh):
        product = NewProduct(fresh("product"), "Lamp", (), unit_price_cents=1, currency="EUR")
        put_catalogue(categories=[], products=[product])
        assert not {"aggregateRating", "review"} & product_of(product.id)[1].keys()


class TestTheReviews:
    def test_are_the_comments_of_the_page(self, lamp):
        shown = visit(f"/products/{lamp}/", accept_language="de")
        reviews = things(shown.page)["Product"]["review"]
        articles = shown.page.all("article", data_comment_id=True)
        assert len(articles) == 13
        assert [one["inLanguage"] for one in reviews] == [a["data-language"] for a in articles]
        assert [one["datePublished"] for one in reviews] == [a["data-created"] for a in articles]
        assert [f"{one['reviewRating']['ratingValue']}" for one in reviews] == [
            article["data-rating"] for article in articles
        ]
        assert [one["author"]["name"] for one in reviews] == [
            article.one(class_="author").text for article in articles
        ]
        assert [one["reviewBody"] for one in reviews] == [
            article.one(class_="prose").text for article in articles
        ]

    def test_end_no_element_and_begin_no_comment(self):
        product_id = made_product()
        nasty = "</script><script>alert(1)</script><!-- & ]]>"
        load([written(product_id, title=nasty, body=nasty, author=nasty)])
        shown, product = product_of(product_id)
        assert product["review"][0]["reviewBody"] == nasty
        raw = shown.response.content.decode()
        (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', raw, re.DOTALL)
        assert not set("<>&") & set(data)


class TestTheBreadcrumbs:
    def test_are_those_of_the_page(self, lamp):
        page = visit(f"/products/{lamp}/").page
        items = things(page)["BreadcrumbList"]["itemListElement"]
        steps = page.one(class_="breadcrumbs").all("li")
        assert [item["name"] for item in items] == [step.text for step in steps]
        links = [f"http://testserver{link['href']}" for step in steps for link in step.all("a")]
        assert [item["item"] for item in items][:-1] == links
        assert [item["position"] for item in items] == [1, 2, 3, 4]


class TestAnotherPage:
    @pytest.mark.parametrize(
        "path", ["comments/~/~/", "comments/de/~/", "comments/~/5/", "comments/~/~/?order=helpful"]
    )
    def test_of_the_product_tells_nothing(self, lamp, path):
        assert elements(visit(f"/products/{lamp}/{path}").page) == []
