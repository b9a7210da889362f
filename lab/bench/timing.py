"""Times of actions that are compared with each other."""

from collections.abc import Callable, Mapping
from random import Random
from statistics import median
from time import perf_counter
from typing import TypeVar

from dynapages.django.options import Progress

WARM_UP_TURNS = 5
"""Turns that are not counted, in which connections, caches and templates are made."""

K = TypeVar("K")


def time_in_turns(
    actions: Mapping[K, Callable[[], object]],
    *,
    turns: int,
    progress: Progress,
    clock: Callable[[], float] = perf_counter,
) -> dict[K, float]:
    """Return the median milliseconds of each action, each of which is done once a turn.

    Each turn has another order, so that other work on the machine slows all of them alike.
    ``clock`` returns seconds.
    """
    order = list(actions)
    random = Random(1)  # noqa: S311 - an order, not a secret
    warm_up = min(WARM_UP_TURNS, turns)
    seconds: dict[K, list[float]] = {name: [] for name in actions}
    with progress.step("Timing", total=warm_up + turns, unit=" turns") as advance:
        for turn in range(warm_up + turns):
            random.shuffle(order)
            for name in order:
                began = clock()
                actions[name]()
                ended = clock()
                if turn >= warm_up:
                    seconds[name].append(ended - began)
            advance(1)
    return {name: 1_000 * median(measured) for name, measured in seconds.items()}
