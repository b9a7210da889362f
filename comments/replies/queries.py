"""Reads of the shop's replies to comments.

A reply is an item beside its comment. A comment's list entry says whether there is one, so that a
page reads the replies of just those comments, in one call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from comments import keys
from comments.models import CommentReply
from comments.store.table import comment_key
from dynamo.calls.meter import labelled_calls
from dynamo.items import Item
from dynamo.lists.places import parse_timestamp, timestamp
from dynamo.lists.site_reader import page_batches


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of the shop's; an imported one has no ``author``, and perhaps no date."""

    text: str
    author: str
    replied: datetime | None
    edited: datetime | None
    version: int

    @property
    def replied_iso(self) -> str:
        return timestamp(self.replied) if self.replied else ""


def find_reply(comment_id: str) -> Reply | None:
    """Read the reply to a comment, strongly."""
    return _replies([comment_id], consistent=True).get(comment_id)


def find_replies(comment_ids: Sequence[str]) -> dict[str, Reply]:
    """Read the replies to comments, half a capacity unit for each 4 KB of each."""
    return _replies(comment_ids, consistent=False)


def _replies(comment_ids: Sequence[str], *, consistent: bool) -> dict[str, Reply]:
    if not comment_ids:
        return {}
    table_keys = [comment_key(each, keys.REPLY) for each in comment_ids]
    with labelled_calls("replies"):
        found = page_batches().get(CommentReply.Meta.table_name, table_keys, consistent=consistent)
    return {keys.comment_id_in(item["pk"]["S"]): _reply(item) for item in found}


def _reply(item: Item) -> Reply:
    stored = CommentReply.from_raw_data(dict(item))
    return Reply(
        text=stored.text,
        author=stored.author or "",
        replied=parse_timestamp(stored.replied_at) if stored.replied_at else None,
        edited=parse_timestamp(stored.edited_at) if stored.edited_at else None,
        version=int(stored.version),
    )
