"""How often somebody may write: post, edit, delete, vote, report, all together; staff also decide.

The limits are kept in the table, so that any number of web nodes has one (see `dynamo.writes.limits`).
Staff who decide, pick, reply and delete have limits of their own: wide enough to clear a queue,
and there lest a stolen password, or a script gone wild, take everything away.
"""

from datetime import datetime, timedelta
from math import ceil

from django.conf import settings

from dynamo.writes.limits import Limit
from shop.web.rate_limits import Charge, in_words, take

WINDOW = timedelta(hours=1)


def take_write(*, username: str, network: str, now: datetime) -> int:
    """Count a write of a user from a network; return 0, or the seconds until there is room.

    It takes two to four write units.
    """
    return _take(
        Charge(f"writes-of/{username}", Limit(settings.COMMENT_WRITES_PER_USER, WINDOW)),
        Charge(f"writes-from/{network}", Limit(settings.COMMENT_WRITES_PER_ADDRESS, WINDOW)),
        now=now,
    )


def take_staff_write(*, username: str, network: str, now: datetime) -> int:
    """Count what one of staff does with somebody's comment. As `take_write`."""
    by_user = Limit(settings.COMMENT_STAFF_WRITES_PER_USER, WINDOW)
    by_address = Limit(settings.COMMENT_STAFF_WRITES_PER_ADDRESS, WINDOW)
    return _take(
        Charge(f"staff-writes-of/{username}", by_user),
        Charge(f"staff-writes-from/{network}", by_address),
        now=now,
    )


def too_often(seconds: int) -> str:
    """Say that it was too often, and when to come back."""
    wait = in_words(seconds)
    return f"You have written a lot in a short time. Come back in {wait}; nothing is lost."


def _take(*charges: Charge, now: datetime) -> int:
    return ceil(take(*charges, now=now))
