"""Readers in the middle of a list, while others add, edit and delete comments around them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import CommentFilter
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.store.comments import load_comment
from dynapages.lists import Page, PageRequest
from tests.support.chance import examples, unique
from tests.support.comments.loading import load
from tests.support.comments.truth import START, Truth, tied_comments, written
from tests.support.comments.walking import behind, ids_on, in_front, read_page

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]

NOW = datetime(2026, 11, 21, tzinfo=UTC)
languages, ratings = st.sampled_from(("da", "de", "en")), st.integers(1, 5)
moments = st.sampled_from((-1, 0, 1, 5, 9, 10, 999_999, 1_000_000))
changes = st.one_of(
    st.tuples(st.just("add"), moments, languages, ratings),
    st.tuples(st.just("delete"), st.integers(0, 99)),
    st.tuples(st.just("edit"), st.integers(0, 99), languages, ratings),
)
scripts = st.lists(st.lists(changes, max_size=3), max_size=8)
filters = st.builds(CommentFilter.of, st.sets(languages), st.sets(ratings, max_size=3))


@dataclass
class ChangingProduct:
    """A product of 30 comments, what has been done to it, and which comments nobody touched."""

    id: str
    untouched: dict = field(default_factory=dict)
    added: int = 0

    @classmethod
    def of_30(cls) -> "ChangingProduct":
        product_id = unique("changing")
        comments = tied_comments(product_id, count=30)
        load(comments)
        return cls(product_id, {comment.id: comment for comment in comments})

    def change(self, kind: str, *details) -> None:
        getattr(self, kind)(*details)

    def add(self, microseconds: int, language: str, rating: int) -> None:
        self.added += 1
        comment_id = f"{'~!m'[self.added % 3]}{self.added}-{self.id}"
        moment = START + timedelta(microseconds=microseconds)
        changed = {"language": language, "rating": rating, "created_at": moment}
        add_comment(written(self.id, id=comment_id, **changed))

    def delete(self, number: int) -> None:
        delete_comment(self._touch(number))

    def edit(self, number: int, language: str, rating: int) -> None:
        stored = load_comment(self._touch(number))
        edit_comment(stored, now=NOW, language=language, rating=rating)

    def truth(self, chosen: CommentFilter) -> list[str]:
        return Truth(self.untouched.values()).ids(chosen.languages, chosen.ratings)

    def _touch(self, number: int) -> str:
        ids = sorted(self.untouched)
        return self.untouched.pop(ids[number % len(ids)]).id


def walk(product, chosen, *, start, onward, script=()) -> Iterator[Page]:
    """Read on, with one step of the script between each two pages."""
    request, steps = start, iter(script)
    while request:
        page = read_page(product.id, chosen, request)
        yield page
        for change in next(steps, ()):
            product.change(*change)
        request = onward(page, size=request.size) if page.entries else None


def seen(pages: list[Page], product: ChangingProduct) -> list[str]:
    return [i for page in pages for i in ids_on(page) if i in product.untouched]


class TestUntouchedComments:
    @settings(max_examples=examples(28))
    @given(chosen=filters, size=st.integers(1, 7), script=scripts)
    def test_are_met_once_each_on_the_way_on(self, chosen, size, script):
        product = ChangingProduct.of_30()
        pages = list(walk(product, chosen, start=PageRequest(size), onward=behind, script=script))
        assert seen(pages, product) == product.truth(chosen)

    @settings(max_examples=examples(28))
    @given(chosen=filters, size=st.integers(1, 7), script=scripts)
    def test_are_met_once_each_on_the_way_back(self, chosen, size, script):
        product = ChangingProduct.of_30()
        last = list(walk(product, chosen, start=PageRequest(size), onward=behind))[-1]
        start = in_front(last, size=size)
        back = list(walk(product, chosen, start=start, onward=in_front, script=script))
        assert seen([*reversed(back), last], product) == product.truth(chosen)
