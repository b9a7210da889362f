"""EXPLAIN: how a page was read, what it cost, and what it would have cost another way."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from dynapages.calls.meter import UNLABELLED, Meter
from dynapages.items import UNITS_PER_BLOCK, blocks_of, item_bytes
from dynapages.lists.merging import Entry
from dynapages.lists.reader import Page, RunRead


@dataclass(frozen=True, slots=True)
class QueryLine:
    """What reading one run cost; ``rounds`` is how many times it was queried."""

    index: str
    key: str
    rounds: int
    items_read: int
    items_returned: int
    capacity_units: float


@dataclass(frozen=True, slots=True)
class OtherLine:
    """The calls a page made beside its list, under one label."""

    name: str
    calls: int
    capacity_units: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """A plan that was not chosen, and its expected cost; None when it would find nothing."""

    plan: str
    estimated_capacity_units: float | None


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted of a list: items of its table, and those to read of each partition by rule.

    Without ``item_bytes``, their mean size, that of the page's items is taken.
    """

    total: int
    by_rule: tuple[int, ...] = ()
    item_bytes: float | None = None


SCAN, RULES = "scan", "rules"


@dataclass(frozen=True, slots=True)
class Computed:
    """What another design would read, as computed; ``partitions`` is 0 for a whole table."""

    design: str
    items: int
    capacity_units: float
    partitions: int = 0


