"""Writes of single comments, each one transaction with the counts it changes.

Every change is conditional on the version it was made from; doing the same again is success, and
counts once. After the commit the ranks are derived; where that fails the change remains.

A comment's id is made with the form it is written in, and signed for its user and product: the same
form sent twice is the same comment, and no form can replace another comment.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core.signing import BadSignature, TimestampSigner
from django.utils.translation import gettext as _
from ulid import ULID

from comments import keys
from comments.gates import Author, Hold, Reject, is_blocked, judge
from comments.host import has_bought
from comments.items import CONTENT, NewComment, items_of
from comments.models import Comment, CommentBody
from comments.rankings.services import BEST_RATING, Ranking, rank_product, rankings_of
from comments.search.writer import CommentChange, write
from comments.signals import announce, comment_deleted, comment_edited, comment_held, comment_posted
from comments.store.comments import (
    EXPIRY,
    NEW,
    NoSuchComment,
    State,
    StoredComment,
    delete_dependents_or_log,
    hold_reason,
    listed,
    load_comment,
    product_id_of,
    withheld,
)
from comments.store.counts import CountChanges
from comments.store.owed import NOTHING, Committed, Owes
from comments.store.table import (
    ATTEMPTS,
    BEING_CHANGED,
    LIST_KEYS,
    change,
    changed,
    comment_key,
    retry,
)
from comments.votes.services import rank_or_log
from comments.work import finish_owed_or_log
from dynapages.calls import clock
from dynapages.errors import DynamoError
from dynapages.items import Item, Value
from dynapages.lists import id_at, sort_key_of, timestamp
from dynapages.process import pool
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete, put

TOMBSTONE_DAYS = 2
"""How long a deleted comment's id cannot be used: longer than a form to write one lives."""

_VERSION = Comment.version.attr_name
_EDITED_AT = Comment.edited_at.attr_name
_AUTHOR = Comment.author_partition.attr_name
_PLACE = Comment.place.attr_name
_QUEUED = Comment.moderation_place.attr_name
_CHANGEABLE = CONTENT | {Comment.verified.attr_name}


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


def add_comment(comment: NewComment, *, held_for: str | None = None) -> bool:
    """Add a comment and count it, or have it wait for the shop, ``held_for`` a reason.

    Returns whether it is new: adding the very same one again changes nothing. Raises CommentExists
    for the id of another comment, CommentGone for that of a deleted one, and what
    `comments.store.counts.write` does.
    """
    changes, owes = CountChanges(), NOTHING
    item, body = _items(comment, version=1)
    if held_for is None:
        changes.add(comment.product_id, (comment.language, comment.rating), comment.created_at, 1)
        owes = Owes(ranks={comment.product_id: item[_PLACE]["S"]})
    else:
        item = changed(item, withheld(comment, since=item[_PLACE], reason=held_for))
    puts = [put(Comment, item, NEW), *([put(Comment, body)] if body else [])]
    try:
        committed = write(puts, [CommentChange(None, item, text=comment.body)], changes, owes)
    except ConditionFailed as error:
        _require_same(comment, error)
        finish_owed_or_log(comment.id)
        return False
    is_ranked = held_for is not None or rank_product(
        comment.product_id, comment, rankings=rankings_of(comment.rating)
    )
    committed.end(is_ranked)
    return True


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
    held_for: str | None = None,
    **parts: Any,  # noqa: ANN401 - fields of NewComment
) -> StoredComment:
    """Change some parts of a comment, and return it as it then is.

    All its list keys and the counts change with it; a hidden comment has neither, and stays hidden.
    One that is ``held_for`` a reason waits for the shop, and one that waited is published else. An
    edit that changes nothing is not written, but finishes what one before it has left. Raises
    EditLost when ``stored`` is no longer how it is, NoSuchComment when it has been deleted,
    Contended when it keeps changing, and what `comments.store.counts.write` does.
    """
    before = stored.comment
    after = replace(before, **parts)
    if after == before:
        finish_owed_or_log(after.id)
        return stored
    return _store_edit(stored, after, now=now, held_for=held_for)


