"""How long things take, so that what else the machine does disturbs as little as possible.

Everything that is compared is done in turns, each turn in another order, many times: a slow
moment then hits all alike. Of the times the median counts, which a few slow ones do not move.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles
from typing import TypeVar

K = TypeVar("K")
WARM_UP = 5
"""Turns that are not counted: connections, caches and templates come to be."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds: the median of all turns, and what nineteen of twenty stayed below."""

    median_ms: float
    p95_ms: float

    @classmethod
    def of(cls, seconds: list[float]) -> "Timing":
        p95 = quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
        return cls(round(median(seconds) * 1000, 3), round(p95 * 1000, 3))


def medians_of(turns: int) -> str:
    """Say in words what times are medians of."""
    return f"medians of {turns} turn{'' if turns == 1 else 's'}"


def time_in_turns(
    actions: Mapping[K, Callable[[], object]],
    *,
    turns: int,
    warm_up: int = WARM_UP,
    clock: Callable[[], float] = time.perf_counter,
    after_turn: Callable[[int], object] = lambda _turns: None,
) -> dict[K, Timing]:
    """Do all actions in each of so many turns, and give the timing of each."""
    order, rng = list(actions), Random(1)  # noqa: S311 - an order, not a secret
    seconds: dict[K, list[float]] = {name: [] for name in actions}
    for turn in range(warm_up + turns):
        rng.shuffle(order)
        for name in order:
            began = clock()
            actions[name]()
            ended = clock()
            if turn >= warm_up:
                seconds[name].append(ended - began)
        after_turn(1)
    return {name: Timing.of(found) for name, found in seconds.items()}
