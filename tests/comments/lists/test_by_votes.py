"""The list by helpful votes has every comment of a filter, in few rounds, and within its units."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.core.cache import cache
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import CommentFilter
from comments.indexes.planner import NoSuchPlan
from comments.items import NewComment
from comments.lists.orders import CommentOrder
from comments.lists.page import NO_COUNTS
from comments.lists.queries import MOST_UNITS, CommentPage, list_comments
from comments.store.counts import ProductCounts, read_counts
from comments.votes.services import cast_vote, withdraw_vote
from dynapages.calls import metered
from dynapages.lists import Page, PageRequest
from tests.support.chance import examples, unique
from tests.support.comments.browsing import visit
from tests.support.comments.loading import load
from tests.support.comments.truth import START, Truth, written
from tests.support.comments.walking import read_page, there_and_back

pytestmark = pytest.mark.usefixtures("tables")
HELPFUL = CommentOrder.HELPFUL
ANY = CommentFilter()


def voted(numbers: Sequence[int]) -> list[NewComment]:
    """Comments on one product with these votes, the last one the newest, in two languages."""
    product_id = unique("voted")
    comments = []
    for number, votes in enumerate(numbers):
        comment = written(
            product_id,
            id=f"{product_id}-{number:03}",
            rating=number % 5 + 1,
            language=("de", "en")[number % 2],
            created_at=START + timedelta(minutes=number),
            helpful=votes,
        )
        comments.append(comment)
    return comments


def loaded(numbers: Sequence[int]) -> str:
    comments = voted(numbers)
    load(comments)
    return comments[0].product_id


def first_page(
    product_id: str, chosen: CommentFilter = ANY, *, size: int = 10, plan: str | None = None
) -> CommentPage:
    return list_comments(
        product_id,
        chosen,
        PageRequest(size),
        counts=read_counts(product_id),
        order=HELPFUL,
        forced_plan=plan,
    )


class TestTheList:
    @settings(max_examples=examples(12), deadline=None)
    @given(
        numbers=st.lists(st.sampled_from((0, 0, 1, 1, 2, 30)), min_size=1, max_size=40),
        languages=st.sampled_from(((), ("de",), ("en",))),
        ratings=st.sampled_from(((), (1,), (2, 4))),
        size=st.sampled_from((1, 3, 10)),
    )
    def test_is_walked_there_and_back_whatever_it_is_filtered_by(
        self, numbers, languages, ratings, size
    ):
        comments = voted(numbers)
        load(comments)
        chosen = CommentFilter(languages, ratings)

        def read(product_id: str, chosen: CommentFilter, request: PageRequest, counts) -> Page:
            return read_page(product_id, chosen, request, counts, order=HELPFUL)

        there, back = there_and_back(comments[0].product_id, chosen, size=size, read=read)
        assert there == back == Truth(comments).ids(languages, ratings, HELPFUL)

    def test_is_the_same_without_any_counts(self):
        comments = voted([0, 3, 1, 0])
        load(comments)
        product_id = comments[0].product_id
        found = list_comments(product_id, ANY, PageRequest(10), counts=NO_COUNTS, order=HELPFUL)
        assert [c.id for c in found.comments] == Truth(comments).ids(order=HELPFUL)

    def test_follows_a_vote_that_is_cast_and_taken_back(self):
        product_id = loaded([0, 0, 0])
        oldest = f"{product_id}-000"
        for write, number, first in ((cast_vote, 1, True), (withdraw_vote, 0, False)):
            write(comment_id=oldest, user_id="bob")
            comments = first_page(product_id).comments
            assert len(comments) == 3
            assert (comments[0].id == oldest) is first
            assert {c.id: c.helpful_votes for c in comments}[oldest] == number

    def test_refuses_a_plan_that_there_is_not_whether_or_not_it_is_needed(self):
        product_id = loaded([1, 1, 1])
        with pytest.raises(NoSuchPlan):
            first_page(product_id, size=1, plan="by_votes")


class TestTheRounds:
    @pytest.mark.parametrize("numbers", [[0] * 30, [1] * 5 + [0] * 30, [1] * 30])
    def test_are_one_for_the_first_page_where_nothing_is_known(self, numbers):
        cache.clear()
        assert first_page(loaded(numbers)).page.rounds == 1

    def test_have_no_comments_without_votes_once_those_with_votes_fill_a_page(self):
        product_id = loaded([1] * 30 + [0] * 30)
        plans = [first_page(product_id).plan.name for _ in range(2)]
        assert plans == ["mixed", "ranked"]

    def test_are_one_again_where_the_votes_are_taken_back(self):
        product_id = loaded([1, 1, 0, 0])
        for _ in range(2):
            first_page(product_id, size=2)
        withdrawn = f"{product_id}-000"
        cast_vote(comment_id=withdrawn, user_id="bob")
        assert first_page(product_id, size=4).page.rounds == 2
        assert first_page(product_id, size=4).page.rounds == 1


@pytest.mark.real_engine
class TestTheUnits:
    def test_are_bounded_where_few_of_many_with_votes_match_and_the_page_goes_on(self):
        comments = voted([1] * 600)
        rare = CommentFilter(("de",), (5,))
        # All but the last in the list are of other ratings.
        comments = [
            written(c.product_id, id=c.id, created_at=c.created_at, language="de", helpful=2)
            for c in comments[1:]
        ]
        product_id = comments[0].product_id
        last = written(product_id, id=f"{product_id}-last", language="de", rating=5, helpful=1)
        load([*comments, last])
        request, found, pages = PageRequest(20), [], 0
        while request:
            with metered() as meter:
                page = list_comments(
                    product_id, rare, request, counts=read_counts(product_id), order=HELPFUL
                )
            assert meter.units <= MOST_UNITS + 1
            pages += 1
            found += [c.id for c in page.comments]
            position = page.page.next_position
            request = PageRequest(20, position) if position else None
        assert found == [last.id]
        assert pages > 1


class TestVotes:
    @pytest.mark.parametrize("order", CommentOrder)
    def test_stand_on_every_entry(self, order):
        product_id = loaded([0, 3, 1])
        found = list_comments(
            product_id, ANY, PageRequest(10), counts=read_counts(product_id), order=order
        )
        votes = {comment.id: comment.helpful_votes for comment in found.comments}
        assert sorted(votes.values()) == [0, 1, 3]

    def test_are_shown_with_each_comment_of_a_page(self):
        product_id = loaded([0, 3, 1])
        shown = visit(f"/products/{product_id}/comments/~/~/")
        texts = [each.one(class_="helpful").text for each in shown.page.all("article")]
        assert [text.split(" , ")[0] for text in texts] == ["Helpful · 1", "Helpful · 3", "Helpful"]


class TestCountsThatSayNone:
    def test_do_not_show_a_comment_with_votes_a_second_time(self):
        product_id = loaded([2, 0, 1, 0])
        # As if nobody had counted those in German.
        cells = {("en", 2): 1, ("en", 4): 1}
        request, shown = PageRequest(1), []
        while request:
            page = list_comments(
                product_id,
                CommentFilter(("de", "en")),
                request,
                counts=ProductCounts(cells),
                order=HELPFUL,
            )
            shown += [comment.id for comment in page.comments]
            position = page.page.next_position
            request = PageRequest(1, position) if position else None
        assert shown == [f"{product_id}-{number:03}" for number in (0, 2, 3, 1)]
