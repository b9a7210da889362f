"""Lists of a product's comments by the API: months to begin at, and pages of any size."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from comments.lists.queries import MOST_UNITS, MOST_UNITS_OF_AN_ITEM
from comments.lists.search_queries import MOST_UNITS as MOST_UNITS_OF_A_SEARCH
from comments.search.models import TABLE
from comments.search.pending import _mark
from dynapages.django.callers import Scope
from dynapages.process import client
from tests.support.comments.browsing import visit
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, problem_of, program_of

pytestmark = [pytest.mark.usefixtures("tables", "wide_limits"), pytest.mark.real_engine]
FIRST = datetime(2025, 11, 3, tzinfo=UTC)
QUERIES = (
    "",
    "order=oldest",
    "order=highest",
    "order=lowest",
    "language=de",
    "language=de&language=fr&order=oldest",
    "rating=1&rating=5",
    "language=en&rating=1&rating=2&order=lowest",
    "language=is",
    "language=is&rating=5&order=oldest",
)
"""Each order with and without filters; few comments are in Icelandic, and fewer with 5 stars."""
SEARCHES = (
    "q=battery",
    "q=battery+lasts&order=oldest",
    "q=battery&language=de&rating=1&rating=2",
    "q=rare&rating=1&rating=3",
)

UNITS_OF_A_KEY = 4
"""What a key, its user, its limit and the user's votes for a product cost, the first time."""


def comments_of(product_id: str, count: int) -> list:
    """Comments five days apart, in four languages and all ratings."""
    comments = []
    for n in range(count):
        language = ("de", "en", "fr")[n % 3]
        if n % 12 == 4:
            language = "is"
        text = "The battery lasts." if n % 4 else "A battery."
        if n % 16 == 5:
            text = "A rare thing."
        comments.append(
            written(
                product_id,
                id=f"{product_id}-{n:03}",
                language=language,
                rating=n % 5 + 1,
                created_at=FIRST + timedelta(days=5 * n),
                title="Lamp",
                body=text,
            )
        )
    return comments


@pytest.fixture(scope="module")
def listed(tables, engine_name):
    """The address of the comments of a product with 110 of them, which can be searched."""
    with searching(engine_name):
        product_id = made_product()
        load_searched(comments_of(product_id, 110))
        yield f"/products/{product_id}/comments"


def walk(url: str | None, way: str = "next") -> Iterator[dict[str, Any]]:
    while url:
        answer = NOBODY.get(url)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        url = answer.json()[way]


def ids_on(pages: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for page in pages for item in page["items"]]


def each_once(pages: list[dict[str, Any]]) -> list[str]:
    """The ids on pages that were walked back to the first one, which is whole then.

    Some of it may be on the page behind it as well.
    """
    return list(dict.fromkeys(ids_on(pages)))


def assert_walked_both_ways(url: str, limit: int, whole: list[str]) -> list[dict[str, Any]]:
    """Walk a list there and back by pages of one size; return all pages."""
    there = [*walk(f"{url}limit={limit}")]
    assert ids_on(there) == whole
    last = NOBODY.get(there[0]["last"] or there[0]["first"]).json()
    back = [last, *walk(last["previous"], "previous")]
    assert each_once(back[::-1]) == whole
    for page in (*there, *back):
        assert len(page["items"]) <= limit
        links = [page[name] for name in ("first", "previous", "next", "last") if page[name]]
        assert all(f"limit={limit}" in link for link in links)
    return there + back


@pytest.mark.parametrize("limit", [1, 7, 100])
class TestALimit:
    @pytest.mark.parametrize("query", QUERIES)
    def test_walks_the_same_list_both_ways_at_a_bounded_cost(self, listed, query, limit):
        whole = ids_on([*walk(f"{listed}?{query}&limit=50")])
        assert len(whole) == NOBODY.get(f"{listed}?{query}").json()["total"]
        pages = assert_walked_both_ways(f"{listed}?{query}&", limit, whole)
        most = max(MOST_UNITS, limit * MOST_UNITS_OF_AN_ITEM)
        assert max(page["cost"] for page in pages) <= most

    @pytest.mark.parametrize("query", SEARCHES)
    def test_walks_the_same_search_both_ways_at_a_bounded_cost(self, listed, query, limit):
        whole = ids_on([*walk(f"{listed}?{query}&limit=50")])
        assert whole
        pages = assert_walked_both_ways(f"{listed}?{query}&", limit, whole)
        assert max(page["cost"] for page in pages) <= MOST_UNITS_OF_A_SEARCH


