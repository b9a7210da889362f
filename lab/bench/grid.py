"""Every set of ratings with a dozen sets of languages, read by each of the readers.

Of each of these 31 by 12 lists up to three pages are read, and compared with the right answer; the
first one is timed. One list in seven is read on comments whose languages and ratings drift.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import ceil
from statistics import mean, median

from comments.filters import RATINGS, CommentFilter
from dynapages.calls import UNLABELLED
from dynapages.lists import PageRequest, Position
from lab.bench.context import BenchContext, delayed, time_in_turns
from lab.bench.data import PRODUCT_ID, CommentAnswers
from lab.bench.pages import READERS, RULES, SITE, Reader, cost_of, cut, require_answer
from lab.reports.plots import Panel, Plot
from lab.reports.results import Cost, Results, Row, Value, percentile_95, rows
from lab.reports.tables import LAYOUTS, Section, section

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
ONE_IN = 7
"""One of so many lists of the grid is read where languages drift."""
ANY = "any"
PLOTTED = {
    "capacity_units": "capacity units",
    "ms": "milliseconds",
    "delayed_ms": "milliseconds, calls delayed",
}
FURTHEST = 5
"""The pages furthest above their estimates that are listed."""


def grid(*, language_sets: Sequence[tuple[str, ...]] = LANGUAGE_SETS) -> Iterator[CommentFilter]:
    """Yield the filters, the empty one first."""
    for languages in language_sets:
        for ratings in reversed(RATING_SETS):
            yield CommentFilter.of(languages, ratings)


def measure_grid(
    context: BenchContext,
    part: str,
    answers: CommentAnswers,
    filters: Sequence[CommentFilter],
    *,
    turns: int,
) -> Iterator[Row]:
    """Measure every list with every reader. Raises WrongAnswer and EngineError."""
    request = PageRequest(context.page_size)
    _learn(context, filters)
    yield from rows(part, {"page_size": context.page_size, "turns": turns, "delay_ms": DELAY_MS})
    for reader in READERS:
        yield Row(part, None, None, reader.name, "about", reader.about)
    with context.progress.step("Reading the grid", total=len(filters), unit="") as advance:
        for chosen in filters:
            about = {"languages": len(chosen.languages), "matching": len(answers.places(chosen))}
            yield from rows(part, about, list=_name(chosen))
            for reader in READERS:
                yield from _read_pages(part, answers, chosen, reader, size=context.page_size)
            advance(1)
    actions = {
        (chosen, reader.name): partial(reader.read, PRODUCT_ID, chosen, request)
        for chosen in filters
        for reader in READERS
    }
    yield from _time(context, part, "ms", actions, turns=turns, label="Timing the grid")
    with delayed(DELAY_MS / 1000):
        label = "Timing it with a delay"
        yield from _time(context, part, "delayed_ms", actions, turns=turns, label=label)


def measure_drift(
    context: BenchContext, part: str, answers: CommentAnswers, filters: Sequence[CommentFilter]
) -> Iterator[Row]:
    """Read up to three pages of each list as the site does. Raises WrongAnswer."""
    _learn(context, filters)
    yield from rows(part, {"page_size": context.page_size})
    for chosen in filters:
        yield from _read_pages(part, answers, chosen, SITE, size=context.page_size)


def _learn(context: BenchContext, filters: Sequence[CommentFilter]) -> None:
    """Read each list once: the planner learns sizes from what it reads."""
    for chosen in filters:
        SITE.read(PRODUCT_ID, chosen, PageRequest(context.page_size))


def _name(chosen: CommentFilter) -> str:
    """Return the name of a list: its languages and its ratings."""
    languages, ratings = ", ".join(chosen.languages), ", ".join(map(str, chosen.ratings))
    return f"{languages or ANY}; {ratings or ANY}"


def sampled(items: int, *, size: int) -> list[int]:
    """Return the numbers of the first page, and of those at one and two thirds of the list."""
    last = max(ceil(items / size), 1)
    return sorted({1, 1 + last // 3, 1 + 2 * last // 3})


def _read_pages(
    part: str, answers: CommentAnswers, chosen: CommentFilter, reader: Reader, *, size: int
) -> Iterator[Row]:
    """Read some pages of a list; ``ratio`` is what one cost by what was expected, 1 of nothing."""
    positions = [Position(place) for place in answers.places(chosen)]
    for page in sampled(len(positions), size=size):
        behind, expected = cut(positions, page=page, size=size)
        read, costs = cost_of(partial(reader.read, PRODUCT_ID, chosen, PageRequest(size, behind)))
        require_answer(read, expected, name=f"page {page} of {chosen} by “{reader.name}”")
        cost = costs.pop(UNLABELLED, Cost())
        found: dict[str, Value] = {
            "plan": read.plan,
            "rounds": read.page.rounds,
            "fell_back": read.page.fell_back,
            **cost.metrics(),
            **sum(costs.values(), Cost()).metrics("plan."),
            "estimate": read.estimate or 0,
            "ratio": cost.capacity_units / read.estimate if read.estimate else 1.0,
        }
        yield from rows(part, found, list=_name(chosen), page=page, reader=reader.name)


def _time(
    context: BenchContext,
    part: str,
    metric: str,
    actions: Mapping[tuple[CommentFilter, str], Callable[[], object]],
    *,
    turns: int,
    label: str,
) -> Iterator[Row]:
    """Time the first page of each list by each reader."""
    with context.progress.step(label, total=turns + WARM_UP, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=WARM_UP, after_turn=advance)
    for (chosen, reader), timing in times.items():
        yield Row(part, _name(chosen), 1, reader, metric, timing.median_ms)


def grid_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of the grid."""
    found = Results((*found, *_added_by_the_delay(found)))
    costs = found.where(reader=SITE.name, metric="capacity_units")
    units = costs.numbers("capacity_units")
    of_lists = {row.list: int(row.value) for row in found.where(metric="languages")}
    by_languages = sorted(costs, key=lambda row: of_lists[row.list])
    return section(
        "grid",
        found,
        notes=notes,
        plots=[_plot(found)],
        groups={
            "by_languages": Results(
                row._replace(list=str(of_lists[row.list] or ANY)) for row in by_languages
            )
        },
        abouts=" ".join(f"“{r.reader}” reads {r.value}." for r in found.where(metric="about")),
        pages=len(units),
        lists=len(of_lists),
        by_rules=mean(units) / mean(found.where(reader=RULES.name).numbers("capacity_units")),
        by_median=median(units) / units[0],
        by_p95=percentile_95(units) / units[0],
    )


