"""Writes of single comments, each one transaction with the counts it changes.

Every change is conditional on the version it was made from; doing the same again is success, and
counts once. After the commit the ranks are derived; where that fails the change remains.

A comment's id is made with the form it is written in, and signed for its user and product: the same
form sent twice is the same comment, and no form can replace another comment.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.signing import BadSignature, TimestampSigner
from django.utils.translation import gettext as _
from ulid import ULID

from comments import keys
from comments.host import has_bought
from comments.items import NewComment, items_of
from comments.models import Comment, CommentBody
from comments.rankings.derivation import BEST_RATING, Ranking, Touch, rankings_of_comment
from comments.rankings.services import refresh_ranks
from comments.sets.copies import follow
from comments.store.comments import (
    EXPIRY,
    NEW,
    NoSuchComment,
    StoredComment,
    delete_dependents,
    load_comment,
)
from comments.store.counts import CountChanges, write
from comments.store.table import (
    ATTEMPTS,
    BEING_CHANGED,
    LIST_KEYS,
    change,
    changed,
    comment_key,
    retry,
)
from dynapages.calls import clock
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.lists import sort_key_of, timestamp
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete, put
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import record

TOMBSTONE_DAYS = 2
"""How long a deleted comment's id cannot be used: longer than a form to write one lives."""

_VERSION = Comment.version.attr_name
_EDITED_AT = Comment.edited_at.attr_name
_AUTHOR = Comment.author_partition.attr_name
_PLACE = Comment.place.attr_name
_CHANGEABLE = frozenset(
    attribute.attr_name
    for attribute in (
        Comment.language,
        Comment.rating,
        Comment.title,
        Comment.text,
        Comment.body_bytes,
        Comment.body_digest,
        Comment.verified,
    )
)


class Conflict(DynamoError):
    """Another comment is ``stored`` than was expected."""

    def __init__(self, sentence: str, stored: StoredComment) -> None:
        super().__init__(sentence)
        self.stored = stored


class CommentExists(Conflict):
    """Another comment has this id."""


class CommentGone(DynamoError):
    """The comment of this id was deleted, and cannot be added again."""


class EditLost(Conflict):
    """Somebody changed the comment since it was read."""

    def __init__(self, stored: StoredComment) -> None:
        super().__init__(
            _("This comment was changed in the meantime, in another window or on another device."),
            stored,
        )


def add_comment(comment: NewComment) -> None:
    """Add a comment and count it. Adding the very same one again changes nothing.

    Raises CommentExists for the id of another comment, CommentGone for that of a deleted one,
    and what `comments.store.counts.write` does.
    """
    changes = CountChanges()
    changes.add(comment.product_id, (comment.language, comment.rating), comment.created_at, 1)
    item, body = _items(comment, version=1)
    try:
        puts = [put(Comment, item, NEW), *([put(Comment, body)] if body else [])]
        write([*puts, *follow(None, item)], changes)
    except ConditionFailed as error:
        _require_same(comment, error)
    refresh_ranks(
        {comment.product_id: Touch(sort_key_of(comment.created_at, comment.id))},
        rankings=rankings_of_comment(comment.rating),
        log_failures=True,
    )


def _require_same(comment: NewComment, error: ConditionFailed) -> None:
    try:
        stored = load_comment(comment.id)
    except NoSuchComment:
        raise CommentGone(_("The comment with this id was deleted.")) from error
    if stored.comment != comment:
        raise CommentExists(_("There is another comment with this id."), stored) from error


def edit_comment(
    stored: StoredComment,
    *,
    now: datetime,
    **parts: Any,  # noqa: ANN401 - fields of NewComment
) -> StoredComment:
    """Change some parts of a comment, and return it as it then is.

    All its list keys and the counts change with it; a hidden comment has neither, and stays hidden.
    An edit that changes nothing is not written, but derives the ranks that one before missed.
    Raises EditLost when ``stored`` is no longer how it is, NoSuchComment when it has been deleted,
    Contended when it keeps changing, and what `comments.store.counts.write` does.
    """
    before = stored.comment
    after = replace(before, **parts)
    if after == before:
        refresh_ranks({before.product_id: Touch()}, only_stale=True, log_failures=True)
        return stored
    edited = _store_edit(stored, after, now=now)
    if BEST_RATING in {before.rating, after.rating} and before.rating != after.rating:
        stars = [Ranking.FIVE_STARS]
        refresh_ranks({after.product_id: Touch()}, rankings=stars, log_failures=True)
    return edited


