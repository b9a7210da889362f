"""Searches that find little among much: each hit is shown once, there and back, from every page."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from django.test import Client

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.orders import CommentOrder
from comments.search.words import parse_search
from dynapages.calls import metered
from dynapages.django.options import Progress
from lab.bench.engines import data_file
from lab.bench.site import HOST, open_site
from lab.bench.words import (
    DrawnSearch,
    WordData,
    draw_search,
    expected_ids,
    known_comments,
    prepare_product,
    real_reviews,
)
from tests.support.comments.search_walks import READERS, Answer, Reader, Tally, Walker
from tests.support.comments.searched import put_postings, searching
from tests.support.comments.truth import START, written

pytestmark = pytest.mark.real_engine

NEWEST, OLDEST = CommentOrder.NEWEST, CommentOrder.OLDEST
BOTH_READERS = pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
BOTH_ORDERS = pytest.mark.parametrize("order", [NEWEST, OLDEST])
SIZE = 20


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


def alternating(
    product_id: str, number: int, *, words: tuple[str, str], both: Sequence[int], filler: int
) -> list[NewComment]:
    """Comments a minute apart that have the words by turns, and some both; and other words."""
    rng = Random(1)
    comments = []
    for at in range(number):
        rest = " ".join(f"w{rng.randrange(4_000)}xyzxyz" for _ in range(filler))
        own = " ".join(words) if at in both else words[at % 2]
        comment = written(
            product_id,
            id=f"{product_id}-{at:04}",
            language="is",
            rating=(2, 4, 5)[at % 3],
            created_at=START + timedelta(minutes=at),
            body=f"{own} {rest}",
        )
        comments.append(comment)
    return comments


def searched(
    comments: Sequence[NewComment], text: str, order: CommentOrder, ratings: Sequence[int] = ()
) -> DrawnSearch:
    found, chosen = parse_search(text), CommentFilter.of((), ratings)
    expected = expected_ids(known_comments(comments), found, chosen, order)
    return DrawnSearch(found, chosen, order, expected, comments[0].product_id)


def pages_on(reader: Reader, drawn: DrawnSearch) -> list[tuple[Answer, float]]:
    """The pages from the first to the last, and what each of them cost."""
    pages = []
    url: str | None = reader.first_url(drawn)
    while url:
        with metered() as meter:
            response = Client().get(url)
        answer = reader.answer(response.content.decode())
        pages.append((answer, meter.units))
        url = answer.next
    return pages


def walked(reader: Reader, drawn: DrawnSearch) -> Tally:
    """What all walks through a search come to: on, back from the end, and from each page."""
    tally = Tally()
    walker = Walker(reader, tally, Client(), size=SIZE)
    walker.walk(drawn, from_each=True)
    return tally


@pytest.fixture(scope="module")
def one_hit(search):
    """400 comments with one of two words; only the oldest has both."""
    comments = alternating("seldom", 400, words=("alpha", "beta"), both=[0], filler=30)
    put_postings(comments, ["alpha", "beta"])
    return comments


class TestOneHitAmong400Comments:
    @BOTH_READERS
    @BOTH_ORDERS
    def test_is_shown_once_there_and_back_from_every_page(self, one_hit, reader, order):
        drawn = searched(one_hit, "alpha beta", order)
        assert drawn.expected == [one_hit[0].id]
        tally = walked(reader, drawn)
        assert tally.wrong == []

    @BOTH_READERS
    @BOTH_ORDERS
    def test_has_no_link_back_to_a_page_that_is_known_to_be_empty(self, one_hit, reader, order):
        found_so_far = 0
        for page, _units in pages_on(reader, searched(one_hit, "alpha beta", order)):
            assert bool(page.previous) == bool(found_so_far)
            found_so_far += len(page.ids)

    @BOTH_READERS
    def test_is_on_the_second_page_at_the_latest(self, one_hit, reader):
        """Newest first, it lies behind all others; oldest first, the first page has it."""
        pages = pages_on(reader, searched(one_hit, "alpha beta", NEWEST))
        assert [len(page.ids) for page, _units in pages][-1] == 1
        assert len(pages) <= 2
        assert sum(units for _page, units in pages) <= 25
        first, *_rest = pages_on(reader, searched(one_hit, "alpha beta", OLDEST))
        assert len(first[0].ids) == 1


HITS = [*(40, 80, 120), *(370, 410), *(620, 640, 660, 680, 700, 720), 940, *(1_180, 1_200, 1_220)]
"""Of 1,900 comments: where those are that have both words. A page reads some 270 of them."""


@pytest.fixture(scope="module")
def few_hits(search):
    """1,900 comments, of which 15 have both words: pages are short, and one at the end is empty."""
    comments = alternating("sparse", 1_900, words=("barcelona", "gut"), both=HITS, filler=30)
    put_postings(comments, ["barcelona", "gut"])
    return comments


class TestFifteenHitsAmong1900Comments:
    @BOTH_READERS
    @BOTH_ORDERS
    def test_are_shown_once_there_and_back_from_every_page(self, few_hits, reader, order):
        drawn = searched(few_hits, "Barcelona gut", order, ratings=(2, 4, 5))
        assert len(drawn.expected) == len(HITS)
        tally = walked(reader, drawn)
        assert tally.wrong == []
        assert tally.numbers["short"] > 0, "the units of a page do not suffice for all"
        assert tally.numbers["empty"] > 0

    @BOTH_READERS
    def test_are_on_short_pages_and_an_empty_one_ends_them(self, few_hits, reader):
        drawn = searched(few_hits, "Barcelona gut", OLDEST, ratings=(2, 4, 5))
        shown = [len(page.ids) for page, _units in pages_on(reader, drawn)]
        assert shown == [3, 2, 6, 1, 3, 0, 0]


class TestAWalk:
    """The walks find what is wrong."""

    @BOTH_READERS
    def test_tells_what_is_missing(self, few_hits, reader):
        drawn = searched(few_hits, "Barcelona gut", NEWEST, ratings=(2, 4, 5))
        tally = walked(reader, replace(drawn, expected=[*drawn.expected, "nowhere"]))
        assert tally.numbers["missing on"] == 1
        assert tally.numbers["missing back"] >= 2

    @BOTH_READERS
    def test_tells_another_order(self, one_hit, reader):
        drawn = searched(one_hit, "alpha", NEWEST)
        tally = walked(reader, replace(drawn, expected=drawn.expected[::-1]))
        assert (tally.numbers["order on"], tally.numbers["missing on"]) == (1, 0)

    @BOTH_READERS
    def test_tells_what_does_not_belong(self, one_hit, reader):
        drawn = searched(one_hit, "alpha", NEWEST)
        tally = walked(reader, replace(drawn, expected=drawn.expected[1:]))
        assert tally.numbers["extra on"] == 1


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("page_size", "number"), [(20, 60), (3, 6)])
def test_random_searches_of_real_reviews_are_right_there_and_back(
    real_data, tmp_path, settings, monkeypatch, page_size, number
):
    """In all languages, small pages and large, by page and API."""
    settings.VAR_DIR = tmp_path
    settings.PAGE_SIZE = page_size
    monkeypatch.setenv("REAL_DATA_DIR", str(real_data))
    data = WordData(real_reviews(), every=16)
    newest_first = known_comments(data.comments())
    random = Random(3)
    path = data_file(data, fresh=True, progress=Progress(shown=False))
    tally = Tally()
    with open_site(path):
        prepare_product(newest_first)
        for _ in range(number):
            drawn = draw_search(random, newest_first)
            for reader in READERS:
                walker = Walker(reader, tally, Client(headers={"host": HOST}), size=page_size)
                walker.walk(drawn, from_each=page_size < 20 and len(drawn.expected) <= 20)
    assert tally.wrong == []
