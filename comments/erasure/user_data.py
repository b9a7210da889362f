"""What a user leaves among the comments: what they wrote, found helpful, reported and replied."""

from collections.abc import Callable, Iterator
from functools import partial

from comments.erasure.traces import (
    delete_report,
    delete_signature,
    delete_vote,
    delete_written,
    erased_of_user,
    reported_by_user,
    signed_by_user,
    voted_by_user,
)
from comments.filters import CommentFilter
from comments.lists.queries import entry_of
from comments.lists.read_models import read_model
from comments.moderation.queries import run_of
from comments.profiles.queries import ids_written_by
from comments.store.revision import State
from dynamo.lists.site_reader import every_entry, read
from dynamo.upkeep.erasure import Trace
from shop.orders.queries import products_bought_by

AT_ONCE = 200


def imported_reviews_of(username: str) -> Iterator[str]:
    """Give the ids of imported reviews that came with a user's orders.

    No index has them by their author: all comments on what the user bought are read, and all that
    staff have hidden, which are in no list.
    """
    bought = list(products_bought_by(username))
    lists = [read_model().plan(product_id, CommentFilter()).runs for product_id in bought]
    for runs in [*lists, [run_of(State.HIDDEN)]]:
        for found in every_entry(partial(read, runs), at_once=AT_ONCE):
            entry = entry_of(found.item)
            is_theirs = entry.author == username and entry.is_verified and not entry.username
            if is_theirs and entry.product_id in bought:
                yield entry.id


def _written_by(username: str) -> Iterator[str]:
    """Give what is there, and what an erasure that was cut off has left of comments."""
    yield from erased_of_user(username)
    yield from ids_written_by(username)


def _each(delete: Callable[..., None]) -> Callable[[str, str], None]:
    """Have ``delete`` called as a `Trace` does it."""
    return lambda username, comment_id: delete(comment_id=comment_id, username=username)


TRACES = (
    Trace("comments", _written_by, _each(delete_written)),
    Trace("imported reviews", imported_reviews_of, _each(delete_written)),
    Trace("votes", voted_by_user, _each(delete_vote)),
    Trace("reports", reported_by_user, _each(delete_report)),
    Trace("names on replies", signed_by_user, _each(delete_signature)),
)
"""All that is theirs in the table ``comments``; a kind that is added belongs here."""
