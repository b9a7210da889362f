"""Whatever is added, edited, deleted and imported, in any order: the counts are exact."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from comments.filters import RATINGS
from comments.imports.writer import BulkWriter
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.store.comments import load_comment
from comments.store.counts import counts_of
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from tests.support.chance import examples, unique
from tests.support.comments.conflicts import conflicts
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
            assert counts_of(product_id, consistent=True).cells == recount


TestWriting = Writing.TestCase
TestWriting.settings = settings(max_examples=examples(20), stateful_step_count=12)


@pytest.mark.slow
class TestWritingAtLength(Writing.TestCase):
    """The same, for longer."""

    settings = settings(max_examples=8, stateful_step_count=50)