def _store_edit(stored: StoredComment, after: NewComment, *, now: datetime) -> StoredComment:
    """Write an edit; retry when only votes, reports or visibility changed."""
    for _attempt in range(ATTEMPTS):
        try:
            return _edit(stored, after, now=now)
        except ConditionFailed as error:
            found = load_comment(after.id)
            if found.comment == after:
                return found
            if found.version != stored.version:
                raise EditLost(found) from error
            stored = found
    raise Contended(BEING_CHANGED)


def _edit(stored: StoredComment, after: NewComment, *, now: datetime) -> StoredComment:
    item, long_body = _items(after, version=stored.version + 1)
    movable = _CHANGEABLE if stored.is_hidden else _CHANGEABLE | {*LIST_KEYS.values()}
    differing = {n for n in movable if item.get(n) != stored.item.get(n)}
    edits = {name: item.get(name) for name in sorted(differing)}
    edits |= {_VERSION: item[_VERSION], _EDITED_AT: {"S": timestamp(now)}}
    changes = CountChanges()
    if not stored.is_hidden:
        changes.add(after.product_id, stored.cell, after.created_at, -1)
        changes.add(after.product_id, (after.language, after.rating), after.created_at, 1)
    same = unchanged(
        stored.item, Comment.pk, Comment.version, Comment.product_partition, Comment.reply
    )
    edited = changed(stored.item, edits)
    actions = [change(comment_key(after.id), edits, same), *_body_actions(stored, after, long_body)]
    write([*actions, *follow(stored.item, edited)], changes)
    return StoredComment(after, edited)


def _body_actions(
    stored: StoredComment, after: NewComment, long_body: Item | None
) -> Iterator[Action]:
    if long_body and not (stored.has_long_body and stored.comment.body == after.body):
        yield put(CommentBody, long_body)
    elif stored.has_long_body and not long_body:
        yield delete(CommentBody, comment_key(after.id, keys.BODY))


def delete_comment(
    comment_id: str, *, now: datetime | None = None, found_by: str | None = None
) -> bool:
    """Delete a comment with its dependents, and count it out (AP5, QP7).

    Returns whether there was one; doing it again finishes what was interrupted. The tombstone is
    listed in the partition ``found_by`` of ``by_author``, for an erasure. Raises what
    `comments.store.counts.write` does.
    """

    def attempt() -> StoredComment:
        stored = load_comment(comment_id)
        _delete(stored, now=now or clock.now(), found_by=found_by)
        return stored

    try:
        deleted = retry(attempt)
    except NoSuchComment as gone:
        delete_dependents(comment_id)
        if gone.product_id:
            refresh_ranks({gone.product_id: Touch()}, only_stale=True, log_failures=True)
        return False
    comment = deleted.comment
    if not deleted.is_hidden:
        rankings = rankings_of_comment(comment.rating)
        refresh_ranks({comment.product_id: Touch()}, rankings=rankings, log_failures=True)
    delete_dependents(comment_id)
    return True


def _delete(stored: StoredComment, *, now: datetime, found_by: str | None) -> None:
    comment = stored.comment
    changes = CountChanges()
    if not stored.is_hidden:
        changes.add(comment.product_id, stored.cell, comment.created_at, -1)
    tombstone: Item = {
        **comment_key(comment.id),
        Comment.hidden_product.attr_name: {"S": comment.product_id},
        EXPIRY: {"N": str(int((now + timedelta(days=TOMBSTONE_DAYS)).timestamp()))},
    }
    if found_by:
        tombstone = {**tombstone, _AUTHOR: {"S": found_by}, _PLACE: stored.item[_PLACE]}
    same = unchanged(stored.item, Comment.pk, Comment.version, Comment.product_partition)
    key = comment_key(comment.id, keys.BODY)
    body = [delete(CommentBody, key)] if stored.has_long_body else []
    write([put(Comment, tombstone, same), *body, *follow(stored.item, tombstone)], changes)


