"""The data of a user among the comments: comments, votes, reports, names on replies, requests.

For each kind there are functions that find the ids of comments, or for requests their sort keys,
delete what the user has there, and name its items for a copy of the data (`TRACES`).
"""

from collections.abc import Iterator

from comments import keys
from comments.gates import block_key, is_blocked, unblock_author
from comments.host import has_topics
from comments.keys import comment_key
from comments.models import (
    TABLE,
    AskedUser,
    BlockedAuthor,
    ByAuthor,
    Comment,
    CommentBody,
    CommentReply,
    CommentReport,
    CommentVote,
    ReviewRequest,
)
from comments.posting.services import delete_comment
from comments.profiles.queries import ids_written_by
from comments.requests.queries import requests_of
from comments.store.comments import NoSuchComment
from comments.store.states import NOT_DELETED, product_id_of
from comments.store.table import query_pages, read_item, write_if_condition_holds
from comments.topics.making import owe_making
from comments.votes.rank import rank_or_log
from comments.votes.services import withdraw_vote
from comments.work import finish_owed
from dynapages.items import table_key
from dynapages.lists import id_at
from dynapages.process import client
from dynapages.pynamodb import update
from dynapages.upkeep import StoredItem, Trace
from dynapages.writes import ConditionFailed, delete, write_item, write_transaction

_COMMENT = 0
"""Number of the transaction's action on the comment."""


def comments_listed_in(partition: str) -> Iterator[str]:
    """Yield the ids of the comments in a partition of ``by_author``."""
    index = ByAuthor.Meta.index_name
    for page in query_pages(ByAuthor.partition == partition, IndexName=index):
        for item in page["Items"]:
            yield id_at(item[ByAuthor.place.attr_name]["S"])


# Comments


def find_written(user_id: str) -> Iterator[str]:
    """Yield the ids of a user's comments, after those whose erasure was interrupted."""
    yield from comments_listed_in(keys.erased(user_id))
    yield from ids_written_by(user_id)


def delete_written(user_id: str, comment_id: str) -> None:
    """Delete a comment of a user who is erased; until all is gone, ``keys.erased`` lists it.

    Topics of its product are made anew within an hour.
    """
    delete_comment(comment_id, erased_in=keys.erased(user_id))
    finish_owed(comment_id)  # and raise what the deletion has only logged
    if has_topics():
        _owe_topics(comment_id)
    _remove_from_erased(comment_id)


def _owe_topics(comment_id: str) -> None:
    """Store that topics are made anew of the product that a deleted comment was about."""
    tombstone = read_item(comment_key(comment_id))
    if tombstone:
        owe_making(product_id_of(tombstone))


def _remove_from_erased(comment_id: str) -> None:
    """Remove the keys that list the tombstone of an erased comment."""
    changes = [Comment.author_partition.remove(), Comment.place.remove()]
    is_deleted = Comment.expires_at.exists()
    write_if_condition_holds(update(Comment, comment_key(comment_id), changes, is_deleted))


def items_of_written(_user_id: str, comment_id: str) -> list[StoredItem]:
    """Return the keys of a comment and of its long text."""
    return [
        (Comment, TABLE, comment_key(comment_id)),
        (CommentBody, TABLE, comment_key(comment_id, keys.BODY)),
    ]


# Votes


def find_votes(user_id: str) -> Iterator[str]:
    """Yield the ids of the comments that a user finds helpful."""
    return comments_listed_in(keys.voter(user_id))


def delete_vote(user_id: str, comment_id: str) -> None:
    """Delete a user's vote, and count it out, also where the comment is deleted."""
    try:
        withdraw_vote(comment_id=comment_id, user_id=user_id)
    except NoSuchComment:
        write_item(client(), delete(TABLE, comment_key(comment_id, keys.vote(user_id))))
    finally:
        rank_or_log(comment_id)  # in any case: a second run would not find the vote


def items_of_vote(user_id: str, comment_id: str) -> list[StoredItem]:
    """Return the key of a vote."""
    return [(CommentVote, TABLE, comment_key(comment_id, keys.vote(user_id)))]


# Reports


def find_reports(user_id: str) -> Iterator[str]:
    """Yield the ids of the comments that a user has reported."""
    return comments_listed_in(keys.reporter(user_id))


def delete_report(user_id: str, comment_id: str) -> None:
    """Delete a user's report, and count it out; the comment stays in the queue if it is there."""
    report_key = comment_key(comment_id, keys.report(user_id))
    # The number of reports is the comment's: it goes with the report or not at all.
    deletion = delete(Comment, report_key, Comment.pk.exists())
    uncount = update(Comment, comment_key(comment_id), [Comment.reports.add(-1)], NOT_DELETED)
    try:
        write_transaction(client(), [uncount, deletion])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            write_item(client(), delete(TABLE, report_key))


def items_of_report(user_id: str, comment_id: str) -> list[StoredItem]:
    """Return the key of a report."""
    return [(CommentReport, TABLE, comment_key(comment_id, keys.report(user_id)))]


# Names on replies


def find_signatures(user_id: str) -> Iterator[str]:
    """Yield the ids of the comments that a member of staff has replied to."""
    return comments_listed_in(keys.replier(user_id))


def delete_signature(user_id: str, comment_id: str) -> None:
    """Remove the name of its author from a reply, which is the shop's and stays.

    Its version is raised, so that a change under way cannot restore the name.
    """
    partition = CommentReply.replier_partition
    changes = [
        partition.remove(),
        CommentReply.place.remove(),
        CommentReply.user_id.remove(),
        CommentReply.author.remove(),
        CommentReply.version.add(1),
    ]
    signed = partition == keys.replier(user_id)
    reply_key = comment_key(comment_id, keys.REPLY)
    write_if_condition_holds(update(CommentReply, reply_key, changes, signed))


def items_of_reply(_user_id: str, comment_id: str) -> list[StoredItem]:
    """Return the key of a reply."""
    return [(CommentReply, TABLE, comment_key(comment_id, keys.REPLY))]


# The block of an author


def find_block(user_id: str) -> list[str]:
    """Return the user's id where staff have blocked the user."""
    return [user_id] if is_blocked(user_id) else []


def delete_block(user_id: str, _name: str) -> None:
    """Delete the block of a user."""
    unblock_author(user_id)


def items_of_block(user_id: str, _name: str) -> list[StoredItem]:
    """Return the key of a user's block."""
    return [(BlockedAuthor, TABLE, block_key(user_id))]


# Requests for reviews


def delete_request(user_id: str, sort_key: str) -> None:
    """Delete a request that a user got, or what is known of whether they may be asked."""
    write_item(client(), delete(TABLE, table_key(keys.asked(user_id), sort_key)))


def items_of_request(user_id: str, sort_key: str) -> list[StoredItem]:
    """Return the key of a request that a user got, or of their choice."""
    model = AskedUser if sort_key == keys.ASKED_USER else ReviewRequest
    return [(model, TABLE, table_key(keys.asked(user_id), sort_key))]


BLOCK = Trace("blocks", find_block, delete_block, items_of_block)
TRACES = (
    BLOCK,
    Trace("comments", find_written, delete_written, items_of_written),
    Trace("votes", find_votes, delete_vote, items_of_vote),
    Trace("reports", find_reports, delete_report, items_of_report),
    Trace("names on replies", find_signatures, delete_signature, items_of_reply),
    Trace("requests for reviews", requests_of, delete_request, items_of_request),
)
"""All kinds of data of a user in the table ``comments``."""
