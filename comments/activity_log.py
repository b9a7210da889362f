"""Entries of the shop's activity log about comments; writing one takes no time."""

from datetime import datetime

from comments.items import NewComment
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record


def posted(comment: NewComment) -> None:
    """Log that a user has posted a comment."""
    _by_author(LogVerb.POSTED, comment, became=str(comment.rating), at=comment.created_at)


def edited(comment: NewComment, *, before: NewComment, at: datetime) -> None:
    """Log that a user has changed a comment of theirs."""
    ratings = (before.rating, comment.rating) if comment.rating != before.rating else ("", "")
    was, became = map(str, ratings)
    _by_author(LogVerb.EDITED, comment, was=was, became=became, at=at)


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
    """Log what was done with a comment, by staff or another ``kind``; a command is nobody."""
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


def _by_author(
    action: LogVerb, comment: NewComment, *, was: str = "", became: str = "", at: datetime
) -> None:
    moderated(
        action,
        comment_id=comment.id,
        product_id=comment.product_id,
        who=comment.username,
        was=was,
        became=became,
        kind=Kind.COMMENT,
        at=at,
    )
