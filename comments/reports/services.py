"""Reports: what a user thinks is wrong with a comment, once for each user.

A report puts its comment into the queue (the sparse index ``moderation``) in the same transaction.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments import keys
from comments.keys import comment_key
from comments.models import Comment
from comments.models import CommentReport as StoredReport
from comments.signals import announce, comment_reported
from comments.store.comments import NoSuchComment, OwnComment, StoredComment, load_comment
from comments.store.states import LISTED, NEW, State
from comments.store.table import query_pages
from comments.users import author_name, profile_url
from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.lists import parse_timestamp, sort_key_of, timestamp
from dynapages.process import client, pool
from dynapages.pynamodb import update
from dynapages.writes import Action, ConditionFailed, put, write_transaction

LONGEST_TEXT = 1_000
"""Characters of a report's text."""
SHOWN_REPORTS = 10
"""Reports of one comment that the queue shows."""
_COMMENT = 0
"""Number of the transaction's action on the comment."""


class Reason(TextChoices):
    """Why a comment is reported; the value is stored."""

    SPAM = "spam", gettext_lazy("It is advertising or spam")
    ABUSE = "abuse", gettext_lazy("It insults or threatens somebody")
    PERSONAL = "personal", gettext_lazy("It shows personal data of somebody")
    OFF_TOPIC = "off-topic", gettext_lazy("It is not about the product")
    OTHER = "other", gettext_lazy("Something else")


@dataclass(frozen=True, slots=True)
class CommentReport:
    """What a user reported of a comment, and when; ``author`` is the user's name at that time."""

    user_id: str
    author: str
    reason: Reason
    text: str
    reported: datetime

    @property
    def author_name(self) -> str:
        """What pages call the user, in the active language."""
        return author_name(self)

    @property
    def profile_url(self) -> str:
        """The page with all comments of the user."""
        return profile_url(self.user_id)


def report_comment(
    *,
    comment_id: str,
    user_id: str,
    author: str = "",
    reason: Reason,
    text: str,
    now: datetime,
    stored: StoredComment | None = None,
) -> bool:
    """Report a comment for a user; return whether this is the user's first report of it.

    ``author`` is the name that staff see, empty for a user without one. ``stored`` is the comment
    as it was just read; without it, it is read. Raises NoSuchComment, also for a hidden one,
    OwnComment and Contended.
    """
    if stored is None:
        stored = load_comment(comment_id)
    if stored.is_hidden:
        raise NoSuchComment(comment_id)
    if stored.comment.user_id == user_id:
        raise OwnComment(_("You cannot report your own comment. You can edit or delete it."))
    report = StoredReport(
        pk=keys.comment(comment_id),
        sk=keys.report(user_id),
        reporter_partition=keys.reporter(user_id),
        place=keys.about(stored.comment.product_id, comment_id),
        author=author or None,
        reason=reason.value,
        text=text or None,
        reported_at=timestamp(now),
    )
    # If the first action fails the comment is gone, if the second this is a second report.
    actions = [_queue(comment_id, now), put(Comment, report.serialize(), NEW)]
    try:
        write_transaction(client(), actions)
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            raise NoSuchComment(comment_id) from error
        return False
    announce(
        comment_reported,
        comment_id,
        by=user_id,
        moment=now,
        comment=stored.comment,
        reason=reason,
        text=text,
    )
    return True


def read_reports(comment_ids: list[str]) -> dict[str, tuple[CommentReport, ...]]:
    """Read up to `SHOWN_REPORTS` reports of each comment, by one Query for each."""
    with labelled_calls("reports"):
        reports = pool().map(_first_reports, comment_ids)
    return dict(zip(comment_ids, reports, strict=True))


def _queue(comment_id: str, now: datetime) -> Action:
    """Build the update that queues a comment; one in the queue keeps its place there."""
    place = Comment.moderation_place
    changes = [
        Comment.moderation_partition.set(keys.moderation(State.REPORTED)),
        # Kept where there is one: who waits longest comes first.
        place.set(place | sort_key_of(now, comment_id)),
        Comment.reports.add(1),
    ]
    return update(Comment, comment_key(comment_id), changes, LISTED)


def _first_reports(comment_id: str) -> tuple[CommentReport, ...]:
    reports = (Comment.pk == keys.comment(comment_id)) & Comment.sk.startswith(keys.REPORT_PREFIX)
    first = next(query_pages(reports, Limit=SHOWN_REPORTS))
    return tuple(_report_in(item) for item in first["Items"])


def _report_in(item: Item) -> CommentReport:
    """Build a report from its item."""
    stored = StoredReport.from_raw_data(dict(item))
    return CommentReport(
        user_id=stored.sk.removeprefix(keys.REPORT_PREFIX),
        author=stored.author or "",
        reason=Reason(stored.reason),
        text=stored.text or "",
        reported=parse_timestamp(stored.reported_at),
    )
