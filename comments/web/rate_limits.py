"""Limits of what a user writes about comments, by every door: pages and the API count the same.

Writes are counted by the user, then by the client's network. What staff do as staff has limits of
its own. docs/writing.md names them.
"""

from datetime import datetime, timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

from comments.host import COMMENTS
from comments.users import user_id_of
from dynapages.django.rate_limits import Use, client_network, count_uses, in_words
from dynapages.django.refusals import TooManyRequests
from dynapages.writes import Limit

WINDOW = timedelta(hours=1)
"""For which writes are counted."""
STAFF_WRITES_PER_USER = 600
STAFF_WRITES_PER_ADDRESS = 3_000
"""Decisions, picks, replies and deletions by staff in an hour."""


def check_rate_limit(request: HttpRequest, *, now: datetime, is_staff: bool = False) -> None:
    """Count a write of the signed-in user, or of staff, else raise TooManyRequests."""
    count_write(request, user_id_of(request.user), now=now, is_staff=is_staff)


def count_write(
    request: HttpRequest, user_id: str, *, now: datetime, is_staff: bool = False
) -> None:
    """Count a write of a user, or of one as staff, else raise TooManyRequests.

    ``request`` gives the network alone. One or two writes for each of the two limits.
    """
    if is_staff:
        prefix = "staff-"
        by_user, by_address = STAFF_WRITES_PER_USER, STAFF_WRITES_PER_ADDRESS
    else:
        prefix = ""
        by_user, by_address = COMMENTS["WRITES_PER_USER"], COMMENTS["WRITES_PER_ADDRESS"]
    uses = (
        Use(f"{prefix}writes-of/{user_id}", Limit(by_user, WINDOW)),
        Use(f"{prefix}writes-from/{client_network(request)}", Limit(by_address, WINDOW)),
    )
    # By user first: one who writes too much does not use up an address that others share.
    seconds = ceil(count_uses(*uses, now=now))
    if seconds:
        sentence = _(
            "You have written a lot in a short time. Try again in %(time)s: nothing is lost."
        )
        raise TooManyRequests(sentence % {"time": in_words(seconds)}, retry_after=seconds)
