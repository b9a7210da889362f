"""Rate limits of what visitors do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.utils.translation import ngettext

from dynamo.calls.client import client
from dynamo.calls.meter import labelled_calls
from dynamo.writes.limits import Limit, Limiter
from shop import keys
from shop.table import TABLE

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Charge:
    """One use of the limit that is stored under ``name``."""

    name: str
    limit: Limit


def in_words(seconds: int) -> str:
    """Format how long to wait, such as ``30 minutes``; in German it stands after “in”."""
    if seconds <= MINUTE:
        return ngettext("%(count)s second", "%(count)s seconds", seconds) % {"count": seconds}
    minutes = ceil(seconds / MINUTE)
    return ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": minutes}


def take(*charges: Charge, now: datetime) -> float:
    """Count charges up to the first over its limit; return the seconds to wait for it, or 0.0."""
    with labelled_calls("limits"):
        for charge in charges:
            if wait := _limiter().take(charge.name, charge.limit, now=now):
                return wait
    return 0.0


def give_back(*charges: Charge) -> None:
    """Undo charges that `take` counted, for what turns out to be harmless."""
    with labelled_calls("limits"):
        for charge in charges:
            _limiter().give_back(charge.name, charge.limit)


def rest(charge: Charge, *, lasts: timedelta, now: datetime) -> None:
    """Allow nothing of a charge's limit for so long from now."""
    with labelled_calls("limits"):
        _limiter().rest(charge.name, charge.limit, lasts=lasts, now=now)


def clear(*charges: Charge) -> None:
    """Forget all uses of the limits that charges are about."""
    with labelled_calls("limits"):
        for charge in charges:
            _limiter().clear(charge.name)


def _limiter() -> Limiter:
    return Limiter(client(), TABLE, keys.limit)
