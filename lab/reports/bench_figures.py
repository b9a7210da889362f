"""What ``manage.py bench`` found, as data: its tables, plots and JSON are made of this."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from lab.reports.figures import Cost, Machine, Timing

TIMED = ("query", "list", "fragment", "page", "page_calls")
"""What is timed of a page; `lab.bench.pages` describes each."""
QUERY, LIST, FRAGMENT, PAGE, PAGE_CALLS = TIMED
RATIOS = ((LIST, QUERY), (FRAGMENT, QUERY), (PAGE, QUERY), (PAGE, PAGE_CALLS))
PLANNER, RULES = "planner", "rules"
"""Names of readers that the grid's table compares."""
UNFILTERED = "no filter"
RAW, COUNTED = "raw batches", "with counts"


def _shape(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object; a cost has ``calls``, and no bytes, which the meter does not count."""
    found = dict(pairs)
    if "response_bytes" not in found:
        return found
    return {"calls": found["requests"]} | {k: found[k] for k in ("items_read", "capacity_units")}


@dataclass(frozen=True, slots=True)
class Figures:
    """What one part of the benchmarks found."""

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as ``bench --json`` prints them."""
        return asdict(self, dict_factory=_shape)


@dataclass(frozen=True, slots=True)
class PageFigures(Figures):
    """One page of one list.

    ``list_cost`` is of the list's own reads, ``other_cost`` of what planning it read (counts),
    ``page_cost`` of the whole page. ``times`` are by what was timed.
    """

    list_name: str
    page: int
    plan: str
    runs: int
    items: int
    entry_bytes: int
    list_cost: Cost
    other_cost: Cost
    page_cost: Cost
    times: Mapping[str, Timing]

    def ratio(self, one: str, to: str) -> float:
        """Divide the median of one timing by that of another."""
        return round(self.times[one].median_ms / self.times[to].median_ms, 2)

    def as_dict(self) -> dict[str, Any]:
        ratios = {f"{one} / {to}": self.ratio(one, to) for one, to in RATIOS}
        return Figures.as_dict(self) | {"ratios": ratios}


@dataclass(frozen=True, slots=True)
class DepthFigures(Figures):
    """Pages of some lists at several depths."""

    page_size: int
    turns: int
    pages: tuple[PageFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        return Figures.as_dict(self) | {"pages": [page.as_dict() for page in self.pages]}


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
        """Milliseconds that the delay added for each time the reader had to wait for calls."""
        first = self.pages[0]
        return (self.delayed_ms - self.ms) / (first.rounds + first.other_cost.requests)


@dataclass(frozen=True, slots=True)
class ListFigures:
    """One list, and what each reader, by name, needed for it."""

    languages: tuple[str, ...]
    ratings: tuple[int, ...]
    matching: int
    by_reader: Mapping[str, ReadFigures]


@dataclass(frozen=True, slots=True)
class GridFigures(Figures):
    """All lists of the grid; ``readers`` describes each reader. The first list has no filter."""

    page_size: int
    turns: int
    delay_ms: int
    readers: Mapping[str, str]
    lists: tuple[ListFigures, ...]

    def of_lists(self, reader: str, figure: Callable[[ReadFigures], float]) -> list[float]:
        """Return one figure of a reader for every list."""
        return [figure(one.by_reader[reader]) for one in self.lists]

    def of_pages(self, reader: str, figure: Callable[[PageCost], float]) -> list[float]:
        """Return one figure of a reader for every page that was read."""
        return [figure(page) for one in self.lists for page in one.by_reader[reader].pages]


@dataclass(frozen=True, slots=True)
class EstimatedPage:
    """A page, its cost without the counts, and what it was expected to cost (None: nothing)."""

    languages: tuple[str, ...]
    ratings: tuple[int, ...]
    page: int
    plan: str
    rounds: int
    fell_back: bool
    capacity_units: float
    estimate: float | None

    @property
    def ratio(self) -> float:
        """The cost divided by the estimate; 1 where nothing was expected and nothing read."""
        return self.capacity_units / self.estimate if self.estimate else 1.0


@dataclass(frozen=True, slots=True)
class SeasonFigures(Figures):
    """Pages of lists on comments with seasons; the first has no filter."""

    page_size: int
    pages: tuple[EstimatedPage, ...]


@dataclass(frozen=True, slots=True)
class ThroughputFigures(Figures):
    """Pages a second, by the list: the median of the turns, of so many ``seconds`` each.

    ``megabytes`` of memory have all processes together, at the start and after so many ``varied``
    pages.
    """

    workers: int
    clients: int
    turns: int
    seconds: float
    per_second: Mapping[str, float]
    varied: int
    megabytes: tuple[float, float]

    def ratio(self, name: str) -> float:
        """Divide the rate of a list by that of the list without a filter."""
        return round(self.per_second[name] / self.per_second[UNFILTERED], 2)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratios": {name: self.ratio(name) for name in self.per_second}}


@dataclass(frozen=True, slots=True)
class ImportFigures(Figures):
    """Comments a second of each turn, loaded each way, some ``comments`` at a time."""

    comments: int
    turns: int
    per_second: dict[str, list[float]]

    @property
    def ratios(self) -> list[float]:
        """The rate with counts divided by the raw one, turn by turn."""
        pairs = zip(self.per_second[COUNTED], self.per_second[RAW], strict=True)
        return [round(counted / raw, 2) for counted, raw in pairs]

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratios": self.ratios, "ratio": self.ratio}


@dataclass(frozen=True, slots=True)
class Load:
    """How a file was loaded: ``seconds`` by the engine, after ``seconds_made`` of making it."""

    items: int
    seconds_made: float
    seconds: float
    megabytes: float

    @property
    def items_per_second(self) -> float:
        return self.items / self.seconds


@dataclass(frozen=True, slots=True)
class DataFigures:
    """A data set and how it was loaded."""

    name: str
    load: Load

    @property
    def sentence(self) -> str:
        load = self.load
        return (
            f"Data: {self.name}, {load.items:,} items, loaded by `dynoxide import` in "
            f"{load.seconds:.1f} s ({load.items_per_second:,.0f} items a second); "
            f"{load.megabytes:,.0f} MB with all indexes."
        )


@dataclass(frozen=True, slots=True)
class Part:
    """What was found, and on which data; None where the part makes its own."""

    figures: Figures
    data: DataFigures | None


@dataclass(frozen=True, slots=True)
class BenchFigures:
    """Everything a run found, by the names of its parts; ``skipped`` are those it could not run.

    Each of these has a sentence on what is missing.
    """

    machine: Machine
    parts: Mapping[str, Part]
    skipped: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as ``bench --json`` prints them."""
        return {
            "machine": asdict(self.machine),
            "parts": {
                name: {"data": asdict(part.data) if part.data else None, **part.figures.as_dict()}
                for name, part in self.parts.items()
            },
            "skipped": dict(self.skipped),
        }
