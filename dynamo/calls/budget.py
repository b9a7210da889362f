"""The time of a request: calls and pauses end in it.

A page that waits longer than its visitor does is worth nothing, so retries pause in what is left.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from time import monotonic

from dynamo.errors import DynamoError

_until: ContextVar[float] = ContextVar("until", default=inf)


class OutOfTime(DynamoError):
    """The time budget is spent; `dynamo.calls.faults` takes it as Unreachable."""

    def __init__(self) -> None:
        super().__init__("The database took too long.")


@contextmanager
def time_budget(seconds: float) -> Iterator[None]:
    """Bound the calls made inside the block, whichever thread makes them (see `dynamo.calls.pool`).

    A block within another one can only shorten its time.
    """
    token = _until.set(min(_until.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


@contextmanager
def budget_paused() -> Iterator[None]:
    """Take no time from the budget within the block, which must make no calls."""
    begun = monotonic()
    try:
        yield
    finally:
        _until.set(_until.get() + monotonic() - begun)


def seconds_left() -> float:
    """Return what is left of the budget, not below 0; infinite where there is none."""
    return max(_until.get() - monotonic(), 0.0)


@dataclass(frozen=True, slots=True)
class Backoff:
    """The number of attempts, and the first and the longest pause in seconds."""

    attempts: int = 10
    first: float = 0.05
    longest: float = 5.0

    def pauses(self) -> Iterator[float]:
        """Yield the pause in seconds before each attempt but the first, while there is time."""
        for attempt in range(1, self.attempts):
            pause = self.pause(attempt)
            if pause >= seconds_left():
                return
            yield pause

    def pause(self, attempt: int) -> float:
        """Return the pause in seconds after an attempt, counted from 1."""
        return random.uniform(0, min(self.longest, self.first * 2 ** (attempt - 1)))  # noqa: S311 - jitter
