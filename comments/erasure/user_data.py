"""The data of a user among the comments: comments, votes, reports and names on replies."""

from collections.abc import Callable, Iterator
from functools import partial

from comments import keys
from comments.erasure.traces import (
    comments_listed_in,
    delete_report,
    delete_signature,
    delete_vote,
    delete_written,
)
from comments.filters import CommentFilter
from comments.lists.queries import entry_of, read_model
from comments.models import TABLE, Comment, CommentBody, CommentReply, CommentReport, CommentVote
from comments.moderation.queries import run_of
from comments.profiles.queries import ids_written_by
from comments.store.revision import State
from comments.store.table import comment_key
from dynamo.lists.site_reader import every_entry, read
from dynamo.upkeep.erasure import Kept, Trace
from shop.orders.queries import products_bought_by

AT_ONCE = 200


def imported_reviews_of(username: str) -> Iterator[str]:
    """Yield the ids of imported reviews that came with a user's orders.

    No index lists them by their author: all comments on what the user bought are read, and all
    hidden ones, which are in no list.
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
    """Yield the ids of comments, after those whose erasure was interrupted."""
    yield from comments_listed_in(keys.erased(username))
    yield from ids_written_by(username)


def _listed_in(partition_of: Callable[[str], str]) -> Callable[[str], Iterator[str]]:
    return lambda username: comments_listed_in(partition_of(username))


def _each(delete: Callable[..., None]) -> Callable[[str, str], None]:
    return lambda username, comment_id: delete(comment_id=comment_id, username=username)


def _written(_username: str, comment_id: str) -> list[Kept]:
    return [
        (Comment, TABLE, comment_key(comment_id)),
        (CommentBody, TABLE, comment_key(comment_id, keys.BODY)),
    ]


def _vote(username: str, comment_id: str) -> list[Kept]:
    return [(CommentVote, TABLE, comment_key(comment_id, keys.vote(username)))]


def _report(username: str, comment_id: str) -> list[Kept]:
    return [(CommentReport, TABLE, comment_key(comment_id, keys.report(username)))]


def _reply(_username: str, comment_id: str) -> list[Kept]:
    return [(CommentReply, TABLE, comment_key(comment_id, keys.REPLY))]


IMPORTED = Trace("imported reviews", imported_reviews_of, _each(delete_written), _written)
TRACES = (
    Trace("comments", _written_by, _each(delete_written), _written),
    IMPORTED,
    Trace("votes", _listed_in(keys.voter), _each(delete_vote), _vote),
    Trace("reports", _listed_in(keys.reporter), _each(delete_report), _report),
    Trace("names on replies", _listed_in(keys.replier), _each(delete_signature), _reply),
)
"""All kinds of data of a user in the table ``comments``."""
