"""Times, taken so that other work on the machine distorts comparisons little.

All that is compared is done in turns, many times, each turn in another order: a slow moment hits
all alike. The median is reported, which a few slow turns do not move.
"""

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

from lab.reports.figures import Timing

K = TypeVar("K")
WARM_UP = 5
"""Turns that are not counted, in which connections, caches and templates are made."""


def time_in_turns(
    actions: Mapping[K, Callable[[], object]],
    *,
    turns: int,
    warm_up: int = WARM_UP,
    clock: Callable[[], float] = time.perf_counter,
    after_turn: Callable[[int], object] = lambda _turns: None,
) -> dict[K, Timing]:
    """Do all actions in each turn, and return the timing of each; ``clock`` is in seconds."""
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
