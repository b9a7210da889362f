"""Atom feeds of lists (RFC 4287), and the parameter by which a list is asked for in a format."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import linebreaks
from django.utils.translation import get_language

PARAMETER = "format"
"""The parameter by which a list is asked for in another format than its page."""
ATOM = "atom"
"""The one other format that there is."""
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def requested_format(environ: Mapping[str, Any]) -> str:
    """Return the format that a request asks for, empty for the page; it may be none there is.

    ``environ`` is that of WSGI, or a request's ``META``: a query that Django refuses to parse is
    answered in the right format as well.
    """
    for part in str(environ.get("QUERY_STRING", "")).split("&"):
        name, _equals, value = part.partition("=")
        if name == PARAMETER:
            return value
    return ""


@dataclass(frozen=True, slots=True)
class AtomEntry:
    """An entry; ``path`` is where its page is, by which readers know it again.

    ``language`` is the ISO 639-1 code of its texts, empty for that of the feed.
    """

    path: str
    title: str
    published: datetime
    updated: datetime | None = None
    text: str = ""
    author: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class AtomFeed:
    """A feed in the active language; all its texts may be what somebody wrote.

    `dynapages.django.paging.show_page` puts the name of the site behind its ``title``.
    """

    title: str
    entries: Sequence[AtomEntry]


class _Writer(Atom1Feed):
    def item_attributes(self, item: dict[str, Any]) -> dict[str, str]:
        """Return the language of an entry that has one of its own."""
        return {"xml:lang": item["language"]} if item["language"] else {}


def as_atom(feed: AtomFeed, *, site: str, page_path: str, feed_path: str) -> HttpResponse:
    """Answer a feed, of the page at ``page_path``; ``site`` is what addresses begin with."""
    written = _Writer(
        title=_allowed(feed.title),
        link=f"{site}{page_path}",
        description="",
        feed_url=f"{site}{feed_path}",
        author_name=settings.SITE_NAME or site,
        language=get_language(),
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
            language=entry.language,
        )
    return HttpResponse(written.writeString("utf-8"), content_type=written.content_type)


def _allowed(text: str) -> str:
    """Drop the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("", text)
