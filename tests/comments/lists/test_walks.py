"""Whatever the filter and the read model: its pages, there and back, are what a plain sort of
everything says."""

from dataclasses import replace
from functools import partial

import pytest

from comments.filters import MOST_LANGUAGES, CommentFilter
from comments.lists.orders import CommentOrder
from tests.support.comments.loading import load
from tests.support.comments.truth import (
    ALL_LANGUAGE_CHOICES,
    LANGUAGE_SETS,
    LANGUAGES,
    RATING_SETS,
    Truth,
    real_comments,
    tied_comments,
)
from tests.support.comments.walking import read_page, read_places, there_and_back

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("model")]

eighths = pytest.mark.parametrize(
    "choices", [ALL_LANGUAGE_CHOICES[n::8] for n in range(8)], ids=lambda choices: str(choices[0])
)
"""The choices of languages in eight parts."""
MANY_LANGUAGES = LANGUAGES[:MOST_LANGUAGES]
FEW_LANGUAGES = ((), ("de",), ("ja",), *LANGUAGE_SETS[::4], MANY_LANGUAGES)
OTHER_ORDERS = [order for order in CommentOrder if order is not CommentOrder.NEWEST]
FEW_RATINGS = ((1,), (4, 5), (1, 3, 5), (1, 2, 3, 4), (1, 2, 3, 4, 5))


Walk = tuple[tuple[str, ...], tuple[int, ...]]


def walks(choices, *, of_each: int) -> list[Walk]:
    """One in ``of_each`` of the sets of ratings: others for each choice of languages."""
    return [
        (languages, ratings)
        for languages in choices
        for ratings in RATING_SETS[ALL_LANGUAGE_CHOICES.index(languages) % of_each :: of_each]
    ]


@pytest.fixture(scope="module")
def some(model, pytestconfig):
    """Takes all walks by the indexes; by the sets one in four, and all with ``--thorough``."""
    is_whole = model == "indexes" or pytestconfig.getoption("--thorough")
    return lambda walks: walks if is_whole else walks[::4]


@pytest.fixture(scope="module")
def ties(model):
    """120 comments on the product ``ties``, at six moments."""
    comments = tied_comments("ties", count=120)
    load(comments)
    return Truth(comments)


@pytest.fixture(scope="module")
def some_reviews(model, real_data):
    """Some real reviews, under the product ``some-reviews``; fewer where each is 32 items."""
    every = {"indexes": 120, "sets": 480}[model]
    comments = real_comments(real_data, "some-reviews", every=every)
    load(comments)
    return Truth(comments)


@pytest.fixture(scope="module")
def reviews(model, real_data):
    """Each third real review, under the product ``reviews``; without their words, to be quick.

    By the sets each twelfth of them: `test_both_read_models` has them all.
    """
    every = {"indexes": 3, "sets": 12}[model]
    found = real_comments(real_data, "reviews", every=every)
    comments = [replace(c, author="", body="") for c in found]
    load(comments)
    return Truth(comments)


def assert_walk(
    truth, product_id, languages, ratings, *, size, order=CommentOrder.NEWEST, read=read_page
) -> None:
    chosen = CommentFilter.of(languages, ratings)
    read_ordered = partial(read, order=order) if order is not CommentOrder.NEWEST else read
    there, back = there_and_back(product_id, chosen, size=size, read=read_ordered)
    expected = truth.ids(languages, ratings, order)
    assert there == expected, chosen
    assert back == expected, chosen


class TestComments120AtSixMoments:
    @eighths
    def test_are_walked_by_any_filter_at_10_a_page(self, ties, some, choices, pytestconfig):
        """By every filter with ``--thorough``, else by one in sixteen."""
        of_each = 1 if pytestconfig.getoption("--thorough") else 16
        for walk in some(walks(choices, of_each=of_each)):
            assert_walk(ties, "ties", *walk, size=10)

    @pytest.mark.parametrize("order", OTHER_ORDERS)
    @pytest.mark.parametrize("languages", FEW_LANGUAGES[::3])
    def test_are_walked_in_other_orders(self, ties, some, languages, order):
        for ratings in some(FEW_RATINGS):
            assert_walk(ties, "ties", languages, ratings, size=7, order=order)

    def test_are_walked_one_by_one(self, ties, some):
        for walk in some(walks(FEW_LANGUAGES[:-1], of_each=31)):
            assert_walk(ties, "ties", *walk, size=1)

    @pytest.mark.slow
    @pytest.mark.long
    @eighths
    def test_are_walked_one_by_one_in_any_languages(self, ties, some, choices):
        for walk in some(walks(choices, of_each=12)):
            assert_walk(ties, "ties", *walk, size=1)


class TestRealReviews:
    @pytest.mark.parametrize("languages", FEW_LANGUAGES[::2])
    def test_are_walked_in_part(self, some_reviews, some, languages):
        for ratings in some(FEW_RATINGS[::2]):
            assert_walk(some_reviews, "some-reviews", languages, ratings, size=50)

    @pytest.mark.slow
    @pytest.mark.long
    @eighths
    def test_are_walked_in_any_languages_at_500_a_page(self, reviews, some, choices):
        for walk in some(walks(choices, of_each=8)):
            assert_walk(reviews, "reviews", *walk, size=500, read=read_places)
