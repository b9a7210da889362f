"""Every list as JSON: the items of its page, links to its pages, and errors as sentences."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from json import loads
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from comments.posting.services import add_comment
from dynapages.calls import metered
from dynapages.django.middleware import RefusalMiddleware
from dynapages.django.refusals import TooManyRequests
from tests.support.comments.deciding import hide
from tests.support.comments.outage import connected
from tests.support.comments.truth import written
from tests.support.comments.writers import someone
from tests.support.config.lists import ADDRESSES, listed_shop
from tests.support.markup import read_markup
from tests.support.ports import spare_port

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture
def comments(shop):
    return shop.address("/products/{product_id}/comments/{languages}/{ratings}/")


@pytest.fixture
def two_on_a_page(settings):
    settings.PAGE_SIZE = 2


def in_form(url: str, form: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}format={form}"


def as_json(url: str) -> str:
    return in_form(url, "json")


def ids_in(answer: dict[str, Any]) -> list[str]:
    """The ids of what an answer holds, of products in a ranking that of the product."""
    items = [item if "number" not in item else item["product"] for item in answer["items"]]
    return [item.get("id") or item["slug"] for item in items]


def ids_on(page: HttpResponse, mark: str) -> list[str]:
    elements = read_markup(page.content.decode()).all(**{mark.replace("-", "_"): True})
    return list(dict.fromkeys(element[mark] for element in elements))


def follow(browser: Client, url: str | None, way: str) -> Iterator[dict[str, Any]]:
    while url:
        response = browser.get(url)
        assert response["Content-Type"] == "application/json", url
        answer = response.json()
        yield answer
        url = answer[way]


def refusal(response: HttpResponse) -> tuple[int, str]:
    """The status of an error, and its sentence: in JSON or, for readers of feeds, as text."""
    if response["Content-Type"] == "text/plain; charset=utf-8":
        return response.status_code, response.content.decode().rstrip("\n")
    answer = loads(response.content)
    assert answer.keys() == {"error"}
    return response.status_code, answer["error"]


@pytest.mark.usefixtures("two_on_a_page")
class TestAList:
    @pytest.mark.parametrize("route", ADDRESSES)
    def test_has_the_items_of_its_page(self, shop, route):
        url = shop.address(route)
        answer = shop.browser.get(as_json(url)).json()
        assert ids_in(answer)
        assert ids_in(answer) == ids_on(shop.browser.get(url), ADDRESSES[route])

    @pytest.mark.parametrize("route", ADDRESSES)
    def test_leads_on_and_back_as_json(self, shop, route):
        there = [*islice(follow(shop.browser, as_json(shop.address(route)), "next"), 3)]
        back = [*islice(follow(shop.browser, there[1]["previous"], "previous"), 3)]
        ids = [one for answer in there for one in ids_in(answer)]
        assert len(ids) == len({*ids}) >= 2
        assert ids_in(back[0]) == ids_in(there[0])
        assert there[0]["previous"] is None

    @pytest.mark.parametrize(
        ("route", "total"),
        [
            ("/products/{product_id}/comments/~/~/", 5),
            ("/products/{product_id}/comments/~/1.2.3/", 3),
            ("/products/{product_id}/most-helpful/", None),
            ("/orders/", 5),
            ("/orders/?status=SHIPPED", 2),
            ("/orders/?open=1", 3),
            ("/orders/?from=2020-01-01", None),
            ("/categories/", None),
        ],
    )
    def test_says_how_many_there_are_where_that_is_known(self, shop, route, total):
        assert shop.browser.get(as_json(shop.address(route))).json()["total"] == total

    @pytest.mark.real_engine
    def test_says_what_it_cost(self, shop, comments):
        with metered() as meter:
            answer = Client().get(as_json(comments)).json()
        assert 0 < answer["capacity_units"] == meter.units

    def test_keeps_its_form_where_an_address_leads_to_another(self, shop):
        url = shop.address("/products/{product_id}/comments/~/5.1/?format=json")
        assert Client().get(url)["Location"].endswith("/comments/~/1.5/?format=json")


@pytest.mark.parametrize("form", ["json", "atom"])
class TestARefusal:
    @pytest.mark.parametrize(
        ("path", "wanted"),
        [
            ("/products/none/comments/xx/~/", 400),
            ("/", 400),
            ("/categories/?" + "&".join(["a=1"] * 1_001), 400),
            ("/orders/", 403),
            ("/nowhere/", 404),
        ],
        ids=["a filter", "a page", "a query too long to parse", "somebody's", "nothing"],
    )
    def test_is_a_sentence(self, form, path, wanted):
        status, sentence = refusal(Client().get(in_form(path, form)))
        assert status == wanted
        assert sentence.endswith(".")

    def test_hides_from_customers_what_staff_see(self, form):
        customer = someone("customer").browser
        assert refusal(customer.get(in_form("/staff/orders/", form)))[0] == 404

    def test_of_a_form_without_its_token_is_a_sentence_too(self, form):
        browser = Client(enforce_csrf_checks=True)
        assert refusal(browser.post(in_form("/basket/remove/", form)))[0] == 403

    def test_of_another_method_says_which_are_allowed(self, form):
        response = Client().post(in_form("/categories/", form))
        assert refusal(response) == (405, "Only these methods are allowed here: GET, HEAD.")
        assert response["Allow"] == "GET, HEAD"

    def test_says_how_long_to_wait_where_something_was_done_too_often(self, form):
        request = RequestFactory().get(in_form("/", form))
        error = TooManyRequests("Try again in a minute.", retry_after=60)
        response = RefusalMiddleware(Client().get).process_exception(request, error)
        assert refusal(response) == (429, "Try again in a minute.")
        assert response["Retry-After"] == "60"

    def test_tells_of_an_error_of_ours(self, form, monkeypatch):
        monkeypatch.setattr("lab.reports.page.find_stored", None)
        browser = Client(raise_request_exception=False)
        status, sentence = refusal(browser.get(in_form("/lab/", form)))
        assert (status, sentence.split(".")[0]) == (500, "Something went wrong on our side")

    def test_tells_of_a_database_that_is_away(self, form, comments):
        with connected(f"http://127.0.0.1:{spare_port()}"):
            response = Client().get(in_form(comments, form))
        status, sentence = refusal(response)
        assert (status, "cannot be reached" in sentence) == (503, True)
        assert response["Retry-After"]


class TestAFormThatIsNotThere:
    @pytest.mark.parametrize(
        ("url", "allowed"), [("/categories/", "“json”"), ("/", "no other format")]
    )
    def test_is_refused_by_a_page_that_says_which_are(self, url, allowed):
        response = Client().get(f"{url}?format=xml")
        assert response.status_code == 400
        assert allowed in read_markup(response.content.decode()).one(class_="lede").text


class TestACache:
    def test_keeps_json_as_long_as_a_page(self, comments):
        page, json = Client().get(comments), Client().get(as_json(comments))
        assert json["Cache-Control"] == page["Cache-Control"]
        assert page["ETag"] != json["ETag"]
        assert "Accept" not in {name.strip() for name in json["Vary"].split(",")}

    def test_need_not_fetch_json_again_until_it_changes(self, shop, comments):
        known = {"If-None-Match": Client().get(as_json(comments))["ETag"]}
        assert Client().get(as_json(comments), headers=known).status_code == 304
        add_comment(written(shop.arguments["product_id"]))
        assert Client().get(as_json(comments), headers=known).status_code == 200

    def test_keeps_nothing_of_somebody(self, shop, comments):
        for url in (comments, "/orders/"):
            directives = shop.browser.get(as_json(url))["Cache-Control"].split(", ")
            assert {"private", "no-store"} <= {*directives}


class TestAHiddenComment:
    def test_is_in_the_list_of_its_author_alone(self, shop):
        writer = someone("writer")
        comment = writer.has_written(shop.arguments["product_id"]).comment
        hide(comment_id=comment.id, now=datetime.now(UTC))
        url = f"/users/{writer.username}/?format=json"
        (own,) = writer.browser.get(url).json()["items"]
        assert (own["id"], own["is_hidden"]) == (comment.id, True)
        assert Client().get(url).json()["items"] == []
