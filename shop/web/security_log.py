"""The log of security events: one line of JSON each, at level INFO of the logger ``security``.

{"event": "sign-in", "user": "alice", "network": "203.0.113.7"}
"""

import json
import logging

from django.http import HttpRequest

from shop.web.client_address import client_network

logger = logging.getLogger("security")


def log_event(
    event: str, *, user: str = "", request: HttpRequest | None = None, **details: str | int
) -> None:
    """Log an event, such as ``sign-in``, of a user, by the network address of a request.

    ``details`` must hold no password, no token, and no text that somebody wrote.
    """
    line: dict[str, str | int] = {"event": event, "user": user}
    if request is not None:
        line["network"] = client_network(request)
    line |= details
    logger.info("%s", json.dumps(line), extra={"fields": line})
