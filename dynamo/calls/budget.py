"""Time budgets: how long a request may wait for the database, all of its calls together.

Each call, each further attempt and each pause takes its time from the budget of the request; what
is left bounds the time limits of the next one (see `dynamo.calls.attempts`). Commands and threads
in the background have no budget: there each call has the time limits of its connection.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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
