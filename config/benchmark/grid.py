"""Every set of ratings with a dozen sets of languages, read by each of the readers.

Of each of these 31 by 12 lists the first page is read, and compared with the right answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, combinations
from typing import Any

from comments.filters import RATINGS, CommentFilter
from config.benchmark.comment_data import PRODUCT_ID, CommentAnswers
from config.benchmark.costs import Cost, cost_of
from config.benchmark.grounds import Stage, connected_to
from config.benchmark.pages import require_answer
from config.benchmark.proxy import delayed
from config.benchmark.readers import READERS, SITE, Reader
from config.benchmark.timing import time_in_turns
from dynamo.meter import UNLABELLED
from dynamo.reader import PageRequest

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
class ReadFigures:
    """What one reader needed for one list; ``delayed_ms`` is with every call delayed."""

    plan: str
    rounds: int
    list_cost: Cost
    other_cost: Cost
    ms: float
    delayed_ms: float

    @property
    def delay_a_round(self) -> float:
        """How much the delay added for each time the reader had to wait for calls."""
        return (self.delayed_ms - self.ms) / (self.rounds + self.other_cost.calls)


@dataclass(frozen=True, slots=True)
class ListFigures:
    """One list, and what each reader, by name, needed for its first page."""

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

    def of(self, reader: str, figure: Callable[[ReadFigures], float]) -> list[float]:
        """Give one figure of a reader for every list."""
        return [figure(one.by_reader[reader]) for one in self.lists]

    @property
    def unfiltered_units(self) -> float:
        """The capacity units of the first page without any filter."""
        return self.lists[0].by_reader[SITE.name].list_cost.capacity_units

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
    found = {
        (chosen, reader.name): _read(reader, chosen, request, answers)
        for chosen in filters
        for reader in READERS
    }
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
                        **found[chosen, reader.name],
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


def _read(
    reader: Reader, chosen: CommentFilter, request: PageRequest, answers: CommentAnswers
) -> dict[str, Any]:
    read, costs = cost_of(partial(reader.read, PRODUCT_ID, chosen, request))
    require_answer(read, answers.places(chosen)[: request.size], name=f"{chosen} by {reader.name}")
    return {
        "plan": read.plan,
        "rounds": read.page.rounds,
        "list_cost": costs.pop(UNLABELLED, Cost()),
        "other_cost": sum(costs.values(), Cost()),
    }


def _time(
    stage: Stage, actions: Mapping[Key, Callable[[], object]], *, turns: int, label: str
) -> dict[Key, float]:
    with stage.progress.step(label, total=turns + WARM_UP, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=WARM_UP, after_turn=advance)
    return {key: timing.median_ms for key, timing in times.items()}
