"""Formats of a page besides HTML: JSON, Atom (RFC 4287) and JSON-LD."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.http import HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import linebreaks
from django.utils.safestring import SafeString

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


_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Without these signs no text ends the element, or begins a comment in it."""


def json_ld(data: Mapping[str, Any]) -> SafeString:
    """Return the element, for what schema.org has words for."""
    spelled = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    element = f'<script type="application/ld+json">{spelled.translate(_ESCAPES)}</script>'
    return SafeString(element)


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry; ``path`` is where its page is, by which readers know it again."""

    path: str
    title: str
    published: datetime
    updated: datetime | None = None
    text: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed; all its texts may be what somebody wrote."""

    title: str
    entries: Sequence[FeedEntry]


def as_atom(feed: Feed, *, site: str, page_path: str, feed_path: str) -> HttpResponse:
    """Answer a feed, of the page at ``page_path``; ``site`` is what addresses begin with."""
    written = Atom1Feed(
        title=_allowed(feed.title),
        link=f"{site}{page_path}",
        description="",
        feed_url=f"{site}{feed_path}",
        author_name="Dynashop",
    )
    for entry in feed.entries:
        url = f"{site}{entry.path}"
        written.add_item(
            title=_allowed(entry.title),
            link=url,
            description=linebreaks(_allowed(entry.text), autoescape=True),
            unique_id=url,
            pubdate=entry.published,
            updateddate=entry.updated or entry.published,
            author_name=_allowed(entry.author) or None,
        )
    return HttpResponse(written.writeString("utf-8"), content_type=written.content_type)


def _allowed(text: str) -> str:
    """Drop the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("", text)
