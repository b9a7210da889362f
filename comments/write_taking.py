"""Counts a request that writes against the limits of its user and its network."""

from datetime import datetime

from django.http import HttpRequest

from comments.write_limits import take_write, too_often
from dynamo.web.refusals import TooManyRequests
from shop.accounts.addresses import client_network


def require_room(request: HttpRequest, *, now: datetime) -> None:
    """Count a write of whoever is signed in. Raises TooManyRequests, which says when to come."""
    username = request.user.get_username()
    wait = take_write(username=username, network=client_network(request), now=now)
    if wait:
        raise TooManyRequests(too_often(wait), retry_after=wait)
