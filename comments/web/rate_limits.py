"""Limits of what a user writes about comments, by every door: pages and the API count the same.

Writes are counted by the user and by the client's network. What staff do as staff has limits of
its own. docs/writing.md names them.
"""

from contextlib import AbstractContextManager
from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from comments.host import COMMENTS
from comments.users import user_id_of
from dynapages.django.rate_limits import (
    Use,
    client_network,
    count_or_refuse,
    counted_meanwhile,
)
from dynapages.writes import Limit

WINDOW = timedelta(hours=1)
"""For which writes are counted."""
STAFF_WRITES_PER_USER = 600
STAFF_WRITES_PER_ADDRESS = 3_000
"""Decisions, picks, replies and deletions by staff in an hour."""


def check_rate_limit(request: HttpRequest, *, is_staff: bool = False) -> None:
    """Count a write of the signed-in user, or of staff, else raise TooManyRequests."""
    count_write(request, user_id_of(request.user), is_staff=is_staff)


def count_write(request: HttpRequest, user_id: str, *, is_staff: bool = False) -> None:
    """Count a write of a user, or of one as staff, else raise TooManyRequests.

    ``request`` gives the network alone. One write for each of the two limits, in one round.
    """
    uses = _uses(request, user_id, is_staff=is_staff)
    count_or_refuse(*uses, sentence=_sentence())


def write_counted_meanwhile(
    request: HttpRequest, user_id: str, *, is_staff: bool = False
) -> AbstractContextManager[None]:
    """Count a write like `count_write`, while the block reads what the write is about.

    It must not write. TooManyRequests is raised when it ends.
    """
    uses = _uses(request, user_id, is_staff=is_staff)
    return counted_meanwhile(*uses, sentence=_sentence())


def _uses(request: HttpRequest, user_id: str, *, is_staff: bool) -> tuple[Use, Use]:
    """Return a use of the limit of the user, and of that of the network."""
    if is_staff:
        prefix = "staff-"
        by_user, by_address = STAFF_WRITES_PER_USER, STAFF_WRITES_PER_ADDRESS
    else:
        prefix = ""
        by_user, by_address = COMMENTS["WRITES_PER_USER"], COMMENTS["WRITES_PER_ADDRESS"]
    return (
        Use(f"{prefix}writes-of/{user_id}", Limit(by_user, WINDOW)),
        Use(f"{prefix}writes-from/{client_network(request)}", Limit(by_address, WINDOW)),
    )


def _sentence() -> str:
    return _("You have written a lot in a short time. Try again in %(wait)s: nothing is lost.")
