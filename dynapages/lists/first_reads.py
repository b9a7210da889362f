"""First reads: how much of each run a page reads in its first round, by what that is to cost.

Of a list that is merged of several runs, a page takes a part of each. Reading a whole page of each
is always enough, and takes many times the capacity units; reading the expected parts is cheap, but
a run often holds a few more of the page's items, and a second round must then be paid for and
waited for. `best_first_read` returns the limit in between that is expected to cost least:
an eventually consistent Query costs half a capacity unit for each started 4 KB ("Capacity
consumption for Query operations" of the Developer Guide).

What a page shows does not depend on these limits: `dynapages.lists.merging` reads what is missing
in a second round. `first_reads_of` returns the limits of runs whose shares of the list are known,
or taken to be even. `MeanSizes` are the sizes of the items that were read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import ceil, erfc, inf, isinf, sqrt
from statistics import fmean

from dynapages.items import BLOCK, UNITS_PER_BLOCK, Item, item_bytes

SECOND_ROUND = 1.5
"""The price of a second round for a run: half a capacity unit, and a whole one for the wait."""
TAIL = 3.0
"""How much likelier many more than the mean are in a small binomial number than in a normal one."""
SECOND_ROUNDS = 0.05
"""Of pages by `first_reads_of`: so many, at the most, are expected to need a second round."""
TRANSFER = 0.001
"""The price of transferring an item: without one, items that cost nothing would be read too."""
SPREAD = 0.45
"""How far items differ in size: their standard deviation by their mean, while few were read."""
UNKNOWN = inf
"""How far they differ where none was read."""
UNEVENNESS = 0.3
"""How far the pace at which a run's items come differs from its mean over time, likewise."""
TYPICAL_BYTES = 300.0
"""Bytes of an item, as long as none was read."""
_LEAST_SHARE = 0.001
"""Of a run that is expected to hold nothing: it is read all the same."""
_MOST_DEVIATIONS = 3.5
_MOST_LIMITS = 30
"""The limits that are considered: so many at most, up to so many deviations above the mean."""
_SAMPLE = 3
"""Items of each read whose sizes are taken into the mean."""
_LEAST_WEIGHT = 0.005
"""Of an item in the mean: prices near the border of a block need a mean that keeps still."""
_WEIGHT_OF_SPREAD = 2
"""Items that `SPREAD` stands for, next to those that were read."""


@dataclass(frozen=True, slots=True)
class FirstRead:
    """The limit of a run's first read, and the capacity units that reading the run is to cost."""

    limit: int
    capacity_units: float


@dataclass(frozen=True, slots=True)
class SecondRound:
    """What it costs a run to be read again, in capacity units, and how often it may be at most."""

    price: float = SECOND_ROUND
    most_chance: float = 1.0


