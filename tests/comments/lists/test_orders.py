"""A list's addresses, headings, orders, chips and months."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import pytest
from django.test import Client
from django.urls import resolve
from django.utils.translation import override

from comments.filters import RATINGS, CommentFilter
from comments.lists.listing import REMEMBER, heading_of, list_url, listing_of, pager_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import list_comments
from comments.lists.recent import in_list, read_recent, with_recent
from comments.posting.services import add_comment
from comments.store.counts import ProductCounts, read_counts
from dynapages.django.paging import Toggle
from dynapages.lists import PageRequest, Toward
from tests.support.comments.browsing import Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, numbered_comments, written
from tests.support.comments.walking import read_page
from tests.support.comments.writers import made_product
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("tables")

ORDERS = [order for order in CommentOrder if order is not CommentOrder.NEWEST]
LISTS = "/products/lamp/comments"


@pytest.fixture(scope="module")
def lamp(tables):
    """45 comments in German and English on the product ``lamp``."""
    comments = numbered_comments("lamp", count=45, languages=("de", "en"))
    load(comments)
    return Truth(comments)


def order_form(address: str, **headers: str) -> Element:
    form, *_ = visit(address, **headers).page.all("form", class_="list-choice")
    return form


class TestAList:
    @pytest.mark.parametrize("order", ORDERS)
    def test_is_of_a_filter(self, lamp, order):
        shown = visit(f"{LISTS}/de/2.4/?order={order}")
        assert shown.comment_ids == lamp.ids(["de"], [2, 4], order)
        assert order.spoken in shown.page.one(id="list-heading").text

    @pytest.mark.parametrize("order", ORDERS)
    def test_keeps_its_order_when_the_filter_changes(self, lamp, order):
        shown = visit(f"{LISTS}/de/~/?order={order}")
        assert shown.toggle("rating", "5")["href"] == f"{LISTS}/de/5/?order={order}#comments"
        everything = f"{LISTS}/~/~/?order={order}&remember=languages#comments"
        assert shown.toggle("all-languages")["href"] == everything
        assert chips(shown)["Clear filters"] == f"{LISTS}/~/~/?order={order}#comments"


class TestTheChoice:
    def test_is_of_the_orders_of_the_same_filter(self, lamp):
        form = order_form(f"{LISTS}/de/4/?order=lowest")
        options = form.one("select", name="order").all("option")
        assert form["action"] == form["hx-get"] == f"{LISTS}/de/4/"
        assert [one["value"] for one in options] == list(CommentOrder)
        assert [one.text for one in options if "selected" in one.attributes] == ["Lowest rated"]

    def test_of_the_products_page_is_that_of_its_list(self, lamp):
        form = order_form("/products/lamp/", accept_language="de")
        assert form["action"] == f"{LISTS}/de/~/"

    def test_of_the_most_helpful_has_filters_average_and_search_field(self, lamp):
        shown = visit(f"{LISTS}/de/4/?order=helpful")
        page = shown.page
        assert page.one(id="list-heading").text == "4-star comments in German, most helpful first"
        assert chips(shown)["Clear filters"] == f"{LISTS}/~/~/?order=helpful#comments"
        assert page.all(class_="average")
        assert page.all(class_="list-controls")
        assert not page.all("select", name="month")

    def test_of_the_most_helpful_calls_no_page_less_helpful_where_nobody_has_voted(self, lamp):
        first = visit(f"{LISTS}/~/~/?order=helpful")
        assert first.page.one("a", rel="next").text == "Next →"
        last = visit(f"{LISTS}/~/~/?order=helpful&before=end")
        assert last.page.one("a", rel="prev").text == "← Previous"

    def test_of_the_most_helpful_has_no_other_address(self, lamp):
        response = Client().get("/products/lamp/most-helpful/?after=anything")
        listed = f"{LISTS}/~/~/?order=helpful"
        assert (response.status_code, response["Location"]) == (301, listed)


class TestTheAddress:
    @pytest.mark.parametrize(
        ("spelled", "canonical"),
        [
            ("de/~/?order=newest", "de/~/"),
            ("de/~/?order=newest&before=end", "de/~/?before=end"),
            ("de/~/?order=newest&order=oldest", "de/~/?order=oldest"),
            ("DE/5.4/?before=end&order=oldest", "de/4.5/?order=oldest&before=end"),
        ],
    )
    def test_has_one_spelling(self, lamp, spelled, canonical):
        response = Client().get(f"{LISTS}/{spelled}")
        assert (response.status_code, response["Location"]) == (301, f"{LISTS}/{canonical}")

    @pytest.mark.parametrize("order", ["", "new", "NEWEST", "rating", "%00"])
    def test_of_an_unknown_order_says_what_is_allowed(self, lamp, order):
        shown = visit(f"{LISTS}/~/~/?order={order}")
        assert shown.status == 400
        assert "choose from newest" in shown.page.one(class_="lede").text


class TestACommentJustWritten:
    @pytest.mark.parametrize("order", CommentOrder)
    @pytest.mark.parametrize("turns", [0, 1])
    @pytest.mark.parametrize("toward", Toward)
    def test_is_in_its_place_before_the_index_has_it(self, lamp, order, turns, toward):
        request, chosen = PageRequest(20, toward=toward), CommentFilter()
        for _ in range(turns):
            page = read_page("lamp", chosen, request, order=order)
            edge = page.next_position if toward is Toward.NEXT else page.previous_position
            request = PageRequest(20, edge, toward)
        found = list_comments("lamp", chosen, request, counts=read_counts("lamp"), order=order)
        for one in found.comments:
            entries = with_recent(
                [entry for entry in found.comments if entry.id != one.id],
                read_recent(sorted({one.id, lamp.ids()[0], lamp.ids()[-1]})),
                page=found.page,
                belongs=in_list("lamp", chosen),
                order=order,
            )
            assert [e.id for e in entries] == [e.id for e in found.comments]


CHIPPED = "/products/chipped/comments"
REMOVE = "Remove the filter “{}”"


@pytest.fixture(scope="module", autouse=True)
def chipped(tables):
    load(numbered_comments("chipped", count=20, languages=("de", "en")))


def chips(shown: Shown) -> dict[str, str]:
    """Where each one leads, by its accessible name."""
    return {
        chip.get("aria-label") or chip.text: chip["href"]
        for chip in shown.page.one(class_="chips").all("a")
    }


class TestTheChips:
    def test_lead_to_the_list_without_a_value(self):
        assert chips(visit(f"{CHIPPED}/de.en/1/")) == {
            REMOVE.format("German"): f"{CHIPPED}/en/1/#comments",
            REMOVE.format("English"): f"{CHIPPED}/de/1/#comments",
            REMOVE.format("1 star"): f"{CHIPPED}/de.en/~/#comments",
            "Clear filters": f"{CHIPPED}/~/~/#comments",
        }

    def test_say_that_the_language_is_the_visitors(self):
        shown = visit("/products/chipped/", Accept_Language="de")
        assert [*chips(shown)] == ["Filter „Deutsch“ entfernen", "Filter zurücksetzen"]
        assert "In Ihrer Sprache." in shown.page.one(class_="chips").text


@pytest.mark.parametrize(
    ("chosen", "summary"), [("~/~", "Filter"), ("de/~", "Filter (1)"), ("de.en/1.2", "Filter (4)")]
)
def test_the_filters_of_a_phone_say_how_many_values_are_chosen(chosen, summary):
    assert visit(f"{CHIPPED}/{chosen}/").page.one(id="filter").text == summary


class TestListUrl:
    @pytest.mark.parametrize(
        "product_id", ["a#b", "50%", "a+b", "a b", "a?b", "日本語", "🦊", "~", "."]
    )
    def test_leads_back_to_its_product(self, product_id):
        url = list_url(product_id, CommentFilter.of(["de"]))
        assert "?" not in url
        assert "#" not in url
        match = resolve(unquote(url))
        assert match.kwargs == {"product_id": product_id, "languages": "de", "ratings": "~"}


def toggle_urls(toggles: Iterable[Toggle]) -> dict[str, str]:
    """The URLs of toggles by value, without what they say of remembering."""
    urls = {}
    for toggle in toggles:
        parts = urlsplit(toggle.url)
        named = [pair for pair in parse_qsl(parts.query) if pair[0] != REMEMBER]
        urls[toggle.value] = parts._replace(query=urlencode(named)).geturl()
    return urls


class TestTheTogglesOfAList:
    @pytest.mark.parametrize("order", CommentOrder)
    @pytest.mark.parametrize("ratings", [(), (5,), (1, 2, 3, 4)])
    @pytest.mark.parametrize("languages", [(), ("de",), ("de", "en")])
    def test_lead_to_the_list_with_their_value_or_without_it(self, lamp, languages, ratings, order):
        chosen = CommentFilter.of(languages, ratings)
        counts = read_counts("lamp")
        results = list_comments("lamp", chosen, PageRequest(3), counts=counts, order=order)
        shown = listing_of("lamp", chosen, results, order=order)
        expected = {}
        for language in ("de", "en"):
            expected[language] = list_url("lamp", chosen.toggle_language(language), order)
        assert toggle_urls(shown["languages"]) == expected
        expected = {}
        for rating in RATINGS:
            expected[str(rating)] = list_url("lamp", chosen.toggle_rating(rating), order)
        assert toggle_urls(shown["ratings"]) == expected

    @pytest.mark.parametrize(("language", "names"), [
        ("en", ["English", "French", "German"]),
        ("de", ["Deutsch", "Englisch", "Französisch"]),
    ])  # fmt: skip
    def test_are_sorted_by_the_names_of_languages(self, lamp, language, names):
        counts = ProductCounts({(code, 5): 1 for code in ("de", "en", "fr")})
        results = list_comments("lamp", CommentFilter(), PageRequest(3), counts=counts)
        with override(language):
            shown = listing_of("lamp", CommentFilter(), results)
        assert [toggle.label for toggle in shown["languages"]] == names


class TestPager:
    def test_has_a_name_of_its_own_for_every_list(self):
        lists = [
            ("42", CommentFilter()),
            ("43", CommentFilter()),
            ("42", CommentFilter.of(["de"])),
            ("42", CommentFilter.of(["de", "en"])),
            ("42", CommentFilter.of(ratings=[1])),
            ("42", CommentFilter.of(["de"], [1])),
        ]
        names = {pager_of(*one, order).list_name for one in lists for order in CommentOrder}
        assert len(names) == len(lists) * len(CommentOrder)


class TestHeading:
    @pytest.mark.parametrize(
        ("languages", "ratings", "heading"),
        [
            ((), (), "Comments"),
            (("de",), (), "Comments in German"),
            (("de", "en", "ja"), (), "Comments in German, English and Japanese"),
            ((), (4,), "4-star comments"),
            (("de",), (1, 2), "1- and 2-star comments in German"),
        ],
    )
    def test_says_what_the_list_holds(self, languages, ratings, heading):
        assert heading_of(CommentFilter.of(languages, ratings)) == heading


DATED = "/products/dated/comments"
FIRST = datetime(2025, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def dated(tables):
    """A comment each five days from November 2025 on, by turns in German and English."""
    comments = [
        written(
            "dated",
            id=f"dated-{n:03}",
            language=("de", "en")[n % 2],
            rating=n % 5 + 1,
            created_at=FIRST + timedelta(days=5 * n),
        )
        for n in range(60)
    ]
    load(comments)
    return Truth(comments)


def months_of(truth: Truth) -> dict[str, int]:
    return dict(Counter(f"{comment.created_at:%Y-%m}" for comment in truth.comments))


def extent(shown: Shown) -> str:
    return shown.page.one(class_="extent").text


def offered(shown: Shown) -> list[str]:
    return [option["value"] for option in shown.page.one("select", id="month").all("option")]


class TestAMonth:
    @pytest.mark.parametrize(
        ("order", "begins"), [("newest", "2026-03-31"), ("oldest", "2026-03-01")]
    )
    @pytest.mark.parametrize("filtered", ["~/~", "de/~", "en/1.2.3.4"])
    def test_begins_the_list_in_its_order(self, dated, order, begins, filtered):
        languages, ratings = filtered.split("/")
        chosen = ([] if languages == "~" else [languages], [1, 2, 3, 4] if ratings != "~" else [])
        dates = {comment.id: f"{comment.created_at:%Y-%m-%d}" for comment in dated.comments}
        whole = dated.ids(*chosen, CommentOrder(order))
        first = [one for one in whole if (dates[one] <= begins) is (order == "newest")]
        if order == "oldest":
            first = [one for one in whole if dates[one] >= begins]
        query = {"newest": "?month=2026-03", "oldest": "?order=oldest&month=2026-03"}[order]
        shown = visit(f"{DATED}/{filtered}/{query}")
        assert shown.comment_ids == first[:20]
        in_front = whole[: len(whole) - len(first)]
        newer = visit(shown.newer)
        if len(in_front) < 20:
            assert newer.response["Location"] == shown.first
        else:
            assert newer.comment_ids == in_front[-20:]

    def test_without_comments_begins_with_the_next_one(self, dated):
        assert visit(f"{DATED}/~/~/?month=2027-05").comment_ids == dated.ids()[:20]

    @pytest.mark.parametrize(("query", "first"), [("", 30), ("order=oldest&", 25)])
    def test_is_numbered_by_the_counts_of_the_months_and_so_are_its_neighbours(
        self, dated, query, first
    ):
        shown = visit(f"{DATED}/~/~/?{query}month=2026-03")
        assert extent(shown) == f"{first}–{first + 19} of 60"
        assert extent(visit(shown.newer)) == f"{first - 20}–{first - 1} of 60"
        assert extent(visit(shown.older)) == f"{first + 20}–60 of 60"

    def test_has_numbers_where_a_filter_leaves_nothing_out(self, dated):
        assert extent(visit(f"{DATED}/de.en/~/?month=2026-03")) == "30–49 of 60"

    def test_has_none_of_a_filter_whose_months_are_not_counted_until_the_list_ends(self, dated):
        assert extent(visit(f"{DATED}/de/~/?month=2026-07")) == "30 in all"
        assert extent(visit(f"{DATED}/de/~/?month=2025-12")) == "24–30 of 30"

    @pytest.mark.parametrize(
        ("query", "goes_on"),
        [("month=2026-02", "November 2025"), ("order=oldest&month=2026-02", "April 2026")],
    )
    def test_that_is_empty_says_so_and_where_the_list_goes_on(self, query, goes_on):
        product_id = made_product()
        moments = datetime(2025, 11, 5, tzinfo=UTC), datetime(2026, 4, 5, tzinfo=UTC)
        load([written(product_id, id=f"{product_id}-{m.year}", created_at=m) for m in moments])
        shown = visit(f"/products/{product_id}/comments/~/~/?{query}")
        said = f"There are no comments from February 2026: the list goes on with {goes_on}."
        assert said in shown.page.one(class_="list-header").text
        assert said in shown.page.one(id="comments")["data-announce"]

    def test_with_nothing_behind_it_says_that(self, dated):
        shown = visit(f"{DATED}/~/~/?month=2024-01")
        assert shown.page.one(class_="empty-title").text == (
            "There are no comments from January 2024, and the list ends there."
        )

    def test_with_comments_has_no_such_sentence(self, dated):
        assert "There are no comments" not in visit(f"{DATED}/~/~/?month=2026-03").page.text

    @pytest.mark.parametrize(
        "month", ["", "2026", "2026-13", "0000-12", "2026-3", "26-03", "2026-03-01", "٢٠٢٦-٠٣"]
    )
    def test_that_is_none_is_refused(self, dated, month):
        shown = visit(f"{DATED}/de/~/?month={month}")
        assert shown.status == 400
        assert "write it as 2026-03" in shown.page.one(class_="lede").text
        assert shown.page.one("main").one(class_="button")["href"] == f"{DATED}/de/~/"

    @pytest.mark.parametrize("query", ["order=highest", "before=end"])
    def test_is_refused_in_lists_by_rating_and_on_other_pages(self, dated, query):
        assert visit(f"{DATED}/~/~/?{query}&month=2026-03").status == 400


class TestTheMonthsOffered:
    def test_are_those_with_comments_in_the_order_of_the_list(self, dated):
        months = sorted(months_of(dated))
        assert offered(visit(f"{DATED}/~/~/")) == months[::-1]
        assert offered(visit(f"{DATED}/~/~/?order=oldest")) == months

    def test_are_not_offered_by_rating(self, dated):
        assert visit(f"{DATED}/~/~/?order=lowest").page.all("select", id="month") == []

    def test_say_what_they_do_and_how_many_comments_they_have_unless_some_are_left_out(self, dated):
        options = visit(f"{DATED}/~/~/").page.one("select", id="month").all("option")
        assert options[0].text == "Up to August 2026 · 5 that month"
        options = visit(f"{DATED}/de/~/").page.one("select", id="month").all("option")
        assert options[0].text == "Up to August 2026"
        options = visit(f"{DATED}/de/~/?order=oldest").page.one("select", id="month").all("option")
        assert options[-1].text == "From August 2026"

    def test_have_the_names_of_the_language_of_the_page(self, dated):
        names = {}
        for language in ("en", "de"):
            shown = visit(f"{DATED}/de/~/", **{"Accept-Language": language})
            names[language] = shown.page.one("select", id="month").all("option")[5].text
        assert names == {"en": "Up to March 2026", "de": "Bis März 2026"}

    def test_lead_to_the_list_shown(self, dated):
        shown = visit(f"{DATED}/de/4/?order=oldest")
        _, form = shown.page.all("form", class_="list-choice")
        assert form["action"] == form["hx-get"] == f"{DATED}/de/4/"
        assert form.one("input", type="hidden")["value"] == "oldest"


class TestTheCounts:
    def test_are_by_month_of_utc(self, fresh):
        product_id = fresh("counted")
        moments = [
            "2026-03-31T23:59:59.999999+00:00",
            "2026-04-01T01:00:00+02:00",
            "2026-04-01T00:00:00+00:00",
        ]
        for n, moment in enumerate(moments):
            add_comment(
                written(
                    product_id, id=f"{product_id}-{n}", created_at=datetime.fromisoformat(moment)
                )
            )
        months = read_counts(product_id, consistent=True).months
        assert months == {"2026-03": 2, "2026-04": 1}
