"""Lists as Atom feeds: what readers are told, and what their pages lead to."""

from html import escape
from xml.etree.ElementTree import Element, fromstring

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.comments.browsing import visit
from tests.support.comments.deciding import hide
from tests.support.comments.faulty import unreachable
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import made_product, someone
from tests.support.config.lists import listed_shop

pytestmark = pytest.mark.usefixtures("tables")
SITE = "https://shop.example.com"
ATOM = {"": "http://www.w3.org/2005/Atom"}
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
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

    def test_says_its_language_and_that_of_each_comment(self):
        product_id = made_product()
        load(
            [
                written(product_id, id=f"{product_id}-de", language="de", title="Schön"),
                written(product_id, id=f"{product_id}-fr", language="fr", title="", body=""),
            ]
        )
        response = Client().get(
            f"/products/{product_id}/comments/~/~/?format=atom", headers={"Accept-Language": "de"}
        )
        feed = fromstring(response.content)  # noqa: S314 - it is ours
        languages = {texts(e, "title")[0][6:]: e.get(LANG) for e in feed.findall("entry", ATOM)}
        assert (feed.get(LANG), languages) == ("de", {"Schön": "de", "": None})
        assert "Keine Worte, nur Sterne." in " ".join(texts(feed, "entry/summary"))


class TestTheFeedOfAUser:
    def test_has_their_comments_with_the_products_they_are_about(self):
        ann = someone("ann")
        for product_id in (made_product(), made_product()):
            ann.has_written(product_id)
        url = f"/users/{ann.username}/"
        link = visit(url).page.one("link", rel="alternate")["href"]
        feed = feed_at(link)
        data = Client().get(f"/api/v1{url}comments").json()["items"]
        assert link == f"{url}?format=atom"
        assert texts(feed, "title")[0] == f"Comments by {ann.username} · Dynashop"
        assert texts(feed, "entry/id") == [f"{SITE}{one['url']}" for one in data]
        titles = [f"★★★★★ Lovely · {one['product']['name']}" for one in data]
        assert texts(feed, "entry/title") == titles

    def test_leaves_out_what_the_shop_has_hidden(self):
        ann = someone("ann")
        comment = ann.has_written(made_product()).comment
        hide(comment_id=comment.id, now=comment.created_at)
        assert texts(feed_at(f"/users/{ann.username}/?format=atom"), "entry/id") == []

    def test_of_nobody_is_not_there(self):
        assert visit("/users/there-is-nobody/?format=atom").status == 404


class TestTheFeedOfARanking:
    def test_has_a_summary_of_each_product(self, shop):
        feed = feed_at(f"{RECENT}?format=atom")
        summaries = texts(feed, "entry/summary")
        for title, summary in zip(texts(feed, "entry/title"), summaries, strict=True):
            assert summary.startswith(f"<p>The last comment on {escape(title)} is of ")

    def test_has_the_last_comments_of_products(self, shop):
        link = visit(RECENT).page.one("link", rel="alternate")
        found = Client().get(f"/api/v1{RECENT.rstrip('/')}").json()["items"]
        feed = feed_at(link["href"])
        assert texts(feed, "entry/id") == [f"{SITE}{one['comment_url']}" for one in found]
        assert texts(feed, "entry/title") == [one["product"]["name"] for one in found]


class TestAListWithoutAFeed:
    @pytest.mark.parametrize("url", ["/rankings/most-loved/", "/categories/"])
    def test_has_no_other_form(self, url):
        assert visit(url).page.all("link", rel="alternate") == []
        for form in ("atom", "xml", "json"):
            refused = visit(f"{url}?format={form}")
            assert (refused.status, "no other format" in refused.page.text) == (400, True)


class TestARefusal:
    @pytest.mark.parametrize(
        ("path", "wanted"),
        [
            ("/products/none/comments/xx/~/?", 400),
            ("/?", 400),
            ("/categories/?" + "a=1&" * 1_001, 400),
            ("/orders/?", 403),
            ("/nowhere/?", 404),
        ],
        ids=["a filter", "a page", "a query too long to parse", "somebody's", "nothing"],
    )
    def test_is_a_sentence(self, path, wanted):
        assert refusal(Client().get(f"{path}format=atom"))[0] == wanted

    def test_hides_from_customers_what_staff_see(self):
        answer = someone("customer").browser.get("/staff/orders/?format=atom")
        assert refusal(answer)[0] == 404

    def test_of_another_method_says_which_are_allowed(self):
        response = Client().post("/categories/?format=atom")
        assert refusal(response) == (405, "Only these methods are allowed here: GET, HEAD.")
        assert response["Allow"] == "GET, HEAD"

    def test_tells_of_a_database_that_is_away(self):
        url = f"/products/{made_product()}/comments/~/~/?format=atom"
        with unreachable():
            response = Client().get(url)
        status, sentence = refusal(response)
        assert (status, "cannot be reached" in sentence) == (503, True)
        assert response["Retry-After"]

    def test_of_a_form_that_there_is_not_names_atom_alone(self, shop):
        page = visit(f"/products/{made_product()}/comments/~/~/?format=json")
        assert (page.status, "“atom”" in page.page.one(class_="lede").text) == (400, True)


def refusal(response: HttpResponse) -> tuple[int, str]:
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    sentence = response.content.decode().rstrip("\n")
    assert sentence.endswith(".")
    return response.status_code, sentence
