"""The security log: events such as sign-ins, each with its user and the client's network."""

import json
import logging

from django.http import HttpRequest

from dynapages.django.rate_limits import client_network

logger: logging.Logger = logging.getLogger("security")


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
