"""Rate limits of signing in and up, resetting passwords, confirming addresses, and of orders.

Whoever knows a user's name can use up what is counted by the name alone. So most attempts are
counted by the name and the network; the limit by name alone is wide, and does not apply to browsers
that the user has signed in with before.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dynapages.calls import labelled_calls
from dynapages.django.rate_limits import NamedLimit, Use, client_network, counted_meanwhile, limiter

_QUARTER = timedelta(minutes=15)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)

# Passwords, by user and network; by user in a known browser; by user; by network.
PASSWORDS_AT_A_NAME = NamedLimit(10, _QUARTER, "password/{}/{}")
PASSWORDS_IN_KNOWN_BROWSERS = NamedLimit(10, _QUARTER, "password-known/{}")
PASSWORDS_OF_A_NAME = NamedLimit(20, _QUARTER, "password/{}")
"""Eighty an hour, for as long as somebody goes on from ever new addresses."""
PASSWORDS_FROM_AN_ADDRESS = NamedLimit(60, _QUARTER, "passwords-from/{}")

# The old password and codes, by who is signed in or knows the password.
PASSWORD_CHANGES = NamedLimit(10, _QUARTER, "password-change/{}")
CODES_OF_A_NAME = NamedLimit(5, _QUARTER, "code/{}")
WRONG_CODES_OF_A_NAME = NamedLimit(19, 19 * _DAY, "wrong-code/{}")
"""With the twentieth since the last right one, codes rest; each is forgotten after a day."""
REST_OF_CODES = _HOUR

# New accounts, or being told that a name is taken; giving an account an e-mail address.
SIGN_UPS_FROM_AN_ADDRESS = NamedLimit(30, _HOUR, "sign-ups-from/{}")
SIGN_UPS_WITH_AN_EMAIL = NamedLimit(5, _DAY, "sign-ups-with/{}")

# E-mails, by the address they go to, by who is signed in, by who asks for them.
LINKS_TO_AN_EMAIL = NamedLimit(10, _HOUR, "links-to/{}")
"""As long as a link for a new password works: whoever gets no further e-mail has one that works."""
NOTICES_TO_AN_EMAIL = NamedLimit(20, _HOUR, "notices-to/{}")
"""Of what was done in an account. Links, which anybody can ask for, must not use them up."""
REPLIES_TO_AN_EMAIL = NamedLimit(20, _DAY, "replies-to/{}")
DIGESTS_TO_AN_EMAIL = NamedLimit(1, timedelta(hours=20), "digests-to/{}")
"""One a day, also where the daily job runs a little earlier than the day before."""
CONFIRMATIONS_OF_A_NAME = NamedLimit(5, _HOUR, "confirmation/{}")
RESETS_AT_A_NAME = NamedLimit(5, _HOUR, "reset/{}/{}")
"""By user name or e-mail address, and network."""
RESETS_FROM_AN_ADDRESS = NamedLimit(20, _HOUR, "resets-from/{}")

ORDERS_OF_A_USER = NamedLimit(60, _HOUR, "orders-of/{}")
ORDERS_FROM_AN_ADDRESS = NamedLimit(300, timedelta(hours=1), "orders-from/{}")
"""Orders that are placed, changed or cancelled: of one customer, and of all in one network."""


def check_order_rate_limit(request: HttpRequest, *, back: str) -> None:
    """Count a change of the signed-in customer's orders, like `count_order_change`.

    Changes by staff are not counted.
    """
    user = request.user
    if not user.is_staff:
        count_order_change(request, user.get_username(), back=back)


def count_order_change(request: HttpRequest, username: str, *, back: str = "") -> None:
    """Count a change of a customer's orders against the limits of user and network.

    ``request`` gives the network alone. Raises TooManyRequests, with a link to ``back``.
    """
    with order_change_counted(request, username, back=back):
        pass


@contextmanager
def order_change_counted(request: HttpRequest, username: str, *, back: str = "") -> Iterator[None]:
    """Count a change like `count_order_change` while the block reads, in one round."""
    of_user = ORDERS_OF_A_USER.use(username)
    from_network = ORDERS_FROM_AN_ADDRESS.use(client_network(request))
    sentence = _("You have placed or changed too many orders. Try again in %(wait)s.")
    with counted_meanwhile(of_user, from_network, sentence=sentence, first_url=back):
        yield


@labelled_calls("limits")
def rest(use: Use, *, lasts: timedelta, now: datetime) -> None:
    """Allow nothing of a use's limit for so long from now."""
    limiter().rest(use.name, use.limit, lasts=lasts, now=now)


@labelled_calls("limits")
def clear(*uses: Use) -> None:
    """Forget all uses of the limits that uses are of."""
    for use in uses:
        limiter().clear(use.name)
