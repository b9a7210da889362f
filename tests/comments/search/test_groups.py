"""Searches in more languages than a page reads at once: nothing is left out in the end."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists import search_plans
from comments.lists.orders import CommentOrder
from comments.lists.queries import CommentPage
from comments.lists.search_plans import MOST_QUERIES, SearchPlan
from comments.lists.search_queries import SearchRequest, search_comments
from comments.search.words import parse_search
from comments.store.counts import read_counts
from dynapages.lists import PageRequest, Toward
from tests.support.chance import examples
from tests.support.comments.browsing import Shown, visit
from tests.support.comments.searched import found_in, load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.comments.writers import nobody, someone
from tests.support.config.api import NOBODY

pytestmark = pytest.mark.real_engine

FEW = ("cs", "da", "el", "fi", "hu")
MANY = (
    *FEW,
    "de",
    "en",
    "es",
    "et",
    "eu",
    "fr",
    "ga",
    "hy",
    "id",
    "it",
    "lt",
    "nl",
    "pl",
    "pt",
    "ro",
)
WORDS = ("akku", "kabel", "display")
RARE = "zinnober"


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture(scope="module")
def made(search):
    """Comments in five languages; the product in most pages of this file."""
    rng = Random(11)
    comments = [
        written(
            "few",
            id=f"few-{number:03}",
            language=rng.choices(FEW, weights=(40, 20, 10, 5, 2))[0],
            rating=rng.randint(1, 5),
            created_at=START + timedelta(minutes=rng.randint(0, 60)),
            body=" ".join(rng.choices(WORDS, k=rng.randint(1, 4))),
        )
        for number in range(90)
    ]
    load_searched(comments)
    return comments


@pytest.fixture(scope="module")
def in_many_languages(search):
    """Two comments in each of twenty languages, one of them with a rare word in the last."""
    comments = [
        written(
            "many",
            id=f"many-{language}-{number}",
            language=language,
            created_at=START + timedelta(minutes=number),
            body=f"akku {RARE if (language, number) == ('ro', 0) else ''}",
        )
        for language in MANY
        for number in range(2)
    ]
    load_searched(comments)
    return comments


def expected(comments: Sequence[NewComment], words: str, order: CommentOrder) -> list[str]:
    """The ids that are found, group by group, by looking at each comment."""
    plan = SearchPlan(
        comments[0].product_id,
        parse_search(words),
        CommentFilter(),
        counts=read_counts(comments[0].product_id),
    )
    group_of = {one: number for number, group in enumerate(plan.groups) for one in group}
    language_of = {one.id: one.language for one in comments}
    by_group = defaultdict[int, list[str]](list)
    newest_first = found_in(comments, words)
    in_order = newest_first if order is CommentOrder.NEWEST else newest_first[::-1]
    for comment_id in in_order:
        by_group[group_of[language_of[comment_id]]].append(comment_id)
    return [one for group in sorted(by_group) for one in by_group[group]]


def walk(
    product_id: str, words: str, order: CommentOrder, request: PageRequest
) -> list[CommentPage]:
    """The pages from one on, in its direction, with what they show."""
    wanted, pages = SearchRequest(parse_search(words)), list[CommentPage]()
    back = request.toward is Toward.PREVIOUS
    while True:
        counts = read_counts(product_id)
        found = search_comments(
            product_id, wanted, CommentFilter(), request, counts=counts, order=order
        )
        pages.append(found)
        edge = found.page.previous_position if back else found.page.next_position
        if edge is None:
            return pages[::-1] if back else pages
        request = PageRequest(request.size, edge, request.toward)


def ids_of(pages: Sequence[CommentPage]) -> list[str]:
    return [comment.id for found in pages for comment in found.comments]


class TestAWalk:
    @settings(max_examples=examples(30))
    @given(
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(" ".join),
        order=st.sampled_from((CommentOrder.NEWEST, CommentOrder.OLDEST)),
        most_queries=st.integers(1, 6),
        size=st.integers(1, 9),
    )
    def test_has_every_comment_group_by_group_there_and_back(
        self, made, words, order, most_queries, size
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search_plans, "MOST_QUERIES", most_queries)
            right = expected(made, words, order)
            there = walk("few", words, order, PageRequest(size))
            back = walk("few", words, order, PageRequest(size, toward=Toward.PREVIOUS))
            assert ids_of(there) == ids_of(back) == right
            for number, found in enumerate(there):
                if position := found.page.previous_position:
                    request = PageRequest(size, position, Toward.PREVIOUS)
                    in_front = ids_of(there[:number])
                    assert ids_of(walk("few", words, order, request)) == in_front

    def test_says_which_languages_come_later_until_none_does(self, in_many_languages):
        pages = walk("many", "akku", CommentOrder.NEWEST, PageRequest(20))
        assert len(pages[0].reach.languages) == MOST_QUERIES
        assert {*pages[0].reach.languages, *pages[0].reach.later} == {*MANY}
        assert pages[-1].reach.later == ()
        shown = {comment.language for found in pages for comment in found.comments}
        assert shown == {*MANY}

    def test_goes_on_although_the_counts_of_the_product_take_most_units(self, in_many_languages):
        wanted, request = SearchRequest(parse_search("akku")), PageRequest(20)
        counts, ids = read_counts("many"), list[str]()
        for _ in range(20):
            found = search_comments(
                "many", wanted, CommentFilter(), request, counts=counts, other_units=9.0
            )
            ids += [comment.id for comment in found.comments]
            if found.page.next_position is None:
                break
            request = PageRequest(20, found.page.next_position)
        assert sorted(ids) == sorted(found_in(in_many_languages, "akku"))


class TestThePage:
    def test_finds_what_is_only_in_the_last_language(self, in_many_languages):
        ids = [one for page in pages_of(f"/products/many/comments/~/~/?q={RARE}") for one in page]
        assert ids == ["many-ro-0"]

    def test_leads_back_to_every_comment(self, in_many_languages):
        there = [*follow_all("/products/many/comments/~/~/?q=akku", "older")]
        back = [*follow_all(there[-1].newer, "newer")][::-1]
        ids = [one for shown in there[:-1] for one in shown.comment_ids]
        assert [one for shown in back for one in shown.comment_ids] == ids

    def test_begins_at_a_month_in_the_first_group(self, in_many_languages):
        shown = visit("/products/many/comments/~/~/?q=akku&month=2026-10")
        assert shown.status == 200

    def test_shows_a_writer_the_own_comment_in_a_later_group(self, in_many_languages):
        alice = someone("alice")
        alice.write("many", language="lv", title="", body="Zinnober, lv")
        ids = [
            one
            for shown in follow_all(f"/products/many/comments/~/~/?q={RARE}", "older", alice)
            for one in shown.comment_ids
        ]
        assert len(ids) == len({*ids}) == 2


class TestTheAPI:
    def test_finds_what_is_only_in_the_last_language(self, in_many_languages):
        answer = NOBODY.get(f"/products/many/comments?q={RARE}").json()
        found = list(answer["items"])
        while answer["next"]:
            assert answer["total"] is None
            answer = NOBODY.get(answer["next"]).json()
            found += answer["items"]
        assert "many-ro-0" in [one["id"] for one in found]
        assert answer["total"] == len(found)


def follow_all(url: str, side: str, visitor=None) -> list[Shown]:
    visitor, shown = visitor or nobody(), list[Shown]()
    while url:
        shown.append(visitor.get(url))
        url = getattr(shown[-1], side)
    return shown


def pages_of(url: str) -> list[list[str]]:
    return [shown.comment_ids for shown in follow_all(url, "older")]
