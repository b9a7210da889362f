"""Lists of a search: equal to brute force, for any words, filter, order, page and direction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import CommentFilter
from comments.lists import search_queries
from comments.lists.orders import CommentOrder
from comments.lists.search_queries import (
    MOST_UNITS,
    UNITS_OF_MARKS,
    SearchRequest,
    search_comments,
)
from comments.search.words import parse_search
from comments.store.counts import ProductCounts, read_counts
from dynapages.calls import metered
from dynapages.lists import Page, PageRequest, Toward
from tests.support.chance import examples
from tests.support.comments.searched import found_in, load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.comments.walking import ids_on

pytestmark = pytest.mark.real_engine

WORDS = ("akku", "leer", "display", "kabel", "gut", "billig", "neu", "top")
LANGUAGES = ("de", "en", "ja")
SIZE = 4


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture(scope="module")
def made(search):
    """Comments of a product, whose words are of different frequency."""
    rng = Random(5)
    comments = [
        written(
            "words",
            id=f"words-{number:03}",
            language=rng.choice(LANGUAGES),
            rating=rng.randint(1, 5),
            created_at=START + timedelta(minutes=rng.randint(0, 40)),
            body=" ".join(rng.choices(WORDS, weights=range(1, 9), k=rng.randint(1, 6))),
        )
        for number in range(160)
    ]
    load_searched(comments)
    return comments


@pytest.fixture(scope="module")
def seldom_together(search):
    """A comment with two words that 300 others have one of."""
    padding = " ".join(f"wort{number}" for number in range(50))
    rest = [
        written(
            "many",
            id=f"many-{number:03}",
            language="de",
            created_at=START + timedelta(minutes=number),
            body=f"{word} {padding}",
        )
        for number, word in enumerate(["akku", "kabel"] * 150)
    ]
    found = written("many", language="de", body="Akku, Kabel", created_at=START)
    load_searched([*rest, found])
    return found


def pages_of(
    words: str,
    chosen: CommentFilter,
    *,
    order: CommentOrder = CommentOrder.NEWEST,
    back: bool = False,
    product_id: str = "words",
    size: int = SIZE,
    with_hidden: bool = False,
) -> list[Page]:
    """All pages of a search, walked on from the first, or ``back`` from the last."""
    wanted = SearchRequest(parse_search(words), with_hidden)
    request = PageRequest(size, toward=Toward.PREVIOUS if back else Toward.NEXT)
    counts, pages = read_counts(product_id), []
    while True:
        found = search_comments(product_id, wanted, chosen, request, counts=counts, order=order)
        pages.append(found.page)
        assert [comment.id for comment in found.comments] == ids_on(found.page)
        position = found.page.previous_position if back else found.page.next_position
        if position is None:
            return pages
        request = PageRequest(size, position, request.toward)


def ids_of(pages: Sequence[Page]) -> list[str]:
    return [one for page in pages for one in ids_on(page)]


class TestAListOfASearch:
    @settings(max_examples=examples(40))
    @given(
        words=st.lists(st.sampled_from([*WORDS, "fehlt"]), min_size=1, max_size=4),
        languages=st.sets(st.sampled_from([*LANGUAGES, "fr"])),
        ratings=st.sets(st.sampled_from((1, 2, 3, 4, 5))),
        order=st.sampled_from((CommentOrder.NEWEST, CommentOrder.OLDEST)),
    )
    def test_has_all_comments_with_its_words_there_and_back(
        self, made, words, languages, ratings, order
    ):
        chosen, text = CommentFilter.of(languages, ratings), " ".join(words)
        expected = found_in(made, text, chosen.languages, chosen.ratings)
        if order is CommentOrder.OLDEST:
            expected.reverse()
        there = pages_of(text, chosen, order=order)
        back = pages_of(text, chosen, order=order, back=True)[::-1]
        assert ids_of(there) == ids_of(back) == expected

    def test_costs_no_more_than_its_brake_and_goes_on(self, seldom_together):
        pages = pages_of("akku kabel", CommentFilter.of(["de"]), product_id="many", size=20)
        assert ids_of(pages) == [seldom_together.id]
        assert len(pages) > 1
        assert pages[0].cut_at is not None
        most = MOST_UNITS - UNITS_OF_MARKS
        assert all(page.capacity_units <= most for page in pages)

    def test_costs_no_more_where_it_is_read_again(self, seldom_together):
        before = read_counts("many")
        now = ProductCounts({**before.cells, ("is", 5): 1})
        assert self.units_where_read_again(before, now) <= MOST_UNITS

    def test_is_empty_and_leads_to_itself_where_too_little_is_left_to_read_it_again(
        self, seldom_together
    ):
        before = read_counts("many")
        others = ("cs", "da", "es", "fi", "fr", "hu", "is", "it", "nl", "pl", "pt", "ru", "sv")
        now = ProductCounts({**before.cells, **{(one, 5): 1 for one in others}})
        assert self.units_where_read_again(before, now) <= MOST_UNITS
        wanted = SearchRequest(parse_search("akku kabel"))
        found = search_comments(
            "many",
            wanted,
            CommentFilter(),
            PageRequest(20),
            counts=before,
            count_now=lambda: now,
        )
        assert (found.comments, found.page.has_next, found.page.has_previous) == ((), True, False)
        pages = [found.page]
        while pages[-1].next_position:
            request = PageRequest(20, pages[-1].next_position)
            pages.append(search_comments("many", wanted, CommentFilter(), request, counts=now).page)
        assert ids_of(pages) == [seldom_together.id]

    @pytest.mark.parametrize("words", ["gut", "gut neu"])
    def test_reads_no_more_however_often_it_is_asked_for(self, made, words):
        wanted, chosen = SearchRequest(parse_search(words)), CommentFilter.of(["de"])
        counts, request = read_counts("words"), PageRequest(SIZE)
        read = []
        for _ in range(6):
            page = search_comments("words", wanted, chosen, request, counts=counts).page
            assert len(page.entries) == SIZE
            read.append(sum(one.items_read for one in page.reads))
        assert max(read[1:]) <= read[0], read

    @staticmethod
    def units_where_read_again(before: ProductCounts, now: ProductCounts) -> float:
        wanted, chosen = SearchRequest(parse_search("akku kabel")), CommentFilter()
        with metered() as meter:
            search_comments(
                "many", wanted, chosen, PageRequest(20), counts=before, count_now=lambda: now
            )
        return meter.units

    def test_costs_no_more_where_the_marks_take_long(self, seldom_together, monkeypatch):
        monkeypatch.setattr(search_queries, "MARKS_SECONDS", 0)
        monkeypatch.setattr(search_queries._LAST_MARKS, "took_long", False)
        wanted, chosen = SearchRequest(parse_search("akku kabel")), CommentFilter.of(["de"])
        request, ids, counts = PageRequest(20), list[str](), read_counts("many")
        while request:
            with metered() as meter:
                page = search_comments("many", wanted, chosen, request, counts=counts).page
            assert meter.units <= MOST_UNITS
            ids += ids_on(page)
            request = PageRequest(20, page.next_position) if page.next_position else None
        assert ids == [seldom_together.id]

    def test_shows_a_comment_once_while_it_moves_between_languages(self):
        moved = written("moves", language="de", body="Akku")
        load_searched([moved])
        load_searched([replace(moved, language="en")])
        pages = pages_of("akku", CommentFilter.of(["de", "en"]), product_id="moves")
        assert ids_of(pages) == [moved.id]

    def test_is_read_in_a_language_that_was_not_counted_when_it_was_planned(self):
        load_searched([written("late", body="battery")])
        wanted, now = SearchRequest(parse_search("battery")), read_counts("late")
        before = ProductCounts({("de", 5): 1})
        found = search_comments(
            "late", wanted, CommentFilter(), PageRequest(5), counts=before, count_now=lambda: now
        )
        assert len(found.comments) == 1
