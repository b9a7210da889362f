"""Rate limits of what visitors do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dynapages.calls import clock
from dynapages.calls.meter import labelled_calls
from dynapages.django.refusals import TooManyRequests
from dynapages.django.visitor import client_network
from dynapages.process import client
from dynapages.writes.rate_limiter import Limit, Limiter
from shop import keys
from shop.table import TABLE

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Use:
    """One use of the limit that is stored under ``name``."""

    name: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class NamedLimit(Limit):
    """A limit of its own for each of those whose names fill ``template``, as ``password/{}``."""

    template: str

    def use(self, *names: str) -> Use:
        """Return a use of one's limit."""
        return Use(self.template.format(*names), self)


def in_words(seconds: int) -> str:
    """Format how long to wait, such as ``30 minutes``; in German it stands after “in”."""
    if seconds <= MINUTE:
        return ngettext("%(count)s second", "%(count)s seconds", seconds) % {"count": seconds}
    minutes = ceil(seconds / MINUTE)
    return ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": minutes}


@labelled_calls("limits")
def take(*uses: Use, now: datetime) -> float:
    """Count uses up to the first over its limit; return the seconds to wait for it, or 0.0."""
    for use in uses:
        if wait := _limiter().take(use.name, use.limit, now=now):
            return wait
    return 0.0


def take_or_refuse(*uses: Use, sentence: str, first_url: str = "") -> None:
    """Count uses. Raises TooManyRequests with a ``sentence`` that has a place for ``%(wait)s``."""
    if wait := ceil(take(*uses, now=clock.now())):
        text = sentence % {"wait": in_words(wait)}
        raise TooManyRequests(text, first_url=first_url, retry_after=wait)


@labelled_calls("limits")
def give_back(*uses: Use) -> None:
    """Undo uses that `take` counted, for what turns out to be harmless."""
    for use in uses:
        _limiter().give_back(use.name, use.limit)


@labelled_calls("limits")
def rest(use: Use, *, lasts: timedelta, now: datetime) -> None:
    """Allow nothing of a use's limit for so long from now."""
    _limiter().rest(use.name, use.limit, lasts=lasts, now=now)


@labelled_calls("limits")
def clear(*uses: Use) -> None:
    """Forget all uses of the limits that uses are of."""
    for use in uses:
        _limiter().clear(use.name)


def _limiter() -> Limiter:
    return Limiter(client(), TABLE, keys.limit)


ORDERS_OF_A_USER = NamedLimit(60, timedelta(hours=1), "orders-of/{}")
ORDERS_FROM_AN_ADDRESS = NamedLimit(300, timedelta(hours=1), "orders-from/{}")


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
