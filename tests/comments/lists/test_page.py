"""The page of a product's comments is read together, and planned by counts that may be old."""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment
from comments.lists.orders import CommentOrder
from comments.lists.page import CommentsPage, CommentsRequest, read_comments_page
from comments.posting.services import add_comment
from comments.store.counts import ProductCounts, read_counts, remember_counts
from comments.votes.services import cast_vote
from dynapages.calls import Meter, metered
from dynapages.lists import PageRequest
from shop.accounts.queries import find_user
from shop.accounts.services import shut_profile
from tests.support.comments.loading import load
from tests.support.comments.threads import made_comment
from tests.support.comments.truth import START, Truth
from tests.support.comments.truth import written as one_written
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("tables")
SIZE = 5
LANGUAGES = ("de", "en", "fr")


def written(product_id: str, number: int, language: str, rating: int) -> NewComment:
    return one_written(
        product_id,
        id=f"{product_id}-{number:03}",
        language=language,
        rating=rating,
        created_at=START + timedelta(minutes=number),
    )


@pytest.fixture
def comments(fresh):
    """Forty comments on one product, oldest first."""
    product_id, rng = fresh("paged"), Random(7)
    made = [
        written(product_id, n, rng.choice(LANGUAGES), rng.choice((1, 3, 4, 5))) for n in range(40)
    ]
    load(made)
    return made


def read(product_id: str, chosen: CommentFilter | None = None, **more: Any) -> CommentsPage:
    request = CommentsRequest(chosen, PageRequest(SIZE), product_id=product_id, **more)
    return read_comments_page(request)


def metered_read(product_id: str, chosen: CommentFilter | None = None, **more: Any) -> Meter:
    with metered() as meter:
        read(product_id, chosen, **more)
    return meter


def shown(page: CommentsPage) -> list[str]:
    return [comment.id for comment in page.results.comments]


def newest(comments: list[NewComment], chosen: CommentFilter) -> list[str]:
    return Truth(comments).ids(chosen.languages, chosen.ratings)[:SIZE]


class TestRememberedCounts:
    @pytest.mark.parametrize(
        "chosen",
        [
            CommentFilter(),
            CommentFilter.of(("de", "fr"), (1, 5)),
        ],
        ids=str,
    )
    @pytest.mark.parametrize(
        "cells",
        [
            {},
            {("de", 1): 900, ("fr", 5): 1},
            {(language, rating): 0 for language in LANGUAGES for rating in RATINGS},
        ],
        ids=["none", "far too many", "zeros"],
    )
    def test_that_are_wrong_change_nothing_on_the_page(self, comments, chosen, cells):
        product_id = comments[0].product_id
        remember_counts(product_id, ProductCounts(cells))
        page = read(product_id, chosen)
        assert shown(page) == newest(comments, chosen)
        assert page.results.counts == read_counts(product_id)

    def test_that_lack_a_language_do_not_hide_its_first_comment(self, comments):
        product_id, chosen = comments[0].product_id, CommentFilter.of(("de", "ja"))
        read(product_id, chosen)
        first = written(product_id, 99, "ja", 2)
        add_comment(first)
        assert shown(read(product_id, chosen))[0] == first.id


@pytest.mark.real_engine
class TestRounds:
    def test_of_a_list_are_one_where_counts_are_remembered(self, comments):
        product_id, chosen = comments[0].product_id, CommentFilter.of(("de", "en"))
        rounds = [metered_read(product_id, chosen).rounds for _ in range(2)]
        assert rounds == [2, 1]

    def test_of_all_comments_need_no_counts(self, comments):
        assert metered_read(comments[0].product_id, CommentFilter()).rounds == 1

    def test_of_all_comments_by_rating_are_two_in_which_nothing_is_read_twice(self, comments):
        product_id, chosen = comments[0].product_id, CommentFilter()
        cold = metered_read(product_id, chosen, order=CommentOrder.LOWEST)
        warm = metered_read(product_id, chosen, order=CommentOrder.LOWEST)
        assert (cold.rounds, warm.rounds) == (2, 1)
        assert cold.calls == warm.calls

    def test_of_a_fragment_cost_no_description_and_no_highlights(self, comments):
        wanted = CommentsRequest(None, PageRequest(SIZE), product_id=comments[0].product_id)
        with metered() as whole:
            read_comments_page(wanted)
        with metered() as fragment:
            read_comments_page(replace(wanted, is_whole=False))
        assert (whole.calls, fragment.calls) == (3, 2)
        assert fragment.units < whole.units


class TestTheLanguageOfTheVisitor:
    def test_is_that_of_the_counts_of_now(self, comments):
        product_id = comments[0].product_id
        remember_counts(product_id, ProductCounts({("en", 5): 40}))
        page = read(product_id, accept_language="fr, en;q=0.5")
        assert page.chosen == CommentFilter.of(("fr",))
        assert shown(page) == newest(comments, page.chosen)


class TestHighlights:
    @pytest.fixture
    def product_id(self, fresh):
        """Praise without end, and one old complaint."""
        product_id = fresh("praised")
        load([written(product_id, n, "en", 1 if n == 3 else 5) for n in range(20)])
        return product_id

    def test_that_the_list_does_not_have_are_read(self, product_id):
        for _ in range(2):  # at first without counts, then in the round of the list
            with metered() as meter:
                highlights = read(product_id).highlights
            assert highlights is not None
            assert highlights.positive is not None
            assert highlights.negative is not None
            assert highlights.positive.id == f"{product_id}-019"
            assert highlights.negative.id == f"{product_id}-003"
        assert meter.rounds == 1

    def test_that_the_list_has_are_not_read(self, comments):
        assert metered_read(comments[0].product_id).labelled("highlights") == []


class TestTheVotesOfAUser:
    def test_are_not_shown_to_a_session_that_is_none_any_more(self):
        bob, comment = someone("bob"), made_comment()
        cast_vote(comment_id=comment.id, user_id=bob.username)
        url = f"/products/{comment.product_id}/"
        assert bob.get(url).page.one("button", class_="helpful")["aria-pressed"] == "true"
        shut_profile(bob.username)
        assert bob.get(url).page.all("button", class_="helpful") == []

    def test_are_read_in_the_round_of_the_page(self, comments):
        bob = someone("bob")
        browser = Client()
        browser.force_login(find_user(bob.username))
        with metered() as meter:
            browser.get(f"/products/{comments[0].product_id}/comments/~/~/")
        assert meter.rounds == 1
        assert {"user", "votes"} <= set(meter.labels())
