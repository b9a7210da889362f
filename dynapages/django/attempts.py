"""Requests that a program sends again because it got no answer: whether one is such a second one.

Whoever stores the answers of requests marks it; an operation whose first attempt keeps the second
from succeeding, such as a deletion, asks.
"""

from django.http import HttpRequest

_SECOND = "dynapages.second_attempt"
"""In ``request.META``."""


def mark_second_attempt(request: HttpRequest) -> None:
    """Note that an earlier attempt at a request may have been carried out."""
    request.META[_SECOND] = True


def is_second_attempt(request: HttpRequest) -> bool:
    """Return whether an earlier attempt at a request may have been carried out.

    Its process died, or a fault ended it: it is to be answered as that one would have been.
    """
    return _SECOND in request.META