@lru_cache(maxsize=2_048)
def best_first_read(
    *,
    needed: int,
    share: float,
    most: int,
    item_bytes: float,
    dropped: float = 0.0,
    more: int = 0,
    spread: float = SPREAD,
    second_round: SecondRound = SecondRound(),
) -> FirstRead:
    """Return the limit of least expected cost for the first read of a run, at most ``most``.

    Of the ``needed`` items of the page, a number comes from this run that is binomial, by its
    ``share``. Meanwhile its filter drops some, on average ``dropped``: their number is negative
    binomial. What is read until then is about normal. A read with a limit takes ``more`` items than
    that, of ``item_bytes`` on average and with a standard deviation of ``spread`` times as many.
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
        units = _units(limit + more, item_bytes, spread)
        transfer = TRANSFER * limit
        # A higher limit costs no less than this one does where it does not fall short.
        if units + transfer >= best_price:
            break
        if limit < most:
            # A number of items is whole: half of one more corrects the normal distribution.
            chance = _above(limit + 0.5, mean, deviation)
            if chance > second_round.most_chance:
                continue
            units += second_round.price * chance
        if units + transfer < best_price:
            best = FirstRead(limit, units)
            best_price = units + transfer
    return best


@lru_cache(maxsize=1_024)
def _units(limit: int, item_bytes: float, spread: float) -> float:
    """Return the expected capacity units of reading ``limit`` items, whose sizes differ."""
    mean = limit * item_bytes
    if isinf(spread):
        # Any part of the last block may be full.
        return UNITS_PER_BLOCK * max(mean / BLOCK + 0.5, 1)
    deviation = spread * item_bytes * sqrt(limit)
    # A block more is charged for with the probability that the items reach over its border.
    borders = range(BLOCK, ceil(mean + 3 * deviation), BLOCK)
    more_blocks = sum(_above(border, mean, deviation) for border in borders)
    return UNITS_PER_BLOCK * (1 + more_blocks)


def _above(bound: float, mean: float, deviation: float) -> float:
    """Return the probability that a normal variable exceeds a bound."""
    if not deviation:
        return float(mean > bound)
    return erfc((bound - mean) / (deviation * sqrt(2))) / 2


def first_reads_of(
    needed: int,
    shares: Sequence[float],
    *,
    item_bytes: float = TYPICAL_BYTES,
    spread: float = UNKNOWN,
    more: int = 0,
) -> list[int]:
    """Return the limit of each run's first read, for a page of ``needed`` items of them all.

    ``needed`` includes the item behind the page, which tells whether it goes on. ``shares`` are
    numbers of any scale that tell how much of the list each run holds, such as counts: all equal
    for shards, and where nothing is known. For the others see `best_first_read`. Raises ValueError
    for a share that is negative or infinite.
    """
    for share in shares:
        if not 0 <= share < inf:
            raise ValueError(f"A share of a list is a number of at least 0, not {share}")
    if len(shares) <= 1:
        return [needed] * len(shares)
    # The page waits for any of its runs.
    second_round = SecondRound(TAIL * SECOND_ROUND, most_chance=SECOND_ROUNDS / len(shares))
    # That a run has no more of the page is shown by an item behind that.
    behind = 0 if more else 1
    # One of several runs need not bring the item behind the page in order.
    needed_in_order = max(needed - 1, 1)
    # Rounded, so that lists that are about alike are priced once.
    bytes_of_items = round(item_bytes, -1)
    spread_of_items = round(spread, 2)
    limits = []
    for part in _parts_of(shares):
        best = best_first_read(
            needed=needed_in_order,
            share=max(round(part, 3), _LEAST_SHARE),
            most=needed,
            item_bytes=bytes_of_items,
            more=more + behind,
            spread=spread_of_items,
            second_round=second_round,
        )
        limits.append(min(best.limit + behind, needed))
    return limits


def _parts_of(shares: Sequence[float]) -> list[float]:
    """Return shares as parts of one: even ones where nothing is expected anywhere."""
    total = sum(shares)
    if not total:
        return [1 / len(shares)] * len(shares)
    return [share / total for share in shares]


# Sizes


class MeanSizes:
    """The mean item size of each index, over samples of what was read; older ones fade."""

    def __init__(self) -> None:
        self._means: dict[str, float] = {}
        self._squares: dict[str, float] = {}
        self._seen: Counter[str] = Counter()

    def mean(self, index: str) -> float:
        """Return the mean in bytes."""
        return self._means.get(index, TYPICAL_BYTES)

    def spread(self, index: str) -> float:
        """Return the standard deviation by the mean, which begins as `UNKNOWN`."""
        if not self._seen[index]:
            return UNKNOWN
        mean = self.mean(index)
        variance = max(self._squares.get(index, mean**2) - mean**2, 0.0)
        seen = min(self._seen[index], 1 / _LEAST_WEIGHT)
        before = _WEIGHT_OF_SPREAD * SPREAD**2
        return sqrt((before + seen * variance / mean**2) / (_WEIGHT_OF_SPREAD + seen))

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
            self.note_bytes(index, item_bytes(item))

    def note_bytes(self, index: str, size: float) -> None:
        """Update the mean by the size of an item."""
        self._seen[index] += 1
        weight = max(1 / self._seen[index], _LEAST_WEIGHT)
        mean = self._means.get(index, 0.0)
        square = self._squares.get(index, 0.0)
        self._means[index] = mean + weight * (size - mean)
        self._squares[index] = square + weight * (size**2 - square)
