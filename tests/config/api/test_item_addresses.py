"""Addresses of comments in the API: in lists, and of one that was just posted."""

import pytest
from django.test import Client

from comments.api import shapes
from dynapages.django.callers import Scope
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, ROOT, program_of
from tests.support.config.lists import listed_shop

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}


@pytest.fixture(scope="module")
def shop(tables):
    return listed_shop()


@pytest.fixture
def author():
    return program_of(someone("author").username)


class TestAnItemOfAList:
    def test_of_a_ranking_has_that_of_its_last_comment(self, shop):
        for item in NOBODY.get("/rankings/recently-commented").json()["items"]:
            found = NOBODY.get(item["comment_api_url"]).json()
            assert (found["id"], found["url"]) == (item["comment_id"], item["comment_url"])

    @pytest.mark.parametrize("name", ["a/b", "a b", "ü%2F", "a?b#c", "~", "a:b@c"])
    def test_is_led_to_whatever_its_id_is(self, name):
        product_id = made_product()
        load([written(product_id, id=f"{product_id}/{name}")])
        (listed,) = NOBODY.get(f"/products/{product_id}/comments").json()["items"]
        # Of a path that is quoted, the transport of programs in tests makes another one.
        assert Client().get(listed["api_url"]).json()["id"] == f"{product_id}/{name}"

    def test_has_none_of_a_product_where_the_api_has_no_operation_for_it(self, shop, monkeypatch):
        monkeypatch.setattr(shapes, "PRODUCT_OPERATION", "no_such_operation")
        items = NOBODY.get(shop.address("/users/{username}/comments")).json()["items"]
        assert {item["product"]["api_url"] for item in items} == {None}
        assert None not in {item["api_url"] for item in items}


class TestAPostedComment:
    def test_says_where_it_is(self, author):
        answer = author.post(f"/products/{made_product()}/comments", SAID)
        comment = answer.json()
        assert answer.headers["Location"] == f"{ROOT}/comments/{comment['id']}"
        assert comment["api_url"] == answer.headers["Location"]
        assert author.get(answer.headers["Location"]).json() == comment

    def test_says_so_again_to_the_same_idempotency_key(self, author):
        url = f"/products/{made_product()}/comments"
        first, again = (author.post(url, SAID, once="p") for _ in range(2))
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.headers["Location"] == first.headers["Location"]

    def test_that_waits_for_the_shop_is_where_it_says_for_its_author_alone(self, author):
        with comments_set(GATE="comments.gates.hold_all"):
            answer = author.post(f"/products/{made_product()}/comments", SAID)
        url = answer.headers["Location"]
        other = program_of(someone("other").username, Scope.WRITE)
        assert [program.get(url).status_code for program in (author, other, NOBODY)] == [
            200,
            404,
            404,
        ]
