"""Rate limits of placing orders and changing them."""

from datetime import timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dynamo.calls import clock
from dynamo.web.refusals import TooManyRequests
from dynamo.writes.limits import Limit
from shop.web.client_address import client_network
from shop.web.rate_limits import Charge, in_words, take

ORDERS_OF_A_USER = Limit(60, timedelta(hours=1))
ORDERS_FROM_AN_ADDRESS = Limit(300, timedelta(hours=1))


def check_rate_limit(request: HttpRequest, *, back: str) -> None:
    """Count a change of a customer's orders against the limits of user and network.

    Raises TooManyRequests, with a link to ``back``. Changes by staff are not counted.
    """
    user = request.user
    if user.is_staff:
        return
    wait = ceil(
        take(
            orders_of(user.get_username()),
            orders_from(client_network(request)),
            now=clock.now(),
        )
    )
    if wait:
        sentence = _("You have placed or changed too many orders. Come back in %(wait)s.")
        wait_in_words = {"wait": in_words(wait)}
        raise TooManyRequests(sentence % wait_in_words, first_url=back, retry_after=wait)


def orders_of(username: str) -> Charge:
    """Return the charge for placing or changing an order of a user."""
    return Charge(f"orders-of/{username}", ORDERS_OF_A_USER)


def orders_from(network: str) -> Charge:
    """Return the charge for any order from a network."""
    return Charge(f"orders-from/{network}", ORDERS_FROM_AN_ADDRESS)
