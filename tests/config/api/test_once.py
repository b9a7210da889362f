"""A write that is sent again with its Idempotency-Key is done once, and answered as before."""

from datetime import timedelta
from threading import Event, Thread
from unittest.mock import Mock

import pytest

from comments.posting import services as posting
from config import api
from dynapages.calls import Throttled, clock
from dynapages.calls.faults import BUSY
from dynapages.django.callers import Scope
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import Program, problem_of, program_of
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
DAY = timedelta(days=1)
END_ATTEMPT = api._end_attempt
LONG = timedelta(minutes=10)
"""Longer than a request can take."""


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def writer():
    return program_of(someone("writer").username)


@pytest.fixture
def later(monkeypatch):
    """Lets time go by: for whoever asks what time it is."""
    now, gone = clock.now, []
    monkeypatch.setattr(clock, "now", lambda: now() + sum(gone, timedelta()))
    return gone.append


def comments_on(product_id: str) -> list[str]:
    found = Program().get(f"/products/{product_id}/comments").json()["items"]
    return [comment["id"] for comment in found]


def order_of(product_id: str) -> dict[str, object]:
    return {"lines": [{"product_id": product_id, "quantity": 2}]}


class TestAWriteThatIsSentAgain:
    def test_posts_one_comment(self, writer, lamp):
        url = f"/products/{lamp}/comments"
        first, second = (writer.post(url, SAID, once="a") for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 201)
        assert first.content == second.content
        assert comments_on(lamp) == [first.json()["id"]]
        assert "Idempotent-Replayed" not in first.headers
        assert second.headers["Idempotent-Replayed"] == "true"
        assert second.headers["Content-Type"] == first.headers["Content-Type"]
        assert "no-store" in second.headers["Cache-Control"]

    def test_is_answered_with_the_headers_of_before(self, writer, lamp):
        first, second = (
            writer.post(f"/products/{lamp}/comments", SAID, once="a") for _ in range(2)
        )
        assert second.headers["Idempotent-Replayed"] == "true"
        assert first.headers["Location"].endswith(first.json()["id"])
        for name in ("ETag", "Location"):
            assert second.headers.get(name) == first.headers.get(name)

    def test_has_no_type_of_content_where_it_has_none(self, writer, lamp):
        comment_id = writer.post(f"/products/{lamp}/comments", SAID).json()["id"]
        for _ in range(2):
            answer = writer.delete(f"/comments/{comment_id}", once="a")
            assert (answer.status_code, "Content-Type" in answer.headers) == (204, False)

    def test_places_one_order(self, writer, fresh):
        said = order_of(put_product(fresh("lamp")))
        first, second = (writer.post("/orders", said, once="a") for _ in range(2))
        assert (first.status_code, first.content) == (201, second.content)
        assert len(writer.get("/orders").json()["items"]) == 1

    def test_is_answered_as_before_though_it_could_not_be_done_any_more(self, writer, lamp):
        comment_id = writer.post(f"/products/{lamp}/comments", SAID).json()["id"]
        change = {**SAID, "rating": 1, "version": 1}
        first = writer.put(f"/comments/{comment_id}", change, once="a")
        writer.put(f"/comments/{comment_id}", {**SAID, "rating": 2, "version": 2})
        again = writer.put(f"/comments/{comment_id}", change, once="a")
        assert (again.status_code, again.json()) == (200, first.json())
        assert writer.get(f"/comments/{comment_id}").json()["rating"] == 2

    def test_is_done_twice_with_two_keys_or_none(self, writer, lamp):
        for once in ("a", "b", "", ""):
            assert writer.post(f"/products/{lamp}/comments", SAID, once=once).status_code == 201
        assert len({*comments_on(lamp)}) == 4

    def test_meets_no_other_caller(self, lamp, writer):
        for program in (writer, program_of(writer.username), program_of(someone("other").username)):
            answer = program.post(f"/products/{lamp}/comments", SAID, once="a")
            assert "Idempotent-Replayed" not in answer.headers
        assert len({*comments_on(lamp)}) == 3

    def test_without_a_body_is_done_once_too(self, writer, lamp):
        comment = someone("author").has_written(lamp).comment
        first, again = (writer.put(f"/votes/{comment.id}", once="a") for _ in range(2))
        assert first.json() == again.json() == {"has_voted": True, "helpful_votes": 1}
        assert again.headers["Idempotent-Replayed"] == "true"

    def test_deletes_without_a_body_in_its_answer(self, writer, lamp):
        comment_id = writer.post(f"/products/{lamp}/comments", SAID).json()["id"]
        answers = [writer.delete(f"/comments/{comment_id}", once="a") for _ in range(2)]
        assert [(one.status_code, one.content) for one in answers] == [(204, b"")] * 2

    @pytest.mark.parametrize(
        ("said", "status"), [({"rating": 6}, 422), ({"rating": 5, "title": "x" * 999}, 422)]
    )
    def test_is_refused_as_before(self, writer, lamp, said, status):
        url = f"/products/{lamp}/comments"
        first, second = (problem_of(writer.post(url, said, once="a")) for _ in range(2))
        assert first == second
        assert first[0] == status


