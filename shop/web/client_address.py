"""The network address a request comes from, behind as many proxies as the settings trust."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest

HOME_NETWORK_BITS = 64
"""What one line to the Internet has of an IPv6 address; the rest is its user's to vary."""


def client_network(request: HttpRequest) -> str:
    """Give the client's IPv4 address or IPv6 network (/64), to be counted as one.

    Each of the setting ``TRUSTED_PROXIES`` has added the address it was called from at the end of
    ``X-Forwarded-For``; what stands before is whatever the client wrote, and is not believed.
    """
    return _network(_forwarded(request) or request.META.get("REMOTE_ADDR", ""))


def _forwarded(request: HttpRequest) -> str | None:
    proxies = settings.TRUSTED_PROXIES
    if not proxies:
        return None
    chain = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    return chain[-proxies] if len(chain) >= proxies else None


def _network(address: str) -> str:
    try:
        parsed = ip_address(_without_port(address))
    except ValueError:
        return "unknown"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    own_bits = parsed.max_prefixlen - HOME_NETWORK_BITS
    return f"{IPv6Address(int(parsed) >> own_bits << own_bits)}/{HOME_NETWORK_BITS}"


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address
