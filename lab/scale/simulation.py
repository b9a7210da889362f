"""Traffic, second by second, against the buckets of all the partitions that it uses.

Requests of a kind and product arrive at random (Poisson), so many a step. Within a step they are a
steady stream: a partition that has half of what is asked of it serves the first half of the step.
So nothing is drawn for each request, and ten million a second take as long as ten.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi

import numpy as np
from numpy.typing import NDArray

from lab.scale.limits import Limits, Partition
from lab.scale.visits import KINDS, Call, Shards

Floats = NDArray[np.float64]
PASSES = 10
"""In which the shares of partitions that calls have in common settle."""
TINY = 1e-9
DAY, DAY_STEP, STEP = 24 * 3600, 300, 5
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """So many requests a second at the peak, in steps of ``step`` seconds.

    Products are asked for by Zipf's law, but ``hot`` of the requests about a product are about one.
    ``shares`` are those of kinds that have another one than `KINDS` says.
    """

    name: str
    rate: float
    seconds: int
    step: int = 1
    hot: float = 0.0
    shares: Mapping[str, float] = field(default_factory=dict)
    curve: Callable[[float], float] = lambda _second: 1.0

    def share(self, kind: str) -> float:
        """Return a kind's share of the requests: those without one of their own get the rest."""
        rest = sum(one.share for name, one in KINDS.items() if name not in self.shares)
        own = self.shares.get(kind)
        return (
            own if own is not None else KINDS[kind].share * (1 - sum(self.shares.values())) / rest
        )


FLASH_SALE = {"category": 0.5, "product page": 0.25, "basket": 0.05, "order": 0.06}
VIRAL = {"product page": 0.55, "filtered list": 0.15, "vote": 0.05, "post": 0.005}
HOT = 0.8
"""The share of these requests that is about one product, its category or its comments."""


def traffics(rate: float) -> tuple[Traffic, ...]:
    """Return a day of a shop, ten minutes of a flash sale, and ten of a viral product."""
    return (
        Traffic("steady", rate, DAY, step=DAY_STEP, curve=day),
        Traffic("flash sale", rate, 600, step=STEP, hot=HOT, shares=FLASH_SALE),
        Traffic("viral product", rate, 600, step=STEP, hot=HOT, shares=VIRAL),
    )


def small_traffics(seconds: int) -> tuple[Traffic, ...]:
    """Return the same for the check: at a thousandth, and with comments enough to throttle them."""
    viral = {"product page": 0.15, "filtered list": 0.05, "vote": 0.02, "post": 0.2}
    return (
        Traffic("steady", 20, seconds),
        Traffic("flash sale", 12, seconds, hot=HOT, shares=FLASH_SALE),
        Traffic("viral product", 8, seconds, hot=HOT, shares=viral),
    )


def day(second: float) -> float:
    """Return a day's curve: 1 at eight in the evening, a fifth of that at eight in the morning."""
    return 0.6 + 0.4 * cos(2 * pi * (second / DAY - 20 / 24))


