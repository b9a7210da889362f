"""Rate limits of placing orders and changing them."""

from datetime import timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dynamo.calls import clock
from dynamo.web.refusals import TooManyRequests
from shop.web.rate_limits import NamedLimit, in_words, take
from shop.web.visitor import client_network

ORDERS_OF_A_USER = NamedLimit(60, timedelta(hours=1), "orders-of/{}")
ORDERS_FROM_AN_ADDRESS = NamedLimit(300, timedelta(hours=1), "orders-from/{}")


def check_rate_limit(request: HttpRequest, *, back: str) -> None:
    """Count a change of a customer's orders against the limits of user and network.

    Raises TooManyRequests, with a link to ``back``. Changes by staff are not counted.
    """
    user = request.user
    if user.is_staff:
        return
    of_user = ORDERS_OF_A_USER.use(user.get_username())
    from_network = ORDERS_FROM_AN_ADDRESS.use(client_network(request))
    wait = ceil(take(of_user, from_network, now=clock.now()))
    if wait:
        sentence = _("You have placed or changed too many orders. Come back in %(wait)s.")
        wait_in_words = {"wait": in_words(wait)}
        raise TooManyRequests(sentence % wait_in_words, first_url=back, retry_after=wait)