def rank_moved(comment: NewComment, *ratings_before: int, is_listed: bool) -> bool:
    """Derive the ranks after a comment was put into its lists, or taken out of them.

    What fails is logged; returns whether nothing did.
    """
    by_votes = rank_or_log(comment.id).is_done if is_listed else True
    newest, rankings = comment if is_listed else None, rankings_of(comment.rating, *ratings_before)
    return rank_product(comment.product_id, newest, rankings=rankings) and by_votes


def owes_of_move(item: Item, *, is_listed: bool) -> Owes:
    """Return what `rank_moved` does, of a comment's item as it is then."""
    comment_id, product_id = id_at(item[_PLACE]["S"]), product_id_of(item)
    if not is_listed:
        return Owes(ranks={product_id: ""})
    return Owes(ranks={product_id: item[_PLACE]["S"]}, votes=(comment_id,))


def _store_edit(
    stored: StoredComment, after: NewComment, *, now: datetime, held_for: str | None
) -> StoredComment:
    """Write an edit; retry when only votes, reports or visibility changed."""
    for _attempt in range(ATTEMPTS):
        try:
            return _edit(stored, after, now=now, held_for=held_for)
        except ConditionFailed as error:
            found = load_comment(after.id)
            if found.comment == after:
                finish_owed_or_log(after.id)
                return found
            if found.version != stored.version:
                raise EditLost(found) from error
            stored = found
    raise Contended(BEING_CHANGED)


def _edit(
    stored: StoredComment, after: NewComment, *, now: datetime, held_for: str | None
) -> StoredComment:
    item, long_body = _items(after, version=stored.version + 1)
    # What staff have hidden stays hidden.
    will_be_listed = held_for is None and stored.state is not State.HIDDEN
    differing = {n for n in _CHANGEABLE if item.get(n) != stored.item.get(n)}
    edits: dict[str, Value | None] = {name: item.get(name) for name in sorted(differing)}
    edits |= {_VERSION: item[_VERSION], _EDITED_AT: {"S": timestamp(now)}}
    changes = CountChanges()
    if not stored.is_hidden:
        changes.add(after.product_id, stored.cell, after.created_at, -1)
    if will_be_listed:
        places = listed(after) if stored.is_hidden else {n: item[n] for n in LIST_KEYS.values()}
        edits |= {n: value for n, value in places.items() if value != stored.item.get(n)}
        changes.add(after.product_id, (after.language, after.rating), after.created_at, 1)
    elif held_for is not None and stored.state is not State.HIDDEN:
        since = stored.item.get(_QUEUED, {"S": sort_key_of(now, after.id)})
        edits |= withheld(after, since=since, reason=held_for)
    same = unchanged(
        stored.item,
        Comment.pk,
        Comment.version,
        Comment.product_partition,
        Comment.hidden_product,
        Comment.hold_reason,
        Comment.reply,
    )
    edited = StoredComment(after, changed(stored.item, edits))
    actions = [change(comment_key(after.id), edits, same), *_body_actions(stored, after, long_body)]
    text = CommentChange(stored.item, edited.item, stored.comment.body, after.body)
    committed = write(actions, [text], changes, _owes_of_edit(stored, edited))
    committed.end(_rank_edit(stored, edited))
    return edited


def _owes_of_edit(stored: StoredComment, edited: StoredComment) -> Owes:
    if edited.is_hidden != stored.is_hidden:
        return owes_of_move(edited.item, is_listed=not edited.is_hidden)
    if _changes_best(stored.comment, edited.comment):
        return Owes(ranks={edited.comment.product_id: ""})
    return NOTHING


