"""The price of reading runs, in capacity units: how much to read of each, and what that costs.

Runs are priced by two counts of each: its items in all, and those that belong to the list. Where
these differ, the other items are read, charged for, and dropped. The counts yield how many items of
a run come before the end of the page; the mean item size yields how many 4 KB blocks they fill. An
eventually consistent Query costs half a capacity unit for each started block ("Capacity consumption
for Query operations" of the Developer Guide).

The limit of a run's first read is a wager: its expected share of the page is cheap but often falls
short, and a second round must then be paid for and waited for. `best_first_read` returns the limit
of least expected cost.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import ceil, erfc, inf, isfinite, sqrt
from statistics import fmean
from typing import Any, Generic, Protocol, TypeVar

from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, item_bytes
from dynapages.lists import HasAll, OneOf

SECOND_ROUND = 1.5
"""The price of a second round for a run: half a capacity unit, and a whole one for the wait."""
TRANSFER = 0.001
"""The price of transferring an item: without one, items that cost nothing would be read too."""
SPREAD = 0.45
"""How far items differ in size: their standard deviation by their mean."""
UNEVENNESS = 0.3
"""How far the pace at which a run's items come differs from its mean over time, likewise."""
SEASONS_RISK = 1.0
"""How the price of a run rises that drops what has seasons: by the square of the part it drops."""
BEYOND_ALL_LIMITS = 8
"""How many times what is needed and dropped: above every limit that is considered."""
_MOST_DEVIATIONS = 3.5
_MOST_LIMITS = 30
"""The limits that are considered: so many at most, up to so many deviations above the mean."""

TYPICAL_BYTES = 300.0
"""Bytes of a list entry, as long as none was read."""
_SAMPLE = 3
"""Items of each read whose sizes are taken into the mean."""
_LEAST_WEIGHT = 0.005
"""Of an item in the mean: prices near the border of a block need a mean that keeps still."""


class RunLike(Protocol):
    """What is read from one partition: a `Run`, or a `Part`, which builds one when it is chosen."""

    @property
    def keep(self) -> tuple[OneOf | HasAll, ...]: ...


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
        first = best_first_read(counted, matching, needed=needed)
        limits.append(first.limit)
        prices.append(first.capacity_units)
    return PricedPlan(
        name=name,
        runs=tuple(counted.run for counted in held),
        first_reads=tuple(limits),
        skipped=tuple(skipped),
        capacity_units=sum(prices),
    )


@dataclass(frozen=True, slots=True)
class FirstRead:
    """The limit of a run's first read, and the capacity units that reading the run is to cost."""

    limit: int
    capacity_units: float


def best_first_read(counted: CountedRun[Any], matching: int, *, needed: int) -> FirstRead:
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
    first = _best_first_read(
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


@lru_cache(maxsize=2_048)
def _best_first_read(
    *, needed: int, share: float, dropped: float, most: int, item_bytes: float
) -> FirstRead:
    """Return the limit of least expected cost for a run.

    Of the ``needed`` items those from this run are binomial, by its ``share``; those ``dropped``
    meanwhile are negative binomial. What is read until then is about normal.
    """
    shared = needed * share * (1 - share)
    # Binomial and negative binomial numbers add up: so do their means and variances.
    mean = needed * share + dropped
    evenly = shared + dropped + dropped**2 / needed
    deviation = sqrt(evenly + (UNEVENNESS * (shared + dropped)) ** 2)
    least = max(1, min(round(mean), most))
    last = max(1, min(round(mean + _MOST_DEVIATIONS * deviation), most))
    step = ceil((last - least) / _MOST_LIMITS) or 1
    best = FirstRead(last, inf)
    best_price = inf
    # Fewer than the mean would mostly fall short, so that no limit below it is tried.
    for limit in (*range(least, last, step), last):
        units = _units(limit, item_bytes)
        transfer = TRANSFER * limit
        # A higher limit costs no less than this one does where it does not fall short.
        if units + transfer >= best_price:
            break
        if limit < most:
            # A number of items is whole: half of one more corrects the normal distribution.
            units += SECOND_ROUND * _above(limit + 0.5, mean, deviation)
        if units + transfer < best_price:
            best = FirstRead(limit, units)
            best_price = units + transfer
    return best


@lru_cache(maxsize=1_024)
def _units(limit: int, item_bytes: float) -> float:
    """Return the expected capacity units of reading ``limit`` items, whose sizes differ."""
    mean = limit * item_bytes
    deviation = SPREAD * item_bytes * sqrt(limit)
    # A block more is charged for with the probability that the items reach over its border.
    borders = range(BLOCK, ceil(mean + 3 * deviation), BLOCK)
    more_blocks = sum(_above(border, mean, deviation) for border in borders)
    return UNITS_PER_BLOCK * (1 + more_blocks)


def _above(bound: float, mean: float, deviation: float) -> float:
    """Return the probability that a normal variable exceeds a bound."""
    if not deviation:
        return float(mean > bound)
    return erfc((bound - mean) / (deviation * sqrt(2))) / 2


class MeanSizes:
    """The mean item size of each index, over samples of what was read; older ones fade."""

    def __init__(self) -> None:
        self._means: dict[str, float] = {}
        self._seen: Counter[str] = Counter()

    def mean(self, index: str) -> float:
        """Return the mean in bytes."""
        return self._means.get(index, TYPICAL_BYTES)

    @property
    def of_all(self) -> float:
        """The mean in bytes over all indexes."""
        if not self._seen:
            return TYPICAL_BYTES
        means = [self._means[index] for index in self._seen]
        return fmean(means, weights=self._seen.values())

    def note(self, index: str, items: Iterable[Item]) -> None:
        """Update the mean by a few of the items that were read."""
        for item in islice(items, _SAMPLE):
            self._seen[index] += 1
            weight = max(1 / self._seen[index], _LEAST_WEIGHT)
            before = self._means.get(index, 0.0)
            self._means[index] = before + weight * (item_bytes(item) - before)


SIZES = MeanSizes()
"""Sizes of list entries, as this process has seen them."""
