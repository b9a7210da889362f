"""Events of comments: which change is which; and they say neither what was written nor by whom."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from comments import signals
from comments.data.writer import BulkWriter
from comments.gates import block_author
from comments.items import NewComment, NewState
from comments.moderation.services import Decision
from comments.moderation.undoing import Note, undo
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import load_comment
from comments.store.states import State
from comments.store.writing import QUEUE as COMMENTS_QUEUE
from comments.votes.services import cast_vote
from config.webhooks.comment_events import (
    COMMENT_MEANINGS,
    DELETED,
    EDITED,
    HELD,
    HIDDEN,
    POSTED,
    RESTORED,
)
from dynapages.calls import Batches, Meter, clock, metered
from dynapages.process import client, pool
from shop.table import TABLE
from shop.webhooks.events import MEANINGS, ORDER_PLACED
from shop.webhooks.known import known_webhooks
from shop.webhooks.owing import EVENT
from shop.work import QUEUE
from tests.support.chance import unique
from tests.support.comments.deciding import decide, feature, hide, keep, restore, unfeature
from tests.support.comments.faulty import EVENTS, Killed, faults
from tests.support.comments.threads import NOW, made_comment
from tests.support.webhooks import hearing_of

pytestmark = pytest.mark.usefixtures("tables")
URL = "https://example.com/events"


@pytest.fixture
def heard() -> Iterator[None]:
    """A webhook hears of all that happens to comments."""
    with hearing_of(URL, *COMMENT_MEANINGS):
        yield


def events_of(comment: NewComment) -> list[dict[str, Any]]:
    """The events that are owed of a comment, in the order in which they happened."""
    events = []
    for owed in QUEUE.waiting():
        if owed.kind == EVENT:
            for event_type, moment, data in owed.payload["events"]:
                if data["comment_id"] == comment.id:
                    events.append({"type": event_type, "timestamp": moment, "data": data})
    return sorted(events, key=lambda event: event["timestamp"])


def types_of(comment: NewComment) -> list[str]:
    return [event["type"] for event in events_of(comment)]


def states_of(comment: NewComment) -> list[tuple[str | None, str]]:
    return [(each["data"]["previous_state"], each["data"]["state"]) for each in events_of(comment)]


def held_comment() -> NewComment:
    comment = replace(made_comment(), id=unique("comment"))
    add_comment(comment, held_for="from a new author")
    return comment


@pytest.mark.usefixtures("heard")
class TestAChangeOfAComment:
    def test_posts_it(self):
        comment = made_comment()
        (event,) = events_of(comment)
        assert event["type"] == POSTED
        assert event["data"] == {
            "comment_id": comment.id,
            "product_id": comment.product_id,
            "language": "en",
            "rating": 5,
            "is_verified_purchase": False,
            "state": "listed",
            "previous_state": None,
            "version": 1,
        }

    def test_holds_it(self):
        comment = held_comment()
        assert types_of(comment) == [HELD]
        assert states_of(comment) == [(None, "held")]

    @pytest.mark.parametrize(
        "parts", [{"rating": 1}, {"title": "Bad"}, {"body": "No."}, {"language": "de"}]
    )
    def test_edits_it(self, parts):
        comment = made_comment()
        edit_comment(load_comment(comment.id), now=NOW, **parts)
        assert types_of(comment) == [POSTED, EDITED]
        assert states_of(comment)[1] == ("listed", "listed")
        assert events_of(comment)[1]["data"]["version"] == 2

    def test_edits_the_end_of_a_long_text(self):
        comment = made_comment(body="A long text. " * 100)
        edit_comment(load_comment(comment.id), now=NOW, body="A long text. " * 99 + "Another end.")
        assert types_of(comment) == [POSTED, EDITED]

    def test_holds_it_again_by_an_edit(self):
        comment = made_comment()
        edit_comment(load_comment(comment.id), now=NOW, title="Casino", held_for="a word")
        assert types_of(comment) == [POSTED, HELD]

    def test_edits_one_that_is_hidden(self):
        comment = made_comment()
        hide(comment_id=comment.id)
        edit_comment(load_comment(comment.id), now=NOW, title="Bad")
        assert types_of(comment) == [POSTED, HIDDEN, EDITED]
        assert states_of(comment)[2] == ("hidden", "hidden")

    def test_publishes_one_that_waited(self):
        comment = held_comment()
        decide(Decision.PUBLISH, comment.id, seen=None, now=None)
        assert types_of(comment) == [HELD, POSTED]
        assert states_of(comment)[1] == ("held", "listed")

    def test_rejects_one_that_waited(self):
        comment = held_comment()
        decide(Decision.REJECT, comment.id, seen=None, now=None)
        assert types_of(comment) == [HELD, HIDDEN]
        assert states_of(comment)[1] == ("held", "hidden")

    def test_hides_and_restores_it_each_time_with_another_id(self):
        comment = made_comment()
        for _ in range(2):
            hide(comment_id=comment.id)
            restore(comment_id=comment.id)
        assert types_of(comment) == [POSTED, HIDDEN, RESTORED, HIDDEN, RESTORED]
        assert len({event["timestamp"] for event in events_of(comment)}) == 5

    def test_hides_one_that_was_reported(self):
        comment = made_comment()
        report(comment)
        hide(comment_id=comment.id)
        assert types_of(comment) == [POSTED, HIDDEN]
        # Who reports a comment tells the shop alone.
        assert states_of(comment)[1] == ("listed", "hidden")

    def test_restores_one_whose_hiding_is_taken_back(self):
        comment = made_comment()
        before = load_comment(comment.id)
        now = clock.now()
        hide(comment_id=comment.id, now=now)
        undo(Note.of(before, State.HIDDEN, now=now), who="sam", now=now)
        assert types_of(comment) == [POSTED, HIDDEN, RESTORED]

    @pytest.mark.parametrize("is_hidden", [False, True])
    def test_deletes_it_and_says_what_it_was(self, is_hidden):
        comment = made_comment(rating=2)
        if is_hidden:
            hide(comment_id=comment.id)
        delete_comment(comment.id)
        last = events_of(comment)[-1]
        assert last["type"] == DELETED
        assert last["data"]["rating"] == 2
        assert last["data"]["product_id"] == comment.product_id
        assert states_of(comment)[-1] == ("hidden" if is_hidden else "listed", "deleted")

    def test_happens_once_though_it_is_sent_twice(self):
        comment = made_comment()
        add_comment(comment)
        for _ in range(2):
            delete_comment(comment.id)
        assert types_of(comment) == [POSTED, DELETED]


def report(comment: NewComment) -> None:
    report_comment(comment_id=comment.id, user_id="bob", reason=Reason.ABUSE, text="Rude.", now=NOW)


@pytest.mark.usefixtures("heard")
class TestWhatIsNoEvent:
    def test_is_a_vote_a_report_a_reply_or_a_pick(self):
        comment = made_comment()
        cast_vote(comment_id=comment.id, user_id="bob")
        report(comment)
        keep(comment_id=comment.id)
        feature(comment.id)
        unfeature(comment.id)
        reply_to(
            comment_id=comment.id, text="Thanks.", user_id="sam", author="sam", seen=None, now=NOW
        )
        assert types_of(comment) == [POSTED]

    def test_is_what_nobody_is_told_of(self):
        with signals.unannounced():
            comment = made_comment()
        assert types_of(comment) == []

    def test_is_what_an_import_brings_unless_it_is_announced(self):
        comments = [replace(made_comment(), id=unique("comment")) for _ in range(2)]
        hidden = replace(comments[0], id=unique("comment"), state=NewState.HIDDEN)
        batches = Batches(client(), pool())
        BulkWriter(batches).write(comments[:1])
        BulkWriter(batches, announces=True).write([*comments[1:], hidden])
        assert [types_of(each) for each in [*comments, hidden]] == [[], [POSTED], [HIDDEN]]


@pytest.mark.usefixtures("heard")
def test_no_event_has_a_text_or_a_name():
    author, title, body = unique("author"), "A secret title", "A secret text."
    comment = made_comment(author=author, user_id=author, title=title, body=body)
    edit_comment(load_comment(comment.id), now=NOW, body=f"{body} And more.")
    hide(comment_id=comment.id)
    block_author(author, now=NOW)
    delete_comment(comment.id)
    owed = str([each.payload for each in QUEUE.waiting()])
    assert types_of(comment) == [POSTED, EDITED, HIDDEN, DELETED]
    assert not any(secret in owed for secret in (author, "secret", "And more"))


def test_all_that_can_be_told_of_is_offered():
    assert COMMENT_MEANINGS.items() <= MEANINGS.items()


class TestAWebhookThatHearsOfSomethingElse:
    def test_is_owed_nothing(self):
        with hearing_of(URL, ORDER_PLACED, DELETED):
            comment = made_comment()
            hide(comment_id=comment.id)
            assert types_of(comment) == []
            delete_comment(comment.id)
            assert types_of(comment) == [DELETED]


@pytest.mark.real_engine
class TestTheCost:
    """As docs/webhooks.md says."""

    def test_is_that_of_one_item_and_only_where_somebody_hears_of_it(self):
        made_comment()  # the process knows the counters then
        comments = [replace(made_comment(), id=unique("comment")) for _ in range(3)]
        with metered() as alone:
            add_comment(comments[0])
        with hearing_of(URL, DELETED):
            known_webhooks()
            with metered() as of_others:
                add_comment(comments[1])
        with hearing_of(URL, POSTED):
            known_webhooks()
            with metered() as heard_of:
                add_comment(comments[2])
        assert {alone.calls, of_others.calls, heard_of.calls} == {alone.calls}
        assert {alone.rounds, of_others.rounds, heard_of.rounds} == {alone.rounds}
        # What a comment costs in its own table differs with the ranks of its product.
        assert [units_in_the_shop(each) for each in (alone, of_others, heard_of)] == [0, 0, 3]


def units_in_the_shop(meter: Meter) -> float:
    return sum(call.capacity_units for call in meter.log if call.table == TABLE)


@pytest.mark.real_engine
class TestAProcessThatIsKilled:
    @pytest.mark.parametrize("when", EVENTS)
    def test_owes_an_event_if_and_only_if_it_has_made_the_change(self, heard, when):
        rounds = 0
        for fault in faults(when, every_call=True, kills=True):
            comment = made_comment()
            with fault.injected(), suppress(Killed):
                edit_comment(load_comment(comment.id), now=NOW + timedelta(days=1), rating=1)
            is_edited = load_comment(comment.id).comment.rating == 1
            assert types_of(comment) == [POSTED, EDITED][: 1 + int(is_edited)], fault
            rounds += 1
        assert rounds > 1
        for owed in list(COMMENTS_QUEUE.waiting()):
            COMMENTS_QUEUE.discard(owed)
