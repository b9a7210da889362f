"""What staff do with a comment: keep it, hide it, restore it, delete it.

======== ==================================== ===========================================
decision the comment was                      and is then
======== ==================================== ===========================================
keep     reported                             out of the queue; its reports stay
hide     reported, or simply there            in no list, not counted, in no ranking, no
                                              pick of the shop's; among the hidden ones
restore  hidden                               in its lists again, and counted
delete   any of these                         gone, with all that belongs to it
======== ==================================== ===========================================

A decision is about the comment as it was seen (`Seen`): whoever decides on what somebody else has
decided, edited or reported meanwhile is told, and looks again. What is decided already, by
whomever, is success and done once.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from comments import keys
from comments.items import derived_keys
from comments.models import Comment
from comments.posting.services import delete_comment
from comments.rankings.derivation import rankings_of_comment
from comments.rankings.services import refresh_or_log
from comments.sets.following import follow
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.store.revision import Seen, State
from comments.store.transactions import CountChanges, unchanged, update, write
from comments.votes import rank as helpfulness
from comments.votes.services import rank_or_log
from dynamo.errors import DynamoError
from dynamo.lists.places import place_of
from dynamo.writes.transactions import ConditionFailed, Contended

ATTEMPTS = 5
_VERSION = Comment.version.attr_name
_LISTED = Comment.product_partition.attr_name
_HIDDEN_PRODUCT = Comment.hidden_product.attr_name
_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_REPORTS = Comment.reports.attr_name
_REPLIED = Comment.replied.attr_name
_FEATURED = Comment.featured_partition.attr_name
_LISTS = {
    name: getattr(Comment, name).attr_name
    for name in (
        "product_partition",
        "language_partition",
        "rating_partition",
        "language_rating_partition",
    )
}

_TAKEN_AWAY = (*_LISTS.values(), helpfulness.PARTITION, helpfulness.PLACE, _FEATURED)
"""What a hidden comment does not have, whether or not it had it before."""

_MEANWHILE = (
    "Somebody has decided on this comment, reported or changed it since you looked: look again."
)
_NOT_FROM = {
    State.HIDDEN: "A hidden comment is restored or deleted, not kept.",
    State.REPORTED: "A reported comment is kept, hidden or deleted, not restored.",
}

Changes = dict[str, Mapping[str, Any] | None]
Done = Callable[[StoredComment], None]
"""Hears of a decision that has been carried out, with the comment as it was before."""


class NotAsSeen(DynamoError):
    """The comment is not any more as it was when the decision was made."""

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{sentence} Nothing was done.")


def _untold(_before: StoredComment) -> None:
    """Tell nobody."""


def keep(*, comment_id: str, seen: Seen | None = None, done: Done = _untold) -> None:
    """Take a reported comment out of the queue; a new report brings it back.

    ``seen`` None decides on the comment as it is; ``done`` hears of it unless it was so already.
    Raises NotAsSeen, NoSuchComment, Contended, and botocore's errors.
    """

    def decide(stored: StoredComment) -> None:
        _write(stored, {_QUEUE: None, _QUEUE_PLACE: None}, CountChanges())
        done(stored)

    _decide(comment_id, seen, until=State.LISTED, decide=decide, never_from=State.HIDDEN)


def hide(*, comment_id: str, seen: Seen | None = None, now: datetime, done: Done = _untold) -> None:
    """Take a comment out of its lists, counts and rankings. Arguments and errors as for `keep`."""

    def decide(stored: StoredComment) -> None:
        comment = stored.comment
        changes: Changes = dict.fromkeys(_TAKEN_AWAY)
        changes[_HIDDEN_PRODUCT] = {"S": comment.product_id}
        changes[_QUEUE] = {"S": keys.moderation(State.HIDDEN)}
        changes[_QUEUE_PLACE] = stored.item.get(_QUEUE_PLACE, {"S": place_of(now, comment_id)})
        counts = CountChanges()
        counts.add(comment.product_id, stored.cell, -1)
        _write(stored, changes, counts)
        done(stored)

    stored = _decide(comment_id, seen, until=State.HIDDEN, decide=decide)
    comment = stored.comment
    refresh_or_log(comment.product_id, rankings=rankings_of_comment(comment.rating))


def restore(*, comment_id: str, seen: Seen | None = None, done: Done = _untold) -> None:
    """Put a hidden comment back where it was. Arguments and errors as for `keep`."""

    def decide(stored: StoredComment) -> None:
        comment = stored.comment
        derived = derived_keys(comment)
        changes: Changes = {wire: {"S": derived[name]} for name, wire in _LISTS.items()}
        changes |= {_HIDDEN_PRODUCT: None, _QUEUE: None, _QUEUE_PLACE: None}
        counts = CountChanges()
        counts.add(comment.product_id, stored.cell, 1)
        _write(stored, changes, counts)
        done(stored)

    stored = _decide(comment_id, seen, until=State.LISTED, decide=decide, never_from=State.REPORTED)
    comment = stored.comment
    rank_or_log(comment_id)
    refresh_or_log(
        comment.product_id,
        newest=place_of(comment.created_at, comment.id),
        rankings=rankings_of_comment(comment.rating),
    )


def delete(
    *, comment_id: str, seen: Seen | None = None, now: datetime, done: Done = _untold
) -> None:
    """Delete a comment with all that belongs to it; doing so again is success.

    Raises NotAsSeen, Contended, and botocore's errors.
    """
    stored = None
    with suppress(NoSuchComment):
        stored = load_comment(comment_id)
    if seen is not None and stored is not None and seen != Seen.of(stored.item):
        raise NotAsSeen(_MEANWHILE)
    if delete_comment(comment_id, now=now) and stored is not None:
        done(stored)


def _decide(
    comment_id: str,
    seen: Seen | None,
    *,
    until: State,
    decide: Callable[[StoredComment], None],
    never_from: State | None = None,
) -> StoredComment:
    """Carry a decision out unless the comment is so already; give it as it was before."""
    for _ in range(ATTEMPTS):
        stored = load_comment(comment_id)
        now_seen = Seen.of(stored.item)
        if now_seen.state == until:
            return stored
        if seen is not None and seen != now_seen:
            raise NotAsSeen(_MEANWHILE)
        if now_seen.state is never_from:
            raise NotAsSeen(_NOT_FROM[never_from])
        try:
            decide(stored)
        except ConditionFailed:
            continue
        return stored
    raise Contended("This comment is being changed by others at the moment.")


def _write(stored: StoredComment, changes: Changes, counts: CountChanges) -> None:
    """Write changes of a comment on condition that it is as it was read."""
    same = unchanged(stored.item, "pk", _VERSION, _LISTED, _QUEUE, _REPORTS, _REPLIED)
    value = {"S": keys.comment(stored.comment.id)}
    after = {n: v for n, v in {**stored.item, **changes}.items() if v is not None}
    decided = update({"pk": value, "sk": value}, changes, same)
    write([decided, *follow(stored.item, after)], counts)
