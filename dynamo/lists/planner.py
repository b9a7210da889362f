"""The planner: what each way to read a list would cost, and which is cheapest.

A *candidate* is a set of runs that together hold the list, each with two counts: how many items
it holds in all, and how many of them belong to the list. Where these differ, the rest is read,
paid for, and dropped by a FilterExpression. From the counts follows how many items of each run
lie in front of the page's end; from the mean size of an item, how many 4 KB blocks that is. A
query costs half a unit for each started block, and never less than that half.

How much to ask of a run in the first round is a wager: asking for its expected share alone is
cheap and often falls short, and then a second round must be paid for and waited for. `_wager`
takes the limit of least expected cost.

The counts are expectations, not promises: items need not be spread evenly over time, and a
counter may be wrong. Whatever the planner believes, the reader's merge stays exact; only the
price changes, and a budget bounds that (see `dynamo.lists.reader.Fallback`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, erfc, inf, isfinite, sqrt

from dynamo.lists.runs import Run

BLOCK = 4_096
"""Bytes that half a read capacity unit pays for, eventually consistent."""
UNITS_PER_BLOCK = 0.5
TOP_UP = 0.75
"""What another round for a run is held to cost: its half unit, and a quarter for the wait."""
EFFORT = 0.003
"""What carrying one item is held to cost, so that nothing is read just because it is free."""
_WIDTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run with how many items it holds, and how many of those the list wants."""

    run: Run
    total: int
    matching: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to read a list. ``item_bytes`` is the mean size of an item of its index."""

    name: str
    runs: tuple[CountedRun, ...]
    item_bytes: float

    @property
    def drops(self) -> bool:
        """Whether items are read that the list does not want."""
        return any(counted.total > counted.matching for counted in self.runs)


@dataclass(frozen=True, slots=True)
class PricedPlan:
    """A candidate's runs that hold anything, what to ask of each first, and the expected cost.

    ``capacity_units`` is infinite when the candidate holds items but none that match.
    """

    name: str
    runs: tuple[Run, ...]
    first_reads: tuple[int, ...]
    skipped: tuple[Run, ...]
    capacity_units: float

    @property
    def filters(self) -> bool:
        """Whether its queries carry a FilterExpression."""
        return any(run.keep for run in self.runs)

    @property
    def estimate(self) -> float | None:
        """The expected cost to be shown, None where it is infinite: JSON has no word for that."""
        return round(self.capacity_units, 2) if isfinite(self.capacity_units) else None


def cheapest(plans: Sequence[PricedPlan]) -> PricedPlan:
    """Choose the least expected capacity, then the fewest queries, then one without a filter."""
    return min(plans, key=lambda plan: (plan.capacity_units, len(plan.runs), plan.filters))


def price(candidate: Candidate, *, needed: int) -> PricedPlan:
    """Price a candidate for a page of ``needed`` items (look-ahead included)."""
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
    """More than the whole run, and one to see its end, need never be asked for."""
    return min(counted.total + 1, counted.total + 1 if drops else needed)


@lru_cache(maxsize=4_096)
def _wager_of(
    *, needed: int, share_permille: int, selectivity_permille: int, most: int, item_bytes: int
) -> tuple[int, float]:
    """Give the limit of least expected cost for a run, and the units that are expected then.

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
    """Give the probability that a run has at least ``limit`` items in front of the page's end."""
    if limit >= most:
        return 0.0
    if not deviation:
        return 1.0 if mean >= limit else 0.0
    return erfc((limit - 0.5 - mean) / (deviation * sqrt(2))) / 2
