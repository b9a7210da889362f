"""What the worker of a process does, done by the test at once: no thread, and no waiting."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from comments.rankings.ratings import KIND as RATE
from comments.store.writing import QUEUE
from dynapages.calls import clock
from dynapages.work import Owed, Queue, worker
from dynapages.work.workers import Figures

LONG = timedelta(minutes=2)
"""Longer than a change is left to the process that has made it."""
MOST_LOOKS = 20


def finish_what_waits() -> None:
    """Make the calls that this process has put off, as if they were due."""
    real = time.monotonic
    with patch("dynapages.work.workers.time.monotonic", lambda: real() + LONG.total_seconds()):
        assert worker().flush(seconds=60)


def forget_what_waits() -> None:
    """Lose what this process has put off, as it does when it is killed."""
    worker()._waiting.clear()


@contextmanager
def later(by: timedelta = LONG) -> Iterator[None]:
    """Read the clock so much later."""
    real = clock.now
    with patch("dynapages.calls.clock.now", lambda: real() + by):
        yield


def waiting_now() -> list[Owed]:
    """What comments owe, but the ratings that are written some minutes later."""
    return [owed for owed in QUEUE.waiting() if owed.kind != RATE]


def work_off(queue: Queue = QUEUE) -> Figures:
    """Have another process do all that is owed, two minutes later and more."""
    forget_what_waits()
    all_done = Figures()
    for number in range(1, MOST_LOOKS):
        with later(number * LONG):
            looked = worker().look([queue])
        all_done.add(looked)
        if not (looked.done or looked.failed):
            return all_done
    raise AssertionError(f"something is still owed after {MOST_LOOKS} looks: {all_done}")
