"""What a user may write in an hour holds by every door: pages and keys count the same."""

from dataclasses import replace

import pytest

from comments.web import rate_limits as comment_limits
from dynapages.django.callers import Scope
from dynapages.django.rate_limits import limiter
from shop.accounts import rate_limits as order_limits
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import written
from tests.support.comments.writers import WORDS, made_product, new_url, someone
from tests.support.config.addresses import API_MATRIX, belongings
from tests.support.config.api import operations, problem_of, program_of
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
OF_THE_KEY = ["api-writes"]
OF_A_USER = [*OF_THE_KEY, "writes-of", "writes-from"]
OF_STAFF = [*OF_THE_KEY, "staff-writes-of", "staff-writes-from"]
OF_ORDERS = [*OF_THE_KEY, "orders-of", "orders-from"]
COUNTED = {
    "POST /products/{product_id}/comments": OF_A_USER,
    "PUT /comments/{comment_id}": OF_A_USER,
    "PATCH /comments/{comment_id}": OF_A_USER,
    "DELETE /comments/{comment_id}": OF_A_USER,
    "PUT /votes/{comment_id}": OF_A_USER,
    "DELETE /votes/{comment_id}": OF_A_USER,
    "PUT /reports/{comment_id}": OF_A_USER,
    "PUT /replies/{comment_id}": OF_STAFF,
    "DELETE /replies/{comment_id}": OF_STAFF,
    "POST /decisions/{comment_id}": OF_STAFF,
    "POST /orders": OF_ORDERS,
    "POST /orders/{order_id}/moves": OF_ORDERS,
    # Pages of staff do not limit these, either.
    "PUT /products/{product_id}": OF_THE_KEY,
    "PATCH /products/{product_id}": OF_THE_KEY,
    "PUT /categories/{slug}": OF_THE_KEY,
    "PATCH /categories/{slug}": OF_THE_KEY,
}
"""The limits that each operation which writes counts against, in this order."""
BY_OTHERS = ("votes", "reports")
"""Parts of the addresses of what nobody does to a comment of their own."""


class TestAWritingOperation:
    def test_is_in_the_table_of_limits(self):
        assert {name for name in operations() if not name.startswith("GET ")} == {*COUNTED}

    @pytest.mark.parametrize("name", COUNTED)
    def test_counts_as_the_table_says(self, counted, name):
        method, _, path = name.partition(" ")
        owner = someone("owner")
        sender = owner
        if path.split("/")[1] in BY_OTHERS:
            sender = someone("other")
        scope = Scope.WRITE
        if COUNTED[name] in (OF_STAFF, OF_THE_KEY):
            sender, scope = someone("sam", is_staff=True), Scope.STAFF
        url = path.format_map(belongings(owner).arguments)
        program = program_of(sender.username, scope)
        counted.clear()
        program.send(method, url, API_MATRIX[name][1])
        assert counted == COUNTED[name]


class TestAUserWhoHasWrittenTooOften:
    @pytest.fixture
    def lamp(self):
        return made_product()

    @pytest.fixture
    def two_writes(self):
        with comments_set(WRITES_PER_USER=2):
            yield

    @pytest.mark.usefixtures("two_writes")
    def test_is_refused_by_key_in_the_words_of_pages(self, lamp):
        writer = program_of(someone("writer").username)
        url = f"/products/{lamp}/comments"
        answers = [writer.post(url, SAID) for _ in range(3)]
        assert [one.status_code for one in answers] == [201, 201, 429]
        status, sentence = problem_of(answers[2])
        assert (status, sentence[:46]) == (429, "You have written a lot in a short time. Try ag")
        assert int(answers[2].headers["Retry-After"]) > 60

    @pytest.mark.usefixtures("two_writes")
    def test_is_not_told_of_the_limit_of_the_key_which_is_not_used_up(self, lamp):
        writer = program_of(someone("writer").username)
        answers = [writer.post(f"/products/{lamp}/comments", SAID) for _ in range(3)]
        assert [one.status_code for one in answers] == [201, 201, 429]
        for name in ("RateLimit", "RateLimit-Policy"):
            assert [name in one.headers for one in answers] == [True, True, False]

    @pytest.mark.usefixtures("two_writes")
    def test_has_one_limit_for_pages_and_all_keys(self, lamp):
        writer = someone("writer")
        writer.write(lamp)
        url = f"/products/{lamp}/comments"
        answers = [program_of(writer.username).post(url, SAID) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 429]
        form = {**writer.open_form(lamp), **WORDS}
        assert writer.send(new_url(lamp), form).status_code == 429

    @pytest.mark.usefixtures("two_writes")
    def test_is_not_charged_for_what_was_answered_before_or_refused(self, lamp):
        writer = program_of(someone("writer").username)
        url = f"/products/{lamp}/comments"
        for _ in range(3):
            assert writer.post(url, SAID, once="a").status_code == 201
        assert writer.post(url, {"rating": 6}).status_code == 422
        assert writer.post("/products/none/comments", SAID).status_code == 404
        assert writer.post(url, SAID).status_code == 201

    def test_is_answered_later_though_the_key_is_the_same(self, lamp):
        writer = program_of(someone("writer").username)
        url = f"/products/{lamp}/comments"
        with comments_set(WRITES_PER_USER=1):
            writer.post(url, SAID)
            assert writer.post(url, SAID, once="a").status_code == 429
        limiter().clear(f"writes-of/{writer.username}")  # as an hour later
        assert writer.post(url, SAID, once="a").status_code == 201

    def test_deletes_by_staff_against_the_limit_of_staff(self, lamp, monkeypatch):
        staff = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        monkeypatch.setattr(comment_limits, "STAFF_WRITES_PER_USER", 1)
        load([written(lamp, id=f"{lamp}-{number}") for number in range(2)])
        answers = [staff.delete(f"/comments/{lamp}-{number}") for number in range(2)]
        assert [one.status_code for one in answers] == [204, 429]

    def test_shares_the_limit_of_a_network(self, lamp):
        network = "10.77.0.9"
        url = f"/products/{lamp}/comments"
        with comments_set(WRITES_PER_ADDRESS=2):
            programs = [
                replace(program_of(someone("writer").username), address=network) for _ in range(3)
            ]
            statuses = [program.post(url, SAID).status_code for program in programs]
        assert statuses == [201, 201, 429]


class TestACustomerWhoOrdersTooOften:
    @pytest.fixture
    def order(self, fresh):
        return {"lines": [{"product_id": put_product(fresh("bulb"))}]}

    @pytest.fixture
    def two_orders(self, monkeypatch):
        limit = replace(order_limits.ORDERS_OF_A_USER, times=2)
        monkeypatch.setattr(order_limits, "ORDERS_OF_A_USER", limit)

    @pytest.mark.usefixtures("two_orders")
    def test_is_refused_by_key_in_the_words_of_pages(self, order):
        customer = program_of(someone("customer").username)
        placed = customer.post("/orders", order).json()
        move = {"source": "PLACED", "target": "CANCELED"}
        moves = f"/orders/{placed['id']}/moves"
        answers = [customer.post(moves, move), customer.post("/orders", order)]
        assert [one.status_code for one in answers] == [200, 429]
        status, sentence = problem_of(answers[1])
        assert (status, sentence[:45]) == (429, "You have placed or changed too many orders. T")
        assert int(answers[1].headers["Retry-After"]) > 60

    @pytest.mark.usefixtures("two_orders")
    def test_is_not_one_of_the_staff(self, order):
        staff = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        assert [staff.post("/orders", order).status_code for _ in range(3)] == [201] * 3
