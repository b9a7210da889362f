"""The forms of a list at one address: a page, ``?format=json`` for programs, ``?format=atom``.

The form is part of the address. So caches keep each by itself, an ETag belongs to one, and no page
varies by the header ``Accept``, which differs from browser to browser. An ending such as ``.json``
would be taken for the end of an id.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

PARAMETER = "format"


class Format(StrEnum):
    """The forms of a list beside its page."""

    JSON = "json"
    ATOM = "atom"


def format_asked(environ: Mapping[str, Any]) -> str:
    """Return the form that a request asks for, empty for the page; it may be none there is.

    ``environ`` is that of WSGI, or a request's ``META``: a query that Django refuses to parse is
    answered in the right form as well.
    """
    parts = str(environ.get("QUERY_STRING", "")).split("&")
    pairs = (part.partition("=") for part in parts)
    return next((value for name, _, value in pairs if name == PARAMETER), "")
