"""What a program does for somebody who reads, writes and orders, with nothing but a key."""

from dataclasses import replace
from datetime import timedelta

import pytest

from config import api
from dynapages.django.callers import Scope
from tests.support.comments.faulty import unreachable
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import someone
from tests.support.config.api import NOBODY, Program, problem_of, program_of
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")
SAID = {"rating": 5, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}


@pytest.fixture
def lamp(fresh):
    """A product that is sold, with 25 comments."""
    product_id = put_product(fresh("lamp"))
    load(numbered_comments(product_id, count=25))
    return product_id


@pytest.fixture
def reader():
    return program_of("", Scope.READ)


@pytest.fixture
def anna():
    return program_of(someone("anna").username)


@pytest.fixture
def staff():
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


def test_a_program_reads_writes_votes_and_orders(lamp, anna, staff):
    first = anna.get(f"/products/{lamp}/comments").json()
    second = anna.get(first["next"]).json()
    assert (len(first["items"]), len(second["items"]), second["next"]) == (20, 5, None)
    assert anna.get(second["previous"]).json()["items"] == first["items"]
    assert first["total"] == second["total"] == 25

    posted = [anna.post(f"/products/{lamp}/comments", SAID, once="1") for _ in range(2)]
    assert [one.status_code for one in posted] == [201, 201]
    own, again = (one.json() for one in posted)
    assert own == again
    assert posted[1].headers["Idempotent-Replayed"] == "true"
    listed = anna.get(f"/products/{lamp}/comments").json()
    assert (listed["total"], listed["items"][0]["id"]) == (26, own["id"])

    edited = anna.put(f"/comments/{own['id']}", {**SAID, "rating": 4, "version": own["version"]})
    assert (edited.json()["rating"], edited.json()["version"]) == (4, own["version"] + 1)

    other = first["items"][0]["id"]
    assert anna.put(f"/votes/{other}").json() == {"has_voted": True, "helpful_votes": 1}
    assert anna.get(f"/comments/{other}").json()["has_voted"] is True
    helpful = anna.get(f"/products/{lamp}/comments/most-helpful").json()["items"]
    assert [(one["id"], one["helpful_votes"]) for one in helpful] == [(other, 1)]
    assert anna.delete(f"/votes/{other}").json() == {"has_voted": False, "helpful_votes": 0}
    assert anna.get(f"/comments/{other}").json()["has_voted"] is False

    assert anna.delete(f"/comments/{own['id']}").status_code == 204
    assert problem_of(anna.get(f"/comments/{own['id']}"))[0] == 404
    assert anna.get(f"/products/{lamp}/comments").json()["total"] == 25

    order = anna.post("/orders", {"lines": [{"product_id": lamp, "quantity": 2}]}).json()
    assert (order["status"], order["total"], order["item_count"]) == ("PLACED", "39.98", 2)
    assert [one["id"] for one in anna.get("/orders").json()["items"]] == [order["id"]]
    moves = f"/orders/{order['id']}/moves"
    approved = staff.post(moves, {"source": "PLACED", "target": "APPROVED"})
    assert approved.json()["status"] == "APPROVED"
    late = anna.post(moves, {"source": "PLACED", "target": "CANCELED"})
    assert problem_of(late)[0] == 409
    cancelled = anna.post(moves, {"source": "APPROVED", "target": "CANCELED"})
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "CANCELED")


def steps(product_id: str, comment_id: str, order_id: str) -> list[tuple[str, str, object]]:
    """The requests of the flow that write."""
    return [
        ("POST", f"/products/{product_id}/comments", SAID),
        ("PUT", f"/comments/{comment_id}", {**SAID, "version": 1}),
        ("PUT", f"/votes/{comment_id}", None),
        ("DELETE", f"/votes/{comment_id}", None),
        ("DELETE", f"/comments/{comment_id}", None),
        ("POST", "/orders", {"lines": [{"product_id": product_id}]}),
        ("POST", f"/orders/{order_id}/moves", {"source": "PLACED", "target": "CANCELED"}),
    ]


@pytest.fixture
def writes(lamp, anna):
    comment = anna.post(f"/products/{lamp}/comments", SAID).json()
    order = anna.post("/orders", {"lines": [{"product_id": lamp}]}).json()
    return steps(lamp, comment["id"], order["id"])


def state_of(program: Program, lamp: str) -> list[object]:
    urls = (f"/products/{lamp}/comments", "/orders")
    return [program.get(url).json()["items"] for url in urls]


class TestEachWrite:
    def test_is_refused_with_the_wrong_scope_and_without_a_key(self, writes, lamp, anna, reader):
        before = state_of(anna, lamp)
        for method, url, body in writes:
            assert problem_of(reader.send(method, url, body))[0] == 403, url
            assert problem_of(NOBODY.send(method, url, body))[0] == 401, url
        assert state_of(anna, lamp) == before

    def test_is_refused_once_there_were_too_many(self, writes, lamp, anna, monkeypatch):
        before = state_of(anna, lamp)
        # So long that none is allowed again meanwhile, however slow the machine is.
        two_an_hour = replace(api.WRITE_LIMIT, times=2, window=timedelta(hours=1))
        monkeypatch.setattr(api, "WRITE_LIMIT", two_an_hour)
        # The writes before may have taken a part of a second of it.
        allowed = 0
        while allowed < two_an_hour.times:
            allowed += anna.delete("/votes/nothing").status_code == 404
        for method, url, body in writes:
            answer = anna.send(method, url, body)
            assert (problem_of(answer)[0], int(answer.headers["Retry-After"]) > 0) == (429, True)
        assert state_of(anna, lamp) == before

    def test_is_refused_while_the_database_is_away(self, writes, lamp, anna):
        before = state_of(anna, lamp)
        with unreachable():
            for method, url, body in writes:
                answer = anna.send(method, url, body)
                assert problem_of(answer)[0] == 503, url
                assert int(answer.headers["Retry-After"]) > 0
        assert state_of(anna, lamp) == before


class TestEachRead:
    @pytest.mark.parametrize("url", ["/products/{lamp}", "/products/{lamp}/comments", "/products"])
    def test_is_for_everybody_or_needs_a_key(self, lamp, anna, reader, url):
        for program in (NOBODY, reader, anna):
            assert program.get(url.format(lamp=lamp)).status_code == 200

    def test_is_refused_once_there_were_too_many(self, lamp, anna, monkeypatch):
        monkeypatch.setattr(api, "READ_LIMIT", replace(api.READ_LIMIT, times=1))
        url = f"/products/{lamp}/comments"
        first = anna.get(url).json()
        for link in (first["first"], first["next"], first["last"], "/orders"):
            answer = anna.get(link)
            assert (problem_of(answer)[0], int(answer.headers["Retry-After"]) > 0) == (429, True)
        assert NOBODY.get(first["next"]).status_code == 200