def computed_costs(counted: Counted, item_bytes: float, *, units: float) -> tuple[Computed, ...]:
    """Compute the cost in other designs, eventually consistent, of a page of so many ``units``.

    A Scan with a filter reads a table of at least the items counted for each page, and is omitted
    where those do not take more. The rules are those of part 2 of "Efficient filtering with
    DynamoDB": of each partition they read a page and one item more.
    """
    least = UNITS_PER_BLOCK * blocks_of(counted.total * item_bytes)
    found = [Computed(SCAN, counted.total, least)] if least > units else []
    if reads := counted.by_rule:
        blocks = sum(max(blocks_of(read * item_bytes), 1) for read in reads)
        found.append(Computed(RULES, sum(reads), UNITS_PER_BLOCK * blocks, len(reads)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Total:
    """What a whole page has read: its list, and everything beside it.

    ``milliseconds`` is the time until the explanation was made; it counts in no comparison.
    """

    calls: int
    rounds: int
    capacity_units: float
    milliseconds: float = field(default=0.0, compare=False)

    @property
    def dollars(self) -> float:
        """What a million such pages cost, in US dollars."""
        return prices().reads(self.capacity_units)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a page of a list was read.

    The figures do not include the calls in ``other``; those of ``total`` do. ``merged_from`` has,
    for each item shown, the number of its query, from 0, and ``places`` its place in the list.
    ``mean_item_bytes`` is None for an empty page. ``fell_back`` is true when queries without a
    filter continued one that found too little; ``was_cut`` when the page is short because its units
    were spent.
    """

    plan: str
    queries: tuple[QueryLine, ...]
    rounds: int
    items_returned: int
    items_read: int
    capacity_units: float
    mean_item_bytes: int | None
    total: Total
    merged_from: tuple[int, ...] = ()
    places: tuple[str, ...] = ()
    fell_back: bool = False
    was_cut: bool = False
    estimated_capacity_units: float | None = None
    other: tuple[OtherLine, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    computed: tuple[Computed, ...] = ()

    @property
    def expected_of_others(self) -> float | None:
        """The lowest cost expected of another plan, in capacity units; None without one."""
        others = [other.estimated_capacity_units for other in self.alternatives]
        known = [units for units in others if units is not None]
        return None if self.estimated_capacity_units is None else min(known, default=None)

    @property
    def passes_over_cheaper(self) -> bool:
        """Whether a plan with a lower expected cost was not chosen."""
        chosen, other = self.estimated_capacity_units, self.expected_of_others
        return chosen is not None and other is not None and other < chosen

    @property
    def summary(self) -> str:
        """One line, such as ``4 queries on by_rating, 1 round, 6 capacity units``."""
        indexes = " and ".join(dict.fromkeys(query.index for query in self.queries))
        return (
            f"{_count(len(self.queries), 'query', 'queries')} on {indexes or self.plan}, "
            f"{_count(self.rounds, 'round', 'rounds')}, "
            f"{_count(self.capacity_units, 'capacity unit', 'capacity units')}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as ``explain --json`` prints them."""
        figures = asdict(self)
        del figures["merged_from"], figures["places"]
        figures["other"] = {
            line.name: {"calls": line.calls, "capacity_units": line.capacity_units}
            for line in self.other
        }
        return figures


@dataclass(frozen=True, slots=True)
class ReadsOfPage:
    """What a page without a list has read, or in ``total`` alone what any page has."""

    total: Total
    other: tuple[OtherLine, ...] = ()


def explain_reads(meter: Meter | None) -> ReadsOfPage:
    """Return what a page without a list has read, by its meter."""
    if meter is None:
        return ReadsOfPage(Total(0, 0, 0))
    return ReadsOfPage(metered_total(meter), _other(meter))


def explain(
    page: Page,
    *,
    plan: str,
    meter: Meter | None = None,
    estimated_capacity_units: float | None = None,
    alternatives: Sequence[Alternative] = (),
    counted: Counted | None = None,
    hides: Callable[[Entry], bool] = lambda _entry: False,
) -> Explanation:
    """Return how a page was read.

    With its meter, also what was read beside the list; with counts, what other designs would cost.
    The places of entries that the page ``hides`` from its visitor are empty.
    """
    sizes = [item_bytes(entry.stored) for entry in page.entries]
    units = page.capacity_units
    computed: tuple[Computed, ...] = ()
    if counted and sizes and units:  # an engine may meter nothing
        mean = counted.item_bytes or sum(sizes) / len(sizes)
        # In two digits, so that a page that is shown again has the same explanation.
        computed = computed_costs(counted, float(f"{mean:.2g}"), units=units)
    numbers = {id(read.run): number for number, read in enumerate(page.reads)}
    return Explanation(
        plan=plan,
        queries=tuple(_line(read) for read in page.reads),
        rounds=page.rounds,
        items_returned=len(page.entries),
        items_read=sum(read.items_read for read in page.reads),
        capacity_units=units,
        mean_item_bytes=round(sum(sizes) / len(sizes)) if sizes else None,
        total=metered_total(meter) if meter else total_of(page),
        merged_from=tuple(numbers[id(entry.run)] for entry in page.entries),
        places=tuple("" if hides(entry) else entry.position.place for entry in page.entries),
        fell_back=page.fell_back,
        was_cut=page.cut_at is not None,
        estimated_capacity_units=estimated_capacity_units,
        other=_other(meter) if meter else (),
        alternatives=tuple(alternatives),
        computed=computed,
    )


def _line(read: RunRead) -> QueryLine:
    return QueryLine(
        index=read.run.index.name or read.run.index.table,
        key=read.run.label,
        rounds=read.rounds,
        items_read=read.items_read,
        items_returned=read.items_returned,
        capacity_units=read.capacity_units,
    )


def metered_total(meter: Meter) -> Total:
    """Return what a page has read so far, by its meter."""
    return Total(meter.calls, meter.rounds, meter.units, meter.milliseconds)


def total_of(page: Page) -> Total:
    """Return what the queries of a page's list have read, and nothing beside them."""
    return Total(sum(read.rounds for read in page.reads), page.rounds, page.capacity_units)


def _other(meter: Meter) -> tuple[OtherLine, ...]:
    return tuple(
        OtherLine(label, meter.calls_of(label), meter.units_of(label))
        for label in meter.labels()
        if label != UNLABELLED
    )


def _count(number: float, one: str, many: str) -> str:
    return f"{number:,g} {one if number == 1 else many}"


MILLION = 1_000_000
CENT = 0.01
HALF_UP = 1e-9
"""Added before rounding, which would make $0.62 of $0.625."""
CENTS_BELOW = 10
"""Dollars: larger amounts are shown without cents."""
_FILE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million units, and for a gigabyte stored for a month."""

    region: str
    since: date
    source: str
    million_read_units: float
    million_write_units: float
    gigabyte_month: float

    def reads(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for reading so many units so many times."""
        return units * times * self.million_read_units / MILLION

    def writes(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for writing so many units so many times."""
        return units * times * self.million_write_units / MILLION


@lru_cache(maxsize=1)
def prices() -> Prices:
    """Return the prices of the file."""
    import tomllib  # noqa: PLC0415 - a program that shows no prices need not wait for it

    return Prices(**tomllib.loads(_FILE.read_text()))


def dollars(amount: float) -> str:
    """Format an amount in English, such as ``$0.25``, ``$12``, ``$1,250`` and ``under $0.01``."""
    if 0 < amount < CENT:
        return "under $0.01"
    return f"${amount + HALF_UP:,.{decimal_places(amount)}f}"


def decimal_places(amount: float) -> int:
    """Return how many decimal places of an amount are shown: cents only below ten dollars."""
    return 2 if amount < CENTS_BELOW else 0
