"""A page of a list as an Atom feed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import linebreaks

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
