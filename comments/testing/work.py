"""What is owed by writes, done by a test at once: no thread, and no waiting."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from dynapages.calls import clock
from dynapages.django.work import queues
from dynapages.work import Queue, worker

LONG = timedelta(minutes=2)
"""Longer than a change is left to the process that has made it."""
MOST_LOOKS = 20


class StillOwed(AssertionError):
    """Something was given up, or is owed again each time it was done."""


def finish_owed(only: Sequence[Queue] = ()) -> int:
    """Do all that is owed in the queues of ``WORK_QUEUES``, or in these; return how much was done.

    It is what any process that serves does minutes later: your products are told their ratings
    (``keep_ratings``), ranks and words of the search follow, what belongs to a deleted comment is
    deleted, and handlers of the project's own queues are called. Handlers read a clock that is
    ahead: two minutes and more after all of it is due. Raises StillOwed where something is given up
    or comes to no end, and botocore's errors where a queue could not be read.
    """
    worker().forget()
    chosen = list(only) or queues()
    done = 0
    for number in range(1, MOST_LOOKS + 1):
        moments = [owed.moment for queue in chosen for owed in queue.waiting()]
        if not moments:
            return done
        # Also what is due in minutes, such as ratings, or is tried again in hours.
        until_last = max(max(moments) - clock.now(), timedelta(0))
        with later(until_last + number * LONG):
            looked = worker().look(chosen)
        done += looked.done
        if looked.dead:
            raise StillOwed("Something owed was given up, as its handler failed: the log says why.")
    raise StillOwed(f"Something is still owed after {MOST_LOOKS} looks: the log says why.")


@contextmanager
def later(by: timedelta = LONG) -> Iterator[None]:
    """Read DynamoDB's clock so much later within the block."""
    real = clock.now
    with patch("dynapages.calls.clock.now", lambda: real() + by):
        yield