class TestAKeyOfAnotherWrite:
    def test_is_refused_with_another_body_or_address(self, writer, lamp):
        url = f"/products/{lamp}/comments"
        writer.post(url, SAID, once="a")
        comment_id = comments_on(lamp)[0]
        for answer in (
            writer.post(url, {**SAID, "rating": 1}, once="a"),
            writer.post(f"/products/{made_product()}/comments", SAID, once="a"),
            writer.delete(f"/comments/{comment_id}", once="a"),
        ):
            status, sentence = problem_of(answer)
            assert (status, "use a new one" in sentence) == (409, True)
        assert comments_on(lamp) == [comment_id]

    def test_is_refused_with_another_version_in_a_header(self, writer, lamp):
        comment_id = writer.post(f"/products/{lamp}/comments", SAID).json()["id"]
        url, change = f"/comments/{comment_id}", {"rating": 1}
        first = writer.send("PATCH", url, change, once="a", If_Match='"7"')
        assert problem_of(first)[0] == 412
        again = writer.send("PATCH", url, change, once="a", If_Match='"7"')
        assert (problem_of(again)[0], again.headers["Idempotent-Replayed"]) == (412, "true")
        another = writer.send("PATCH", url, change, once="a", If_Match='"1"')
        assert problem_of(another)[0] == 409

    def test_is_refused_unless_it_has_1_to_255_characters(self, writer, lamp):
        url = f"/products/{lamp}/comments"
        assert writer.post(url, SAID, once="x" * 255).status_code == 201
        for headers in ({"once": "x" * 256}, {"Idempotency_Key": ""}):
            status, sentence = problem_of(writer.post(url, SAID, **headers))
            assert (status, "1 to 255 characters" in sentence) == (400, True)
        assert len(comments_on(lamp)) == 1

    def test_changes_nothing_about_what_is_read(self, writer):
        for _ in range(2):
            answer = writer.get("/orders", once="x" * 256)
            assert (answer.status_code, "Idempotent-Replayed" in answer.headers) == (200, False)

    def test_may_be_used_anew_a_day_later(self, writer, lamp, later):
        url = f"/products/{lamp}/comments"
        writer.post(url, SAID, once="a")
        later(DAY)
        answer = writer.post(url, SAID, once="a")
        assert (answer.status_code, "Idempotent-Replayed" in answer.headers) == (201, False)

    def test_names_what_is_sent_then_not_what_was_sent_a_day_before(
        self, writer, lamp, fresh, later
    ):
        bulb = put_product(fresh("bulb"))
        url, other = f"/products/{lamp}/comments", {**SAID, "title": "Dim", "rating": 1}
        before = (
            writer.post(url, SAID, once="a"),
            writer.post("/orders", order_of(bulb), once="b"),
        )
        later(DAY)
        said = {"lines": [{"product_id": bulb, "quantity": 7}]}
        after = (writer.post(url, other, once="a"), writer.post("/orders", said, once="b"))
        assert [one.status_code for one in after] == [201, 201]
        assert (after[0].json()["title"], after[1].json()["item_count"]) == ("Dim", 7)
        assert {one.json()["id"] for one in before}.isdisjoint(one.json()["id"] for one in after)


class TestAWriteThatIsStillRunning:
    def test_says_when_to_ask_again(self, writer, lamp, monkeypatch):
        url, goes_on, has_begun = f"/products/{lamp}/comments", Event(), Event()
        post = posting.post_comment

        def slow(*arguments, **named):
            has_begun.set()
            goes_on.wait(60)
            return post(*arguments, **named)

        monkeypatch.setattr(posting, "post_comment", slow)
        found = []
        first = Thread(target=lambda: found.append(writer.post(url, SAID, once="a")))
        first.start()
        assert has_begun.wait(60)
        waiting = writer.post(url, SAID, once="a")
        goes_on.set()
        first.join()
        status, sentence = problem_of(waiting)
        assert (status, "still running" in sentence) == (409, True)
        assert int(waiting.headers["Retry-After"]) >= 1
        assert found[0].status_code == 201
        assert writer.post(url, SAID, once="a").content == found[0].content


