"""The price of reading runs, in capacity units: how much to read of each, and what that costs.

Runs are priced by two counts of each: its items in all, and those that belong to the list. Where
these differ, the other items are read, charged for, and dropped. The counts yield how many items of
a run come before the end of the page; the mean item size yields how many 4 KB blocks they fill. An
eventually consistent Query costs half a capacity unit for each started block ("Capacity consumption
for Query operations" of the Developer Guide).
How much of a run is read first is `dynapages.lists.best_first_read`, for its two counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any, Generic, Protocol, TypeVar

from dynapages.lists import Filter, FirstRead, MeanSizes, best_first_read

SEASONS_RISK = 1.0
"""How the price of a run rises that drops what has seasons: by the square of the part it drops."""
BEYOND_ALL_LIMITS = 8
"""How many times what is needed and dropped: above every limit that is considered."""


class RunLike(Protocol):
    """What is read from one partition: a `Run`, or a `Part`, which builds one when it is chosen."""

    @property
    def keep(self) -> tuple[Filter, ...]: ...


AnyRun = TypeVar("AnyRun", bound=RunLike)


@dataclass(frozen=True, slots=True)
class CountedRun(Generic[AnyRun]):
    """A run, the number of its items, and of those that belong to the list.

    ``item_bytes`` is the mean item size of its index. With ``has_seasons`` the items it drops come
    and go over time more than the others do.
    """

    run: AnyRun
    total: int
    matching: int
    item_bytes: float
    has_seasons: bool = False


@dataclass(frozen=True, slots=True)
class PricedPlan(Generic[AnyRun]):
    """The runs of a plan that are not empty, the limits of their first reads, the expected cost.

    ``skipped`` are the runs whose count is zero. ``capacity_units`` is infinite when the runs hold
    items of which none belong to the list.
    """

    name: str
    runs: tuple[AnyRun, ...]
    first_reads: tuple[int, ...]
    skipped: tuple[AnyRun, ...]
    capacity_units: float

    @property
    def filters(self) -> bool:
        """Whether its queries have a FilterExpression."""
        return any(run.keep for run in self.runs)

    @property
    def estimate(self) -> float | None:
        """The expected capacity units for display, None where they are infinite."""
        if not isfinite(self.capacity_units):
            return None
        return round(self.capacity_units, 2)


def cheapest(plans: Sequence[PricedPlan[AnyRun]]) -> PricedPlan[AnyRun]:
    """Return the plan of least expected cost, then of fewest queries, then without a filter."""
    return min(plans, key=_preference)


def _preference(plan: PricedPlan[Any]) -> tuple[float, int, bool]:
    return plan.capacity_units, len(plan.runs), plan.filters


def price_runs(name: str, runs: Sequence[CountedRun[AnyRun]], *, needed: int) -> PricedPlan[AnyRun]:
    """Return the plan for a page of ``needed`` items, the look-ahead included."""
    held: list[CountedRun[AnyRun]] = []
    skipped: list[AnyRun] = []
    matching = 0
    for counted in runs:
        # Counts that are wrong may be below zero.
        if counted.total <= 0:
            skipped.append(counted.run)
        else:
            held.append(counted)
            matching += counted.matching
    if held and not matching:
        # All that is read would be dropped.
        return PricedPlan(name, (), (), tuple(skipped), capacity_units=inf)
    limits: list[int] = []
    prices: list[float] = []
    for counted in held:
        first = first_read_of(counted, matching, needed=needed)
        limits.append(first.limit)
        prices.append(first.capacity_units)
    return PricedPlan(
        name=name,
        runs=tuple(counted.run for counted in held),
        first_reads=tuple(limits),
        skipped=tuple(skipped),
        capacity_units=sum(prices),
    )


def first_read_of(counted: CountedRun[Any], matching: int, *, needed: int) -> FirstRead:
    """Return the limit of a run's first read that is expected to cost least.

    ``matching`` is the number of items in the whole list, above zero.
    """
    dropped = counted.total - counted.matching
    share = counted.matching / matching
    # One of several runs need not bring the look-ahead in order.
    needed_of_run = needed
    if share < 1:
        needed_of_run -= 1
    dropped_before_end = 0.0
    # One more than there are, so that the read also meets the end of the partition.
    most = counted.total + 1
    if dropped:
        # Rounded, so that pages of about the same counts are priced once.
        dropped_before_end = float(f"{needed * dropped / matching:.2g}")
        most = min(most, ceil(BEYOND_ALL_LIMITS * (needed + dropped_before_end)))
    else:
        most = min(most, needed)
    first = best_first_read(
        needed=needed_of_run,
        # Where a comment is added to many, the share is the same as before.
        share=round(share, 3) or 0.001,
        dropped=dropped_before_end,
        most=most,
        item_bytes=round(counted.item_bytes, -1),
    )
    if not counted.has_seasons:
        return first
    risk = SEASONS_RISK * (dropped / counted.total) ** 2
    return FirstRead(first.limit, first.capacity_units * (1 + risk))


SIZES = MeanSizes()
"""Sizes of list entries, as this process has seen them."""
