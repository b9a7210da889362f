"""Both read models give the same pages: the same comments in the same places, word for word."""

from dataclasses import replace
from shutil import rmtree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comments.filters import MOST_LANGUAGES, RATINGS, CommentFilter
from comments.host import SETS
from comments.lists.queries import INDEXES, read_model
from comments.models import SHOWN
from comments.store.counts import ProductCounts, read_counts
from dynapages.engine.server import find_dynoxide
from dynapages.lists import Page, PageRequest
from dynapages.process import client, read
from dynapages_testing.strict import refuse_what_aws_refuses
from tests.support.chance import examples
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.outage import PROJECT, own_engine
from tests.support.comments.read_models import reading_by
from tests.support.comments.ready_made import count, make_file
from tests.support.comments.truth import (
    LANGUAGE_SETS,
    LANGUAGES,
    RATING_SETS,
    real_comments,
    tied_comments,
)
from tests.support.comments.walking import there_and_back

pytestmark = pytest.mark.real_engine

CHOICES = ((), *((language,) for language in LANGUAGES), *LANGUAGE_SETS[::4])
TOLD = ("pk", "o", "g", "s", *SHOWN)
filters = st.builds(
    CommentFilter.of,
    st.sets(st.sampled_from(LANGUAGES), max_size=MOST_LANGUAGES),
    st.sets(st.sampled_from(RATINGS)),
)


@pytest.fixture(scope="module", params=["names", "masks"])
def spelling(request, tables, engine_name):
    """Each spelling of the sets in turn, in tables of its own."""
    with (
        comments_set(SETS_KEY_FORMAT=request.param),
        reading_by(SETS, engine_name=engine_name),
    ):
        yield request.param


@pytest.fixture(scope="module")
def ties(spelling):
    """A product of 80 comments at six moments; its id."""
    load(tied_comments("ties", count=80))
    return "ties"


@pytest.fixture(scope="module")
def reviews(tables, real_data, tmp_path_factory):
    """The product of all real reviews, each with its first words, and of their million copies."""
    binary, folder = find_dynoxide(PROJECT), tmp_path_factory.mktemp("reviews")
    if binary is None:
        pytest.skip("a million items take dynoxide, which is not installed")
    comments = [replace(c, body=c.body[:40]) for c in real_comments(real_data, "reviews")]
    make_file(folder / "own.db", comments, binary=binary)
    with comments_set(READ_MODEL=SETS), own_engine(folder):
        refuse_what_aws_refuses(client())
        count(comments)
        yield "reviews"
    rmtree(folder)


def page_by(
    model: str, product_id: str, chosen: CommentFilter, request: PageRequest, counts: ProductCounts
) -> Page:
    with comments_set(READ_MODEL=model):
        plan = read_model().plan_list(product_id, chosen, counts, needed=request.size + 1)
    assert (plan.name == SETS) == (model == SETS)
    return read(plan.runs, request, first_reads=plan.first_reads, fallback=plan.fallback)


def told_by(page: Page) -> tuple[object, ...]:
    """What a page shows of its comments, and where it leads."""
    comments = [{n: entry.item[n] for n in TOLD if n in entry.item} for entry in page.entries]
    return comments, page.has_next, page.has_previous


def same_page(
    product_id: str, chosen: CommentFilter, request: PageRequest, counts: ProductCounts
) -> Page:
    """Read a page by both, and give it."""
    pages = [page_by(model, product_id, chosen, request, counts) for model in (INDEXES, SETS)]
    assert told_by(pages[0]) == told_by(pages[1]), (chosen, request)
    return pages[1]


class TestAPageByBoth:
    @settings(max_examples=examples(15))
    @given(chosen=filters, models=st.lists(st.sampled_from((INDEXES, SETS)), min_size=1))
    def test_leads_on_to_a_page_by_the_other(self, ties, chosen, models):
        counts, turns = read_counts(ties), iter(models * 150)

        def by_turns(product_id, chosen, request, counts):
            return page_by(next(turns), product_id, chosen, request, counts)

        expected, _ = there_and_back(ties, chosen, size=20, read=same_page)
        there, back = there_and_back(ties, chosen, size=20, read=by_turns)
        assert there == back == expected
        assert len(expected) == counts.of(chosen)


@pytest.mark.long
@pytest.mark.slow
class TestTheRealReviewsByBoth:
    @pytest.mark.parametrize("languages", CHOICES, ids=lambda chosen: ".".join(chosen) or "any")
    def test_are_the_same_pages_for_every_filter(self, reviews, languages):
        for ratings in RATING_SETS:
            chosen = CommentFilter.of(languages, ratings)
            there, back = there_and_back(reviews, chosen, size=500, read=same_page)
            assert there == back
            assert len(there) == read_counts(reviews).of(chosen)