class TestAProcessThatDied:
    """After what was asked for was written, before the answer to it was stored."""

    @pytest.fixture(autouse=True)
    def dead(self, monkeypatch):
        """The answer is never stored, as nothing else is by a process that is no more."""
        monkeypatch.setattr(api, "_end_attempt", Mock())

    @pytest.fixture
    def alive(self, monkeypatch, dead, later):
        def alive():
            monkeypatch.setattr(api, "_end_attempt", END_ATTEMPT)
            later(LONG)

        return alive

    def test_leaves_a_key_that_waits_until_it_must_be_dead(self, writer, lamp):
        url = f"/products/{lamp}/comments"
        writer.post(url, SAID, once="a")
        assert problem_of(writer.post(url, SAID, once="a"))[0] == 409

    def test_leaves_one_comment(self, writer, lamp, alive):
        url = f"/products/{lamp}/comments"
        first = writer.post(url, SAID, once="a").json()
        alive()
        second = writer.post(url, SAID, once="a")
        assert (second.status_code, second.json()) == (201, first)
        assert comments_on(lamp) == [first["id"]]
        assert writer.post(url, SAID, once="a").headers["Idempotent-Replayed"] == "true"

    def test_leaves_one_order(self, writer, fresh, alive):
        said = order_of(put_product(fresh("lamp")))
        first = writer.post("/orders", said, once="a").json()
        alive()
        second = writer.post("/orders", said, once="a")
        assert (second.status_code, second.json()) == (201, first)
        assert len(writer.get("/orders").json()["items"]) == 1

    def test_leaves_an_edit_a_move_and_a_reply_done_once(self, writer, lamp, fresh, alive):
        comment_id = writer.post(f"/products/{lamp}/comments", SAID).json()["id"]
        order_id = writer.post("/orders", order_of(put_product(fresh("lamp")))).json()["id"]
        staff = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        move = {"source": "PLACED", "target": "CANCELED", "reason": "Too many."}

        def send() -> list[dict[str, object]]:
            sent = (
                writer.put(
                    f"/comments/{comment_id}", {**SAID, "rating": 1, "version": 1}, once="a"
                ),
                writer.post(f"/orders/{order_id}/moves", move, once="b"),
                staff.put(f"/replies/{comment_id}", {"text": "Thank you."}, once="c"),
            )
            assert [one.status_code for one in sent] == [200] * 3
            return [one.json() for one in sent]

        first = send()
        alive()
        second = send()
        assert second[1] == first[1]
        assert second[2]["reply"] == first[2]["reply"]
        assert (second[0]["rating"], second[0]["version"]) == (1, 2)

    def test_leaves_a_product_and_a_category_saved_once(self, fresh, alive):
        staff = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        shelf, lamp = fresh("shelf"), fresh("lamp")
        product = {"name": "Lamp", "price": "18.50", "currency": "EUR", "categories": [shelf]}

        def save() -> list[dict[str, object]]:
            sent = (
                staff.put(f"/categories/{shelf}", {"name": "Shelf"}, once="a"),
                staff.put(f"/products/{lamp}", product, once="b"),
            )
            assert [one.status_code for one in sent] == [201, 201], sent[0].text
            return [one.json() for one in sent]

        first = save()
        alive()
        assert save() == first


class TestWhatIsNotStored:
    def test_is_that_a_key_has_asked_too_often(self, writer, lamp, monkeypatch):
        url = f"/products/{lamp}/comments"
        limit = api.WRITE_LIMIT
        monkeypatch.setattr(api, "WRITE_LIMIT", api.NamedLimit(1, limit.window, "few-writes/{}"))
        writer.post(url, SAID)
        assert problem_of(writer.post(url, SAID, once="a"))[0] == 429
        monkeypatch.setattr(api, "WRITE_LIMIT", limit)
        assert writer.post(url, SAID, once="a").status_code == 201
        assert len(comments_on(lamp)) == 2

    def test_is_that_the_database_was_away(self, writer, lamp, monkeypatch):
        url = f"/products/{lamp}/comments"
        with monkeypatch.context() as busy:
            busy.setattr(posting, "post_comment", Mock(side_effect=Throttled(BUSY)))
            answer = writer.post(url, SAID, once="a")
            assert (problem_of(answer)[0], int(answer.headers["Retry-After"]) > 0) == (503, True)
        assert comments_on(lamp) == []
        assert writer.post(url, SAID, once="a").status_code == 201
        assert len(comments_on(lamp)) == 1

    def test_is_a_fault_of_ours(self, writer, lamp, monkeypatch):
        url = f"/products/{lamp}/comments"
        with monkeypatch.context() as broken:
            broken.setattr(posting, "post_comment", Mock(side_effect=ZeroDivisionError))
            assert problem_of(writer.post(url, SAID, once="a"))[0] == 500
        assert writer.post(url, SAID, once="a").status_code == 201

    def test_may_be_the_answer_to_what_was_done(self, writer, lamp, later, monkeypatch):
        """Where it cannot be written, the caller is answered all the same."""
        url = f"/products/{lamp}/comments"
        with monkeypatch.context() as away:
            away.setattr(api, "finish", Mock(side_effect=Throttled(BUSY)))
            first = writer.post(url, SAID, once="a")
        assert first.status_code == 201
        later(LONG)
        assert writer.post(url, SAID, once="a").json() == first.json()
        assert len(comments_on(lamp)) == 1
