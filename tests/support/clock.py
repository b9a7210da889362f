"""The clock, for tests of what goes by the month, or happens soon."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from shop.activity.tables import Month

LONGEST_TEST = timedelta(minutes=1)


def now_within_a_month() -> datetime:
    """Now; in the last minute of a month, once the next one has begun.

    For a test that must not begin in one month and end in the next.
    """
    while Month.of((now := datetime.now(UTC)) + LONGEST_TEST) != Month.of(now):
        time.sleep(1)
    return now


def this_month() -> Month:
    """The month of `now_within_a_month`."""
    return Month.of(now_within_a_month())


def until(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so, for a minute at most; tell whether it is."""
    end = time.monotonic() + 60
    while not (found := is_so()) and time.monotonic() < end:
        time.sleep(0.002)
    return found
