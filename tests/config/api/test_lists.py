"""Every list of the API: the items of its page, links around it, totals, and what it cost."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from django.http import HttpResponse
from django.template.base import Variable
from django.test import Client

from comments.lists.entries import CommentEntry
from dynapages.calls import metered
from dynapages.django.access import SHARED_SECONDS
from dynapages.django.callers import Scope
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import someone
from tests.support.config.api import NOBODY, Program, problem_of, program_of
from tests.support.config.lists import ADDRESSES, IN_THE_API, listed_shop
from tests.support.markup import read_markup
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
COMMENTS = "/products/{product_id}/comments"
FORGED = f"after.{'x' * 40}.{'x' * 43}"
LISTS = pytest.mark.parametrize("page", IN_THE_API)
PUBLIC = [url for url in IN_THE_API.values() if "orders" not in url]


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture(scope="module")
def staff(shop):
    """A program of the one who has written and ordered everything, and is staff."""
    return program_of(shop.arguments["username"], Scope.STAFF)


@pytest.fixture
def comments(shop):
    return shop.address(COMMENTS)


@pytest.fixture(autouse=True)
def one_on_a_page(settings):
    settings.PAGE_SIZE = 1


def ids_in(answer: dict[str, Any]) -> list[str]:
    """The ids of what an answer holds, of products in a ranking that of the product."""
    items = [item if "number" not in item else item["product"] for item in answer["items"]]
    return [item.get("id") or item["slug"] for item in items]


def ids_on(response: HttpResponse, page: str) -> list[str]:
    path = page.partition("?")[0]
    (mark,) = {mark for route, mark in ADDRESSES.items() if re.fullmatch(_any(route), path)}
    elements = read_markup(response.content.decode()).all(**{mark.replace("-", "_"): True})
    return list(dict.fromkeys(element[mark] for element in elements))


def _any(route: str) -> str:
    return re.sub(r"{\w+}", "[^/]+", route.partition("?")[0])


def walk(program: Program, url: str | None, way: str = "next") -> Iterator[dict[str, Any]]:
    while url:
        answer = program.get(url)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        url = answer.json()[way]


def links_of(answer: httpx.Response) -> dict[str, str]:
    return {str(name): each["url"] for name, each in answer.links.items()}


@LISTS
class TestAList:
    def test_has_the_items_of_its_page(self, shop, staff, page):
        answer = staff.get(shop.address(IN_THE_API[page])).json()
        assert ids_in(answer) == ids_on(shop.browser.get(shop.address(page)), page) != []

    def test_is_the_same_page_by_page_as_whole(self, shop, staff, settings, page):
        url = shop.address(IN_THE_API[page])
        parts = [*walk(staff, url)]
        settings.PAGE_SIZE = 100
        (whole,) = walk(staff, url)
        assert [one for part in parts for one in ids_in(part)] == ids_in(whole)
        assert {part["first"] for part in parts} == {parts[0]["first"]}

    def test_leads_back_as_it_led_on(self, shop, staff, page):
        there = [*walk(staff, shop.address(IN_THE_API[page]))]
        assert len(there) > 1
        assert [one["last"] is None for one in there] == [one["next"] is None for one in there]
        back = [*walk(staff, there[-1]["previous"], "previous")]
        assert [ids_in(one) for one in back] == [ids_in(one) for one in there[-2::-1]]
        onward = staff.get(back[-1]["next"]).json()
        assert ids_in(onward) == ids_in(there[1])

    def test_has_a_last_page(self, shop, staff, page):
        *_, end = walk(staff, shop.address(IN_THE_API[page]))
        last = staff.get(staff.get(shop.address(IN_THE_API[page])).json()["last"]).json()
        assert ids_in(last)[-1] == ids_in(end)[-1]
        assert (last["next"], last["last"]) == (None, None)
        assert last["previous"]

    def test_begins_with_its_first_page_where_the_way_back_would_pass_it(
        self, shop, staff, settings, page
    ):
        first = staff.get(shop.address(IN_THE_API[page])).json()
        second = staff.get(first["next"]).json()
        settings.PAGE_SIZE = 2
        wanted = staff.get(first["first"]).json()
        found = staff.get(second["previous"]).json()
        assert ids_in(found) == ids_in(wanted)
        assert (found["previous"], found["next"]) == (None, wanted["next"])

    def test_has_its_links_in_a_header_too(self, shop, staff, page):
        answer = staff.get(staff.get(shop.address(IN_THE_API[page])).json()["next"])
        names = ("first", "previous", "next", "last")
        fields = {name: answer.json()[name] for name in names if answer.json()[name]}
        assert links_of(answer) == fields
        assert {"first", "previous"} <= fields.keys()

    def test_refuses_links_of_another_list(self, shop, staff, page):
        url = shop.address(IN_THE_API[page])
        is_other = "rankings/most-loved" not in url
        other = "/rankings/most-loved" if is_other else "/rankings/recently-commented"
        cursor = staff.get(other).json()["next"].partition("cursor=")[2]
        joint = "&" if "?" in url else "?"
        for each in (cursor, FORGED):
            status, sentence = problem_of(staff.get(f"{url}{joint}cursor={each}"))
            assert (status, sentence.endswith(".")) == (400, True)

    def test_refuses_what_is_no_cursor(self, shop, staff, page):
        url = shop.address(IN_THE_API[page])
        joint = "&" if "?" in url else "?"
        for cursor in ("", "x", "after", "after.x", f"behind.{FORGED[6:]}", f"{FORGED}x", "end%0A"):
            answer = staff.get(f"{url}{joint}cursor={cursor}")
            status, sentence = problem_of(answer)
            assert (status, answer.json()["code"]) == (400, "bad-cursor"), cursor
            assert "take one from a link" in sentence


class TestATotal:
    @pytest.mark.parametrize(
        ("url", "total"),
        [
            (COMMENTS, 5),
            (f"{COMMENTS}?rating=1&rating=2&rating=3", 3),
            (f"{COMMENTS}/most-helpful", None),
            ("/orders", 5),
            ("/orders?status=SHIPPED", 2),
            ("/orders?open=true", 3),
            ("/orders?since=2020-01-01", None),
            ("/categories", None),
        ],
    )
    def test_is_told_where_it_is_known(self, shop, staff, url, total):
        first = staff.get(shop.address(url)).json()
        assert (first["total"], staff.get(first["next"]).json()["total"]) == (total, total)


@pytest.mark.real_engine
class TestTheCost:
    @pytest.mark.parametrize("url", IN_THE_API.values())
    def test_is_what_was_read(self, shop, staff, url):
        with metered() as meter:
            answer = staff.get(shop.address(url)).json()
        assert 0 < answer["cost"] == meter.units


class TestAFilter:
    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("language=xx", "language.0"),
            ("language=EN", "language.0"),
            ("rating=6", "rating.0"),
            ("rating=x", "rating.0"),
            ("order=best", "order"),
        ],
    )
    def test_of_comments_that_there_is_not_is_refused(self, comments, query, field):
        status, sentence = problem_of(NOBODY.get(f"{comments}?{query}"))
        assert (status, sentence.partition(":")[0]) == (422, f"query.{field}")

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("status=placed", 422),
            ("since=yesterday", 422),
            ("since=2026-02-30", 422),
            ("since=20260201", 422),
            ("until=", 422),
            ("open=", 422),
            ("since=2026-02-01&until=2026-01-01", 400),
            ("open=true&status=PLACED", 400),
        ],
    )
    def test_of_orders_that_there_is_not_is_refused(self, staff, query, status):
        assert problem_of(staff.get(f"/orders?{query}"))[0] == status

    def test_of_days_that_are_none_says_how_to_write_them(self, staff):
        for query in ("since=yesterday", "until="):
            assert "YYYY-MM-DD" in problem_of(staff.get(f"/orders?{query}"))[1]

    def test_by_a_status_twice_is_that_by_it_once(self, staff):
        once = staff.get("/orders?status=SHIPPED").json()
        twice = staff.get("/orders?status=SHIPPED&status=SHIPPED").json()
        assert ids_in(once) == ids_in(twice) != []

    def test_of_a_search_has_a_word_that_leads(self, shop):
        first = NOBODY.get("/search?q=gro").json()["items"]
        assert problem_of(NOBODY.get("/search?q=gro&by=other"))[0] == 400
        assert NOBODY.get("/search?q=gro&by=gro").json()["items"] == first

    def test_of_the_queue_has_open_statuses_alone(self, staff):
        assert problem_of(staff.get("/staff/orders?status=SHIPPED"))[0] == 422

    def test_of_hidden_comments_is_for_staff(self, shop, comments):
        someone_else = program_of(someone("other").username)
        for program in (NOBODY, someone_else):
            status, sentence = problem_of(program.get(f"{comments}?q=words&hidden=true"))
            assert (status, sentence) == (403, "Only staff can search hidden comments.")

    @pytest.mark.parametrize("query", ["hidden=true", "hidden=true&q=+"])
    def test_of_hidden_comments_without_words_is_refused(self, staff, comments, query):
        answer = staff.get(f"{comments}?{query}")
        assert problem_of(answer) == (400, "“hidden” is about a search: send “q” with it.")

    def test_by_words_is_refused_where_comments_are_not_searched(self, comments):
        status, sentence = problem_of(NOBODY.get(f"{comments}?q=words"))
        assert (status, sentence.startswith("This shop does not search comments")) == (400, True)


class TestWhatIsNotThere:
    @pytest.mark.parametrize(
        "url",
        [
            "/products/none",
            "/products/none/comments",
            "/products/none/comments/most-helpful",
            "/users/none/comments",
            "/comments/none",
            "/categories/none/products",
            "/staff/customers/none/orders",
            "/orders/none",
        ],
    )
    def test_is_told_in_a_sentence(self, staff, url):
        status, sentence = problem_of(staff.get(url))
        assert (status, sentence.endswith(".")) == (404, True)


class TestACache:
    @pytest.mark.parametrize("url", PUBLIC)
    def test_keeps_what_is_answered_without_a_key(self, shop, url):
        answer = NOBODY.get(shop.address(url))
        directives = set(answer.headers["Cache-Control"].split(", "))
        assert directives == {"public", "max-age=0", f"s-maxage={SHARED_SECONDS}"}
        assert "Authorization" in answer.headers["Vary"].split(", ")

    @pytest.mark.parametrize("url", IN_THE_API.values())
    def test_keeps_nothing_that_is_answered_to_a_key(self, shop, staff, url):
        directives = staff.get(shop.address(url)).headers["Cache-Control"].split(", ")
        assert {"no-store", "private"} <= {*directives}

    def test_keeps_no_problem(self, shop):
        for url in ("/orders", "/products/none", shop.address(f"{COMMENTS}?rating=6")):
            assert NOBODY.get(url).headers["Cache-Control"] == "no-store"


class TestALinkOfAnOddId:
    @pytest.mark.parametrize(
        "name", ["50% off?", "größe#7", "a<b>;c,d", "%3F", 'a"b&c=d+e', "a\r\nX-Other: 1"]
    )
    def test_leads_to_the_next_page_of_the_same_list(self, fresh, name):
        product_id = put_product(f"{fresh('lamp')}{name}")
        load(numbered_comments(product_id, count=3))
        browser = Client()  # httpx hands on no other letters than those of English
        first = browser.get(f"/api/v1/products/{quote(product_id, safe='')}/comments?limit=2")
        assert f'<{first.json()["next"]}>; rel="next"' in first.headers["Link"]
        following = browser.get(first.json()["next"]).json()
        assert len(following["items"]) == 1
        assert browser.get(following["previous"]).json()["items"] == first.json()["items"]


class TestTheWork:
    """What the processor is spared; ``manage.py bench api`` says how long it takes."""

    def test_is_done_without_the_templates_of_pages(self, comments, monkeypatch):
        def refuse(*_arguments: object) -> None:
            raise AssertionError("a template's variable was looked up")

        monkeypatch.setattr(Variable, "__init__", refuse)
        assert NOBODY.get(comments).json()["items"]

    def test_reads_each_value_of_a_comment_once(self, comments, monkeypatch):
        read = []

        def slug_of(entry: CommentEntry) -> str:
            read.append(entry.id)
            return entry.user_id

        monkeypatch.setattr(CommentEntry, "user_slug", property(slug_of))
        assert [each["id"] for each in NOBODY.get(comments).json()["items"]] == read