class TestTheCostOfAPage:
    def test_rises_with_its_size_alone(self, listed):
        costs = [NOBODY.get(f"{listed}?limit={limit}").json()["cost"] for limit in (1, 20, 100)]
        assert costs == sorted(costs)
        assert costs[0] < costs[-1]


@pytest.mark.parametrize("limit", [20, 100])
@pytest.mark.parametrize("query", SEARCHES)
class TestTheCostOfASearch:
    def test_is_higher_with_a_key_by_what_that_costs(self, listed, query, limit):
        url = f"{listed}?{query}&limit={limit}"
        program = program_of(someone("reader").username, Scope.READ)
        cost, cost_with_key = NOBODY.get(url).json()["cost"], program.get(url).json()["cost"]
        assert cost_with_key - cost <= UNITS_OF_A_KEY

    def test_is_higher_by_a_unit_for_each_comment_just_written(self, listed, query, limit):
        product_id = made_product()
        load_searched(comments_of(product_id, 110))
        url = f"/products/{product_id}/comments?{query}&limit={limit}"
        NOBODY.get(url)  # so that its rarest word is known
        before = NOBODY.get(url).json()["cost"]
        for number in range(3):
            mark = _mark("CHANGE#x", product_id, {f"{product_id}-{number:03}"})
            client().put_item(TableName=TABLE, Item=mark)
        after = NOBODY.get(url).json()["cost"]
        assert after == before + 3
        assert after <= MOST_UNITS_OF_A_SEARCH + 3


class TestAMonth:
    @pytest.mark.parametrize("query", ["", "language=de&", "rating=1&rating=2&", "limit=7&"])
    @pytest.mark.parametrize("order", ["newest", "oldest"])
    def test_begins_the_list_in_its_order(self, listed, query, order):
        url = f"{listed}?{query}order={order}"
        whole = [item for page in walk(url) for item in page["items"]]
        month = "2026-03"
        if order == "newest":
            wanted = [each["id"] for each in whole if each["created"][:7] <= month]
        else:
            wanted = [each["id"] for each in whole if each["created"][:7] >= month]
        assert 0 < len(wanted) < len(whole)
        pages = [*walk(f"{url}&month={month}")]
        assert ids_on(pages) == wanted
        back = [*walk(pages[0]["previous"], "previous")]
        in_front = [each["id"] for each in whole][: len(whole) - len(wanted)]
        assert each_once(back[::-1])[: len(in_front)] == in_front

    def test_is_in_no_link_of_the_list(self, listed):
        page = NOBODY.get(f"{listed}?language=de&month=2026-03&limit=7").json()
        assert page["first"].endswith(f"{listed}?language=de&limit=7")
        for name in ("first", "previous", "next", "last"):
            assert "month" not in page[name]

    @pytest.mark.parametrize(
        ("query", "page"),
        [("", "~/~/?"), ("language=de&", "de/~/?"), ("order=oldest&", "~/~/?order=oldest&")],
    )
    def test_begins_the_page_as_it_does_on_the_site(self, listed, query, page):
        answer = NOBODY.get(f"{listed}?{query}month=2026-03").json()
        assert ids_on([answer]) == visit(f"{listed}/{page}month=2026-03").comment_ids != []

    def test_without_comments_begins_with_the_next_one(self, listed):
        found, first = (NOBODY.get(f"{listed}{query}").json() for query in ("?month=2030-01", ""))
        assert found["items"] == first["items"]

    def test_behind_all_comments_has_an_empty_page(self, listed):
        page = NOBODY.get(f"{listed}?month=2020-01").json()
        assert (page["items"], page["next"]) == ([], None)

    def test_begins_a_search(self, listed):
        whole = [item for page in walk(f"{listed}?q=battery") for item in page["items"]]
        wanted = [each["id"] for each in whole if each["created"][:7] <= "2026-03"]
        assert ids_on([*walk(f"{listed}?q=battery&month=2026-03")]) == wanted

    @pytest.mark.parametrize(
        "month", ["", "2026", "2026-13", "0000-12", "2026-3", "26-03", "2026-03-01", "٢٠٢٦-٠٣"]
    )
    def test_that_is_none_is_refused(self, listed, month):
        answer = NOBODY.get(f"{listed}?month={month}")
        assert problem_of(answer) == (422, "query.month: A month is written as 2026-03.")

    @pytest.mark.parametrize("query", ["order=highest", "order=lowest", "cursor=end"])
    def test_is_refused_in_lists_by_rating_and_on_other_pages(self, listed, query):
        status, sentence = problem_of(NOBODY.get(f"{listed}?{query}&month=2026-03"))
        assert status == 400
        assert sentence == "A month begins the first page of a list that is sorted by time."
