"""An author edits while staff hide and restore: neither is lost to the other.

Hiding and restoring do not raise the version, so that they are no lost race for an author who has
the form open. What they change is a condition of the edit all the same, and the other way round.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from comments.data.writer import BulkWriter
from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.highlights import SHOWN_PICKS, find_picks
from comments.moderation.services import NotAsSeen
from comments.posting.services import EditLost, add_comment, delete_comment, edit_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.store.states import Revision, State
from dynapages.calls import Batches, metered
from dynapages.lists import PageRequest
from dynapages.process import client, pool
from dynapages.writes import Contended
from tests.support.chance import examples
from tests.support.comments.deciding import feature, hide, restore
from tests.support.comments.faulty import before_the_next_transaction, troubled
from tests.support.comments.threads import NOW, differing, made_comment
from tests.support.comments.truth import START
from tests.support.comments.walking import ids_on, read_page

pytestmark = pytest.mark.usefixtures("few_items")


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
        [(None, hidden, []), (None, hidden_and_restored, MOVED), (hidden, restored, MOVED)],
    )
    def test_is_done_and_so_is_the_decision(self, comment, before, decision, lists):
        if before:
            before(comment)
        with before_the_next_transaction(lambda: decision(comment)):
            edited(comment)
        stored = load_comment(comment.id)
        assert (stored.comment.rating, stored.version, listed(comment)) == (1, 2, lists)
        assert read_counts(comment.product_id, consistent=True).total == len(lists[:1])
        assert differing(comment) == []

    def test_from_a_form_opened_before_is_no_lost_race(self, comment):
        seen = load_comment(comment.id)
        hidden(comment)
        assert edit_comment(seen, now=NOW, rating=1, language="de").is_hidden
        restored(comment)
        assert listed(comment) == MOVED
        assert differing(comment) == []


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


def picked(product_id: str) -> list[str]:
    return [pick.id for pick in find_picks(product_id)]


class TestPicking:
    def test_shows_the_newest_few(self, comment):
        newer = [
            replace(comment, id=f"{comment.id}-{n}", created_at=START + timedelta(minutes=n))
            for n in range(1, SHOWN_PICKS + 2)
        ]
        for each in newer:
            add_comment(each)
        for each in (comment, *newer):
            feature(each.id)
        assert picked(comment.product_id) == [each.id for each in reversed(newer)][:SHOWN_PICKS]

    def test_of_what_is_hidden_or_gone_is_refused(self, comment):
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            feature(comment.id)
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            feature(comment.id)
        assert differing(comment) == []

    @pytest.mark.parametrize("end", [hidden_and_restored, lambda c: delete_comment(c.id)])
    def test_survives_an_edit_and_goes_with_the_comment(self, comment, end):
        feature(comment.id)
        edited(comment)
        assert picked(comment.product_id) == [comment.id]
        end(comment)
        assert picked(comment.product_id) == []
        assert differing(comment) == []

    def test_moves_with_an_import_to_another_product(self, comment, fresh):
        feature(comment.id)
        newer = replace(comment, product_id=fresh("product"), created_at=NOW, user_id="")
        BulkWriter(Batches(client(), pool())).write([newer])
        assert (picked(comment.product_id), picked(newer.product_id)) == ([], [comment.id])

    @pytest.mark.real_engine
    def test_writes_to_its_own_index_alone(self, comment):
        with metered() as meter:
            feature(comment.id)
        assert [call.capacity_units for call in meter.log] == [1.0, 2.0]
