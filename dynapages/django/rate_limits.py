"""Rate limits of what visitors do, which all processes share.

The setting ``RATE_LIMITER`` is the dotted path of a function without arguments. It returns a
`dynapages.writes.rate_limiter.Limiter`, which knows the table and the keys that they are stored by.
"""

from dataclasses import dataclass
from datetime import datetime
from math import ceil

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from django.utils.translation import ngettext

from dynapages.calls import clock
from dynapages.calls.meter import labelled_calls
from dynapages.django.refusals import TooManyRequests
from dynapages.writes.rate_limiter import Limit, Limiter

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
def count_uses(*uses: Use, now: datetime) -> float:
    """Count uses up to the first over its limit; return the seconds to wait for it, or 0.0."""
    # The first one over its limit ends it: the others are not used up by what is refused.
    for use in uses:
        seconds = limiter().take(use.name, use.limit, now=now)
        if seconds:
            return seconds
    return 0.0


def count_or_refuse(*uses: Use, sentence: str, first_url: str = "") -> None:
    """Count uses. Raises TooManyRequests with a ``sentence`` that has a place for ``%(wait)s``."""
    seconds = ceil(count_uses(*uses, now=clock.now()))
    if seconds:
        text = sentence % {"wait": in_words(seconds)}
        raise TooManyRequests(text, first_url=first_url, retry_after=seconds)


def limiter() -> Limiter:
    """Return the limits of the setting; ImproperlyConfigured without one."""
    path = settings.RATE_LIMITER
    if not path:
        sentence = "Set RATE_LIMITER to the dotted path of a function that returns a Limiter"
        raise ImproperlyConfigured(sentence)
    made: Limiter = import_string(path)()
    return made
