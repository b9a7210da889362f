"""Every set of ratings with a dozen sets of languages, read by each of the readers.

Of each of these 31 by 12 lists up to three pages are read, and compared with the right answer; the
first one is timed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import ceil

from comments.filters import RATINGS, CommentFilter
from dynamo.calls.meter import UNLABELLED
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.context import BenchContext, delayed
from lab.bench.pages import cost_of, cut, require_answer
from lab.bench.readers import READERS, SITE, Reader
from lab.bench.timing import time_in_turns
from lab.reports.bench_figures import GridFigures, ListFigures, PageCost, ReadFigures
from lab.reports.figures import Cost

LANGUAGE_SETS = (
    *((), ("en",), ("de",), ("fr",), ("es",), ("it",), ("pt",)),
    *(("de", "en"), ("es", "fr"), ("de", "en", "fr"), ("es", "it", "nl", "pt")),
    ("de", "it", "ja", "nl", "pt"),
)
RATING_SETS = tuple(
    chain.from_iterable(combinations(RATINGS, size) for size in range(1, len(RATINGS) + 1))
)
DELAY_MS = 10
WARM_UP = 1


def grid(*, language_sets: Sequence[tuple[str, ...]] = LANGUAGE_SETS) -> Iterator[CommentFilter]:
    """Yield the filters, the empty one first."""
    for languages in language_sets:
        for ratings in reversed(RATING_SETS):
            yield CommentFilter.of(languages, ratings)


def measure_grid(
    context: BenchContext, answers: CommentAnswers, filters: Sequence[CommentFilter], *, turns: int
) -> GridFigures:
    """Measure every list with every reader. Raises WrongAnswer and EngineError."""
    request = PageRequest(context.page_size)
    for chosen in filters:  # the planner learns sizes from what it reads
        SITE.read(PRODUCT_ID, chosen, request)
    found = _read_all(context, answers, filters)
    actions = {
        (chosen, reader.name): partial(reader.read, PRODUCT_ID, chosen, request)
        for chosen in filters
        for reader in READERS
    }
    at_once = _time(context, actions, turns=turns, label="Timing the grid")
    with delayed(DELAY_MS / 1000):
        late = _time(context, actions, turns=turns, label="Timing it with a delay")
    return GridFigures(
        page_size=context.page_size,
        turns=turns,
        delay_ms=DELAY_MS,
        readers={reader.name: reader.about for reader in READERS},
        lists=tuple(
            ListFigures(
                languages=chosen.languages,
                ratings=chosen.ratings,
                matching=len(answers.places(chosen)),
                by_reader={
                    reader.name: ReadFigures(
                        pages=found[chosen, reader.name],
                        ms=at_once[chosen, reader.name],
                        delayed_ms=late[chosen, reader.name],
                    )
                    for reader in READERS
                },
            )
            for chosen in filters
        ),
    )


Key = tuple[CommentFilter, str]
"""A list and the name of a reader."""


def _read_all(
    context: BenchContext, answers: CommentAnswers, filters: Sequence[CommentFilter]
) -> dict[Key, tuple[PageCost, ...]]:
    costs: dict[Key, tuple[PageCost, ...]] = {}
    with context.progress.step("Reading the grid", total=len(filters), unit="") as advance:
        for chosen in filters:
            positions = [Position(place) for place in answers.places(chosen)]
            for reader in READERS:
                costs[chosen, reader.name] = tuple(
                    _read(reader, chosen, positions, page=page, size=context.page_size)
                    for page in sampled(len(positions), size=context.page_size)
                )
            advance(1)
    return costs


def sampled(items: int, *, size: int) -> list[int]:
    """Return the numbers of the first page, and of those at one and two thirds of the list."""
    last = max(ceil(items / size), 1)
    return sorted({1, 1 + last // 3, 1 + 2 * last // 3})


def _read(
    reader: Reader, chosen: CommentFilter, positions: Sequence[Position], *, page: int, size: int
) -> PageCost:
    behind, expected = cut(positions, page=page, size=size)
    read, costs = cost_of(partial(reader.read, PRODUCT_ID, chosen, PageRequest(size, behind)))
    require_answer(read, expected, name=f"page {page} of {chosen} by “{reader.name}”")
    return PageCost(
        page=page,
        plan=read.plan,
        rounds=read.page.rounds,
        list_cost=costs.pop(UNLABELLED, Cost()),
        other_cost=sum(costs.values(), Cost()),
    )


def _time(
    context: BenchContext, actions: Mapping[Key, Callable[[], object]], *, turns: int, label: str
) -> dict[Key, float]:
    with context.progress.step(label, total=turns + WARM_UP, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=WARM_UP, after_turn=advance)
    return {key: timing.median_ms for key, timing in times.items()}
