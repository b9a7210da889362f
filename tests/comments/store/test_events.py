"""What the project owes because of comments: stored in the transaction of the change."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from comments import signals
from comments.data.writer import BulkWriter
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.writing import QUEUE, CommentChange
from dynapages.calls import Batches
from dynapages.process import client, pool
from dynapages.work import Owed
from tests.support.chance import unique
from tests.support.comments.faulty import EVENTS, Killed, faults
from tests.support.comments.threads import made_comment
from tests.support.comments.truth import START

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]
KIND = "comment heard of"


@pytest.fixture(autouse=True)
def kind(monkeypatch) -> Iterator[None]:
    def heard_of(changes: Sequence[CommentChange]) -> list[Owed]:
        return [QUEUE.owe(KIND, {"comments": [change.comment_id for change in changes]})]

    monkeypatch.setattr("comments.store.writing.comment_events", {heard_of})
    yield
    for owed in list(QUEUE.waiting()):
        if owed.kind == KIND:
            QUEUE.discard(owed)


def times_heard_of(comment_id: str) -> int:
    waiting = [owed for owed in QUEUE.waiting() if owed.kind == KIND]
    return sum(comment_id in owed.payload["comments"] for owed in waiting)


class TestWhatIsOwed:
    def test_is_stored_with_a_comment_that_is_posted(self):
        assert times_heard_of(made_comment().id) == 1

    def test_is_stored_with_each_further_change(self):
        comment = made_comment()
        delete_comment(comment.id)
        assert times_heard_of(comment.id) == 2

    def test_is_not_stored_for_what_was_done_already(self):
        comment = made_comment()
        delete_comment(comment.id)
        delete_comment(comment.id)
        add_comment_again = replace(comment, id=unique("comment"))
        for _ in range(2):
            add_comment(add_comment_again)
        assert times_heard_of(comment.id) == 2
        assert times_heard_of(add_comment_again.id) == 1

    def test_is_not_stored_where_nobody_is_to_hear_of_it(self):
        with signals.unannounced():
            comment = made_comment()
        assert times_heard_of(comment.id) == 0

    @pytest.mark.parametrize("announces", [False, True])
    def test_is_stored_by_imports_that_are_announced_alone(self, announces):
        comments = [
            NewComment(
                id=unique("comment"),
                product_id="lamp",
                language="en",
                rating=4,
                created_at=START,
                author="ann",
                title="Good",
                body="It works.",
            )
            for _ in range(120)
        ]
        BulkWriter(Batches(client(), pool()), announces=announces).write(comments)
        assert [times_heard_of(each.id) for each in comments] == [int(announces)] * 120

    @pytest.mark.parametrize("when", EVENTS)
    def test_is_stored_if_and_only_if_the_comment_was_deleted(self, when):
        rounds = 0
        for fault in faults(when, every_call=True, kills=True):
            comment = made_comment()
            with fault.injected(), suppress(Killed):
                delete_comment(comment.id)
            assert times_heard_of(comment.id) == 1 + int(_is_gone(comment.id)), fault
            rounds += 1
        assert rounds > 1


def _is_gone(comment_id: str) -> bool:
    try:
        load_comment(comment_id)
    except NoSuchComment:
        return True
    return False


def test_what_one_of_them_raises_stops_the_write(monkeypatch):
    def raises(_changes: Sequence[CommentChange]) -> list[Owed]:
        raise ZeroDivisionError

    comment = made_comment()
    monkeypatch.setattr("comments.store.writing.comment_events", {raises})
    with pytest.raises(ZeroDivisionError):
        delete_comment(comment.id)
    assert not _is_gone(comment.id)
