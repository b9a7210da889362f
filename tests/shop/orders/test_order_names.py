"""What pages call an order: no 26 letters."""

import pytest

from shop.order_status import Status
from shop.orders.ids import name_of
from tests.support.chance import unique
from tests.support.orders.making import made_order, put

ID = "01GNNA1J00WANW60821540BP5A"


class TestTheName:
    @pytest.mark.parametrize(
        ("foreign_id", "name"),
        [
            (None, "…1540BP5A"),
            ("", "…1540BP5A"),
            ("#1042", "#1042"),
            ("x" * 20, "x" * 20),
            ("x" * 21, "…1540BP5A"),
        ],
    )
    def test_is_the_number_elsewhere_if_that_is_short(self, foreign_id, name):
        assert name_of(ID, foreign_id) == name

    def test_of_what_is_no_id_is_all_of_it(self):
        assert name_of("01J") == "01J"


@pytest.fixture(params=["own", "foreign"])
def named(request, alice):
    """A placed order, and what it is called."""
    if request.param == "own":
        put(order := made_order(alice.username))
        return order, f"…{order.id[-8:]}"
    put(order := made_order(alice.username, foreign_id=unique("#")[:20]))
    return order, order.foreign_id


class TestAnOrder:
    def test_is_called_by_its_name_on_its_page(self, alice, sam, named):
        order, name = named
        for visitor in (alice, sam):
            page = visitor.get(f"/orders/{order.id}/").page
            assert page.one("h1").text == f"Order {name}"
            assert page.one("title").text.startswith(f"Order {name} · 1 Jan 2023")
            assert page.one(class_="breadcrumbs").all("li")[-1].text == f"Order {name}"

    def test_has_its_whole_id_on_its_page_alone(self, alice, named):
        order, _name = named
        page = alice.get(f"/orders/{order.id}/").page
        assert page.one(class_="order-id").text == order.id
        assert page.text.count(order.id) == 1

    @pytest.mark.parametrize("path", ["cancel/", "pickup/"])
    def test_is_called_by_its_name_on_pages_about_it(self, alice, named, path):
        order, name = named
        text = alice.get(f"/orders/{order.id}/{path}").page.text
        assert name in text
        assert order.id not in text

    def test_is_called_by_its_name_in_lists(self, alice, sam, named):
        order, name = named
        for visitor, url in (
            (alice, "/orders/"),
            (sam, f"/staff/customers/{alice.username}/orders/"),
            (sam, f"/staff/customers/{alice.username}/orders/?status=PLACED"),
        ):
            page = visitor.get(url).page
            assert page.one(class_="order-id").text == f"Order {name}"
            assert order.id not in page.text

    def test_is_called_by_its_name_in_messages(self, sam, named):
        order, name = named
        moved = sam.post(*sam.get(f"/orders/{order.id}/").action(order.id, "APPROVED"))
        assert moved.messages == [f"Order {name} is now approved."]
        refused = sam.post(
            f"/orders/{order.id}/move/", {"from_status": "PLACED", "move": "CANCELED"}
        )
        assert refused.messages == [f"Order {name} is already approved, so it was not changed."]

    def test_is_called_by_the_end_of_its_id_in_the_activity(self, sam, named):
        order, _name = named
        sam.post(*sam.get(f"/orders/{order.id}/").action(order.id, "APPROVED"))
        row = sam.get("/staff/activity/").page.one("li", data_subject=order.id)
        assert f"moved order …{order.id[-8:]}" in row.text

    def test_shows_a_long_number_from_elsewhere_beside_its_name(self, alice):
        put(
            order := made_order(
                alice.username, Status.SHIPPED, foreign_id=unique("e481f51cbdc54678")
            )
        )
        for url, text in (
            ("/orders/", order.foreign_id),
            (f"/orders/{order.id}/", f"Original number: {order.foreign_id}"),
        ):
            assert alice.get(url).page.one(class_="foreign-id").text == text