def _added_by_the_delay(found: Results) -> Iterator[Row]:
    """Yield what the delay added for each time that a reader had to wait for calls."""
    for first in found.where(page=1).by("list", "reader").values():
        waits = first.number("rounds") + first.number("plan.requests")
        added = (first.number("delayed_ms") - first.number("ms")) / waits
        yield first[0]._replace(metric="delay_a_round", value=added)


def _plot(found: Results) -> Plot:
    """Show for each reader which share of the pages needs at most so much."""
    readers = {reader.name: found.where(reader=reader.name) for reader in READERS}
    return Plot(
        found[0].part,
        f"{LAYOUTS['grid']['title']}: capacity units and time by reader",
        (
            [
                Panel("shares", words, {n: ((), r.numbers(what)) for n, r in readers.items()})
                for what, words in PLOTTED.items()
            ],
        ),
        below="at most, for a page",
        left=("share of the pages",),
    )


def drift_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of the comments whose languages come and go."""
    units, ratios = found.numbers("capacity_units"), found.numbers("ratio")
    pages = [one for key, one in found.by("list", "page").items() if None not in key]
    furthest = sorted(pages, key=lambda one: -one.number("ratio"))[:FURTHEST]
    return section(
        "drift",
        found,
        notes=notes,
        groups={"furthest": Results(chain.from_iterable(furthest))},
        pages=len(units),
        fallen=sum(found.numbers("fell_back")),
        by_p95=percentile_95(units) / units[0],
        by_estimate=max(ratios),
    )