def _rank_edit(stored: StoredComment, edited: StoredComment) -> bool:
    """Derive the ranks after an edit; return whether nothing failed."""
    before, after = stored.comment, edited.comment
    if edited.is_hidden != stored.is_hidden:
        return rank_moved(after, before.rating, is_listed=not edited.is_hidden)
    if _changes_best(before, after):
        return rank_product(after.product_id, rankings=[Ranking.FIVE_STARS])
    return True


def _changes_best(before: NewComment, after: NewComment) -> bool:
    """Return whether an edit changes the number of the product's 5-star comments."""
    return (before.rating == BEST_RATING) != (after.rating == BEST_RATING)


def _body_actions(
    stored: StoredComment, after: NewComment, long_body: Item | None
) -> Iterator[Action]:
    if long_body and not (stored.has_long_body and stored.comment.body == after.body):
        yield put(CommentBody, long_body)
    elif stored.has_long_body and not long_body:
        yield delete(CommentBody, comment_key(after.id, keys.BODY))


def delete_comment(
    comment_id: str, *, by: str = "", now: datetime | None = None, found_by: str | None = None
) -> bool:
    """Delete a comment with its dependents, and count it out (AP5, QP7).

    Returns whether there was one; doing it again finishes what was interrupted. The tombstone is
    listed in the partition ``found_by`` of ``by_author``, for an erasure. Raises what
    `comments.store.counts.write` does.
    """
    moment = now or clock.now()

    def attempt() -> tuple[StoredComment, Committed]:
        stored = load_comment(comment_id)
        return stored, _delete(stored, now=moment, found_by=found_by)

    try:
        deleted, committed = retry(attempt)
    except NoSuchComment:
        finish_owed_or_log(comment_id)
        return False
    comment = deleted.comment
    is_ranked = deleted.is_hidden or rank_product(
        comment.product_id, rankings=rankings_of(comment.rating)
    )
    committed.end(is_ranked, delete_dependents_or_log(comment_id))
    announce(comment_deleted, comment_id, by=by, moment=moment, comment=comment, was=deleted.state)
    return True


def _delete(stored: StoredComment, *, now: datetime, found_by: str | None) -> Committed:
    comment = stored.comment
    changes, owes = CountChanges(), Owes(dependents=(comment.id,))
    if not stored.is_hidden:
        owes = replace(owes, ranks={comment.product_id: ""})
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
    gone = CommentChange(stored.item, tombstone, comment.body)
    return write([put(Comment, tombstone, same), *body], [gone], changes, owes)


def _items(comment: NewComment, *, version: int) -> tuple[Item, Item | None]:
    item, body = items_of(comment)
    item.version = version
    return item.serialize(), body.serialize() if body else None


FORM_LIVES = timedelta(days=1)
"""How long a form may lie open before it is sent."""


class BadForm(ValueError):
    """The form has no valid comment id, is somebody else's, or too old."""


def new_form_id(*, user_id: str, product_id: str, now: datetime) -> str:
    """Build the id of a new comment, signed for its user and product."""
    return _signer(user_id, product_id).sign(str(ULID.from_datetime(now)))


def comment_id_of(form_id: str, *, user_id: str, product_id: str) -> str:
    """Parse the comment's id from a form id. Raises BadForm."""
    try:
        comment_id = _signer(user_id, product_id).unsign(form_id, max_age=FORM_LIVES)
    except BadSignature as error:  # SignatureExpired is one
        raise BadForm(_("This form is too old, or was made for somebody else.")) from error
    return comment_id


def is_author(user_id: str, stored: StoredComment) -> bool:
    """Return whether a comment is a user's own, by the table."""
    return stored.comment.user_id == user_id != ""


