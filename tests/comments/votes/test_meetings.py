"""Voters meet others: whatever happens at whichever moment, the tally equals the votes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from comments import keys
from comments.data.writer import BulkWriter
from comments.items import NewComment
from comments.keys import comment_key
from comments.posting.services import delete_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import tallies
from comments.store.table import ATTEMPTS, read_item
from comments.votes import rank, services
from comments.votes.rank import count_votes, store_rank
from comments.votes.services import (
    cast_vote,
    cast_vote_on,
    has_voted,
    read_comment,
    withdraw_vote,
)
from dynapages.calls import Backoff, Batches
from dynapages.django.options import Progress
from dynapages.items import table_key
from dynapages.process import client, pool
from dynapages.writes import counters as sharded
from dynapages_testing.hooks import hooked
from tests.support.chance import unique
from tests.support.comments.deciding import hide, restore
from tests.support.comments.flows import put_votes
from tests.support.comments.threads import NOW, differing, helpful, made_comment

pytestmark = pytest.mark.usefixtures("few_items")
Happening = Callable[[NewComment], object]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Whoever is waited for happens in this thread: there is nobody to wait for."""
    monkeypatch.setattr(rank, "_BACKOFF", Backoff(attempts=ATTEMPTS + 1, first=0, longest=0))


def delete(comment: NewComment) -> None:
    delete_comment(comment.id)


def take_from_lists(comment: NewComment) -> None:
    hide(comment_id=comment.id, now=NOW)


def hide_and_restore(comment: NewComment) -> None:
    hide(comment_id=comment.id, now=NOW)
    restore(comment_id=comment.id)


def move(comment: NewComment) -> None:
    """Import a newer version, which is about another product."""
    load([replace(comment, product_id=f"{comment.product_id}-2", created_at=NOW)])


def delete_and_put_back(comment: NewComment) -> None:
    delete_comment(comment.id)
    load([comment])


def load(comments: list[NewComment]) -> None:
    writer = BulkWriter(Batches(client(), pool()))
    writer.write(comments)
    writer.finish(Progress())


def spread_and_fold(comment: NewComment) -> None:
    tallies().spread(comment.id)
    assert tallies().fold(comment.id)


@contextmanager
def before_call(number: int, go: Callable[[], object]) -> Iterator[list[str]]:
    """Do something before the ``number``-th call, counted from 0; returns what was called."""
    calls: list[str] = []
    is_going = [False]

    def note(model: Any, **_: object) -> None:
        if is_going[0]:
            return
        calls.append(model.name)
        if len(calls) == number + 1:
            is_going[0] = True
            go()
            is_going[0] = False

    with hooked("provide-client-params.dynamodb.*", note):
        yield calls


def moments(
    write: Happening, go: Happening, *, make: Callable[[], NewComment]
) -> Iterator[NewComment]:
    """Do something before each call of a write; yields the comments, one for each call."""
    for number in count():
        comment = make()
        with (
            before_call(number, partial(go, comment)) as calls,
            suppress(NoSuchComment),
        ):
            write(comment)
        yield comment
        if len(calls) <= number:
            return


def voted_comment(*, voters: str = "", shards: int = 1) -> NewComment:
    comment = made_comment()
    for name in voters:
        cast_vote(comment_id=comment.id, user_id=name)
    while voters and tallies().ensure(comment.id) < shards:
        tallies().spread(comment.id)
    return comment


def vote_of_bob(comment: NewComment) -> None:
    cast_vote(comment_id=comment.id, user_id="bob")


def b_takes_back(comment: NewComment) -> None:
    withdraw_vote(comment_id=comment.id, user_id="b")


class TestVotersWhoMeet:
    @pytest.mark.parametrize("others", [1, 2, 3])
    def test_store_the_rank_once_more_where_others_have_stored_another(self, others):
        comment, reads = made_comment(), list[int]()

        def tally() -> int:
            reads.append(1)
            if len(reads) == 1:
                for number in range(others):
                    store_rank(comment.id, count=partial(int, 10 + number))
            return len(reads)

        assert store_rank(comment.id, count=tally)
        assert helpful(comment) == [2]

    @pytest.mark.parametrize(("others", "times"), [(1, 2), (2, 2), (3, 3)])
    def test_leave_it_where_two_others_have_stored_the_same(self, others, times):
        comment, reads = made_comment(), list[int]()

        def tally() -> int:
            reads.append(1)
            if len(reads) == 1:
                for _ in range(others):
                    store_rank(comment.id, count=partial(int, 4))
            return 4

        assert store_rank(comment.id, count=tally)
        assert load_comment(comment.id).item[rank.VERSION] == {"N": str(times)}

    def test_rank_by_both_votes_where_one_is_cast_before_the_other_is_ranked(self):
        comment = made_comment()
        read_by_cat = read_comment(comment.id)
        cast_vote(comment_id=comment.id, user_id="bob")
        votes = cast_vote_on(read_by_cat, comment_id=comment.id, user_id="cat")
        assert votes == 2
        assert helpful(comment) == [2]


