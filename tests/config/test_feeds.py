"""Lists as Atom feeds: what readers are told, and what their pages lead to."""

from xml.etree.ElementTree import Element, fromstring

import pytest
from django.test import Client

from tests.support.comments.browsing import visit
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import made_product
from tests.support.config.lists import listed_shop

pytestmark = pytest.mark.usefixtures("tables")
SITE = "https://shop.example.com"
ATOM = {"": "http://www.w3.org/2005/Atom"}
RECENT = "/rankings/recently-commented/"


@pytest.fixture(autouse=True)
def known_site(settings):
    settings.SITE_URL = SITE


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture
def lamp(fresh):
    product_id = made_product()
    load(numbered_comments(product_id, count=25, languages=("de", "en")))
    return f"/products/{product_id}/"


def feed_at(url: str) -> Element:
    response = Client().get(url)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return fromstring(response.content)  # noqa: S314 - it is ours


def texts(feed: Element, path: str) -> list[str]:
    return [element.text or "" for element in feed.findall(path, ATOM)]


class TestTheFeedOfAProduct:
    @pytest.mark.parametrize("path", ["comments/~/~/", "comments/de/1.2/", ""])
    def test_has_the_comments_of_the_page_that_leads_to_it(self, lamp, path):
        page = visit(f"{lamp}{path}")
        link = page.page.one("head").one("link", rel="alternate", type="application/atom+xml")
        ids = texts(feed_at(link["href"]), "entry/id")
        assert ids == [f"{SITE}/comments/{one}/" for one in page.comment_ids]

    def test_says_what_a_comment_says(self):
        product_id = made_product()
        load([written(product_id, title="So & so", body="<b>\n\nTwo", author="Ada", rating=4)])
        feed = feed_at(f"/products/{product_id}/comments/~/~/?format=atom")
        assert texts(feed, "title")[0].startswith("Comments · ")
        assert texts(feed, "entry/title") == ["★★★★☆ So & so"]
        assert texts(feed, "entry/summary") == ["<p>&lt;b&gt;</p>\n\n<p>Two</p>"]
        assert texts(feed, "entry/author/name") == ["Ada"]
        assert texts(feed, "entry/published") == texts(feed, "entry/updated") != []

    def test_leaves_out_what_xml_cannot_hold(self):
        product_id = made_product()
        load([written(product_id, title="A\x0bB", body="C\ufffeD", author="E\x1fF")])
        feed = feed_at(f"/products/{product_id}/comments/~/~/?format=atom")
        assert texts(feed, "entry/author/name") == ["EF"]

    def test_has_its_own_address_and_that_of_the_page(self, lamp):
        url = f"{lamp}comments/de/~/"
        feed = feed_at(f"{url}?format=atom")
        links = {link.get("rel", ""): link.get("href") for link in feed.findall("link", ATOM)}
        assert links == {"self": f"{SITE}{url}?format=atom", "alternate": f"{SITE}{url}"}


class TestTheFeedOfARanking:
    def test_has_the_last_comments_of_products(self, shop):
        link = visit(RECENT).page.one("link", rel="alternate")
        found = Client().get(f"{RECENT}?format=json").json()["items"]
        feed = feed_at(link["href"])
        assert texts(feed, "entry/id") == [f"{SITE}{one['latest_comment']['url']}" for one in found]
        assert texts(feed, "entry/title") == [one["product"]["name"] for one in found]


class TestAListWithoutAFeed:
    @pytest.mark.parametrize("url", ["/rankings/most-loved/", "/categories/"])
    def test_says_which_forms_there_are(self, url):
        assert visit(url).page.all("link", rel="alternate") == []
        refused = visit(f"{url}?format=atom")
        assert refused.status == 400
        assert "“json”." in refused.response.content.decode()
