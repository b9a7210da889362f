"""“Review this”: from the lines of a delivered order to the form, or to what was written."""

from collections.abc import Sequence

import pytest

from dynapages.calls import Meter, metered
from dynapages_testing.hooks import hooked
from shop import reviews
from shop.order_status import Status
from shop.orders.items import NewLine, NewOrder
from tests.support.comments.browsing import Visitor
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


@pytest.fixture
def ann() -> Writer:
    return someone("ann")


@pytest.fixture
def sam() -> Writer:
    return someone("sam", is_staff=True)


def ordered(by: Visitor, products: Sequence[str], *, status: Status = Status.DELIVERED) -> NewOrder:
    lines = [NewLine(product, f"Lamp {product}", 1, 1_999) for product in products]
    put(order := made_order(by.username, status, lines=lines))
    return order


def form_of(product: str) -> str:
    return f"/products/{product}/comments/new/?bought=yes"


def links_of(visitor: Visitor, url: str) -> list[tuple[str, str]]:
    """What the lines of an order's page say about reviews, and where that leads."""
    page = visitor.get(url).page
    return [(link.text.partition(" (")[0], link["href"]) for link in page.all(class_="review")]


class TestTheLinesOfADeliveredOrder:
    def test_lead_to_the_form_of_each_product(self, ann):
        lamp, pen = made_product(), made_product()
        order = ordered(ann, [lamp, pen])
        assert links_of(ann, f"/orders/{order.id}/") == [
            ("Review this", form_of(lamp)),
            ("Review this", form_of(pen)),
        ]

    def test_lead_to_what_was_written(self, ann):
        lamp, pen = made_product(), made_product()
        order = ordered(ann, [lamp, pen])
        written = ann.has_written(lamp).comment.id
        assert links_of(ann, f"/orders/{order.id}/") == [
            ("You reviewed this", f"/comments/{written}/"),
            ("Review this", form_of(pen)),
        ]

    def test_lead_to_the_newest_of_several(self, ann):
        lamp = made_product()
        order = ordered(ann, [lamp])
        ids = [ann.has_written(lamp, title=title).comment.id for title in ("One", "Two")]
        ((_text, url),) = links_of(ann, f"/orders/{order.id}/")
        assert url == f"/comments/{max(ids)}/"

    def test_lead_to_what_waits_for_the_shop_or_was_hidden_by_it(self, ann):
        waiting, hidden = made_product(), made_product()
        order = ordered(ann, [waiting, hidden])
        with comments_set(GATE=("comments.gates.hold_words",), HELD_WORDS=("bright",)):
            ann.has_written(waiting)
        hide(comment_id=ann.has_written(hidden).comment.id)
        for text, url in links_of(ann, f"/orders/{order.id}/"):
            assert text == "You reviewed this"
            assert ann.get(url).status == 200

    def test_know_what_was_just_written_while_the_index_lags(self, ann):
        lamp = made_product()
        order = ordered(ann, [lamp])
        written = ann.write(lamp).comment.id

        def lag(parsed: dict, context: dict, **_: object) -> None:
            if context["dynamo_request"].get("IndexName") == "by_author":
                parsed["Items"] = []

        with hooked("after-call.dynamodb.Query", lag):
            assert links_of(ann, f"/orders/{order.id}/") == [
                ("You reviewed this", f"/comments/{written}/")
            ]

    def test_are_linked_on_each_page_of_a_large_order(self, ann):
        products = [f"{made_product()}-{number}" for number in range(120)]
        order = ordered(ann, products)
        links = links_of(ann, f"/orders/{order.id}/")
        links += links_of(ann, f"/orders/{order.id}/?page=2")
        assert links == [("Review this", form_of(product)) for product in products]

    @pytest.mark.parametrize("status", [status for status in Status if status != "DELIVERED"])
    def test_have_no_links_before_or_after_that(self, ann, status):
        order = ordered(ann, [made_product()], status=status)
        assert links_of(ann, f"/orders/{order.id}/") == []

    def test_have_no_links_for_staff(self, ann, sam):
        order = ordered(ann, [made_product()])
        assert links_of(sam, f"/orders/{order.id}/") == []

    def test_have_none_in_a_shop_alone(self, ann, monkeypatch):
        monkeypatch.setattr(reviews, "_connected", [])
        order = ordered(ann, [made_product()])
        assert links_of(ann, f"/orders/{order.id}/") == []
        assert links_in_list(ann, "/orders/") == []
        assert ann.get(f"/orders/{order.id}/review/").response["Location"].startswith("/orders/")

    def test_are_linked_in_german(self, ann):
        order = ordered(ann, [made_product()])
        page = ann.browser.get(f"/orders/{order.id}/", headers={"Accept-Language": "de"})
        assert "Jetzt bewerten" in page.content.decode()


