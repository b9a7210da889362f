"""What follows from a change of a comment goes out together: few rounds, whatever there is."""

from dataclasses import replace
from datetime import timedelta

import pytest

from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.rankings.services import NEWEST, Ranking, stored_ranks
from comments.search.writer import WordWriter
from comments.store.comments import load_comment
from dynapages.calls import OutOfTime, Started, clock, metered
from tests.support.comments.truth import written
from tests.support.work import finish_what_waits, work_off

pytestmark = pytest.mark.usefixtures("searchable")


@pytest.fixture
def comment(fresh):
    """The newest of two comments, of which nothing waits any more."""
    product, now = fresh("product"), clock.now()
    older = written(product, id=fresh("older"), rating=5, created_at=now - timedelta(hours=1))
    newer = replace(older, id=fresh("newer"), created_at=now)
    add_comment(older)
    add_comment(newer)
    finish_what_waits()
    return newer


def newest_ranked(product_id: str) -> str:
    """The place of the comment by which a product is ranked."""
    rank = (Ranking.COMMENTED, product_id)
    return stored_ranks([rank])[rank][NEWEST]["S"]


@pytest.mark.real_engine
class TestAChange:
    """The transaction is one round; what follows it are two, for a newest comment three."""

    def test_posts_in_three_rounds(self, comment, fresh):
        with metered() as meter:
            add_comment(replace(comment, id=fresh("newest"), created_at=clock.now()))
        assert meter.rounds == 3

    def test_posts_the_first_comment_of_a_product_in_four(self, comment, fresh):
        with metered() as meter:
            add_comment(replace(comment, id=fresh("first"), product_id=fresh("product")))
        assert meter.rounds == 4

    def test_edits_words_language_and_rating_in_three(self, comment):
        stored = load_comment(comment.id)
        with metered() as meter:
            edit_comment(stored, now=clock.now(), title="Other", language="fr", rating=1)
        assert meter.rounds == 3

    def test_deletes_an_older_one_in_three(self, comment, fresh):
        """One more where it has votes: they are read, then deleted."""
        add_comment(replace(comment, id=fresh("newest"), created_at=clock.now()))
        stored = load_comment(comment.id)
        with metered() as meter:
            delete_comment(stored.comment.id)
        reads_the_comment = 1
        assert meter.rounds == reads_the_comment + 3

    def test_deletes_the_newest_one_in_four(self, comment):
        """The next one is looked for in the index, confirmed, and ranked by."""
        with metered() as meter:
            delete_comment(comment.id)
        reads_the_comment = 1
        assert meter.rounds == reads_the_comment + 4


class TestAChangeThatIsOutOfTime:
    def test_stands_although_what_follows_is_not_done(self, comment, fresh, monkeypatch):
        """The transaction is committed: who asked must not be told to send it again."""
        late = fresh("late")

        def take_too_long(_writer: WordWriter) -> None:
            raise OutOfTime

        monkeypatch.setattr(WordWriter, "write", take_too_long)
        assert add_comment(replace(comment, id=late, created_at=clock.now()))
        assert load_comment(late).comment.id == late

    def test_is_finished_by_the_worker(self, comment, fresh, monkeypatch):
        late = fresh("late")

        def wait_for_nothing(_started: Started[bool]) -> bool:
            raise OutOfTime

        with monkeypatch.context() as patched:
            patched.setattr(Started, "result", wait_for_nothing)
            assert add_comment(replace(comment, id=late, created_at=clock.now()))
        work_off()
        assert late in newest_ranked(comment.product_id)


class TestWhatIsReadWithAChange:
    def test_is_read_after_it_where_that_has_failed(self, comment, fresh, monkeypatch):
        later = fresh("later")

        def fail(*_arguments: object, **_options: object) -> None:
            raise OutOfTime

        with monkeypatch.context() as patched:
            patched.setattr("comments.rankings.services.read_before", fail)
            assert add_comment(replace(comment, id=later, created_at=clock.now()))
        assert later in newest_ranked(comment.product_id)
