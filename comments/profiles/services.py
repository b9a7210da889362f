"""Blocked authors: what they write is held from then on, whatever the gate says."""

from datetime import datetime

from comments import keys
from comments.models import TABLE, BlockedAuthor
from dynapages.calls import labelled_calls
from dynapages.items import Item, table_key
from dynapages.lists import timestamp
from dynapages.process import client
from dynapages.writes import delete, put, write_one


def block_author(username: str, *, now: datetime) -> None:
    """Hold what a user writes from now on; also where they were blocked before."""
    key = keys.author(username)
    block = BlockedAuthor(pk=key, sk=key, blocked_at=timestamp(now))
    write_one(client(), put(BlockedAuthor, block.serialize()))


def unblock_author(username: str) -> None:
    """Let a user publish again, as far as the gate does; also where they were not blocked."""
    write_one(client(), delete(BlockedAuthor, block_key(username)))


def is_blocked(username: str) -> bool:
    """Return whether staff have blocked a user: one call of half a unit."""
    with labelled_calls("block"):
        return "Item" in client().get_item(TableName=TABLE, Key=block_key(username))


def block_key(username: str) -> Item:
    """Build the key of the item that says that a user is blocked."""
    return table_key(*[keys.author(username)] * 2)
