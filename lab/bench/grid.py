"""Every set of ratings with a dozen sets of languages, read by each of the readers.

Of each of these 31 by 12 lists some pages are read, and compared with the right answer; the first
one is timed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, combinations
from math import ceil
from typing import Any

from comments.filters import RATINGS, CommentFilter
from dynamo.calls.meter import UNLABELLED
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.costs import Cost, cost_of
from lab.bench.grounds import Stage, connected_to
from lab.bench.pages import cut, require_answer
from lab.bench.proxy import delayed
from lab.bench.readers import READERS, SITE, Reader
from lab.bench.timing import time_in_turns

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


@dataclass(frozen=True, slots=True)
class PageCost:
    """What a page cost a reader; ``other_cost`` is of reading the counts."""

    page: int
    plan: str
    rounds: int
    list_cost: Cost
    other_cost: Cost


@dataclass(frozen=True, slots=True)
class ReadFigures:
    """What one reader needed for one list: some pages, and the time of the first.

    ``delayed_ms`` is that with every call delayed.
    """

    pages: tuple[PageCost, ...]
    ms: float
    delayed_ms: float

    @property
    def delay_a_round(self) -> float:
        """How much the delay added for each time the reader had to wait for calls."""
        first = self.pages[0]
        return (self.delayed_ms - self.ms) / (first.rounds + first.other_cost.calls)


@dataclass(frozen=True, slots=True)
class ListFigures:
    """One list, and what each reader, by name, needed for it."""

    languages: tuple[str, ...]
    ratings: tuple[int, ...]
    matching: int
    by_reader: Mapping[str, ReadFigures]


@dataclass(frozen=True, slots=True)
class GridFigures:
    """All lists of the grid. The first one has no filter at all."""

    page_size: int
    turns: int
    delay_ms: int
    readers: Mapping[str, str]
    lists: tuple[ListFigures, ...]

    def of_lists(self, reader: str, figure: Callable[[ReadFigures], float]) -> list[float]:
        """Give one figure of a reader for every list."""
        return [figure(one.by_reader[reader]) for one in self.lists]

    def of_pages(self, reader: str, figure: Callable[[PageCost], float]) -> list[float]:
        """Give one figure of a reader for every page that was read."""
        return [figure(page) for one in self.lists for page in one.by_reader[reader].pages]

    @property
    def unfiltered_units(self) -> float:
        """The capacity units of the first page without any filter."""
        return self.lists[0].by_reader[SITE.name].pages[0].list_cost.capacity_units

    def as_dict(self) -> dict[str, Any]:
        """Give the figures of all lists."""
        return asdict(self)


def grid(*, language_sets: Sequence[tuple[str, ...]] = LANGUAGE_SETS) -> Iterator[CommentFilter]:
    """Give the filters, beginning with none."""
    for languages in language_sets:
        for ratings in reversed(RATING_SETS):
            yield CommentFilter.of(languages, ratings)


def measure_grid(
    stage: Stage, answers: CommentAnswers, filters: Sequence[CommentFilter], *, turns: int
) -> GridFigures:
    """Give the figures of every list. Raises WrongAnswer and EngineError."""
    request = PageRequest(stage.page_size)
    for chosen in filters:  # the planner learns sizes from what it reads
        SITE.read(PRODUCT_ID, chosen, request)
    found = _read_all(stage, answers, filters)
    actions = {
        (chosen, reader.name): partial(reader.read, PRODUCT_ID, chosen, request)
        for chosen in filters
        for reader in READERS
    }
    at_once = _time(stage, actions, turns=turns, label="Timing the grid")
    with delayed(stage.endpoint_url, seconds=DELAY_MS / 1000) as url, connected_to(url):
        late = _time(stage, actions, turns=turns, label="Timing it with a delay")
    return GridFigures(
        page_size=stage.page_size,
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
    stage: Stage, answers: CommentAnswers, filters: Sequence[CommentFilter]
) -> dict[Key, tuple[PageCost, ...]]:
    costs: dict[Key, tuple[PageCost, ...]] = {}
    with stage.progress.step("Reading the grid", total=len(filters), unit="") as advance:
        for chosen in filters:
            positions = [Position(place) for place in answers.places(chosen)]
            for reader in READERS:
                costs[chosen, reader.name] = tuple(
                    _read(reader, chosen, positions, page=page, size=stage.page_size)
                    for page in _sampled(len(positions), size=stage.page_size)
                )
            advance(1)
    return costs


def _sampled(items: int, *, size: int) -> list[int]:
    """Give the numbers of the first page, and of those at one and two thirds of the list."""
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
    stage: Stage, actions: Mapping[Key, Callable[[], object]], *, turns: int, label: str
) -> dict[Key, float]:
    with stage.progress.step(label, total=turns + WARM_UP, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=WARM_UP, after_turn=advance)
    return {key: timing.median_ms for key, timing in times.items()}
