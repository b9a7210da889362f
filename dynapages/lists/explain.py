"""EXPLAIN: how a page was read, what it cost, and what it would have cost another way.

`explain` returns the `Explanation` of a page of a list, `explain_reads` that of a page without one,
and `computed_costs` what other designs would read.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dynapages.calls.meter import UNLABELLED, Meter, Total, quantity
from dynapages.items import UNITS_PER_BLOCK, blocks_of, item_bytes
from dynapages.lists.merging import Entry
from dynapages.lists.reader import Page, RunRead

SCAN = "scan"
RULES = "rules"
"""The designs that a list is compared with: a Scan, and one partition for each rule."""


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
    """The calls that a page made for something else than its list, under one label."""

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
    costs = []
    scan_units = UNITS_PER_BLOCK * blocks_of(counted.total * item_bytes)
    if scan_units > units:
        costs.append(Computed(SCAN, counted.total, scan_units))
    if counted.by_rule:
        items = sum(counted.by_rule)
        # A Query costs a block even if it finds nothing.
        blocks = sum(max(blocks_of(read * item_bytes), 1) for read in counted.by_rule)
        partitions = len(counted.by_rule)
        costs.append(Computed(RULES, items, UNITS_PER_BLOCK * blocks, partitions))
    return tuple(costs)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a page of a list was read.

    The figures do not include the calls in ``other``; those of ``total`` do. ``merged_from`` has,
    for each item shown, the number of its query, from 0, and ``places`` its place in the list.
    ``mean_item_bytes`` is None for an empty page. ``fell_back`` is true when queries without a
    filter continued one that brought too little; ``was_cut`` when the page is short because its
    units were spent.
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
        if self.estimated_capacity_units is None:
            return None
        expected = []
        for alternative in self.alternatives:
            if alternative.estimated_capacity_units is not None:
                expected.append(alternative.estimated_capacity_units)
        return min(expected, default=None)

    @property
    def passes_over_cheaper(self) -> bool:
        """Whether a plan with a lower expected cost was not chosen."""
        chosen = self.estimated_capacity_units
        other = self.expected_of_others
        return chosen is not None and other is not None and other < chosen

    @property
    def summary(self) -> str:
        """One line, such as ``4 queries on by_rating, 1 round, 6 capacity units``."""
        indexes = " and ".join(dict.fromkeys(query.index for query in self.queries))
        return (
            f"{quantity(len(self.queries), 'query', 'queries')} on {indexes or self.plan}, "
            f"{quantity(self.rounds, 'round', 'rounds')}, "
            f"{quantity(self.capacity_units, 'capacity unit', 'capacity units')}"
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
    """What a page without a list has read; its ``total`` alone is there for any page."""

    total: Total
    other: tuple[OtherLine, ...] = ()


def explain_reads(meter: Meter | None) -> ReadsOfPage:
    """Return what a page without a list has read, by its meter."""
    if meter is None:
        return ReadsOfPage(Total(0, 0, 0))
    return ReadsOfPage(meter.total, _other(meter))


def explain(
    page: Page,
    *,
    plan: str,
    meter: Meter | None = None,
    estimated_capacity_units: float | None = None,
    alternatives: Sequence[Alternative] = (),
    counted: Counted | None = None,
    hides: Callable[[Entry], bool] | None = None,
) -> Explanation:
    """Return how a page was read.

    With its meter, also what was read for all else; with counts, what other designs would cost.
    The places of entries that the page ``hides`` from its visitor are empty.
    """
    units = page.capacity_units
    mean = _mean_bytes(page.entries)
    computed: tuple[Computed, ...] = ()
    if counted and mean is not None and units:  # an engine may meter nothing
        # In two digits, so that a page that is shown again has the same explanation.
        rounded_bytes = float(f"{counted.item_bytes or mean:.2g}")
        computed = computed_costs(counted, rounded_bytes, units=units)
    queries = []
    number_of = {}
    for number, read in enumerate(page.reads):
        queries.append(_line(read))
        number_of[id(read.run)] = number  # by identity: two runs may be equal
    merged_from = []
    places = []
    for entry in page.entries:
        merged_from.append(number_of[id(entry.run)])
        is_hidden = hides is not None and hides(entry)
        places.append("" if is_hidden else entry.position.place)
    total = total_of(page)
    other: tuple[OtherLine, ...] = ()
    if meter is not None:
        total = meter.total
        other = _other(meter)
    return Explanation(
        plan=plan,
        queries=tuple(queries),
        rounds=page.rounds,
        items_returned=len(page.entries),
        items_read=sum(query.items_read for query in queries),
        capacity_units=units,
        mean_item_bytes=None if mean is None else round(mean),
        total=total,
        merged_from=tuple(merged_from),
        places=tuple(places),
        fell_back=page.fell_back,
        was_cut=page.cut_at is not None,
        estimated_capacity_units=estimated_capacity_units,
        other=other,
        alternatives=tuple(alternatives),
        computed=computed,
    )


def with_counting(explanation: Explanation, counting: Meter) -> Explanation:
    """Return an explanation with the calls that counted the list, made while the page was read."""
    page = explanation.total
    total = Total(
        calls=page.calls + counting.calls,
        rounds=max(page.rounds, counting.rounds),
        capacity_units=page.capacity_units + counting.units,
        milliseconds=page.milliseconds,
    )
    return replace(explanation, total=total, other=explanation.other + _other(counting))


def _mean_bytes(entries: Sequence[Entry]) -> float | None:
    """Return the mean size of the items as they are stored; None without any."""
    if not entries:
        return None
    return sum(item_bytes(entry.stored) for entry in entries) / len(entries)


def _line(read: RunRead) -> QueryLine:
    return QueryLine(
        index=read.run.index.name or read.run.index.table,
        key=read.run.label,
        rounds=read.rounds,
        items_read=read.items_read,
        items_returned=read.items_returned,
        capacity_units=read.capacity_units,
    )


def total_of(page: Page) -> Total:
    """Return what the queries of a page's list have read, and nothing else."""
    return Total(sum(read.rounds for read in page.reads), page.rounds, page.capacity_units)


def _other(meter: Meter) -> tuple[OtherLine, ...]:
    """Return the calls that a page labelled: those for something else than its list."""
    lines = []
    for label in meter.labels():
        if label != UNLABELLED:
            lines.append(OtherLine(label, meter.calls_of(label), meter.units_of(label)))
    return tuple(lines)
