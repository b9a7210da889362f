"""Lists by rating read what they reach, and a wrong count hides nothing for good."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentPage, list_comments
from comments.lists.repair import MOST_CHECKED
from comments.store.counts import read_counts
from dynapages.lists import Page, PageRequest, Toward
from tests.support.chance import examples, unique
from tests.support.comments.loading import forget_counts, load
from tests.support.comments.miscounting import settle
from tests.support.comments.truth import START, Truth, written
from tests.support.comments.walking import behind, in_front, read_page, there_and_back

pytestmark = pytest.mark.usefixtures("tables")
SPREAD = {5: 30, 4: 8, 3: 0, 2: 3, 1: 30}
ANY = CommentFilter()
HIGHEST, LOWEST = CommentOrder.HIGHEST, CommentOrder.LOWEST


def rated(numbers: Mapping[int, int]) -> list[NewComment]:
    """Comments on one product, so many of each rating, the ratings by turns, in two languages."""
    product_id, number = unique("rated"), count()
    left = [
        rating for n in range(max(numbers.values())) for rating in numbers if numbers[rating] > n
    ]
    return [
        written(
            product_id,
            id=f"{product_id}-{n:03}",
            rating=rating,
            language=("de", "en")[n % 2],
            created_at=START + timedelta(minutes=n),
        )
        for rating, n in zip(left, number, strict=False)
    ]


def loaded(comments: list[NewComment]) -> str:
    load(comments)
    return comments[0].product_id


def walk(
    product_id: str,
    order: CommentOrder = CommentOrder.NEWEST,
    *,
    chosen: CommentFilter = ANY,
    size: int = 10,
) -> list[CommentPage]:
    """Turn the pages of a list from its first one on."""
    request: PageRequest | None = PageRequest(size)
    found = []
    while request:
        counts = read_counts(product_id)
        found.append(list_comments(product_id, chosen, request, counts=counts, order=order))
        request = behind(found[-1].page, size=size)
    return found


def ratings_read(page: Page) -> list[str]:
    return sorted({read.run.partition.rpartition("/")[2] for read in page.reads})


class TestAPage:
    @pytest.fixture
    def product_id(self):
        return loaded(rated(SPREAD))

    def test_reads_the_ratings_it_reaches_in_one_round(self, product_id):
        pages = [found.page for found in walk(product_id, HIGHEST)]
        assert ["".join(ratings_read(page)) for page in pages[:4]] == ["5", "5", "45", "245"]
        assert {page.rounds for page in pages} == {1}

    def test_reads_them_in_one_round_going_back(self, product_id):
        request: PageRequest | None = PageRequest(10, toward=Toward.PREVIOUS)
        rounds = []
        while request:
            page = read_page(product_id, ANY, request, order=LOWEST)
            rounds.append(page.rounds)
            request = in_front(page, size=10)
        assert {*rounds} == {1}

    def test_of_few_comments_is_one_round_even_without_counts(self):
        product_id = loaded(rated({5: 1, 3: 1, 1: 2}))
        forget_counts(product_id)
        (found,) = walk(product_id, LOWEST)
        assert (len(found.comments), found.page.rounds) == (4, 1)


class TestAWrongCount:
    @pytest.mark.parametrize("order", [HIGHEST, LOWEST])
    def test_of_zero_shows_the_comments_on_the_last_page(self, order):
        comments = rated(SPREAD)
        product_id = loaded(comments)
        settle(product_id, {"en.4": 0, "de.4": 0})
        fours = Truth(comments).ids(ratings=[4])
        request = PageRequest(10, toward=Toward.PREVIOUS)
        for expected in (True, False):  # then the counts are right
            counts = read_counts(product_id)
            found = list_comments(product_id, ANY, request, counts=counts, order=order)
            shown = [one.id for one in found.comments]
            assert ({*fours} <= {*shown}) is expected
            assert len(shown) == 10 + expected * len(fours)

    @settings(max_examples=examples(15))
    @given(
        numbers=st.fixed_dictionaries({rating: st.integers(0, 12) for rating in RATINGS}),
        wrong=st.dictionaries(st.sampled_from(RATINGS), st.integers(1, 15)),
        order=st.sampled_from([HIGHEST, LOWEST]),
        size=st.integers(1, 9),
    )
    def test_above_zero_changes_no_page(self, numbers, wrong, order, size):
        comments = rated({**numbers, 3: 1})
        product_id = loaded(comments)
        languages = {comment.rating: comment.language for comment in comments}
        settle(product_id, {f"{languages.get(r, 'de')}.{r}": n for r, n in wrong.items()})
        read = partial(read_page, order=order)
        there, back = there_and_back(product_id, ANY, size=size, read=read)
        assert there == back == Truth(comments).ids(order=order)


THREES_AND_FIVES = CommentFilter.of(["en"], [3, 5])


class TestAPartitionWronglyHeldForEmpty:
    @pytest.fixture
    def comments(self):
        """Comments in English that are rated 3 and 5 by turns."""
        return [replace(comment, language="en") for comment in rated({3: 12, 5: 12})]

    @pytest.fixture
    def product_id(self, comments):
        product_id = loaded(comments)
        settle(product_id, {"en.3": 0})
        return product_id

    def test_is_in_its_place_where_one_page_holds_all(self, comments, product_id):
        (page,) = walk(product_id, chosen=THREES_AND_FIVES, size=50)
        assert [c.id for c in page.comments] == [c.id for c in reversed(comments)]

    @pytest.mark.fallback
    def test_is_counted_right_from_then_on(self, product_id):
        walk(product_id, chosen=THREES_AND_FIVES, size=5)
        counts = read_counts(product_id, consistent=True)
        assert counts.cells == {("en", 3): 12, ("en", 5): 12}

    @pytest.mark.real_engine
    def test_is_found_by_some_reader_where_there_are_many(self, product_id):
        chosen = CommentFilter.of(["da", "de", "en", "es", "fr", "it", "nl", "pt"], [3, 5])
        for _ in range(20):
            (page,) = walk(product_id, chosen=chosen, size=50)
            late = [read for read in page.shown.reads if read not in page.page.reads]
            assert len(late) <= MOST_CHECKED
            if len(page.comments) == 24:
                return
        raise AssertionError("no reader found it")
