"""Reads of the shop's replies to comments."""

from dataclasses import dataclass
from datetime import datetime

from comments import keys
from comments.items import LONG_REPLY
from comments.models import CommentReply
from comments.store.table import comment_key, read_item
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.lists.runs import parse_timestamp, timestamp

_SHOWN: Item = {CommentReply.version.attr_name: {"N": "0"}}
"""What lists show of a reply has no version."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the shop's; an imported one has no ``author``, and perhaps no date.

    In a list ``text`` is an excerpt when ``is_long``, without ``author`` and ``version``.
    """

    text: str
    author: str = ""
    replied: datetime | None = None
    edited: datetime | None = None
    version: int = 0
    is_long: bool = False

    @property
    def replied_iso(self) -> str:
        return timestamp(self.replied) if self.replied else ""


def find_reply(comment_id: str) -> Reply | None:
    """Read the reply to a comment, strongly."""
    with labelled_calls("replies"):
        item = read_item(comment_key(comment_id, keys.REPLY))
    return reply_in(item) if item else None


def reply_in(item: Item) -> Reply:
    """Build a reply from its item, or from what lists show of it."""
    reply = CommentReply.from_raw_data({**_SHOWN, **item})
    return Reply(
        text=reply.text,
        author=reply.author or "",
        replied=parse_timestamp(reply.replied_at) if reply.replied_at else None,
        edited=parse_timestamp(reply.edited_at) if reply.edited_at else None,
        version=int(reply.version),
        is_long=LONG_REPLY in item,
    )
