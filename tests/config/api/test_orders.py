"""Orders that a program places and moves: what it is answered, and what a refusal brings."""

from dataclasses import asdict

import pytest

from dynapages.django.callers import Scope
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from tests.support.comments.writers import someone
from tests.support.config.api import NOBODY, ROOT, Program, problem_of, program_of
from tests.support.orders.addresses import ADDRESS
from tests.support.orders.making import made_order, put, put_product

pytestmark = pytest.mark.usefixtures("tables")
CANCEL = {"source": "PLACED", "target": "CANCELED"}


@pytest.fixture
def alice():
    return program_of(someone("alice").username)


@pytest.fixture
def bob():
    return program_of(someone("bob").username)


@pytest.fixture
def staff():
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


@pytest.fixture
def bulb(fresh):
    return put_product(fresh("bulb"), cents=250)


@pytest.fixture
def order(alice, bulb):
    """An order of alice's."""
    return placed(alice, bulb)


def placed(program: Program, product_id: str) -> dict:
    answer = program.post("/orders", {"lines": [{"product_id": product_id}]})
    assert answer.status_code == 201, answer.text
    return answer.json()


def moves_of(order: dict) -> str:
    return f"/orders/{order['id']}/moves"


def refused(answer) -> tuple[int, str]:
    """The status and the code of a problem."""
    status, _sentence = problem_of(answer)
    return status, answer.json()["code"]


class TestPlacing:
    def test_adds_up_lines_of_the_same_product(self, alice, bulb):
        lines = [{"product_id": bulb, "quantity": 2}, {"product_id": bulb}]
        order = alice.post("/orders", {"lines": lines}).json()
        assert [(one["product_id"], one["quantity"]) for one in order["lines"]] == [(bulb, 3)]
        assert (order["total"], order["history"][0]["status"]) == ("7.50", "PLACED")

    def test_answers_the_address_of_the_order(self, alice, bulb):
        body = {"lines": [{"product_id": bulb}]}
        first = alice.post("/orders", body, once="a")
        address = first.headers["Location"]
        assert address == first.json()["api_url"] == f"{ROOT}/orders/{first.json()['id']}"
        assert alice.get(address).json() == first.json()
        assert alice.post("/orders", body, once="a").headers["Location"] == address

    @pytest.mark.parametrize(
        "body",
        [
            {"lines": []},
            {"lines": [{"product_id": "x", "quantity": 0}]},
            {"lines": [{"product_id": "x", "quantity": 100}]},
            {"lines": [{"product_id": "x"}] * 41},
            {"lines": [{"product_id": "x"}], "pickup_point": ""},
        ],
    )
    def test_refuses_what_no_order_has(self, alice, body):
        assert refused(alice.post("/orders", body)) == (422, "invalid")
        assert alice.get("/orders").json()["items"] == []

    def test_refuses_many_of_a_product_in_several_lines_too(self, alice, bulb):
        lines = [{"product_id": bulb, "quantity": 99}] * 2
        answer = problem_of(alice.post("/orders", {"lines": lines}))
        assert answer == (400, "The quantity must be from 1 to 99.")

    def test_names_what_is_not_sold(self, alice, bulb, fresh):
        off = NewProduct(fresh("off"), "Off", (), "", 250, "EUR", is_off=True)
        put_catalogue(categories=[], products=[off])
        unknown = fresh("unknown")
        lines = [{"product_id": each} for each in (bulb, off.id, unknown)]
        answer = alice.post("/orders", {"lines": lines})
        assert refused(answer) == (409, "product-not-sold")
        assert answer.json()["product_ids"] == sorted([off.id, unknown])

    def test_refuses_prices_in_several_currencies(self, alice, bulb, fresh):
        other = NewProduct(fresh("other"), "Other", (), "", 250, "USD")
        put_catalogue(categories=[], products=[other])
        lines = [{"product_id": each} for each in (bulb, other.id)]
        assert refused(alice.post("/orders", {"lines": lines})) == (409, "currencies-differ")

    def test_refuses_a_pickup_point_that_is_gone(self, alice, bulb):
        body = {"lines": [{"product_id": bulb}], "pickup_point": "none"}
        assert refused(alice.post("/orders", body)) == (409, "no-such-pickup-point")


class TestTheAddressOfAnOrder:
    def test_is_answered_as_its_country_writes_it(self, alice, bob, staff, bulb):
        address = {**asdict(ADDRESS), "city": "Cupertino", "region": "California"}
        body = {"lines": [{"product_id": bulb}], "address": address}
        order = alice.post("/orders", body).json()
        assert (order["address"], order["pickup"]) == (asdict(ADDRESS), None)
        assert staff.get(f"/orders/{order['id']}").json()["address"] == asdict(ADDRESS)
        assert bob.get(f"/orders/{order['id']}").status_code == 404

    def test_may_be_left_out_as_by_older_programs(self, alice, bulb):
        assert placed(alice, bulb)["address"] is None

    def test_that_is_not_of_its_country_is_refused_by_its_parts(self, alice, bulb):
        address = {"name": "Ada", "lines": "Musterweg 1", "postal_code": "ABC", "country": "DE"}
        body = {"lines": [{"product_id": bulb}], "address": address}
        status, sentence = problem_of(alice.post("/orders", body))
        assert status == 400
        assert "address.postal_code: Germany: “ABC” is no postal code of it." in sentence
        assert "address.city: Germany: an address there needs this." in sentence
        assert alice.get("/orders").json()["items"] == []

    def test_is_not_sent_with_a_pickup_point(self, alice, bulb):
        body = {"lines": [{"product_id": bulb}], "address": asdict(ADDRESS), "pickup_point": "p"}
        assert problem_of(alice.post("/orders", body)) == (
            400,
            "An order goes to an address or to a pickup point: leave one of them out.",
        )

    def test_that_is_another_one_is_refused_for_the_same_idempotency_key(self, alice, bulb):
        body = {"lines": [{"product_id": bulb}], "address": asdict(ADDRESS)}
        alice.post("/orders", body, once="a")
        other = {**body, "address": {**asdict(ADDRESS), "lines": "13 Sample Street"}}
        status, code = refused(alice.post("/orders", other, once="a"))
        assert (status, code) == (409, "idempotency-key-reused")


