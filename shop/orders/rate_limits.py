"""Rate limits of placing orders and changing them."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from shop.web.rate_limits import NamedLimit, take_or_refuse
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
    sentence = _("You have placed or changed too many orders. Come back in %(wait)s.")
    take_or_refuse(of_user, from_network, sentence=sentence, first_url=back)
