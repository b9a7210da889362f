"""What a page says after a form: a sentence, maybe with a link, or a button that takes it back.

It is one of Django's messages. What belongs to its sentence stands in the message's ``extra_tags``,
as JSON, so that a page shows it as HTML, and a script in the notice of a list.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest

UNDO_FIELD = "undo"
"""The field of the form that takes something back."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link behind a sentence."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class Undo:
    """A button that sends ``text`` to a URL as `UNDO_FIELD`, to take back what was done."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Extras:
    """What belongs to the sentence of a message."""

    link: Link | None = None
    undo: Undo | None = None


def tell(
    request: HttpRequest, sentence: str, *, link: Link | None = None, undo: Undo | None = None
) -> None:
    """Add a message, which the page that follows shows: what was done, a link, and an undo."""
    extras: dict[str, Any] = {}
    if link is not None:
        extras["link"] = asdict(link)
    if undo is not None:
        extras["undo"] = asdict(undo)
    messages.success(request, sentence, extra_tags=json.dumps(extras) if extras else "")


def extras_of(message: Message) -> Extras:
    """Return what `tell` was told besides the sentence."""
    tags = message.extra_tags or ""
    if not tags.startswith("{"):
        return Extras()
    extras = json.loads(tags)
    link = Link(**extras["link"]) if "link" in extras else None
    undo = Undo(**extras["undo"]) if "undo" in extras else None
    return Extras(link, undo)