def zipf(products: int, *, among: int) -> Floats:
    """Return the shares of the first products ``among`` so many, by Zipf's law with exponent 1."""
    ranks = np.arange(1, among + 1, dtype=np.float64)
    shares: Floats = (1 / ranks[:products]) / np.sum(1 / ranks)
    return shares


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Requests of one kind about one product: so many of all, and the calls that each makes."""

    kind: str
    product: int
    share: float
    calls: Sequence[Call]


@dataclass(slots=True)
class Outcome:
    """What a run found; ``share_by_step`` is the share of throttled calls in each step.

    ``asked`` are the units asked of a partition in the busiest step, by its limit. ``reads`` and
    ``writes`` are all units that were taken.
    """

    calls: float = 0.0
    throttled: float = 0.0
    refused: dict[Partition, float] = field(default_factory=dict)
    asked: dict[Partition, float] = field(default_factory=dict)
    share_by_step: list[float] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.throttled / self.calls if self.calls else 0.0

    @property
    def seconds(self) -> float:
        """The share of the seconds in which a call was throttled."""
        return float(np.mean(np.array(self.share_by_step) > 0))

    @property
    def bottleneck(self) -> Partition | None:
        """The partition that refuses the most calls."""
        return max(self.refused, key=lambda one: self.refused[one], default=None)


class Model:
    """Arrays of the calls of all arrivals, and of the partitions that they use."""

    def __init__(self, arrivals: Sequence[Arrivals], limits: Limits, shards: Shards) -> None:
        calls = [(n, call) for n, one in enumerate(arrivals) for call in one.calls]
        uses = [(n, use) for n, (_, call) in enumerate(calls) for use in call.uses]
        self.limits, self.number = limits, len(arrivals)
        self.partitions = list(dict.fromkeys(use.partition for _, use in uses))
        places = {partition: n for n, partition in enumerate(self.partitions)}
        self.rates = np.array(
            [limits.a_second(is_write=p.is_write) * shards.get(p, 1) for p in self.partitions],
            dtype=np.float64,
        )
        self.call_of = np.array([n for n, _ in uses], dtype=np.intp)
        self.place_of = np.array([places[use.partition] for _, use in uses], dtype=np.intp)
        self.units = np.array([use.units for _, use in uses])
        self.arrival_of = np.array([n for n, _ in calls], dtype=np.intp)
        rounds = np.array([call.round for _, call in calls], dtype=np.intp)
        self.rounds = [
            (found, _starts(self.arrival_of[found]))
            for found in (np.flatnonzero(rounds == one) for one in sorted(set(rounds.tolist())))
        ]

    def run(self, counts: Iterator[Floats], *, step: int) -> Outcome:
        """Let requests arrive, ``counts`` of each kind a step, with buckets full at first."""
        outcome = Outcome()
        full = self.rates * max(step, self.limits.seconds_kept)
        left, most = full.copy(), np.zeros_like(full)
        refused = np.zeros_like(full)
        for arrived in counts:
            served, asked, taken = self._settle(arrived, left)
            reached, missed = self._calls(arrived, served)
            left = np.minimum(left - taken + self.rates * step, full)
            most = np.maximum(most, asked / step)
            refused += self._refused(arrived, served, reached)
            throttled = float(missed.sum())
            outcome.calls += float(reached.sum())
            outcome.throttled += throttled
            outcome.share_by_step.append(throttled / max(float(reached.sum()), 1.0))
        for n, partition in enumerate(self.partitions):
            outcome.asked[partition] = float(most[n] / self.rates[n])
            if refused[n] > 0:
                outcome.refused[partition] = float(refused[n])
        return outcome

    def _settle(self, arrived: Floats, left: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the part of a step that each partition serves, and its units asked and taken."""
        served = np.where(left > 0, 1.0, 0.0)
        asked = self._taken(arrived, np.ones_like(left))[0]
        taken = asked
        for _ in range(PASSES if np.any(asked > left) else 0):
            taken, calls = self._taken(arrived, served)
            a_call = np.divide(taken, calls, out=np.ones_like(taken), where=calls > 0)
            # The last call that is let through may take more than is left.
            enough = np.ceil(left / a_call) * a_call
            more = np.divide(enough, taken, out=np.full_like(taken, np.inf), where=taken > 0)
            served = np.where(left > 0, np.clip(np.maximum(served, TINY) * more, 0.0, 1.0), 0.0)
        return served, asked, self._taken(arrived, served)[0]

    def _taken(self, arrived: Floats, served: Floats) -> tuple[Floats, Floats]:
        """Return the units that calls take of each partition, and how many calls those are."""
        reached, missed = self._calls(arrived, served)
        let_through = (reached - missed)[self.call_of]
        size = len(self.rates)
        units: Floats = np.bincount(self.place_of, let_through * self.units, size).astype(float)
        return units, np.bincount(self.place_of, let_through, size).astype(float)

    def _calls(self, arrived: Floats, served: Floats) -> tuple[Floats, Floats]:
        """Return how many calls are made, and how many of them are throttled.

        A page makes the calls of a round unless one of the rounds before was throttled.
        """
        until = np.ones(len(self.arrival_of))
        if len(self.call_of):
            first = _starts(self.call_of)
            until[self.call_of[first]] = np.minimum.reduceat(served[self.place_of], first)
        so_far = np.ones(self.number)
        reached, missed = np.zeros_like(until), np.zeros_like(until)
        for calls, first in self.rounds:
            arrival = self.arrival_of[calls]
            reached[calls] = arrived[arrival] * so_far[arrival]
            over = np.maximum(so_far[arrival] - until[calls], 0.0)
            missed[calls] = arrived[arrival] * over
            ended = np.minimum.reduceat(until[calls], first)
            so_far[arrival[first]] = np.minimum(so_far[arrival[first]], ended)
        return reached, missed

    def _refused(self, arrived: Floats, served: Floats, reached: Floats) -> Floats:
        came = arrived[self.arrival_of][self.call_of]
        over = reached[self.call_of] - came * served[self.place_of]
        size = len(self.rates)
        found: Floats = np.bincount(self.place_of, np.maximum(over, 0.0), size).astype(float)
        return found


def _starts(numbers: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each run of equal numbers begins."""
    return np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))


def draw(traffic: Traffic, arrivals: Sequence[Arrivals], *, seed: int) -> Iterator[Floats]:
    """Draw how many requests of each kind arrive, step by step."""
    random = np.random.default_rng(seed)
    means = np.array([one.share for one in arrivals]) * traffic.rate * traffic.step
    for second in range(0, traffic.seconds, traffic.step):
        yield random.poisson(means * traffic.curve(second)).astype(np.float64)