def _items(comment: NewComment, *, version: int) -> tuple[Item, Item | None]:
    item, body = items_of(comment)
    item.version = version
    return item.serialize(), body.serialize() if body else None


FORM_LIVES = timedelta(days=1)
"""How long a form may lie open before it is sent."""


class BadForm(ValueError):
    """The form has no valid comment id, is somebody else's, or too old."""


def new_form_id(*, username: str, product_id: str, now: datetime) -> str:
    """Build the id of a new comment, signed for its user and product."""
    return _signer(username, product_id).sign(str(ULID.from_datetime(now)))


def comment_id_of(form_id: str, *, username: str, product_id: str) -> str:
    """Parse the comment's id from a form id. Raises BadForm."""
    try:
        comment_id = _signer(username, product_id).unsign(form_id, max_age=FORM_LIVES)
    except BadSignature as error:  # SignatureExpired is one
        raise BadForm(_("This form is too old, or was made for somebody else.")) from error
    return comment_id


def is_author(username: str, stored: StoredComment) -> bool:
    """Return whether a comment is a user's own, by the table."""
    return stored.comment.username == username != ""


def _signer(username: str, product_id: str) -> TimestampSigner:
    return TimestampSigner(salt=f"comments.form/{username}/{product_id}")


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a comment by its author."""

    rating: int
    language: str
    title: str
    body: str


class PostedOtherwise(Conflict):
    """The same form has been posted with other words."""


def post_comment(
    draft: Draft, *, comment_id: str, product_id: str, username: str, now: datetime
) -> NewComment:
    """Add a user's comment, marked as a buyer's if they ever bought the product.

    Posting it again returns the comment that is there, or raises PostedOtherwise where that
    differs. Raises like `add_comment`.
    """
    comment = NewComment(
        id=comment_id,
        product_id=product_id,
        created_at=now,
        author=username,
        username=username,
        verified=has_bought(username, product_id),
        **asdict(draft),
    )
    try:
        add_comment(comment)
    except CommentExists as error:
        return _posted_before(error.stored, draft, username=username)
    names = username, comment_id, product_id
    record(LogEntry(Kind.COMMENT, LogVerb.POSTED, now, *names, became=str(draft.rating)))
    return comment


def save_edit(
    draft: Draft, *, comment_id: str, version: int, username: str, now: datetime
) -> NewComment:
    """Change a user's own comment, if its version is still the one they have seen.

    Saving the same again is success. Raises NoSuchComment for one that is not theirs, and like
    `edit_comment`.
    """
    stored = load_own(comment_id, username=username)
    before = stored.comment
    if draft_of(before) != draft and stored.version != version:
        raise EditLost(stored)
    edited = edit_comment(
        stored,
        now=now,
        verified=before.verified or has_bought(username, before.product_id),
        **asdict(draft),
    )
    if edited.version != stored.version:
        is_rated = draft.rating != before.rating
        ratings = [str(each) if is_rated else "" for each in (before.rating, draft.rating)]
        names = username, comment_id, before.product_id
        record(LogEntry(Kind.COMMENT, LogVerb.EDITED, now, *names, *ratings))
    return edited.comment


def load_own(comment_id: str, *, username: str) -> StoredComment:
    """Read a user's comment. Raises NoSuchComment, also where it is somebody else's."""
    stored = load_comment(comment_id)
    if not is_author(username, stored):
        raise NoSuchComment(comment_id)
    return stored


def draft_of(comment: NewComment) -> Draft:
    """Return the content of a comment."""
    return Draft(comment.rating, comment.language, comment.title, comment.body)


def _posted_before(stored: StoredComment, draft: Draft, *, username: str) -> NewComment:
    comment = stored.comment
    if not is_author(username, stored) or draft_of(comment) != draft:
        raise PostedOtherwise(_("This form has been sent before, with other words."), stored)
    newest = Touch(sort_key_of(comment.created_at, comment.id))
    refresh_ranks({comment.product_id: newest}, only_stale=True, log_failures=True)
    return comment
