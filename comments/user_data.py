"""What a user leaves among the comments: what they wrote, found helpful, and reported."""

from collections.abc import Iterator

from comments.filters import CommentFilter
from comments.profile_queries import ids_written_by
from comments.queries import entry_of
from comments.read_model import read_model
from comments.user_traces import (
    delete_report,
    delete_vote,
    delete_written,
    erased_of_user,
    reported_by_user,
    voted_by_user,
)
from dynamo.erasure import Trace
from dynamo.reader import PageRequest
from dynamo.reading import read
from shop.order_queries import products_bought_by

AT_ONCE = 200


def imported_reviews_of(username: str) -> Iterator[str]:
    """Give the ids of imported reviews that came with a user's orders.

    No index has them by their author: all comments on what the user bought are read.
    """
    for product_id in products_bought_by(username):
        runs = read_model().plan(product_id, CommentFilter()).runs
        request = PageRequest(AT_ONCE)
        while True:
            page = read(runs, request)
            for entry in map(entry_of, (entry.item for entry in page.entries)):
                if entry.author == username and entry.is_verified and not entry.username:
                    yield entry.id
            if not page.has_next:
                break
            request = PageRequest(AT_ONCE, page.entries[-1].position)


def _written_by(username: str) -> Iterator[str]:
    """Give what is there, and what an erasure that was cut off has left of comments."""
    yield from erased_of_user(username)
    yield from ids_written_by(username)


def _delete_comment(username: str, comment_id: str) -> None:
    delete_written(comment_id=comment_id, username=username)


def _delete_vote(username: str, comment_id: str) -> None:
    delete_vote(comment_id=comment_id, username=username)


def _delete_report(username: str, comment_id: str) -> None:
    delete_report(comment_id=comment_id, username=username)


TRACES = (
    Trace("comments", _written_by, _delete_comment),
    Trace("imported reviews", imported_reviews_of, _delete_comment),
    Trace("votes", voted_by_user, _delete_vote),
    Trace("reports", reported_by_user, _delete_report),
)
"""All that is theirs in the table ``comments``; a kind that is added belongs here."""
