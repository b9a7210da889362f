"""Lists of a search: equal to brute force, for any words, filter, order, page and direction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.search.queries import (
    MOST_UNITS,
    SearchRequest,
    search_comments,
)
from comments.search.words import parse_search
from comments.store.counts import counts_of
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
    counts, pages = counts_of(product_id), []
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

    def test_costs_no_more_than_its_brake_and_goes_on(self, made):
        common = [replace(one, id=f"m{one.id}", product_id="many", body="gut neu") for one in made]
        body = "gut neu " + " ".join(f"w{number}" for number in range(50))
        long = [replace(one, id=f"{one.id}-{n}", body=body) for one in common for n in range(3)]
        wide = [replace(one, body=one.body.replace("gut", f"{n}gut")) for n, one in enumerate(long)]
        found = written("many", language="de", body="gut neu", created_at=START - timedelta(1))
        load_searched([replace(one, language="de", body=one.body[4:]) for one in wide[:400]])
        load_searched(
            [
                replace(one, id=f"g{one.id}", language="de", body=one.body.replace("neu ", ""))
                for one in long[:400]
            ]
        )
        load_searched([found])
        pages = pages_of("gut neu", CommentFilter.of(["de"]), product_id="many", size=20)
        assert ids_of(pages) == [found.id]
        assert len(pages) > 1
        assert pages[0].cut_at is not None
        assert all(page.capacity_units <= MOST_UNITS + 0.5 for page in pages)
