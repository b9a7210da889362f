"""The page of a customer, for staff."""

from dataclasses import replace
from datetime import timedelta

import pytest

from config.staff.customers import MOST_COUNTED
from dynapages.calls import metered
from shop.order_status import Status
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import START, made_order, newest_first, put

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


@pytest.fixture(scope="module")
def sam(tables):
    return someone("sam", is_staff=True)


def page_of(staff: Writer, username: str):
    shown = staff.get(f"/staff/customers/{username}/")
    assert shown.response.status_code == 200
    return shown.page


class TestTheOrders:
    def test_are_the_newest_with_the_number_of_all(self, sam, fresh):
        alex = fresh("alex")
        orders = [made_order(alex, placed_at=START + timedelta(days=day)) for day in range(7)]
        put(*orders)
        page = page_of(sam, alex)
        shown = [row["data-order-id"] for row in page.all(data_order_id=True)]
        assert shown == newest_first(orders)[:5]
        assert page.one("h2", id="orders-title").text.endswith("7")

    def test_are_counted_by_status_with_the_list_of_each(self, sam, fresh):
        alex = fresh("alex")
        put(made_order(alex), made_order(alex), made_order(alex, Status.SHIPPED))
        links = page_of(sam, alex).one("p", class_="customer-statuses").all("a")
        assert [link.text for link in links] == ["Placed 2", "Shipped 1"]
        listed = sam.get(links[1]["href"]).page
        assert len(listed.all(data_order_id=True)) == 1

    def test_lead_to_the_whole_list_and_the_list_leads_back(self, sam, fresh):
        put(made_order(alex := fresh("alex")))
        addresses = [link["href"] for link in page_of(sam, alex).all("a")]
        assert f"/staff/customers/{alex}/orders/" in addresses
        back = [link["href"] for link in sam.get(f"/staff/customers/{alex}/orders/").page.all("a")]
        assert f"/staff/customers/{alex}/" in back


class TestTheComments:
    def test_are_the_newest_with_the_number_of_all(self, sam):
        alex = someone("alex")
        written = [alex.has_written(made_product()) for _ in range(6)]
        page = page_of(sam, alex.username)
        shown = [
            row.one("a")["href"] for row in page.one("ul", class_="customer-comments").all("li")
        ]
        assert shown == [f"/comments/{comment.comment.id}/" for comment in reversed(written[1:])]
        assert page.one("h2", id="comments-title").text.endswith("6")

    def test_are_counted_up_to_a_limit(self, sam, fresh):
        alex = fresh("alex")
        comments = numbered_comments(made_product(), count=MOST_COUNTED + 3)
        load([replace(comment, user_id=alex) for comment in comments])
        assert page_of(sam, alex).one("h2", id="comments-title").text.endswith("20+")


class TestTheCustomer:
    def test_may_have_neither_orders_nor_comments(self, sam):
        page = page_of(sam, someone("alex").username)
        assert "No orders yet." in page.text
        assert "No comments yet." in page.text

    def test_is_refused_who_is_nobody(self, sam, fresh):
        assert sam.get(f"/staff/customers/{fresh('no')}/").response.status_code == 404
        assert sam.get(f"/staff/customers/{'x' * 200}/").response.status_code == 404

    def test_is_found_by_the_name_that_staff_type(self, sam):
        alex = someone("alex").username
        answer = sam.get(f"/staff/find/?q={alex}").response
        assert answer["Location"] == f"/staff/customers/{alex}/"

    def test_is_no_page_for_customers_even_of_themselves(self):
        alex = someone("alex")
        assert alex.get(f"/staff/customers/{alex.username}/").response.status_code == 404

    def test_costs_at_most_nine_units_in_two_rounds(self, sam):
        alex = someone("alex")
        for _ in range(6):
            put(made_order(alex.username))
            alex.has_written(made_product())
        page_of(sam, alex.username)
        with metered() as meter:
            page_of(sam, alex.username)
        assert meter.rounds <= 2
        assert meter.units <= 9
