"""A list's addresses, headings, orders and chips."""

from urllib.parse import unquote

import pytest
from django.test import Client
from django.urls import resolve

from comments.filters import CommentFilter
from comments.lists.listing import heading_of, list_url, pager_of
from comments.lists.orders import CommentOrder
from comments.lists.queries import list_comments
from comments.lists.read_your_writes import in_list, read_recent, with_recent
from comments.store.counts import counts_of
from dynamo.lists.reader import PageRequest, Toward
from tests.support.comments.browsing import HTMX, Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, numbered_comments
from tests.support.comments.walking import read_page

pytestmark = pytest.mark.usefixtures("tables")

ORDERS = [order for order in CommentOrder if order is not CommentOrder.NEWEST]
LISTS = "/products/lamp/comments"


@pytest.fixture(scope="module")
def lamp(tables):
    """45 comments in German and English on the product ``lamp``."""
    comments = numbered_comments("lamp", count=45, languages=("de", "en"))
    load(comments)
    return Truth(comments)


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
        assert shown.toggle("all-languages")["href"] == f"{LISTS}/~/~/?order={order}#comments"


class TestTheLinks:
    def test_lead_to_each_order_of_the_same_filter(self, lamp):
        links = visit(f"{LISTS}/de/4/?order=lowest").page.one(class_="orders-of-list").all("a")
        assert {link.text: link["href"] for link in links} == {
            "Newest first": f"{LISTS}/de/4/",
            "Oldest first": f"{LISTS}/de/4/?order=oldest",
            "Highest rated": f"{LISTS}/de/4/?order=highest",
            "Lowest rated": f"{LISTS}/de/4/?order=lowest",
            "Most helpful": "/products/lamp/most-helpful/",
        }
        assert [link.text for link in links if link.get("aria-current")] == ["Lowest rated"]

    def test_of_the_products_page_are_those_of_its_list(self, lamp):
        shown = visit("/products/lamp/", accept_language="de")
        link = shown.page.one("a", id="order-oldest")
        assert link["href"] == f"{LISTS}/de/~/?order=oldest"


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
        found = list_comments("lamp", chosen, request, counts=counts_of("lamp"), order=order)
        for written in found.comments:
            entries = with_recent(
                [entry for entry in found.comments if entry.id != written.id],
                read_recent(sorted({written.id, lamp.ids()[0], lamp.ids()[-1]})),
                page=found.page,
                request=request,
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

    def test_come_with_the_list_alone_as_well(self):
        assert [*chips(visit(f"{CHIPPED}/~/4/", **HTMX))] == [
            REMOVE.format("4 stars"),
            "Clear filters",
        ]

    def test_keep_the_order_of_the_list(self):
        shown = chips(visit(f"{CHIPPED}/~/4/?order=oldest"))
        assert shown["Clear filters"] == f"{CHIPPED}/~/~/?order=oldest#comments"

    def test_are_left_out_where_nothing_is_filtered(self):
        assert visit(f"{CHIPPED}/~/~/").page.all(class_="chips") == []

    def test_say_that_the_language_is_the_visitors(self):
        shown = visit("/products/chipped/", Accept_Language="de")
        assert [*chips(shown)] == ["Filter „Deutsch“ entfernen", "Filter aufheben"]
        assert "In Ihrer Sprache." in shown.page.one(class_="chips").text


@pytest.mark.parametrize(
    ("chosen", "summary"), [("~/~", "Filter"), ("de/~", "Filter (1)"), ("de.en/1.2", "Filter (4)")]
)
def test_the_filters_of_a_phone_say_how_many_values_are_chosen(chosen, summary):
    assert visit(f"{CHIPPED}/{chosen}/").page.one(id="filter").text == summary


class TestListUrl:
    @pytest.mark.parametrize(
        ("languages", "ratings", "url"),
        [
            ((), (), "/products/42/comments/~/~/"),
            (("en", "de"), (5, 1, 2), "/products/42/comments/de.en/1.2.5/"),
            (("de",), (1, 2, 3, 4, 5), "/products/42/comments/de/~/"),
        ],
    )
    def test_spells_the_filter_in_order(self, languages, ratings, url):
        assert list_url("42", CommentFilter.of(languages, ratings)) == url

    @pytest.mark.parametrize(
        "product_id", ["a#b", "50%", "a+b", "a b", "a?b", "日本語", "🦊", "~", "."]
    )
    def test_leads_back_to_its_product(self, product_id):
        url = list_url(product_id, CommentFilter.of(["de"]))
        assert "?" not in url
        assert "#" not in url
        match = resolve(unquote(url))
        assert match.kwargs == {"product_id": product_id, "languages": "de", "ratings": "~"}


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

    def test_says_the_order_unless_it_is_the_newest_first(self):
        headings = [heading_of(CommentFilter(), order) for order in CommentOrder]
        assert headings == [
            "Comments",
            "Comments, oldest first",
            "Comments, highest rated first",
            "Comments, lowest rated first",
        ]
