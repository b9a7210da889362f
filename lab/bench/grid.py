"""``bench grid``: every set of ratings with a dozen sets of languages, read by each reader.

Of each of these 31 by 12 lists up to three pages are read, and compared with the right answer.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from statistics import fmean, median, quantiles

from django.conf import settings

from comments.filters import RATINGS, CommentFilter
from dynapages.calls import UNLABELLED, metered
from dynapages.django.options import Progress
from dynapages.lists import PageRequest
from lab.bench.data import PRODUCT_ID, CommentAnswers
from lab.bench.readers import PLANNER, READERS, RULES, Reader, cut_page
from lab.report import Limit, Section, Table

LANGUAGE_SETS = (
    *((), ("en",), ("de",), ("fr",), ("es",), ("it",), ("pt",)),
    *(("de", "en"), ("es", "fr"), ("de", "en", "fr"), ("es", "it", "nl", "pt")),
    ("de", "it", "ja", "nl", "pt"),
)
MOST_OF_RULES, MOST_OF_MEDIAN, MOST_OF_PERCENTILE = 0.5, 2.0, 3.2


@dataclass(frozen=True, slots=True)
class PageCost:
    """What one page of a list with so many chosen languages cost; 0 languages are any."""

    languages: int
    capacity_units: float
    items_read: int
    rounds: int


def grid() -> Iterator[CommentFilter]:
    """Yield the filters: of each set of languages first the one for all ratings."""
    for languages in LANGUAGE_SETS:
        for size in range(len(RATINGS), 0, -1):
            for ratings in combinations(RATINGS, size):
                yield CommentFilter.of(languages, ratings)


def measure_grid(
    answers: CommentAnswers, filters: Sequence[CommentFilter], *, progress: Progress
) -> Section:
    """Read pages of every list with every reader. Raises WrongAnswer."""
    size = settings.PAGE_SIZE
    for chosen in filters:  # the planner learns sizes from what it reads
        PLANNER.read(PRODUCT_ID, chosen, PageRequest(size))
    costs: dict[str, list[PageCost]] = defaultdict(list)
    with progress.step("Reading the grid", total=len(filters), unit="") as advance:
        for chosen in filters:
            for reader in READERS:
                costs[reader.name] += _read_pages(reader, answers, chosen)
            advance(1)
    return _section(costs, lists=len(filters), size=size)


def _read_pages(
    reader: Reader, answers: CommentAnswers, chosen: CommentFilter
) -> Iterator[PageCost]:
    """Read the first page of a list, and those at one and two thirds of it."""
    size = settings.PAGE_SIZE
    positions = answers.positions(chosen)
    last = max(ceil(len(positions) / size), 1)
    for number in sorted({1, 1 + last // 3, 1 + 2 * last // 3}):
        request, sort_keys = cut_page(positions, page=number, size=size)
        with metered() as meter:
            read = reader.read(PRODUCT_ID, chosen, request)
        read.require(sort_keys, name=f"page {number} of {chosen} by “{reader.name}”")
        # Without the counts: they are half a unit, which the page needs anyway.
        calls = meter.labelled(UNLABELLED)
        yield PageCost(
            languages=len(chosen.languages),
            capacity_units=sum(call.amazon_units for call in calls),
            items_read=sum(call.items_read for call in calls),
            rounds=read.page.rounds,
        )


def _section(costs: dict[str, list[PageCost]], *, lists: int, size: int) -> Section:
    rows = []
    for what, field in (
        ("capacity units", "capacity_units"),
        ("items read", "items_read"),
        ("rounds", "rounds"),
    ):
        for reader, pages in costs.items():
            values = [getattr(page, field) for page in pages]
            rows.append((what, reader, *_distribution(values)))
    units = [page.capacity_units for page in costs[PLANNER.name]]
    rules_units = [page.capacity_units for page in costs[RULES.name]]
    unfiltered = units[0]
    descriptions = [f"“{reader.name}” reads {reader.description}." for reader in READERS]
    return Section(
        "Every set of ratings with a dozen sets of languages",
        [" ".join(descriptions)],
        [
            Table(
                f"What {len(units):,} pages of {size} from {lists} lists cost",
                ("of a page", "reader", "mean", "95 %", "most"),
                rows,
            ),
            _table_by_languages(costs[PLANNER.name]),
        ],
        [
            Limit("mean ÷ mean of the rules", MOST_OF_RULES, fmean(units) / fmean(rules_units)),
            Limit("median ÷ an unfiltered page", MOST_OF_MEDIAN, median(units) / unfiltered),
            Limit(
                "95 % ÷ an unfiltered page",
                MOST_OF_PERCENTILE,
                percentile_95(units) / unfiltered,
            ),
        ],
    )


def _table_by_languages(pages: Sequence[PageCost]) -> Table:
    by_languages: dict[int, list[float]] = defaultdict(list)
    for page in pages:
        by_languages[page.languages].append(page.capacity_units)
    rows = []
    for languages, units in sorted(by_languages.items()):
        rows.append((str(languages or "any"), len(units), *_distribution(units)))
    return Table(
        "The planner's capacity units by how many languages are chosen",
        ("languages", "pages", "mean", "95 %", "most"),
        rows,
    )


def _distribution(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean, the 95th percentile and the most of some values."""
    return round(fmean(values), 2), round(percentile_95(values), 2), max(values)


def percentile_95(values: Sequence[float]) -> float:
    """Return the 95th percentile of at least one value."""
    if len(values) == 1:
        return values[0]
    return quantiles(values, n=20, method="inclusive")[-1]
