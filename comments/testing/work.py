"""What is owed by writes, done by a test at once: no thread, and no waiting."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from dynapages.calls import clock
from dynapages.django.work import queues
from dynapages.work import Queue, worker

LONG = timedelta(minutes=10)
"""Longer than anything is put off: a product's ratings are gathered for five minutes."""
MOST_LOOKS = 20


class StillOwed(AssertionError):
    """Something was given up, or is owed again each time it was done."""


def finish_owed(only: Sequence[Queue] = ()) -> int:
    """Do all that is owed in the queues of ``WORK_QUEUES``, or in these; return how much was done.

    It is what any process that serves does minutes later: your products are told their ratings
    (``keep_ratings``), ranks and words of the search follow, what belongs to a deleted comment is
    deleted, and handlers of the project's own queues are called. Handlers read a clock that is
    ahead, by ten minutes and more. Raises StillOwed where something is given up or comes to no end,
    and botocore's errors where a queue could not be read.
    """
    worker().forget()
    done = 0
    for number in range(1, MOST_LOOKS):
        with later(number * LONG):
            looked = worker().look(list(only) or queues())
        done += looked.done
        if looked.dead:
            raise StillOwed("Something owed was given up, as its handler failed: the log says why.")
        if not (looked.done or looked.failed):
            return done
    raise StillOwed(f"Something is still owed after {MOST_LOOKS - 1} looks: the log says why.")


@contextmanager
def later(by: timedelta = LONG) -> Iterator[None]:
    """Read DynamoDB's clock so much later within the block."""
    real = clock.now
    with patch("dynapages.calls.clock.now", lambda: real() + by):
        yield
