"""Staff take back what they have just decided, and others keep what they did meanwhile."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from comments import keys
from comments.items import NewComment
from comments.lists.highlights import find_picks
from comments.moderation.services import Decision, NotAsSeen, decide, target_of
from comments.moderation.undoing import (
    LONGEST_UNDO,
    UNDO_WITHIN,
    Note,
    TooLate,
    read_notes,
    sign_notes,
    undo,
)
from comments.posting.services import add_comment, delete_comment
from comments.reports.services import Reason, report_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.store.states import State
from comments.votes.services import cast_vote
from dynapages.calls import metered
from dynapages.items import Item
from tests.support.chance import unique
from tests.support.comments.deciding import feature, hide
from tests.support.comments.faulty import before_the_next_transaction
from tests.support.comments.threads import (
    NOW,
    differing,
    items_in,
    made_comment,
    moderated,
)
from tests.support.comments.writers import Writer, someone

pytestmark = pytest.mark.usefixtures("few_items")
LATER = NOW + timedelta(minutes=1)


def report(comment: NewComment, user_id: str = "bob") -> None:
    report_comment(comment_id=comment.id, user_id=user_id, reason=Reason.SPAM, text="", now=NOW)


def reported() -> NewComment:
    comment = listed()
    report(comment)
    return comment


def listed() -> NewComment:
    """A comment that somebody found helpful, and the shop picked."""
    comment = made_comment()
    cast_vote(comment_id=comment.id, user_id="bob")
    feature(comment.id)
    return comment


def held() -> NewComment:
    comment = replace(made_comment(), id=unique("held"))
    add_comment(comment, held_for="every comment")
    return comment


def hidden() -> NewComment:
    comment = reported()
    hide(comment_id=comment.id, now=NOW)
    return comment


EVERY_DECISION: list[tuple[Callable[[], NewComment], Decision]] = [
    (reported, Decision.KEEP),
    (reported, Decision.HIDE),
    (listed, Decision.HIDE),
    (held, Decision.PUBLISH),
    (held, Decision.REJECT),
    (hidden, Decision.RESTORE),
]
each_decision = pytest.mark.parametrize(
    ("made", "decision"),
    EVERY_DECISION,
    ids=[f"{made.__name__}-{decision.value}" for made, decision in EVERY_DECISION],
)


def decided(comment: NewComment, decision: Decision) -> Note:
    """Decide on a comment; return the note by which that is taken back."""
    before = decide(decision, comment_id=comment.id, who="sam", now=NOW)
    assert before is not None
    return Note.of(before, target_of(decision), now=NOW)


def stored(comment: NewComment) -> dict[str, Item]:
    """All that is stored of a comment, but how often its votes were ranked."""
    items = items_in(comment.id)
    items[keys.COMMENT] = {name: v for name, v in items[keys.COMMENT].items() if name != "w"}
    return items


def counted(comment: NewComment) -> int:
    return read_counts(comment.product_id, consistent=True).total


class TestTakingADecisionBack:
    @each_decision
    def test_leaves_all_as_it_was_before(self, made, decision):
        comment = made()
        items, count = stored(comment), counted(comment)
        note = decided(comment, decision)
        assert stored(comment) != items
        assert undo(note, who="sam", now=LATER)
        assert stored(comment) == items
        assert counted(comment) == count
        assert differing(comment) == []

    @each_decision
    def test_twice_changes_nothing_more(self, made, decision):
        comment = made()
        note = decided(comment, decision)
        assert undo(note, who="sam", now=LATER)
        items = stored(comment)
        assert not undo(note, who="sam", now=LATER)
        assert stored(comment) == items

    @each_decision
    def test_and_deciding_again_can_be_repeated(self, made, decision):
        comment = made()
        for _ in range(2):
            assert undo(decided(comment, decision), who="sam", now=LATER)
        assert differing(comment) == []

    def test_of_a_keep_brings_back_the_reports_and_since_when_they_wait(self):
        comment = reported()
        before = moderated(comment, State.REPORTED)
        undo(decided(comment, Decision.KEEP), who="sam", now=LATER)
        after = moderated(comment, State.REPORTED)
        assert before
        assert after
        assert after.reports == before.reports != ()
        assert after.waiting_since == before.waiting_since == NOW

    def test_of_a_hide_brings_back_the_pick(self):
        comment = listed()
        undo(decided(comment, Decision.HIDE), who="sam", now=LATER)
        assert [pick.id for pick in find_picks(comment.product_id)] == [comment.id]


class TestWhatOthersDidMeanwhile:
    def test_another_decision_stays(self):
        comment = reported()
        note = decided(comment, Decision.KEEP)
        hide(comment_id=comment.id, now=LATER)
        with pytest.raises(NotAsSeen, match="decided on since"):
            undo(note, who="sam", now=LATER)
        assert load_comment(comment.id).state is State.HIDDEN

    def test_a_later_decision_stays_that_leaves_the_same_state(self):
        comment = held()
        note = decided(comment, Decision.REJECT)
        for decision in (Decision.RESTORE, Decision.HIDE):
            decide(decision, comment_id=comment.id, who="kim", now=LATER)
        with pytest.raises(NotAsSeen, match="decided on since"):
            undo(note, who="sam", now=LATER)
        assert load_comment(comment.id).state is State.HIDDEN

    def test_another_report_stays_in_the_queue(self):
        comment = reported()
        note = decided(comment, Decision.KEEP)
        report(comment, "cat")
        with pytest.raises(NotAsSeen):
            undo(note, who="sam", now=LATER)
        found = moderated(comment, State.REPORTED)
        assert found
        assert found.report_count == 2

    def test_at_the_same_moment_is_not_overwritten(self):
        comment = reported()
        note = decided(comment, Decision.KEEP)
        with (
            before_the_next_transaction(lambda: hide(comment_id=comment.id, now=LATER)),
            pytest.raises(NotAsSeen),
        ):
            undo(note, who="sam", now=LATER)
        assert load_comment(comment.id).state is State.HIDDEN
        assert differing(comment) == []

    def test_a_deletion_stays(self):
        comment = reported()
        note = decided(comment, Decision.HIDE)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            undo(note, who="sam", now=LATER)


class TestTheSignedText:
    def notes(self) -> list[Note]:
        return [decided(reported(), Decision.KEEP), decided(held(), Decision.REJECT)]

    def test_brings_back_what_was_signed(self):
        notes = self.notes()
        assert read_notes(sign_notes(notes, who="sam"), who="sam") == notes

    def test_is_for_who_has_decided(self):
        with pytest.raises(TooLate):
            read_notes(sign_notes(self.notes(), who="sam"), who="kim")

    def test_is_for_a_few_minutes(self, monkeypatch):
        text = sign_notes(self.notes(), who="sam")
        late = time.time() + UNDO_WITHIN.total_seconds() + 1
        monkeypatch.setattr(time, "time", lambda: late)
        with pytest.raises(TooLate):
            read_notes(text, who="sam")

    def test_that_was_altered_is_refused(self):
        with pytest.raises(TooLate):
            read_notes(f"{sign_notes(self.notes(), who='sam')}x", who="sam")

    def test_of_a_whole_page_travels_in_a_cookie(self):
        note = decided(held(), Decision.REJECT)
        notes = [replace(note, comment_id=unique("01M8GAKNQV")) for _ in range(20)]
        longest_address = 300
        assert len(sign_notes(notes, who="sam")) + longest_address <= LONGEST_UNDO


@pytest.mark.real_engine
class TestCapacity:
    @pytest.mark.parametrize(
        ("made", "decision", "units"),
        [
            (reported, Decision.KEEP, 5.0),
            (listed, Decision.HIDE, 33.5),
            (held, Decision.PUBLISH, 24.5),
            (held, Decision.REJECT, 7.0),
        ],
        ids=["keep", "hide", "publish", "reject"],
    )
    def test_of_taking_a_decision_back(self, made, decision, units):
        note = decided(made(), decision)
        with metered() as meter:
            undo(note, who="sam", now=LATER)
        assert meter.units == units


class TestThePages:
    @pytest.fixture
    def sam(self):
        return someone("sam", is_staff=True)

    def decide(self, sam: Writer, comment: NewComment, decision: str, *, htmx: bool = False):
        seen = {State.REPORTED: "REPORTED.1.1", State.HELD: "HELD.1.0"}
        state = load_comment(comment.id).state
        form = {"decision": decision, "seen": seen[state]}
        return sam.post(
            f"/staff/comments/decide/{comment.id}/?next=/staff/comments/", form, htmx=htmx
        )

    def test_have_a_button_beside_the_sentence_that_takes_it_back(self, sam):
        comment = reported()
        shown = self.decide(sam, comment, "keep")
        assert shown.messages == ["Kept. Reports dismissed."]
        form = shown.page.one("li", class_="message").one("form")
        assert form.one("button").text == "Undo"
        assert form.one("input", name="csrfmiddlewaretoken")
        again = sam.post(form["action"], {"undo": form.one("input", name="undo")["value"]})
        assert again.messages == ["The decision is taken back."]
        assert again.response.redirect_chain[0][0].endswith(f"#comment-{comment.id}")
        assert load_comment(comment.id).state is State.REPORTED
