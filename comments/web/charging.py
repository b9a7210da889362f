"""Counts a request that writes against the limits of its user and its network."""

from collections.abc import Callable
from datetime import datetime

from django.http import HttpRequest

from comments.web.rate_limits import take_staff_write, take_write, too_often
from dynamo.web.refusals import TooManyRequests
from shop.web.client_address import client_network


def require_room(request: HttpRequest, *, now: datetime) -> None:
    """Count a write of whoever is signed in. Raises TooManyRequests, which says when to come."""
    _require_room(request, take_write, now=now)


def require_room_for_staff(request: HttpRequest, *, now: datetime) -> None:
    """Count what one of staff does with somebody's comment. Raises TooManyRequests."""
    _require_room(request, take_staff_write, now=now)


def _require_room(request: HttpRequest, take: Callable[..., int], *, now: datetime) -> None:
    username = request.user.get_username()
    wait = take(username=username, network=client_network(request), now=now)
    if wait:
        raise TooManyRequests(too_often(wait), retry_after=wait)
