"""The security log: events such as sign-ins, each with its user and the client's network."""

import json
import logging
from ipaddress import IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

HOME_NETWORK_BITS = 64
"""The part of an IPv6 address that one connection has; the rest can vary."""

logger = logging.getLogger("security")


def log_event(
    event: str, *, user: str = "", request: HttpRequest | None = None, **details: str | int
) -> None:
    """Log an event, such as ``sign-in``, of a user, by the network address of a request.

    ``user`` is a key, such as the primary one, and no e-mail address. ``details`` must hold no
    password, no token, and no text that somebody wrote.
    """
    line: dict[str, str | int] = {"event": event, "user": user}
    if request is not None:
        line["network"] = client_network(request)
    line |= details
    logger.info("%s", json.dumps(line), extra={"fields": line})


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
