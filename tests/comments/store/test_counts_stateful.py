"""Whatever is added, edited, deleted and imported, in any order: the counts are exact."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pynamodb.expressions.operand import Path
from ulid import ULID

from comments import keys
from comments.data.writer import BulkWriter
from comments.filters import RATINGS
from comments.items import NewComment
from comments.keys import comment_key, scored
from comments.models import Comment
from comments.posting.services import (
    CommentGone,
    Draft,
    EditLost,
    add_comment,
    delete_comment,
    edit_comment,
)
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.store.table import query_pages, read_item
from comments.votes.rank import count_votes
from comments.votes.services import cast_vote, withdraw_vote
from dynapages.calls import Batches
from dynapages.process import client, pool
from dynapages_testing.conflicts import conflicts
from dynapages_testing.hooks import hooked
from tests.support.chance import examples, unique
from tests.support.comments.posting import edit_as, post_as
from tests.support.comments.truth import START

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]
languages = st.sampled_from(["en", "de", "ja"])
ratings = st.sampled_from(RATINGS)
met = st.integers(0, 3)
"""How many other transactions are in the way."""


class Writing(RuleBasedStateMachine):
    """Two products, and a model of them that is a plain dictionary."""

    def __init__(self) -> None:
        super().__init__()
        run = unique("run")
        self.products = [f"{run}-a", f"{run}-b"]
        self.comments: dict[str, NewComment] = {}
        self.number = 0

    def new(self, product: int, language: str, rating: int) -> NewComment:
        self.number += 1
        return NewComment(
            id=f"{self.products[0]}-{self.number}",
            product_id=self.products[product],
            language=language,
            rating=rating,
            created_at=START + timedelta(seconds=self.number),
            body="text " * (self.number % 3 * 150),
        )

    @rule(product=st.integers(0, 1), language=languages, rating=ratings, met=met)
    def add(self, product: int, language: str, rating: int, met: int) -> None:
        comment = self.new(product, language, rating)
        with conflicts(met):
            add_comment(comment)
        self.comments[comment.id] = comment

    @precondition(lambda self: self.comments)
    @rule(data=st.data())
    def add_again(self, data: st.DataObject) -> None:
        add_comment(self.comments[data.draw(st.sampled_from(sorted(self.comments)))])

    @precondition(lambda self: self.comments)
    @rule(data=st.data(), language=languages, rating=ratings, met=met)
    def edit(self, data: st.DataObject, language: str, rating: int, met: int) -> None:
        comment_id = data.draw(st.sampled_from(sorted(self.comments)))
        with conflicts(met):
            edit_comment(
                load_comment(comment_id),
                now=START + timedelta(days=1),
                language=language,
                rating=rating,
            )
        edited = replace(self.comments[comment_id], language=language, rating=rating)
        self.comments[comment_id] = edited

    @precondition(lambda self: self.comments)
    @rule(data=st.data(), met=met)
    def delete(self, data: st.DataObject, met: int) -> None:
        comment_id = data.draw(st.sampled_from(sorted(self.comments)))
        with conflicts(met):
            assert delete_comment(comment_id)
        assert not delete_comment(comment_id)
        del self.comments[comment_id]

    @rule(number=st.integers(1, 30), language=languages, data=st.data(), met=met)
    def load(self, number: int, language: str, data: st.DataObject, met: int) -> None:
        """An import of new comments and newer versions of some, also on another product."""
        known = st.just(set())
        if self.comments:
            known = st.sets(st.sampled_from(sorted(self.comments)), max_size=5)
        newer = [
            replace(
                self.comments[comment_id],
                product_id=self.products[1],
                rating=1,
                created_at=START + timedelta(days=2, seconds=self.number),
            )
            for comment_id in sorted(data.draw(known))
        ]
        fresh = [self.new(n % 2, language, n % 5 + 1) for n in range(number)]
        with conflicts(met):
            BulkWriter(Batches(client(), pool())).write([*newer, *fresh])
        self.comments |= {comment.id: comment for comment in [*newer, *fresh]}

    @invariant()
    def counts_equal_a_recount(self) -> None:
        for product_id in self.products:
            recount = Counter(
                (comment.language, comment.rating)
                for comment in self.comments.values()
                if comment.product_id == product_id
            )
            assert read_counts(product_id, consistent=True).cells == recount


TestWriting = Writing.TestCase
TestWriting.settings = settings(max_examples=examples(12), stateful_step_count=12)


AUTHOR, VOTERS = "ann", ("bob", "eve")
NOW = datetime(2026, 11, 1, tzinfo=UTC)
kinds = st.sampled_from(["edit", "delete", "vote", "take back"])
numbers = st.integers(0, 5)


@contextmanager
def interrupted(call: int, happens: Callable[[], None]) -> Iterator[None]:
    """Let something happen before a call, counted from 0; nothing where there are fewer calls."""
    left = [call]

    def meet(**_: Any) -> None:
        left[0] -= 1
        if left[0] == -1:
            happens()

    with hooked("provide-client-params.dynamodb.*", meet):
        yield


class Writers(RuleBasedStateMachine):
    """The model: what each comment may say, and each voter may have said of it."""

    def __init__(self) -> None:
        super().__init__()
        self.product = unique("product")
        self.texts: dict[str, set[str]] = {}
        self.votes: dict[tuple[str, str], set[bool]] = {}
        self.written = 0

    @rule(
        outer=kinds, inner=kinds, which=numbers, other=numbers, call=numbers, met=st.integers(0, 2)
    )
    def write(self, outer: str, inner: str, which: int, other: int, call: int, met: int) -> None:
        if not self.texts:
            self.post()
        ids = sorted(self.texts)
        mine, theirs = ids[which % len(ids)], ids[other % len(ids)]
        happens = self.prepared(inner, theirs, voter=VOTERS[other % 2])
        write = self.prepared(outer, mine, voter=VOTERS[which % 2])
        with interrupted(call, happens), conflicts(met):
            write()

    @rule(inner=kinds, other=numbers, call=numbers, met=st.integers(0, 2))
    def post_meanwhile(self, inner: str, other: int, call: int, met: int) -> None:
        ids = sorted(self.texts)
        happens = self.prepared(inner, ids[other % len(ids)], voter=VOTERS[0]) if ids else int
        with interrupted(call, happens), conflicts(met):
            self.post()

    def post(self) -> None:
        comment_id, draft = str(ULID()), self.draft()
        post_as(
            AUTHOR,
            draft,
            comment_id=comment_id,
            product_id=self.product,
            author=AUTHOR,
            now=NOW,
        )
        self.texts[comment_id] = {draft.body}

    def prepared(self, kind: str, comment_id: str, *, voter: str) -> Callable[[], None]:
        """A write as a form has it that was opened before the step."""
        if kind == "edit":
            version = load_comment(comment_id).version
            return lambda: self.edit(comment_id, version)
        if kind == "delete":
            return lambda: self.delete(comment_id)
        return lambda: self.vote(comment_id, voter, is_cast=kind == "vote")

    def edit(self, comment_id: str, version: int) -> None:
        draft = self.draft()
        with suppress(EditLost, CommentGone, NoSuchComment):
            edit_as(AUTHOR, draft, comment_id=comment_id, version=version, now=NOW)
            if comment_id in self.texts:  # else it was deleted after it was edited
                self.texts[comment_id].add(draft.body)

    def delete(self, comment_id: str) -> None:
        delete_comment(comment_id, now=NOW)
        self.texts.pop(comment_id, None)

    def vote(self, comment_id: str, voter: str, *, is_cast: bool) -> None:
        with suppress(NoSuchComment):
            (cast_vote if is_cast else withdraw_vote)(comment_id=comment_id, user_id=voter)
            self.votes.setdefault((comment_id, voter), set()).add(is_cast)

    def draft(self) -> Draft:
        self.written += 1
        return Draft(4, ("en", "de")[self.written % 2], "", f"text {self.written}")

    @invariant()
    def comments_say_what_was_saved(self) -> None:
        for comment_id, texts in self.texts.items():
            stored = load_comment(comment_id).comment
            assert stored.body in texts
            self.texts[comment_id] = {stored.body}

    @invariant()
    def counts_equal_a_recount(self) -> None:
        stored = Counter(
            (load_comment(comment_id).comment.language, 4) for comment_id in self.texts
        )
        assert read_counts(self.product, consistent=True).cells == stored

    @invariant()
    def votes_are_as_they_were_cast(self) -> None:
        for comment_id in self.texts:
            cast = 0
            for voter in VOTERS:
                is_stored = bool(read_item(comment_key(comment_id, keys.vote(voter))))
                assert is_stored in self.votes.get((comment_id, voter), {False})
                self.votes[comment_id, voter] = {is_stored}
                cast += is_stored
            assert count_votes(comment_id) == cast
            rank = read_item(comment_key(comment_id)).get(Comment.rank_place.attr_name)
            assert rank == ({"S": scored(cast, comment_id)} if cast else None)

    @invariant()
    def nothing_is_left_of_what_was_deleted(self) -> None:
        for comment_id, _ in self.votes:
            if comment_id not in self.texts:
                (page,) = query_pages(Path("pk") == keys.comment(comment_id), ConsistentRead=True)
                kept = [item["sk"]["S"] for item in page["Items"]]
                assert kept in ([], [keys.COMMENT])
                assert count_votes(comment_id) == 0


TestWriters = Writers.TestCase
TestWriters.settings = settings(max_examples=examples(20), stateful_step_count=8)