class TestWhatItCosts:
    def measured(self, visitor: Visitor, url: str) -> Meter:
        visitor.get(url)
        with metered() as meter:
            visitor.get(url)
        return meter

    def test_is_one_call_in_the_same_round(self, ann):
        order = ordered(ann, [made_product()])
        meter = self.measured(ann, f"/orders/{order.id}/")
        assert len(meter.labelled("comments before")) == 1
        assert meter.rounds == 1

    def test_is_nothing_for_staff_who_come_from_a_list_of_others(self, ann, sam):
        order = ordered(ann, [made_product()], status=Status.PLACED)
        listed = sam.get(f"/staff/customers/{ann.username}/orders/").page
        url = listed.one("li", data_order_id=order.id).all("a")[0]["href"]
        assert self.measured(sam, url).labelled("comments before") == []


def links_in_list(visitor: Visitor, url: str) -> list[str]:
    links = visitor.get(url).page.all("a")
    return [link["href"] for link in links if link["href"].endswith("/review/")]


class TestTheListOfOrders:
    def test_leads_from_delivered_ones_alone(self, ann):
        ordered(ann, [made_product()], status=Status.SHIPPED)
        ordered(ann, [made_product()], status=Status.RETURNED)
        delivered = ordered(ann, [made_product()])
        assert links_in_list(ann, "/orders/") == [f"/orders/{delivered.id}/review/"]

    def test_leads_from_none_for_staff(self, ann, sam):
        ordered(ann, [made_product()])
        assert links_in_list(sam, f"/staff/customers/{ann.username}/orders/") == []
        assert links_in_list(sam, f"/staff/customers/{ann.username}/") == []


class TestTheAddressInTheList:
    def led_to(self, visitor: Visitor, order: NewOrder) -> str:
        response = visitor.get(f"/orders/{order.id}/review/").response
        assert response.status_code == 302
        return str(response["Location"])

    def test_leads_to_the_form_of_the_only_product(self, ann):
        lamp = made_product()
        assert self.led_to(ann, ordered(ann, [lamp])) == form_of(lamp)

    def test_leads_to_the_form_of_a_product_on_two_lines(self, ann):
        lamp = made_product()
        assert self.led_to(ann, ordered(ann, [lamp, lamp])) == form_of(lamp)

    def test_leads_to_the_lines_of_several_products(self, ann):
        order = ordered(ann, [made_product(), made_product()])
        assert self.led_to(ann, order) == f"/orders/{order.id}/#items-heading"

    def test_leads_to_the_order_that_was_sent_back(self, ann):
        order = ordered(ann, [made_product()], status=Status.RETURNED)
        assert self.led_to(ann, order) == f"/orders/{order.id}/#items-heading"

    def test_is_of_ones_own_orders_alone(self, ann, sam):
        order = ordered(ann, [made_product()])
        assert sam.get(f"/orders/{order.id}/review/").status == 404
        assert someone("bob").get(f"/orders/{order.id}/review/").status == 404

    def test_writes_nothing(self, ann):
        order = ordered(ann, [made_product()])
        with metered() as meter:
            self.led_to(ann, order)
        assert {call.operation for call in meter.log} <= {"Query", "GetItem", "BatchGetItem"}