def _signer(user_id: str, product_id: str) -> TimestampSigner:
    return TimestampSigner(salt=f"comments.form/{user_id}/{product_id}")


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a comment by its author."""

    rating: int
    language: str
    title: str
    body: str


class PostedOtherwise(Conflict):
    """The same form has been posted with other words."""


class Rejected(DynamoError):
    """A gate refused the comment; the text is its sentence for the author."""


def post_comment(
    draft: Draft, *, comment_id: str, product_id: str, user_id: str, author: str, now: datetime
) -> bool:
    """Add a user's comment as the gate decides, marked as a buyer's if they bought the product.

    ``author`` is the name that is shown, empty for a user without one. Returns whether it waits for
    the shop. Posting it again changes nothing, or raises PostedOtherwise where the comment that is
    there differs. Raises Rejected, and like `add_comment`.
    """
    with pool().together() as together:
        blocked = together.start(partial(is_blocked, user_id))
        is_verified = has_bought(user_id, product_id)
        writer = Author(user_id, is_blocked=blocked.result())
    comment = NewComment(
        id=comment_id,
        product_id=product_id,
        created_at=now,
        author=author,
        user_id=user_id,
        verified=is_verified,
        **asdict(draft),
    )
    held_for = _held_for(comment, writer)
    try:
        is_new = add_comment(comment, held_for=held_for)
    except CommentExists as error:
        return _posted_before(error.stored, draft, user_id=user_id)
    if is_new:
        _announce_new(comment, held_for, moment=now)
    return held_for is not None


def _announce_new(
    comment: NewComment, held_for: str | None, *, moment: datetime, was: State | None = None
) -> None:
    about = partial(announce, comment_id=comment.id, by=comment.user_id, moment=moment)
    if held_for is None:
        about(comment_posted, comment=comment, was=was)
    else:
        about(comment_held, comment=comment, reason=held_for)


def _held_for(comment: NewComment, author: Author) -> str | None:
    """Return the reason a gate holds a comment for, None to publish it. Raises Rejected."""
    verdict = judge(comment, author)
    if isinstance(verdict, Reject):
        raise Rejected(verdict.sentence)
    return verdict.reason if isinstance(verdict, Hold) else None


def save_edit(draft: Draft, *, comment_id: str, version: int, user_id: str, now: datetime) -> bool:
    """Change a user's own comment, if its version is still the one they have seen.

    The gate decides on new words as on a new comment. Returns whether it waits for the shop. Saving
    the same again is success. Raises NoSuchComment for one that is not theirs, Rejected, and like
    `edit_comment`.
    """
    with pool().together() as together:
        blocked = together.start(partial(is_blocked, user_id))
        stored = load_own(comment_id, user_id=user_id)
        before, is_same = stored.comment, draft_of(stored.comment) == draft
        if not is_same and stored.version != version:
            raise EditLost(stored)
        is_verified = before.verified or has_bought(user_id, before.product_id)
        writer = Author(user_id, is_blocked=blocked.result())
    after = replace(before, verified=is_verified, **asdict(draft))
    held_for = hold_reason(stored.item) if is_same else _held_for(after, writer)
    edited = edit_comment(stored, now=now, held_for=held_for, verified=is_verified, **asdict(draft))
    if edited.version != stored.version:
        about = {"before": before, "comment": edited.comment, "state": edited.state}
        announce(comment_edited, comment_id, by=user_id, moment=now, **about)
        if edited.is_hidden != stored.is_hidden:
            _announce_new(edited.comment, held_for, moment=now, was=stored.state)
    return edited.state is State.HELD


def load_own(comment_id: str, *, user_id: str) -> StoredComment:
    """Read a user's comment. Raises NoSuchComment, also where it is somebody else's."""
    stored = load_comment(comment_id)
    if not is_author(user_id, stored):
        raise NoSuchComment(comment_id)
    return stored


def draft_of(comment: NewComment) -> Draft:
    """Return the content of a comment."""
    return Draft(comment.rating, comment.language, comment.title, comment.body)


def _posted_before(stored: StoredComment, draft: Draft, *, user_id: str) -> bool:
    comment = stored.comment
    if not is_author(user_id, stored) or draft_of(comment) != draft:
        raise PostedOtherwise(_("This form has been sent before, with other words."), stored)
    finish_owed_or_log(comment.id)
    return stored.state is State.HELD
