"""Decisions of staff on comments, made past the site's pages."""

from datetime import datetime

from comments.moderation import services
from comments.moderation.services import Decision, carry_out
from comments.store.states import Revision
from dynapages.calls import clock


def decide(
    decision: Decision, comment_id: str, *, seen: Revision | None, now: datetime | None
) -> bool:
    return carry_out(decision, comment_id=comment_id, seen=seen, now=now or clock.now())


def hide(*, comment_id: str, seen: Revision | None = None, now: datetime | None = None) -> bool:
    return decide(Decision.HIDE, comment_id, seen=seen, now=now)


def restore(*, comment_id: str, seen: Revision | None = None) -> bool:
    return decide(Decision.RESTORE, comment_id, seen=seen, now=None)


def keep(*, comment_id: str, seen: Revision | None = None) -> bool:
    return decide(Decision.KEEP, comment_id, seen=seen, now=None)


def feature(comment_id: str) -> bool:
    return services.feature(comment_id, now=clock.now())


def unfeature(comment_id: str) -> bool:
    return services.unfeature(comment_id, now=clock.now())
