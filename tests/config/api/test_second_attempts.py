"""A write whose answer was lost is answered as before, by whatever its program sends again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from unittest.mock import patch

import pytest

from comments.gates import Reject
from comments.moderation.services import Decision
from comments.posting import services as posting
from config import api
from dynapages.calls import Throttled, clock
from dynapages.calls.faults import BUSY
from dynapages.django.callers import Scope
from shop.api_keys.answers import release
from tests.support.chance import unique
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, Program, operations, problem_of, program_of
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
CANCEL = {"source": "PLACED", "target": "CANCELED", "reason": "Too many."}
LONG = timedelta(minutes=10)
"""Longer than a request can take."""


# How the answer to a first attempt is lost


@contextmanager
def killed() -> Iterator[None]:
    """The process dies when all is written but the answer; it is sent again when that is known."""
    with patch.object(api, "_end_attempt"):
        yield
    now = clock.now
    patch.object(clock, "now", lambda: now() + LONG).start()


@contextmanager
def ended_by_a_fault() -> Iterator[None]:
    """The answer is a 503, though all is written."""

    def end(attempt, _answer):
        release(attempt)

    with patch.object(api, "_end_attempt", end):
        yield


@pytest.fixture(autouse=True)
def stopped():
    """Ends what `killed` has begun."""
    yield
    patch.stopall()


# What is sent


@dataclass(frozen=True)
class Write:
    """A request of a program."""

    program: Program
    method: str
    url: str
    body: object = None
    if_match: str = ""

    def send(self):
        headers = {}
        if self.if_match:
            headers["If_Match"] = self.if_match
        return self.program.send(self.method, self.url, self.body, once="a", **headers)


def writer() -> Program:
    return program_of(someone("writer").username)


def staff() -> Program:
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


def comment_of(program: Program) -> str:
    answer = program.post(f"/products/{made_product()}/comments", SAID)
    return str(answer.json()["id"])


def reported(comment_id: str) -> str:
    assert writer().put(f"/reports/{comment_id}", {"reason": "spam"}).status_code == 204
    return comment_id


def order() -> dict[str, object]:
    return {"lines": [{"product_id": put_product(unique("bulb"))}]}


def post() -> Write:
    return Write(writer(), "POST", f"/products/{made_product()}/comments", SAID)


def edit() -> Write:
    program = writer()
    body = {**SAID, "rating": 1, "version": 1}
    return Write(program, "PUT", f"/comments/{comment_of(program)}", body)


def change() -> Write:
    program = writer()
    body = {"rating": 1, "version": 1}
    return Write(program, "PATCH", f"/comments/{comment_of(program)}", body)


def change_by_etag() -> Write:
    write = change()
    etag = write.program.get(write.url).headers["ETag"]
    return Write(write.program, "PATCH", write.url, {"rating": 1}, etag)


def change_any_version() -> Write:
    return replace(change_by_etag(), if_match="*")


def delete_by_etag() -> Write:
    return replace(change_by_etag(), method="DELETE", body=None)


def delete() -> Write:
    program = writer()
    return Write(program, "DELETE", f"/comments/{comment_of(program)}")


def delete_by_staff() -> Write:
    return Write(staff(), "DELETE", f"/comments/{comment_of(writer())}")


def vote() -> Write:
    return Write(writer(), "PUT", f"/votes/{comment_of(writer())}")


def withdraw() -> Write:
    write = vote()
    write.program.put(write.url)
    return Write(write.program, "DELETE", write.url)


def report() -> Write:
    return Write(writer(), "PUT", f"/reports/{comment_of(writer())}", {"reason": "spam"})


def reply() -> Write:
    return Write(staff(), "PUT", f"/replies/{comment_of(writer())}", {"text": "Thank you."})


def delete_reply() -> Write:
    write = reply()
    write.program.put(write.url, write.body)
    return Write(write.program, "DELETE", write.url)


def decide(decision: Decision, comment_id: str) -> Write:
    program = staff()
    revision = program.get(f"/comments/{comment_id}").json()["revision"]
    body = {"decision": decision, "revision": revision}
    return Write(program, "POST", f"/decisions/{comment_id}", body)


def hide_one() -> Write:
    return decide(Decision.HIDE, comment_of(writer()))


def keep() -> Write:
    return decide(Decision.KEEP, reported(comment_of(writer())))


def restore() -> Write:
    comment_id = comment_of(writer())
    hide(comment_id=comment_id)
    return decide(Decision.RESTORE, comment_id)


def publish() -> Write:
    with comments_set(GATE="comments.gates.hold_all"):
        return decide(Decision.PUBLISH, comment_of(writer()))


def decide_to_delete() -> Write:
    return decide(Decision.DELETE, comment_of(writer()))


def place() -> Write:
    return Write(writer(), "POST", "/orders", order())


def cancel() -> Write:
    program = writer()
    order_id = program.post("/orders", order()).json()["id"]
    return Write(program, "POST", f"/orders/{order_id}/moves", CANCEL)


def approve() -> Write:
    order_id = writer().post("/orders", order()).json()["id"]
    body = {"source": "PLACED", "target": "APPROVED"}
    return Write(staff(), "POST", f"/orders/{order_id}/moves", body)


def create_product() -> Write:
    body = {"name": "Lamp", "price": "18.50", "currency": "EUR"}
    return Write(staff(), "PUT", f"/products/{unique('lamp')}", body)


def change_product() -> Write:
    write = create_product()
    made = write.program.put(write.url, write.body).json()
    body = {**write.body, "name": "Lantern", "version": made["version"]}
    return Write(write.program, "PUT", write.url, body)


def take_product_off() -> Write:
    write = change_product()
    return Write(write.program, "PUT", write.url, {**write.body, "is_off": True})


def patch_product() -> Write:
    write = create_product()
    made = write.program.put(write.url, write.body).json()
    body = {"price": "20.00", "currency": "EUR", "version": made["version"]}
    return Write(write.program, "PATCH", write.url, body)


def create_category() -> Write:
    return Write(staff(), "PUT", f"/categories/{unique('shelf')}", {"name": "Shelf"})


def hide_category() -> Write:
    write = create_category()
    made = write.program.put(write.url, write.body).json()
    body = {"name": "Shelf", "is_off": True, "version": made["version"]}
    return Write(write.program, "PUT", write.url, body)


def patch_category() -> Write:
    write = create_category()
    made = write.program.put(write.url, write.body).json()
    return Write(write.program, "PATCH", write.url, {"name": "Rack", "version": made["version"]})


WRITES: dict[str, list[Callable[[], Write]]] = {
    "POST /products/{product_id}/comments": [post],
    "PUT /comments/{comment_id}": [edit],
    "PATCH /comments/{comment_id}": [change, change_by_etag, change_any_version],
    "DELETE /comments/{comment_id}": [delete, delete_by_etag, delete_by_staff],
    "PUT /votes/{comment_id}": [vote],
    "DELETE /votes/{comment_id}": [withdraw],
    "PUT /reports/{comment_id}": [report],
    "PUT /replies/{comment_id}": [reply],
    "DELETE /replies/{comment_id}": [delete_reply],
    "POST /decisions/{comment_id}": [hide_one, keep, restore, publish, decide_to_delete],
    "POST /orders": [place],
    "POST /orders/{order_id}/moves": [cancel, approve],
    "PUT /products/{product_id}": [create_product, change_product, take_product_off],
    "PATCH /products/{product_id}": [patch_product],
    "PATCH /categories/{slug}": [patch_category],
    "PUT /categories/{slug}": [create_category, hide_category],
}
"""By operation, what makes each kind of its writes."""
KINDS = [make for makers in WRITES.values() for make in makers]


class TestEachWrite:
    def test_is_among_these(self):
        assert {name for name in operations() if not name.startswith("GET ")} == {*WRITES}

    @pytest.mark.parametrize("lost", [killed, ended_by_a_fault])
    @pytest.mark.parametrize("make", KINDS)
    def test_is_answered_as_its_first_attempt_was(self, make, lost):
        write = make()
        with lost():
            first = write.send()
        assert first.status_code < 300, first.text
        second = write.send()
        assert (second.status_code, second.content) == (first.status_code, first.content)
        assert "Idempotent-Replayed" not in second.headers
        third = write.send()
        assert (third.status_code, third.content) == (first.status_code, first.content)
        assert third.headers["Idempotent-Replayed"] == "true"

    @pytest.mark.parametrize("make", KINDS)
    def test_is_counted_once_against_the_limits_of_its_user(self, make, counted):
        write = make()
        with ended_by_a_fault():
            assert write.send().status_code < 300
        counted.clear()
        assert write.send().status_code < 300
        assert counted == ["api-writes"]


class TestADeletion:
    def test_that_a_fault_ends_once_it_is_written_is_204(self):
        """As a fault of the database ends it, whole."""
        write = delete()
        with patch.object(posting.signals, "announce", side_effect=Throttled(BUSY)):
            assert problem_of(write.send())[0] == 503
        assert problem_of(NOBODY.get(write.url))[0] == 404
        assert write.send().status_code == 204

    def test_of_what_never_was_stays_a_404(self):
        write = Write(writer(), "DELETE", f"/comments/{unique('none')}")
        with ended_by_a_fault():
            write.send()
        assert problem_of(write.send())[0] == 404

    def test_of_anothers_comment_stays_a_404(self):
        write = Write(writer(), "DELETE", f"/comments/{comment_of(writer())}")
        with ended_by_a_fault():
            write.send()
        assert problem_of(write.send())[0] == 404
        assert NOBODY.get(write.url).status_code == 200

    def test_of_what_is_gone_is_a_404_at_the_first_attempt(self):
        write = delete()
        assert write.program.delete(write.url).status_code == 204
        assert [problem_of(write.send())[0] for _ in range(2)] == [404, 404]


class TestAPost:
    def test_is_not_refused_for_itself_by_a_gate(self):
        write = post()
        with ended_by_a_fault():
            first = write.send()
        with comments_set(GATE=f"{__name__}.reject"):
            second = write.send()
        assert (second.status_code, second.json()) == (201, first.json())

    def test_that_was_never_carried_out_is_carried_out_by_the_second_attempt(self):
        write = post()
        with patch.object(posting, "post_comment", side_effect=Throttled(BUSY)):
            assert problem_of(write.send())[0] == 503
        assert write.send().status_code == 201

    def test_that_was_edited_since_is_shown_as_it_is(self):
        write = post()
        with ended_by_a_fault():
            first = write.send().json()
        change = {**SAID, "rating": 1, "version": first["version"]}
        write.program.put(f"/comments/{first['id']}", change)
        second = write.send()
        assert (second.status_code, second.json()["rating"]) == (201, 1)


def reject(*_):
    return Reject("There is such a comment already.")
