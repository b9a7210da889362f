"""A product's comments in each order: their addresses, their pages, their links."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.lists.queries import list_comments
from comments.lists.read_your_writes import in_list, read_recent, with_recent
from comments.store.counts import counts_of
from dynamo.lists.reader import PageRequest, Toward
from tests.support.comments.browsing import follow, visit
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
    def test_is_walked_by_its_links_there_and_back(self, lamp, order):
        url = f"{LISTS}/~/~/?order={order}"
        there = list(follow(url, "older"))
        back = list(follow(there[-2].older, "newer"))
        assert [i for shown in there for i in shown.comment_ids] == lamp.ids(order=order)
        assert [i for shown in reversed(back) for i in shown.comment_ids] == lamp.ids(order=order)
        last = visit(there[0].last)
        assert last.comment_ids == lamp.ids(order=order)[-20:]
        assert last.first == url

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

    @pytest.mark.parametrize("order", ORDERS)
    def test_refuses_the_page_links_of_another_order(self, lamp, order):
        token = visit(f"{LISTS}/~/~/").older.partition("after=")[2]
        shown = visit(f"{LISTS}/~/~/?" + urlencode({"order": order, "after": token}))
        assert shown.status == 400
        assert "another list" in shown.page.one(class_="lede").text
        assert shown.page.one(class_="button")["href"] == f"{LISTS}/~/~/?order={order}"


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