@pytest.mark.real_engine
class TestACommentThatIsChangedWhileItIsVotedOn:
    """At every call of the vote."""

    @pytest.mark.parametrize(
        "go",
        [delete, delete_and_put_back, take_from_lists, hide_and_restore, move, spread_and_fold],
    )
    @pytest.mark.parametrize(
        ("write", "made"),
        [
            (vote_of_bob, {}),
            (vote_of_bob, {"voters": "ab", "shards": 4}),
            (b_takes_back, {"voters": "ab"}),
        ],
    )
    def test_leaves_nothing_that_does_not_add_up(self, write, made, go):
        if go is spread_and_fold and not made:
            pytest.skip("there is no tally yet")
        if go is delete_and_put_back and not made:
            pytest.skip("a rank without a version may be stored although it was put back meanwhile")
        met = list(moments(write, go, make=partial(voted_comment, **made)))
        moved = [replace(comment, product_id=f"{comment.product_id}-2") for comment in met]
        assert differing(*met, *moved) == []


@pytest.mark.real_engine
class TestAVoterWhoReadTheCommentBeforeItWasDeleted:
    @pytest.fixture(autouse=True)
    def stale(self, monkeypatch):
        """Reads of voters find the comment as it was at first."""
        items: dict[str, Any] = {}

        def read_stale(key):
            item = read_item(key)
            return items.setdefault(key["pk"]["S"], item) if key["pk"] == key["sk"] else item

        for module in (services, rank):
            monkeypatch.setattr(module, "read_item", read_stale)
        self.items = items

    @pytest.mark.parametrize(
        "made",
        [
            {},
            pytest.param({"voters": "a"}, marks=pytest.mark.slow),
            {"voters": "abc", "shards": 4},
        ],
        ids=["none", "one", "spread"],
    )
    def test_leaves_nothing_at_any_moment_of_the_deletion(self, made):
        self.delete_while_somebody_votes(partial(voted_comment, **made))

    @pytest.mark.parametrize("shard", [0, pytest.param(3, marks=pytest.mark.slow)])
    def test_leaves_nothing_where_the_tally_is_deleted_by_two_transactions(
        self, monkeypatch, shard
    ):
        """99 deletions fit into the first: the votes and two of the four shards."""
        monkeypatch.setattr(sharded, "randrange", lambda number: min(shard, number - 1))

        def make() -> NewComment:
            comment = made_comment()
            put_votes(load_comment(comment.id), number=97)
            while tallies().spread(comment.id) < 4:
                pass
            return comment

        self.delete_while_somebody_votes(make)

    def delete_while_somebody_votes(self, make: Callable[[], NewComment]) -> None:
        def make_and_read() -> NewComment:
            comment = make()
            self.items[keys.comment(comment.id)] = read_item(comment_key(comment.id))
            return comment

        def vote_late(comment: NewComment) -> None:
            with suppress(NoSuchComment):
                vote_of_bob(comment)

        met = list(moments(delete, vote_late, make=make_and_read))
        assert differing(*met) == []
        for comment in met:
            assert tally_items(comment) == []
            assert not has_voted(comment_id=comment.id, user_id="bob")

    def test_is_refused_afterwards(self):
        comment = voted_comment(voters="a")
        self.items[keys.comment(comment.id)] = read_item(comment_key(comment.id))
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            vote_of_bob(comment)
        assert count_votes(comment.id) == 0


def tally_items(comment: NewComment) -> list[int]:
    return [n for n in range(8) if read_item(table_key(**keys.tally(comment.id, n)))]


def test_a_vote_on_a_moved_comment_is_kept_with_those_cast_before():
    comment = voted_comment(voters="a")
    number = unique("voter")
    with before_call(1, lambda: move(comment)):
        cast_vote(comment_id=comment.id, user_id=number)
    moved = replace(comment, product_id=f"{comment.product_id}-2")
    assert helpful(moved) == [2]
