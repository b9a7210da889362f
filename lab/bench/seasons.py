"""Pages of comments whose languages come and go, and how they compare with their estimates."""

from collections.abc import Iterator, Sequence
from functools import partial

from comments.filters import CommentFilter
from dynamo.calls.meter import UNLABELLED
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.context import BenchContext
from lab.bench.grid import sampled
from lab.bench.pages import cost_of, cut, require_answer
from lab.bench.readers import SITE
from lab.reports.bench_figures import EstimatedPage, SeasonFigures

ONE_IN = 7
"""One of so many lists of the grid is read."""


def measure_seasons(
    context: BenchContext, answers: CommentAnswers, filters: Sequence[CommentFilter]
) -> SeasonFigures:
    """Read up to three pages of each list as the site does. Raises WrongAnswer."""
    for chosen in filters:  # the planner learns sizes from what it reads
        SITE.read(PRODUCT_ID, chosen, PageRequest(context.page_size))
    pages = [page for chosen in filters for page in _pages(answers, chosen, context.page_size)]
    return SeasonFigures(page_size=context.page_size, pages=tuple(pages))


def _pages(answers: CommentAnswers, chosen: CommentFilter, size: int) -> Iterator[EstimatedPage]:
    positions = [Position(place) for place in answers.places(chosen)]
    for page in sampled(len(positions), size=size):
        behind, expected = cut(positions, page=page, size=size)
        request = PageRequest(size, behind)
        read, costs = cost_of(partial(SITE.read, PRODUCT_ID, chosen, request))
        require_answer(read, expected, name=f"page {page} of {chosen}")
        yield EstimatedPage(
            languages=chosen.languages,
            ratings=chosen.ratings,
            page=page,
            plan=read.plan,
            rounds=read.page.rounds,
            fell_back=read.page.fell_back,
            capacity_units=costs[UNLABELLED].capacity_units if UNLABELLED in costs else 0.0,
            estimate=read.estimate,
        )
