"""What users left among comments: what they wrote, their votes, reports and replies.

Votes, reports and replies carry keys of the index ``by_author``, in partitions of their own. The
index lags: what was left a moment ago is found by asking again.
"""

from collections.abc import Iterator
from contextlib import suppress

from comments import keys
from comments.models import TABLE, ByAuthor, Comment, CommentReply
from comments.posting.services import delete_comment
from comments.store.comments import EXPIRY, NoSuchComment
from comments.store.transactions import THERE, Condition, delete
from comments.votes.services import rank_or_log, take_back
from dynamo.calls.client import client
from dynamo.items import Item
from dynamo.writes.actions import Action
from dynamo.writes.transactions import ConditionFailed, write_together
from dynamo.writes.updates import update_item

_COMMENT = 0
"""Number of the transaction's action on the comment."""


def voted_by_user(username: str) -> Iterator[str]:
    """Give the ids of the comments a user found helpful."""
    return _comments_in(keys.voter(username))


def reported_by_user(username: str) -> Iterator[str]:
    """Give the ids of the comments a user reported."""
    return _comments_in(keys.reporter(username))


def signed_by_user(username: str) -> Iterator[str]:
    """Give the ids of the comments that a member of staff replied to."""
    return _comments_in(keys.replier(username))


def erased_of_user(username: str) -> Iterator[str]:
    """Give the ids of the comments that `delete_written` has begun to delete."""
    return _comments_in(keys.erased(username))


def delete_written(*, comment_id: str, username: str) -> None:
    """Delete a comment for its author, who will not come back to it.

    Until all of it is gone, ranks included, `erased_of_user` finds it. Raises Contended, and
    botocore's errors.
    """
    delete_comment(comment_id, found_by=keys.erased(username))
    delete_comment(comment_id)  # what the first time may have left behind, and only logged
    _forget(comment_id)


def delete_vote(*, comment_id: str, username: str) -> None:
    """Delete a user's vote, and count it out; also what a deleted comment may have left of it.

    Raises Contended, and botocore's errors.
    """
    try:
        take_back(comment_id=comment_id, username=username)
    except NoSuchComment:
        _delete_item(comment_id, keys.vote(username))
    finally:
        rank_or_log(comment_id)  # in any case: a second try would not find the vote


def delete_report(*, comment_id: str, username: str) -> None:
    """Delete a user's report, and count it out; the comment stays in the queue if it is there.

    Raises Contended, and botocore's errors.
    """
    report = delete(_key(comment_id, keys.report(username)), Condition("attribute_exists(pk)"))
    try:
        write_together(client(), [_uncount(comment_id), report])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            _delete_item(comment_id, keys.report(username))


def delete_signature(*, comment_id: str, username: str) -> None:
    """Take the name of its author off a reply, which is the shop's and stays.

    Whoever is changing the reply at the moment is told that it has changed, or the name would come
    back. Raises Contended, and botocore's errors.
    """
    parameters = {
        "TableName": TABLE,
        "Key": _key(comment_id, keys.REPLY),
        "UpdateExpression": "REMOVE #c, #o, #u ADD #n :one",
        "ConditionExpression": "#c = :c",
        "ExpressionAttributeNames": {
            "#c": CommentReply.replier_partition.attr_name,
            "#o": CommentReply.place.attr_name,
            "#u": CommentReply.author.attr_name,
            "#n": CommentReply.version.attr_name,
        },
        "ExpressionAttributeValues": {":c": {"S": keys.replier(username)}, ":one": {"N": "1"}},
    }
    with suppress(ConditionFailed):  # done before, or the reply is gone
        update_item(client(), parameters)


def _comments_in(partition: str) -> Iterator[str]:
    pages = (
        client()
        .get_paginator("query")
        .paginate(
            TableName=TABLE,
            IndexName=ByAuthor.Meta.index_name,
            KeyConditionExpression="#c = :p",
            ExpressionAttributeNames={"#c": ByAuthor.partition.attr_name},
            ExpressionAttributeValues={":p": {"S": partition}},
        )
    )
    for page in pages:
        for item in page["Items"]:
            yield keys.comment_id_in(item["pk"]["S"])


def _uncount(comment_id: str) -> Action:
    return {
        "Update": {
            "TableName": TABLE,
            "Key": _key(comment_id, keys.comment(comment_id)),
            "UpdateExpression": "ADD #nr :less",
            "ConditionExpression": THERE.expression,
            "ExpressionAttributeNames": {**THERE.names, "#nr": Comment.reports.attr_name},
            "ExpressionAttributeValues": {":less": {"N": "-1"}},
        }
    }


def _forget(comment_id: str) -> None:
    """Take away by what the tombstone of an erased comment was found."""
    parameters = {
        "TableName": TABLE,
        "Key": _key(comment_id, keys.comment(comment_id)),
        "UpdateExpression": "REMOVE #c, #o",
        "ConditionExpression": "attribute_exists(#z)",
        "ExpressionAttributeNames": {
            "#c": Comment.author_partition.attr_name,
            "#o": Comment.place.attr_name,
            "#z": EXPIRY,
        },
    }
    with suppress(ConditionFailed):  # expired, or an import has put the comment back
        update_item(client(), parameters)


def _delete_item(comment_id: str, sort_key: str) -> None:
    client().delete_item(TableName=TABLE, Key=_key(comment_id, sort_key))


def _key(comment_id: str, sort_key: str) -> Item:
    return {"pk": {"S": keys.comment(comment_id)}, "sk": {"S": sort_key}}
