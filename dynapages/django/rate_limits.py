"""Rate limits of what visitors do, which all processes share; and what counts as one client.

The setting ``RATE_LIMITER`` is the dotted path of a function without arguments. It returns a
`dynapages.writes.rate_limiter.Limiter`, which knows the table and the keys that they are stored by.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.utils.module_loading import import_string
from django.utils.translation import ngettext

from dynapages.calls import clock
from dynapages.calls.meter import labelled_calls
from dynapages.django.refusals import TooManyRequests
from dynapages.process import pool
from dynapages.writes.rate_limiter import Limit, Limiter

MINUTE = 60
HOME_NETWORK_BITS = 64
"""The part of an IPv6 address that one connection has; the rest can vary."""


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
    """Count uses in one round; return the seconds to wait for one that is refused, or 0.0.

    What is refused uses up nothing: where one use is, the others are given back.
    """
    limits = limiter()

    def count(use: Use) -> float:
        return limits.take(use.name, use.limit, now=now)

    # Whoever goes on beyond a limit takes nothing from those who share the others.
    likely_refused: list[Use] = []
    others: list[Use] = []
    for use in uses:
        if limits.seems_used_up(use.name, use.limit, now=now):
            likely_refused.append(use)
        else:
            others.append(use)
    counted: list[Use] = []
    for together in (likely_refused, others):
        refusals: list[float] = []
        for use, seconds in zip(together, pool().map(count, together), strict=True):
            if seconds:
                refusals.append(seconds)
            else:
                counted.append(use)
        if refusals:
            give_back(*counted)
            return refusals[0]
    return 0.0


@labelled_calls("limits")
def give_back(*uses: Use) -> None:
    """Undo uses that `count_uses` counted, for what turns out to be harmless."""
    limits = limiter()

    def give_one_back(use: Use) -> None:
        limits.give_back(use.name, use.limit)

    pool().map(give_one_back, uses)


def count_or_refuse(*uses: Use, sentence: str, first_url: str = "") -> None:
    """Count uses. Raises TooManyRequests with a ``sentence`` that has a place for ``%(wait)s``."""
    _refuse(count_uses(*uses, now=clock.now()), sentence, first_url)


@contextmanager
def counted_meanwhile(*uses: Use, sentence: str, first_url: str = "") -> Iterator[None]:
    """Count uses while the block reads, in one round; it must not write.

    Raises like `count_or_refuse` when the block ends, also where the block raises something else.
    """
    with pool().together() as together:
        counting = together.start(count_uses, *uses, now=clock.now())
        try:
            yield
        finally:
            _refuse(counting.result(), sentence, first_url)


def _refuse(wait: float, sentence: str, first_url: str) -> None:
    """Raise TooManyRequests where there are seconds to wait."""
    seconds = ceil(wait)
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


# Clients


def client_network(request: HttpRequest) -> str:
    """Return the client's IPv4 address or IPv6 network (/64), which count as one client.

    ``X-Forwarded-For`` is trusted only as far as TRUSTED_PROXIES proxies (a setting) added to
    its end; the rest may be forged.
    """
    return _network_of(_forwarded_for(request) or request.META.get("REMOTE_ADDR", ""))


def _forwarded_for(request: HttpRequest) -> str | None:
    """Return the address that the outermost trusted proxy saw; None without such a proxy."""
    proxies = settings.TRUSTED_PROXIES
    if not proxies:
        return None
    # Each proxy adds the address it saw; what is before those of our own may be forged.
    chain = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    return chain[-proxies] if len(chain) >= proxies else None


def _network_of(address: str) -> str:
    """Return what a client is counted by: IPv4 as it is, of IPv6 the /64 network."""
    try:
        parsed = ip_address(_without_port(address))
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), HOME_NETWORK_BITS), strict=False))


def _without_port(address: str) -> str:
    """Return an address without the port that some proxies add to it."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    # More than one colon is an IPv6 address without brackets, and so without a port.
    if address.count(":") == 1:
        return address.partition(":")[0]
    return address
