"""Addresses of webhooks: which may be registered, and which network addresses are public.

Whoever may register an address must not reach what only this server reaches, such as the metadata
of its cloud: see "Server Side Request Forgery Prevention" of OWASP's Cheat Sheet Series.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext as _

LONGEST_URL = 500
HTTPS_PORT = 443
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}$)({_LABEL}\.)+[a-z][a-z0-9-]*")
"""A name with a dot in it, whose last part begins with a letter. Names without a dot are of the own
network, and one that ends in a number may be read as an address: ``127.1``, ``1.0x7f``.
"""
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
"""Stands for all addresses of IPv4, which are at its end (RFC 6052)."""


class BadUrl(ValueError):
    """No webhook can have this address; the text is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a webhook's address leads to; ``path`` is that with the query."""

    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """Return where an address leads to. Raises BadUrl for one that no webhook can have."""
    if len(url) > LONGEST_URL:
        sentence = _("An address has at most %(most)s characters.")
        raise BadUrl(sentence % {"most": LONGEST_URL})
    if not url.isascii() or not url.isprintable() or " " in url:
        raise BadUrl(_("An address has neither blanks nor accents: they are percent-encoded."))
    try:
        parts = urlsplit(url)
        port = parts.port or HTTPS_PORT
    except ValueError as error:
        raise BadUrl(_("This is no address, such as https://example.com/events.")) from error
    host = _host_in(parts)
    path = parts.path or "/"
    if parts.query:
        path += f"?{parts.query}"
    return Target(host, port, path)


def _host_in(parts: SplitResult) -> str:
    """Return the host of an address. Raises BadUrl where it is not that of another system."""
    if parts.scheme != "https":
        raise BadUrl(_("An address begins with https://, as events must not be read on their way."))
    if "@" in parts.netloc:
        raise BadUrl(_("An address has no user name and no password: each event is signed."))
    if parts.fragment:
        raise BadUrl(_("An address has no part behind a “#”."))
    host = parts.hostname or ""
    address = _address_in(host)
    if address is None and not (_HOST.fullmatch(host) and "[" not in parts.netloc):
        raise BadUrl(_("An address has the whole name of a host, such as example.com."))
    if address is not None and not is_public(address):
        raise BadUrl(_("This is an address of a private network: a webhook's is public."))
    return host


def _address_in(host: str) -> IPv4Address | IPv6Address | None:
    """Return the network address that a host is; None for a name, and for what is neither."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether a network address is one of the public Internet, and of one host."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    inner = _address_within(address)
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL_UNICAST and address.is_global


def _address_within(address: IPv6Address) -> IPv4Address | None:
    """Return the address of IPv4 that one of IPv6 leads to; None for one that leads to none."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
