"""The page of one order, and the moves on it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from dynapages.calls import metered
from dynapages.process import client
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from shop.orders.items import NewLine, NewPickup
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import START, made_order, put, stored_order


class TestTheOrderPage:
    def test_shows_the_lines_and_the_total(self, alice):
        lines = [NewLine("lamp", "Desk lamp", 2, 1_999), NewLine("pen", "Pen", 1, 5)]
        put(order := made_order(alice.username, lines=lines))
        page = alice.get(f"/orders/{order.id}/").page
        rows = page.one(class_="ledger-goods").one("tbody").all("tr")
        assert [row.text for row in rows] == ["Desk lamp 2 €19.99 €39.98", "Pen 1 €0.05 €0.05"]
        assert [row.one("th")["scope"] for row in rows] == ["row", "row"]
        assert "€40.03" in page.one(class_="ledger-goods").one("tfoot").text

    def test_shows_when_it_entered_each_status(self, alice):
        order = made_order(alice.username, Status.SHIPPED, entered_at=START + timedelta(days=3))
        put(order)
        steps = alice.get(f"/orders/{order.id}/").page.one(class_="history").all("li")
        assert [step.text for step in steps] == [
            "Placed 1 Jan 2023, 00:00",
            "Shipped 4 Jan 2023, 00:00",
        ]

    def test_leads_back_to_the_list_it_came_from(self, alice, sam, order):
        customer = f"/staff/customers/{alice.username}/orders/"
        for visitor, way in ((sam, ["/staff/orders/", customer]), (alice, ["/orders/"])):
            page = visitor.get(f"/orders/{order.id}/").page
            links = [link["href"] for link in page.one(class_="breadcrumbs").all("a")]
            assert links == ["/", *way]
            found = [a.text for a in page.one(class_="about").all("a", href=customer)]
            assert found == ([alice.username] if visitor is sam else [])

    def test_tells_staff_all_that_is_known_of_the_address(self, alice, sam):
        there = NewPickup("p1", "Corner shop", "High Street 1, Lisbon", "9-18")
        imported = made_order(alice.username, Status.SHIPPED, address=None)
        to_door = replace(imported, zip_prefix="14409")
        put(to_door, replace(to_shop := made_order(alice.username), pickup=there))
        where = sam.get(f"/orders/{to_door.id}/").page.one(class_="order-pickup").text
        none = "No address is stored with this order."
        assert where == f"Delivery {none} The postcode begins with 14409."
        where = sam.get(f"/orders/{to_shop.id}/").page.one(class_="order-pickup").text
        assert "Corner shop High Street 1, Lisbon" in where

    def test_is_found_by_the_foreign_id_by_those_who_may_see_it(self, alice, bob, fresh):
        put(order := made_order(alice.username, foreign_id=fresh("elsewhere")))
        response = alice.get(f"/orders/{order.foreign_id}/").response
        assert response["Location"] == f"/orders/{order.id}/"
        assert bob.get(f"/orders/{order.foreign_id}/").status == 404


class TestTheOrdersAround:
    @pytest.fixture
    def ids(self, alice):
        """Of three orders, newest first, one of them on its way."""
        made = [
            made_order(alice.username, status, placed_at=START + timedelta(days=n))
            for n, status in enumerate((Status.PLACED, Status.SHIPPED, Status.PLACED))
        ]
        put(*made)
        return [order.id for order in reversed(made)]

    def walked(self, visitor: Visitor, list_url: str, way: str) -> list[str]:
        """The ids of the orders from one end of a list to the other."""
        rows = visitor.get(list_url).page.all(data_order_id=True)
        url, ids = rows[0 if way == "next" else -1].all("a", href=True)[0]["href"], []
        while url:
            shown = visitor.get(url)
            ids.append(shown.page.one("article")["data-order-id"])
            url = getattr(shown, way)
        return ids

    def test_are_those_of_the_list_one_came_from(self, alice, sam, ids):
        for visitor, url in (
            (alice, "/orders/"),
            (sam, f"/staff/customers/{alice.username}/orders/"),
        ):
            for filtered, wanted in (("", ids), ("?status=PLACED", ids[::2])):
                assert self.walked(visitor, url + filtered, "next") == wanted
                assert self.walked(visitor, url + filtered, "previous") == wanted[::-1]

    def test_stay_the_same_when_the_order_has_left_the_list(self, alice, ids):
        url = alice.get("/orders/?open=1").page.one("li", data_order_id=ids[0]).one("a")["href"]
        fields = {"from_status": "PLACED", "move": "CANCELED"}
        after = alice.post(f"/orders/{ids[0]}/move/?{urlencode({'next': url})}", fields)
        assert (
            after.page.one(class_="neighbours")
            .one("a", rel="next")["href"]
            .startswith(f"/orders/{ids[2]}/")
        )

    def test_are_read_in_one_round_with_the_order_and_only_where_asked_for(self, alice, ids):
        links = alice.get("/orders/").page.one("li", data_order_id=ids[1]).all("a")
        with metered() as meter:
            alice.get(links[0]["href"])
        assert len(meter.labelled("neighbours")) == 2
        assert meter.rounds == 1
        with metered() as meter:
            alice.get(f"/orders/{ids[1]}/")
        assert meter.labelled("neighbours") == []

    def test_of_a_list_of_the_staff_are_not_shown_to_the_customer(self, alice, sam, ids):
        url = f"/staff/customers/{alice.username}/orders/"
        shared = sam.get(url).page.one("li", data_order_id=ids[1]).one("a")["href"]
        assert sam.get(shared).page.all(class_="neighbours")
        assert not alice.get(shared).page.all(class_="neighbours")

    @pytest.mark.parametrize(
        "query", ["list=/", "list=//elsewhere.example/", "list=/orders/&at=nonsense", "list="]
    )
    def test_are_refused_for_what_is_no_place_in_a_list(self, alice, ids, query):
        assert alice.get(f"/orders/{ids[0]}/?{query}").status == 400


@pytest.fixture
def lagging():
    """A moment in which the index has heard of nothing yet."""

    def lag(params: dict[str, Any], **_: object) -> None:
        if params.get("IndexName") == "inverted":
            params["ExpressionAttributeValues"][":p"] = {"S": "ORDER#not-yet"}

    events = client().meta.events
    events.register("before-parameter-build.dynamodb.Query", lag)
    yield
    events.unregister("before-parameter-build.dynamodb.Query", lag)


class TestWhileTheIndexLags:
    def test_shows_a_customer_their_new_order(self, alice, lagging):
        lines = [NewLine(f"lamp-{n}", f"Lamp {n}", 1, 100) for n in range(12)]
        put(order := made_order(alice.username, lines=lines))
        page = alice.get(f"/orders/{order.id}/").page
        rows = page.one(class_="ledger-goods").one("tbody").all("tr")
        assert [row.one("a").text for row in rows] == [line.name for line in lines]


class TestMovingFromThePage:
    def test_offers_a_customer_what_a_customer_may_do(self, alice):
        placed, shipped = made_order(alice.username), made_order(alice.username, Status.SHIPPED)
        put(placed, shipped)
        page = alice.get(f"/orders/{placed.id}/").page
        assert page.one("a", class_="cancel")["href"].startswith(f"/orders/{placed.id}/cancel/")
        assert not page.all("input", name="move")
        assert not alice.get(f"/orders/{shipped.id}/").page.all("a", class_="cancel")

    def test_moves_the_order_and_tells(self, alice, order):
        url, fields = alice.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
        shown = alice.post(url, fields)
        assert shown.messages == [f"Order …{order.id[-8:]} is now cancelled."]
        assert shown.page.one("article", data_order_id=order.id)["data-status"] == "CANCELED"
        assert alice.get("/orders/").counts == {"CANCELED": 1}

    @pytest.mark.parametrize(
        ("status", "page", "target"),
        [(Status.PLACED, "cancel", "CANCELED"), (Status.DELIVERED, "return", "RETURNED")],
    )
    def test_asks_before_the_end_and_keeps_the_reason(self, alice, sam, status, page, target):
        put(order := made_order(alice.username, status))
        for visitor in (alice, sam):
            shown = visitor.get(f"/orders/{order.id}/").page
            assert target not in [field["value"] for field in shown.all("input", name="move")]
            link = shown.one("a", class_="cancel")["href"]
            assert link == f"/orders/{order.id}/{page}/?next=%2Forders%2F{order.id}%2F"
        url, fields = alice.get(link).action(order.id, target)
        alice.post(url, fields | {"reason": " Too big.\nAnd green. "})
        for visitor in (alice, sam):
            step = visitor.get(f"/orders/{order.id}/").page.one("li", data_status=target)
            assert step.one("p", class_="history-reason").text == "Reason: Too big. And green."

    def test_counts_the_lines_of_a_reason_as_browsers_do(self, alice, order):
        url, fields = alice.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
        assert alice.post(url, fields | {"reason": "x\r\n" * 149 + "xx"}).status == 200
        assert stored_order(alice.username, order.id)["status"] == {"S": "CANCELED"}

    def test_takes_no_longer_reason_and_loses_none(self, alice, order):
        url, fields = alice.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
        shown = alice.post(url, fields | {"reason": "x" * 301})
        assert shown.status == 422
        assert "at most 300 characters" in shown.page.one(class_="errorlist").text
        assert "x" * 301 in shown.page.one("textarea", name="reason").text
        assert stored_order(alice.username, order.id)["status"] == {"S": "PLACED"}

    def test_asks_nobody_whether_to_cancel_what_is_shipped(self, alice):
        put(order := made_order(alice.username, Status.SHIPPED))
        asked = alice.get(f"/orders/{order.id}/cancel/")
        assert asked.response["Location"] == f"/orders/{order.id}/"
        assert alice.get(f"/orders/{order.id}/").messages == [
            f"Order …{order.id[-8:]} is already shipped, so it was not changed."
        ]

    def test_tells_the_slower_of_two(self, alice, sam, order):
        url, cancel = alice.get(f"/orders/{order.id}/cancel/").action(order.id, "CANCELED")
        sam.post(*sam.get(f"/orders/{order.id}/").action(order.id, "APPROVED"))
        assert alice.post(url, cancel).messages == [
            f"Order …{order.id[-8:]} is already approved, so it was not changed."
        ]
        assert read_customer_counts(alice.username)[Status.APPROVED] == 1

    @pytest.mark.parametrize(
        "fields",
        [
            {"from_status": "PLACED", "move": "APPROVED"},
            {"from_status": "PLACED", "move": "LOST"},
            {},
        ],
        ids=["not a customer's", "unknown", "none"],
    )
    def test_is_refused_for_what_is_no_move(self, alice, fields, order):
        assert alice.post(f"/orders/{order.id}/move/", fields).status == 400
        assert stored_order(alice.username, order.id)["status"] == {"S": "PLACED"}

    def test_does_not_reach_the_orders_of_others(self, alice, bob, order):
        fields = {"from_status": "PLACED", "move": "CANCELED"}
        assert bob.post(f"/orders/{order.id}/move/", fields).status == 404
        assert stored_order(alice.username, order.id)["status"] == {"S": "PLACED"}

    def test_does_not_reach_them_by_the_name_of_their_customer(self, alice, bob, order):
        fields = {"from_status": "PLACED", "move": "CANCELED", "owner": alice.username}
        assert bob.post(f"/orders/{order.id}/move/", fields).status == 404
        assert stored_order(alice.username, order.id)["status"] == {"S": "PLACED"}

    @pytest.mark.parametrize("owner", ["its own", "another", "none", "too long"])
    def test_by_staff_finds_the_order_whomever_the_form_names(self, alice, bob, sam, order, owner):
        owners = {"its own": alice.username, "another": bob.username, "too long": "x" * 3_000}
        fields = {"from_status": "PLACED", "move": "APPROVED", "owner": owners.get(owner, "")}
        assert sam.send(f"/orders/{order.id}/move/", fields).status_code == 302
        assert stored_order(alice.username, order.id)["status"] == {"S": "APPROVED"}

    @pytest.mark.parametrize("owner", ["another", "too long"])
    def test_by_its_customer_finds_it_whomever_the_form_names(self, alice, bob, order, owner):
        named = bob.username if owner == "another" else "x" * 3_000
        fields = {"from_status": "PLACED", "move": "CANCELED", "owner": named}
        assert alice.send(f"/orders/{order.id}/move/", fields).status_code == 302
        assert stored_order(alice.username, order.id)["status"] == {"S": "CANCELED"}

    def test_of_no_order_is_not_found(self, alice, sam, order):
        fields = {"from_status": "PLACED", "move": "CANCELED", "owner": alice.username}
        for visitor in (alice, sam):
            assert visitor.send(f"/orders/{'0' * 26}/move/", fields).status_code == 404