class TestAMove:
    def test_of_what_was_moved_meanwhile_brings_the_order(self, alice, staff, order):
        staff.post(moves_of(order), {"source": "PLACED", "target": "APPROVED"})
        answer = alice.post(moves_of(order), CANCEL)
        assert refused(answer) == (409, "order-moved")
        assert answer.json()["current"] == alice.get(f"/orders/{order['id']}").json()
        assert answer.json()["current"]["status"] == "APPROVED"

    def test_that_somebody_else_has_made_brings_the_order(self, alice, staff, order):
        assert staff.post(moves_of(order), CANCEL).status_code == 200
        answer = alice.post(moves_of(order), CANCEL)
        assert refused(answer) == (409, "order-moved")
        assert answer.json()["current"]["status"] == "CANCELED"

    def test_that_is_not_allowed_says_which_are(self, alice, staff, order):
        body = {"source": "PLACED", "target": "SHIPPED"}
        allowed = {}
        for name, program in (("alice", alice), ("staff", staff)):
            answer = program.post(moves_of(order), body)
            assert refused(answer) == (409, "move-not-allowed")
            allowed[name] = answer.json()["allowed"]
        assert allowed == {"alice": ["CANCELED"], "staff": ["APPROVED", "CANCELED"]}

    def test_that_is_for_staff_is_not_made_by_others(self, alice, order):
        answer = alice.post(moves_of(order), {"source": "PLACED", "target": "APPROVED"})
        assert refused(answer) == (409, "move-not-allowed")
        assert alice.get(f"/orders/{order['id']}").json()["status"] == "PLACED"

    def test_keeps_its_reason_where_it_ends_the_order(self, alice, order):
        ended = alice.post(moves_of(order), {**CANCEL, "reason": " Too\r\ndark "}).json()
        assert [step["reason"] for step in ended["history"]] == ["", "Too\ndark"]

    def test_takes_no_reason_where_it_does_not(self, staff, order):
        body = {"source": "PLACED", "target": "APPROVED", "reason": "Paid."}
        assert refused(staff.post(moves_of(order), body)) == (400, "bad-request")
        assert staff.get(f"/orders/{order['id']}").json()["status"] == "PLACED"


class TestAnOrderOfAnother:
    def test_is_not_there(self, alice, bob, order):
        for answer in (
            bob.get(f"/orders/{order['id']}"),
            bob.post(moves_of(order), CANCEL),
            bob.post(moves_of(order), {"source": "APPROVED", "target": "CANCELED"}),
        ):
            assert refused(answer) == (404, "no-such-order")
            assert "current" not in answer.json()
        assert alice.get(f"/orders/{order['id']}").json()["status"] == "PLACED"

    @pytest.mark.usefixtures("wide_limits")
    def test_is_refused_as_one_that_never_was(self, bob, order, fresh):
        """By no move can be found out which orders there are."""
        for source in Status:
            for target in Status:
                body = {"source": source, "target": target}
                unknown = {**order, "id": fresh("none")}
                answers = [bob.post(moves_of(each), body) for each in (order, unknown)]
                assert answers[0].status_code in {404, 409}
                assert answers[0].json() == answers[1].json()

    def test_is_there_for_staff(self, alice, staff, order):
        assert staff.get(f"/orders/{order['id']}").json()["username"] == alice.username
        assert staff.post(moves_of(order), CANCEL).json()["status"] == "CANCELED"


class TestAnAddress:
    def test_of_an_order_leads_to_it(self, alice, order):
        (listed,) = alice.get("/orders").json()["items"]
        assert listed["api_url"] == order["api_url"]
        assert alice.get(listed["api_url"]).json()["id"] == order["id"]

    def test_of_an_order_has_its_own_id_whatever_it_is_found_by(self, alice, fresh):
        made = made_order(alice.username, foreign_id=fresh("foreign"))
        put(made)
        found = alice.get(f"/orders/{made.foreign_id}").json()
        assert found["api_url"] == f"{ROOT}/orders/{made.id}"

    def test_of_a_product_leads_to_it(self, alice, order, bulb):
        (line,) = order["lines"]
        assert line["product_url"] == f"/products/{bulb}/"
        assert NOBODY.get(line["product_api_url"]).json()["id"] == bulb
