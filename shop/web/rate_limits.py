"""The shop's rate limits: where all limits of this site are stored, and those of orders.

The limits of sign-ins and e-mails are in `shop.accounts.rate_limits`.
"""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dynapages.calls.client import client
from dynapages.django.rate_limits import NamedLimit, take_or_refuse
from dynapages.django.visitor import client_network
from dynapages.writes.rate_limiter import Limiter
from shop import keys
from shop.table import TABLE


def limiter() -> Limiter:
    """Return the limits in the shop's table (the setting ``RATE_LIMITER``).

    The client is looked up each time: it is another one in a process that was forked.
    """
    return Limiter(client(), TABLE, keys.limit)


ORDERS_OF_A_USER = NamedLimit(60, timedelta(hours=1), "orders-of/{}")
ORDERS_FROM_AN_ADDRESS = NamedLimit(300, timedelta(hours=1), "orders-from/{}")
"""Orders that are placed, changed or cancelled: of one customer, and of all in one network."""


def check_order_rate_limit(request: HttpRequest, *, back: str) -> None:
    """Count a change of a customer's orders against the limits of user and network.

    Raises TooManyRequests, with a link to ``back``. Changes by staff are not counted.
    """
    user = request.user
    if not user.is_staff:
        of_user = ORDERS_OF_A_USER.use(user.get_username())
        from_network = ORDERS_FROM_AN_ADDRESS.use(client_network(request))
        sentence = _("You have placed or changed too many orders. Come back in %(wait)s.")
        take_or_refuse(of_user, from_network, sentence=sentence, first_url=back)
