"""How often somebody may write: post, edit, delete, vote and report, counted together.

Staff have limits of their own, wide enough to clear a queue, which bound what a stolen password or
a faulty script can delete.
"""

from datetime import datetime, timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

from comments.host import COMMENTS
from dynapages.django.access import client_network
from dynapages.django.rate_limits import Use, in_words, take
from dynapages.django.refusals import TooManyRequests
from dynapages.writes import Limit

WINDOW = timedelta(hours=1)
STAFF_WRITES_PER_USER, STAFF_WRITES_PER_ADDRESS = 600, 3_000
"""Decisions, picks, replies and deletions by staff in an hour."""


def check_rate_limit(request: HttpRequest, *, now: datetime, is_staff: bool = False) -> None:
    """Count a write of the signed-in user, or of staff, else raise TooManyRequests."""
    username, network = request.user.get_username(), client_network(request)
    wait = take_write(username=username, network=network, now=now, is_staff=is_staff)
    if wait:
        sentence = _(
            "You have written a lot in a short time. Come back in %(time)s: nothing is lost."
        )
        raise TooManyRequests(sentence % {"time": in_words(wait)}, retry_after=wait)


def take_write(*, username: str, network: str, now: datetime, is_staff: bool = False) -> int:
    """Count a write of a user from a network; return 0, or the seconds until there is room."""
    prefix = "staff-" if is_staff else ""
    if is_staff:
        limits = STAFF_WRITES_PER_USER, STAFF_WRITES_PER_ADDRESS
    else:
        limits = COMMENTS["WRITES_PER_USER"], COMMENTS["WRITES_PER_ADDRESS"]
    by_user, by_address = (Limit(times, WINDOW) for times in limits)
    uses = (
        Use(f"{prefix}writes-of/{username}", by_user),
        Use(f"{prefix}writes-from/{network}", by_address),
    )
    return ceil(take(*uses, now=now))
