"""Reports: what a user thinks is wrong with a comment, told to staff once for each user.

The report is an item beside the comment. In the same transaction the comment enters the queue
of what staff should look at (the sparse index ``moderation``), unless it waits there already, and
counts one report more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from comments import keys
from comments.models import TABLE, Comment, CommentReport
from comments.store.comments import NoSuchComment, OwnComment, load_comment
from comments.store.revision import State
from comments.store.transactions import NEW, Condition, put
from dynamo.calls.client import client, pool
from dynamo.calls.meter import labelled_calls
from dynamo.lists.places import parse_timestamp, place_of, timestamp
from dynamo.writes.actions import Action
from dynamo.writes.transactions import ConditionFailed, write_together

LONGEST_TEXT = 1_000
"""Characters of a reporter's own words."""
SHOWN_REPORTS = 10
"""Reports of one comment that the queue shows."""
_COMMENT = 0
"""Number of the transaction's action on the comment."""


class Reason(StrEnum):
    """Why a comment is reported; the value is stored."""

    SPAM = "spam"
    ABUSE = "abuse"
    PERSONAL = "personal"
    OFF_TOPIC = "off-topic"
    OTHER = "other"

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    Reason.SPAM: "It is advertising or spam",
    Reason.ABUSE: "It insults or threatens somebody",
    Reason.PERSONAL: "It shows personal data of somebody",
    Reason.OFF_TOPIC: "It is not about the product",
    Reason.OTHER: "Something else",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a user reported of a comment, and when."""

    username: str
    reason: str
    text: str
    reported: datetime


def report_comment(
    *, comment_id: str, username: str, reason: Reason, text: str, now: datetime
) -> bool:
    """Report a comment for a user; return whether this is the user's first report of it.

    Raises NoSuchComment, also for one that is hidden, OwnComment, Contended, and botocore's
    errors.
    """
    stored = load_comment(comment_id)
    if stored.is_hidden:
        raise NoSuchComment(comment_id)
    if stored.comment.username == username:
        raise OwnComment("Nobody reports their own comment: it can be edited or deleted.")
    report = CommentReport(
        pk=keys.comment(comment_id),
        sk=keys.report(username),
        reporter_partition=keys.reporter(username),
        place=keys.about(stored.comment.product_id, comment_id),
        reason=reason.value,
        text=text or None,
        reported_at=timestamp(now),
    )
    try:
        write_together(client(), [_queue(comment_id, now), put(report.serialize(), NEW)])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            raise NoSuchComment(comment_id) from error
        return False
    return True


def reports_of(comment_ids: list[str]) -> dict[str, tuple[Report, ...]]:
    """Read the reports of comments, `SHOWN_REPORTS` of each at the most: a Query for each."""
    with labelled_calls("reports"):
        found = pool().gather([partial(_first_reports, each) for each in comment_ids])
    return dict(zip(comment_ids, found, strict=True))


def _queue(comment_id: str, now: datetime) -> Action:
    """Spell the update that queues a comment; in the queue it stays where it was first put."""
    names = (Comment.moderation_partition, Comment.moderation_place, Comment.reports)
    queue, place, reports = (attribute.attr_name for attribute in names)
    listed = Condition("attribute_exists(#a)", {"#a": Comment.product_partition.attr_name})
    value = {"S": keys.comment(comment_id)}
    return {
        "Update": {
            "TableName": TABLE,
            "Key": {"pk": value, "sk": value},
            "UpdateExpression": "SET #q = :q, #j = if_not_exists(#j, :j) ADD #nr :one",
            "ConditionExpression": listed.expression,
            "ExpressionAttributeNames": {
                **listed.names,
                "#q": queue,
                "#j": place,
                "#nr": reports,
            },
            "ExpressionAttributeValues": {
                ":q": {"S": keys.moderation(State.REPORTED)},
                ":j": {"S": place_of(now, comment_id)},
                ":one": {"N": "1"},
            },
        }
    }


def _first_reports(comment_id: str) -> tuple[Report, ...]:
    answer = client().query(
        TableName=TABLE,
        KeyConditionExpression="#pk = :p AND begins_with(#sk, :sk)",
        ExpressionAttributeNames={"#pk": "pk", "#sk": "sk"},
        ExpressionAttributeValues={
            ":p": {"S": keys.comment(comment_id)},
            ":sk": {"S": keys.REPORT_PREFIX},
        },
        Limit=SHOWN_REPORTS,
    )
    return tuple(_reports(CommentReport.from_raw_data(dict(item)) for item in answer["Items"]))


def _reports(items: Iterator[CommentReport]) -> Iterator[Report]:
    for item in items:
        yield Report(
            username=item.sk.removeprefix(keys.REPORT_PREFIX),
            reason=Reason(item.reason).label,
            text=item.text or "",
            reported=parse_timestamp(item.reported_at),
        )
