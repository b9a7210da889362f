"""The clock, for tests of what goes by the month."""

import time
from datetime import UTC, datetime, timedelta

from shop.activity.months import Month

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
