"""The planner: what each way to read a list would cost in capacity units, and which is cheapest.

A *candidate* is a set of runs that together hold the list, each with two counts: its items in all,
and those that belong to the list. Where the counts differ, the other items are read, charged for,
and dropped by a FilterExpression. The counts yield how many items of each run come before the end
of the page; the mean item size yields how many 4 KB blocks they fill. An eventually consistent
Query costs half a capacity unit for each started block ("Capacity consumption for Query
operations" of the Developer Guide).

The limit of a run's first read is a wager: its expected share of the page is cheap but often falls
short, and a second round must then be paid for and waited for. `_wager` returns the limit of least
expected cost.

Counts may be wrong, and items unevenly spread over time. That changes the cost only, which a budget
bounds (see `dynamo.lists.merging.Fallback`): the reader's merge is exact whatever the counts are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, erfc, inf, isfinite, sqrt

from dynamo.lists.runs import Run

BLOCK = 4_096
"""Bytes that half a capacity unit reads, eventually consistent."""
UNITS_PER_BLOCK = 0.5
TOP_UP = 0.75
"""The price of a second round for a run: half a capacity unit, and a quarter for the wait."""
EFFORT = 0.003
"""The price of transferring an item: without one, items that cost nothing would be read too."""
_WIDTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run, the number of its items, and of those that belong to the list."""

    run: Run
    total: int
    matching: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to read a list. ``item_bytes`` is the mean item size of its index."""

    name: str
    runs: tuple[CountedRun, ...]
    item_bytes: float

    @property
    def drops(self) -> bool:
        """Whether items are read that do not belong to the list."""
        return any(counted.total > counted.matching for counted in self.runs)


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """A candidate's runs that are not empty, the limits of their first reads, the expected cost.

    ``skipped`` are the runs whose count is zero. ``capacity_units`` is infinite when the candidate
    holds items of which none belong to the list.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...]
    skipped: tuple[Run, ...]
    capacity_units: float

    @property
    def filters(self) -> bool:
        """Whether its queries have a FilterExpression."""
        return any(run.keep for run in self.runs)

    @property
    def estimate(self) -> float | None:
        """The expected capacity units for display, None where they are infinite."""
        return round(self.capacity_units, 2) if isfinite(self.capacity_units) else None


def cheapest(plans: Sequence[PricedPlan]) -> PricedPlan:
    """Return the plan of least expected cost, then of fewest queries, then without a filter."""
    return min(plans, key=lambda plan: (plan.capacity_units, len(plan.runs), plan.filters))


def price(candidate: Candidate, *, needed: int) -> PricedPlan:
    """Return a candidate's plan for a page of ``needed`` items, the look-ahead included."""
    held = [counted for counted in candidate.runs if counted.total > 0]
    skipped = tuple(counted.run for counted in candidate.runs if counted.total <= 0)
    total = sum(counted.total for counted in held)
    matching = sum(max(counted.matching, 0) for counted in held)
    wagers = [
        _wager(
            needed=needed,
            share=counted.total / total,
            selectivity=min(matching / total, 1.0),
            most=_most(counted, needed=needed, drops=candidate.drops),
            item_bytes=round(candidate.item_bytes),
        )
        for counted in held
        if matching
    ]
    hopeless = bool(held) and not matching
    return PricedPlan(
        name=candidate.name,
        runs=tuple(counted.run for counted in held) if not hopeless else (),
        first_reads=tuple(limit for limit, _ in wagers),
        skipped=skipped,
        capacity_units=inf if hopeless else sum(units for _, units in wagers),
    )


def _most(counted: CountedRun, *, needed: int, drops: bool) -> int:
    # A limit of one more than the run's items is enough to read its end as well.
    return min(counted.total + 1, counted.total + 1 if drops else needed)


@lru_cache(maxsize=4_096)
def _wager_of(
    *, needed: int, share_permille: int, selectivity_permille: int, most: int, item_bytes: int
) -> tuple[int, float]:
    """Return the limit of least expected cost for a run, and its expected capacity units.

    With N items read in all until ``needed`` match, N is about normal with the mean and
    variance of a negative binomial; a run's part of it is binomial within that.
    """
    share, selectivity = share_permille / 1000, selectivity_permille / 1000
    mean_all, variance_all = needed / selectivity, needed * (1 - selectivity) / selectivity**2
    mean = mean_all * share
    deviation = sqrt(mean_all * share * (1 - share) + share**2 * variance_all)

    def expected(limit: int) -> float:
        units = UNITS_PER_BLOCK * max(ceil(limit * item_bytes / BLOCK), 1)
        return units + TOP_UP * _falls_short(limit, mean, deviation, most)

    limits = {ceil(mean + width * deviation) + 1 for width in _WIDTHS}
    per_block = max(int(BLOCK // item_bytes), 1)
    limits |= {per_block * ceil(limit / per_block) for limit in limits} | {most}
    offers = {max(1, min(limit, most)) for limit in limits}
    best = min(sorted(offers), key=lambda limit: expected(limit) + EFFORT * limit)
    return best, expected(best)


def _wager(
    *, needed: int, share: float, selectivity: float, most: int, item_bytes: int
) -> tuple[int, float]:
    return _wager_of(
        needed=needed,
        share_permille=max(round(share * 1000), 1),
        selectivity_permille=max(round(selectivity * 1000), 1),
        most=most,
        item_bytes=item_bytes,
    )


def _falls_short(limit: int, mean: float, deviation: float, most: int) -> float:
    """Return the probability that ``limit`` items or more of a run come before the page's end."""
    if limit >= most:
        return 0.0
    if not deviation:
        return 1.0 if mean >= limit else 0.0
    return erfc((limit - 0.5 - mean) / (deviation * sqrt(2))) / 2
