"""Entries of the shop's activity log about comments; writing one takes no time."""

from datetime import datetime

from comments.items import NewComment
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record


def posted(comment: NewComment) -> None:
    """Log that a user has posted a comment."""
    _of_author(LogVerb.POSTED, comment, became=comment.rating, at=comment.created_at)


def edited(comment: NewComment, *, before: NewComment, at: datetime) -> None:
    """Log that a user has changed a comment of theirs."""
    if comment.rating == before.rating:
        _of_author(LogVerb.EDITED, comment, at=at)
    else:
        _of_author(LogVerb.EDITED, comment, was=before.rating, became=comment.rating, at=at)


def deleted(comment: NewComment, *, who: str, is_own: bool, at: datetime) -> None:
    """Log that a comment was deleted by its author or by staff."""
    moderated(
        LogVerb.DELETED,
        comment_id=comment.id,
        product_id=comment.product_id,
        who=who,
        kind=Kind.COMMENT if is_own else Kind.MODERATION,
        at=at,
    )


def moderated(
    action: LogVerb,
    *,
    comment_id: str,
    product_id: str = "",
    who: str,
    was: str = "",
    became: str = "",
    kind: Kind = Kind.MODERATION,
    at: datetime,
) -> None:
    """Log a decision of staff on a comment; ``who`` is empty for a command."""
    record(
        LogEntry(
            kind=kind,
            action=action,
            moment=at,
            who=who,
            subject=comment_id,
            about=product_id,
            was=was,
            became=became,
        )
    )


def _of_author(
    action: LogVerb, comment: NewComment, *, was: object = "", became: object = "", at: datetime
) -> None:
    record(
        LogEntry(
            kind=Kind.COMMENT,
            action=action,
            moment=at,
            who=comment.username,
            subject=comment.id,
            about=comment.product_id,
            was=str(was),
            became=str(became),
        )
    )
