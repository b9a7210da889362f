"""An author edits while staff hide and restore: neither is lost to the other.

Hiding and restoring do not raise the version, so that they are no lost race for an author who has
the form open. What they change is a condition of the edit all the same, and the other way round.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random

import pytest

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.page import find_picks
from comments.moderation.services import NotAsSeen, feature, hide, restore
from comments.posting.services import EditLost, delete_comment, edit_comment
from comments.store.comments import NoSuchComment, Revision, State, load_comment
from comments.store.counts import counts_of
from dynamo.lists.reader import PageRequest
from dynamo.writes.transactions import Contended
from tests.support.chance import examples
from tests.support.comments.faulty import before_the_next_transaction, troubled
from tests.support.comments.threads import NOW, differing, made_comment
from tests.support.comments.walking import ids_on, read_page

pytestmark = pytest.mark.usefixtures("few_items")


@pytest.fixture
def comment():
    return made_comment()


def hidden(comment: NewComment) -> None:
    hide(comment_id=comment.id, now=NOW)


def restored(comment: NewComment) -> None:
    restore(comment_id=comment.id)


def hidden_and_restored(comment: NewComment) -> None:
    hidden(comment)
    restored(comment)


def edited(comment: NewComment) -> None:
    edit_comment(load_comment(comment.id), now=NOW, rating=1, language="de")


def listed(comment: NewComment) -> list[tuple[str, str]]:
    """Where it is, of the lists it was in and those it was moved to."""
    return [
        chosen
        for chosen in [("~", "~"), ("en", "5"), ("de", "1")]
        if comment.id
        in ids_on(read_page(comment.product_id, CommentFilter.parse(*chosen), PageRequest(20)))
    ]


MOVED = [("~", "~"), ("de", "1")]


class TestEditThatMeetsADecision:
    @pytest.mark.parametrize(
        ("before", "decision", "lists"),
        [
            (None, hidden, []),
            (None, hidden_and_restored, MOVED),
            (hidden, restored, MOVED),
        ],
    )
    def test_is_done_and_so_is_the_decision(self, comment, before, decision, lists):
        if before:
            before(comment)
        with before_the_next_transaction(lambda: decision(comment)):
            edited(comment)
        stored = load_comment(comment.id)
        assert (stored.comment.rating, stored.version, listed(comment)) == (1, 2, lists)
        assert counts_of(comment.product_id, consistent=True).total == len(lists[:1])
        assert differing(comment) == []

    def test_from_a_form_opened_before_is_no_lost_race(self, comment):
        seen = load_comment(comment.id)
        hidden(comment)
        assert edit_comment(seen, now=NOW, rating=1, language="de").is_hidden
        restored(comment)
        assert listed(comment) == MOVED
        assert differing(comment) == []

    def test_that_is_older_than_another_edit_is_still_lost(self, comment):
        seen = load_comment(comment.id)
        hidden(comment)
        edited(comment)
        restored(comment)
        with pytest.raises(EditLost):
            edit_comment(seen, now=NOW, rating=3)
        assert listed(comment) == MOVED


class TestDecisionThatMeetsAnEdit:
    @pytest.mark.parametrize(
        ("before", "decision", "lists"), [(None, hidden, []), (hidden, restored, MOVED)]
    )
    def test_is_done_and_so_is_the_edit(self, comment, before, decision, lists):
        if before:
            before(comment)
        with before_the_next_transaction(lambda: edited(comment)):
            decision(comment)
        assert (load_comment(comment.id).comment.rating, listed(comment)) == (1, lists)
        assert differing(comment) == []

    def test_on_what_was_seen_before_is_told(self, comment):
        seen = Revision.of(load_comment(comment.id).item)
        with before_the_next_transaction(lambda: edited(comment)), pytest.raises(NotAsSeen):
            hide(comment_id=comment.id, seen=seen, now=NOW)
        assert Revision.of(load_comment(comment.id).item).state is State.LISTED


class TestRestoring:
    def test_does_not_bring_a_pick_back(self, comment):
        feature(comment.id)
        hidden_and_restored(comment)
        assert find_picks(comment.product_id) == ()
        assert differing(comment) == []


@pytest.mark.real_engine
class TestManyAtOnce:
    def test_leave_comments_lists_and_counts_in_agreement(self):
        comments = [made_comment() for _ in range(3)]
        random = Random(7)
        doings: list[Callable[[NewComment], object]] = [
            hidden,
            restored,
            edited,
            lambda c: edit_comment(load_comment(c.id), now=NOW, rating=5, language="en"),
        ]
        jobs = [(random.choice(doings), random.choice(comments)) for _ in range(examples(160))]
        jobs.insert(len(jobs) * 4 // 5, (lambda c: delete_comment(c.id), comments[0]))

        def do(job: tuple[Callable[[NewComment], object], NewComment]) -> None:
            with suppress(NotAsSeen, EditLost, NoSuchComment, Contended):  # told
                job[0](job[1])

        with troubled(seed=5, conflicts=0.1, throttled=0), ThreadPoolExecutor(12) as threads:
            list(threads.map(do, jobs))
        for comment in comments[1:]:
            restored(comment)
        assert differing(*comments) == []
