"""What type checkers refuse: a line with a mistake ends with ``# wrong``."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, assert_type

from clients import INDEX, FakeClient
from feeds import Note, note_of, notes, plain
from models import Comment, of_index

from dynapages import Feed, Pool
from dynapages.calls import Batches
from dynapages.pynamodb import feed_of
from dynapages.writes import Transactions

CLIENT = FakeClient()


def length(text: str) -> int:
    """Return how long a text is."""
    return len(text)


AwaitedMethod: TypeAlias = Callable[..., Awaitable[dict[str, Any]]]


class AwaitedItemClient:
    """A client with all methods for items, which are awaited: only lists are read by it."""

    batch_get_item: AwaitedMethod
    batch_write_item: AwaitedMethod
    delete_item: AwaitedMethod
    get_item: AwaitedMethod
    put_item: AwaitedMethod
    query: AwaitedMethod
    transact_write_items: AwaitedMethod
    update_item: AwaitedMethod
    exceptions: Any


# Clients
Feed(INDEX, ["red"], client="dynamodb")  # wrong
Feed(INDEX, ["red"], client=object())  # wrong
Transactions(AwaitedItemClient())  # wrong
Batches(AwaitedItemClient(), Pool(4))  # wrong

# Arguments
Feed("notes", ["red"], client=CLIENT)  # wrong
Feed(INDEX, [1.5], client=CLIENT)  # wrong
Feed(INDEX, ["red"], client=CLIENT, newest_frist=True)  # wrong
Feed(INDEX, ["red"], client=CLIENT, parse=length)  # wrong
Feed(INDEX, ["red"], client=CLIENT, parse=note_of, wire=True)  # wrong
feed_of(Comment.by_rating, ["lamp/4"], parse=note_of)  # wrong
feed_of(Note, ["lamp/4"])  # wrong

# Pages and items
plain.page("5")  # wrong
numbers: Feed[int] = Feed(INDEX, ["red"], client=CLIENT, parse=note_of)  # wrong
assert_type(Feed(INDEX, ["red"], client=CLIENT), Feed[Any])  # wrong
first: Note = plain.page(5).items[0]  # wrong
notes.page(5).items[0].colour  # wrong  # noqa: B018 - it is read by type checkers
of_index.page(5).items[0].colour  # wrong  # noqa: B018 - the same
length(notes.page(5).next)  # wrong
