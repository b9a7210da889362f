"""Writes of single comments: what users post, change and delete, each in one transaction.

Every change is conditional on the version it was made from; doing the same again is success, and
counts once. A comment's id is made with the form it is written in (`comments.posting.forms`): the
same form sent twice is the same comment.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from comments import keys, signals
from comments.gates import Author, Hold, Reject, is_blocked, judge
from comments.host import has_bought
from comments.items import CONTENT, NewComment, items_of
from comments.keys import comment_key
from comments.models import Comment, CommentBody
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from comments.store.states import (
    EXPIRY,
    NEW,
    State,
    changes_to_list,
    changes_to_withhold,
    hold_reason,
)
from comments.store.table import ATTEMPTS, BEING_CHANGED, LIST_KEYS, change, changed, retry
from comments.store.writing import CommentChange, write_comments
from comments.work import finish_owed_or_log
from dynapages.calls import clock
from dynapages.errors import DynamoError
from dynapages.items import Item, Value
from dynapages.lists import sort_key_of, timestamp
from dynapages.process import pool
from dynapages.pynamodb import unchanged
from dynapages.writes import Action, ConditionFailed, Contended, delete, put

TOMBSTONE_DAYS = 2
"""How long a deleted comment's id cannot be used: longer than a form to write one lives."""
_VERSION = Comment.version.attr_name
_EDITED_AT = Comment.edited_at.attr_name
_AUTHOR_PARTITION = Comment.author_partition.attr_name
_PLACE = Comment.place.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_CHANGEABLE = CONTENT | {Comment.verified.attr_name}
"""The attributes that an edit may change, besides keys."""
_DECISIVE_FOR_AN_EDIT = (
    Comment.pk,
    Comment.version,
    Comment.product_partition,
    Comment.hidden_product,
    Comment.hold_reason,
    Comment.reply,
)
"""What must not have changed in a comment for an edit of it to be right."""


class Conflict(DynamoError):
    """Another comment is ``stored`` than was expected."""

    def __init__(self, sentence: str, stored: StoredComment) -> None:
        super().__init__(sentence)
        self.stored = stored


class CommentExists(Conflict):
    """Another comment has this id."""


class EditLost(Conflict):
    """Somebody changed the comment since it was read."""

    def __init__(self, stored: StoredComment) -> None:
        super().__init__(
            _("This comment was changed in the meantime, in another window or on another device."),
            stored,
        )


class PostedOtherwise(Conflict):
    """The same form has been posted with other words."""


class CommentGone(DynamoError):
    """The comment of this id was deleted, and cannot be added again."""


class Rejected(DynamoError):
    """A gate refused the comment; the text is its sentence for the author."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a comment by its author."""

    rating: int
    language: str
    title: str
    body: str


# What is read before a write


@dataclass(frozen=True, slots=True)
class Writer:
    """A user who writes about a product, whether they are blocked, and have bought it."""

    user_id: str
    is_blocked: bool
    has_bought: bool


@dataclass(frozen=True, slots=True)
class OwnRead:
    """A user's own comment as it was read, and whether staff have blocked its author."""

    stored: StoredComment
    user_id: str
    is_blocked: bool


def read_writer(user_id: str, product_id: str) -> Writer:
    """Read what a post needs to know of its author, in one round."""
    # What a project answers is asked in the request's own thread.
    with pool().together() as together:
        blocked = together.start(is_blocked, user_id)
        bought = has_bought(user_id, product_id)
        return Writer(user_id, is_blocked=blocked.result(), has_bought=bought)


def read_own(comment_id: str, *, user_id: str) -> OwnRead:
    """Read what an edit of a user's comment begins with, in one round.

    Raises NoSuchComment, also where it is somebody else's.
    """
    with pool().together() as together:
        blocked = together.start(is_blocked, user_id)
        stored = load_own(comment_id, user_id=user_id)
        return OwnRead(stored, user_id, is_blocked=blocked.result())


def is_buyer(own: OwnRead) -> bool:
    """Return whether an author has bought the product; asked only where it is not known yet."""
    comment = own.stored.comment
    return comment.verified or has_bought(own.user_id, comment.product_id)


# What users do


def post_comment(
    draft: Draft, *, writer: Writer, comment_id: str, product_id: str, author: str, now: datetime
) -> bool:
    """Add a user's comment as the gate decides, marked as a buyer's if they bought the product.

    ``author`` is the name that is shown, empty for a user without one. Returns whether it waits for
    the shop. Posting it again changes nothing, or raises PostedOtherwise where the comment that is
    there differs. Raises Rejected, and like `add_comment`.
    """
    comment = NewComment(
        id=comment_id,
        product_id=product_id,
        created_at=now,
        author=author,
        user_id=writer.user_id,
        verified=writer.has_bought,
        **asdict(draft),
    )
    held_for = _reason_to_hold(comment, Author(writer.user_id, is_blocked=writer.is_blocked))
    try:
        is_new = add_comment(comment, held_for=held_for)
    # The same form was sent before, by a second click or after an answer was lost.
    except CommentExists as error:
        return _is_held_since_before(error.stored, draft, user_id=writer.user_id)
    if is_new:
        _announce_new(comment, held_for, moment=now)
    return held_for is not None


def change_own(
    make_draft: Callable[[Draft], Draft],
    own: OwnRead,
    *,
    is_verified: bool,
    version: int | None,
    now: datetime,
) -> bool:
    """Change a user's own comment, if its version is still the one they have seen.

    ``make_draft`` returns the new content by what is stored. ``version`` is None for any version.
    ``is_verified`` is what `is_buyer` says. The gate decides on new words as on a new comment.
    Returns whether it waits for the shop. Saving the same again is success. Raises NoSuchComment
    for one that is deleted meanwhile, Rejected, and like `edit_comment`.
    """
    for _attempt in range(ATTEMPTS):
        try:
            return _change_own_once(
                make_draft, own, is_verified=is_verified, version=version, now=now
            )
        except EditLost:
            # Who changes any version has seen none that could be lost.
            if version is not None:
                raise
        own = read_own(own.stored.comment.id, user_id=own.user_id)
        is_verified = is_buyer(own)
    raise Contended(BEING_CHANGED)


def _change_own_once(
    make_draft: Callable[[Draft], Draft],
    own: OwnRead,
    *,
    is_verified: bool,
    version: int | None,
    now: datetime,
) -> bool:
    stored = own.stored
    before = stored.comment
    draft = make_draft(draft_of(before))
    is_same = draft_of(before) == draft
    if not is_same and version is not None:
        require_version(stored, version)
    # Staff may have decided on these words since: a gate is not asked again.
    if is_same:
        held_for = hold_reason(stored.item)
    else:
        after = replace(before, verified=is_verified, **asdict(draft))
        held_for = _reason_to_hold(after, Author(own.user_id, is_blocked=own.is_blocked))
    edited = edit_comment(stored, now=now, held_for=held_for, verified=is_verified, **asdict(draft))
    # An edit that was made already has sent its signals.
    if edited.version != stored.version:
        _announce_edit(stored, edited, held_for, moment=now)
    return edited.state is State.HELD


def require_version(stored: StoredComment, version: int) -> None:
    """Raise EditLost where a comment has another version than the one that was seen."""
    if stored.version != version:
        raise EditLost(stored)


def load_own(comment_id: str, *, user_id: str) -> StoredComment:
    """Read a user's comment. Raises NoSuchComment, also where it is somebody else's."""
    stored = load_comment(comment_id)
    if not is_author(user_id, stored):
        raise NoSuchComment(comment_id)
    return stored


def is_author(user_id: str, stored: StoredComment) -> bool:
    """Return whether a comment is a user's own, by the table; nothing is nobody's ("")."""
    return user_id != "" and stored.comment.user_id == user_id


def is_posted(comment_id: str, *, user_id: str) -> bool:
    """Return whether a user's comment of this id is there; then finish what its post has left."""
    try:
        load_own(comment_id, user_id=user_id)
    except NoSuchComment:
        return False
    finish_owed_or_log(comment_id)
    return True


def draft_of(comment: NewComment) -> Draft:
    """Return the content of a comment."""
    return Draft(comment.rating, comment.language, comment.title, comment.body)


def _reason_to_hold(comment: NewComment, author: Author) -> str | None:
    """Return the reason a gate holds a comment for, None to publish it. Raises Rejected."""
    verdict = judge(comment, author)
    if isinstance(verdict, Reject):
        raise Rejected(verdict.sentence)
    return verdict.reason if isinstance(verdict, Hold) else None


def _is_held_since_before(stored: StoredComment, draft: Draft, *, user_id: str) -> bool:
    """Return whether the comment that this form has posted before waits for the shop.

    Raises PostedOtherwise where it is another comment.
    """
    comment = stored.comment
    if not is_author(user_id, stored) or draft_of(comment) != draft:
        raise PostedOtherwise(_("This form has been sent before, with other words."), stored)
    finish_owed_or_log(comment.id)
    return stored.state is State.HELD


def _announce_new(
    comment: NewComment, held_for: str | None, *, moment: datetime, was: State | None = None
) -> None:
    """Send the signal of a comment that is in its lists for the first time, or of one held."""
    by = comment.user_id
    if held_for is None:
        signals.announce(
            signals.comment_posted, comment.id, by=by, moment=moment, comment=comment, was=was
        )
    else:
        signals.announce(
            signals.comment_held,
            comment.id,
            by=by,
            moment=moment,
            comment=comment,
            reason=held_for,
            is_edit=was is not None,
        )


def _announce_edit(
    stored: StoredComment, edited: StoredComment, held_for: str | None, *, moment: datetime
) -> None:
    """Send the signal of an edit, and of a comment that it has held or published."""
    comment = edited.comment
    signals.announce(
        signals.comment_edited,
        comment.id,
        by=comment.user_id,
        moment=moment,
        before=stored.comment,
        comment=comment,
        state=edited.state,
    )
    if edited.is_hidden != stored.is_hidden:
        _announce_new(comment, held_for, moment=moment, was=stored.state)


# Adding


def add_comment(comment: NewComment, *, held_for: str | None = None) -> bool:
    """Add a comment and count it, or have it wait for the shop, ``held_for`` a reason.

    Returns whether it is new: adding the very same one again changes nothing. Raises CommentExists
    for the id of another comment, CommentGone for that of a deleted one, and what
    `comments.store.writing.write_comments` does.
    """
    item, body = _items(comment, version=1)
    if held_for is not None:
        item = changed(item, changes_to_withhold(comment, since=item[_PLACE], reason=held_for))
    actions = [put(Comment, item, NEW)]
    if body:
        actions.append(put(CommentBody, body))
    addition = CommentChange(None, item, text_after=comment.body)
    try:
        write_comments([addition], actions)
    except ConditionFailed as error:
        _require_same(comment, error)
        finish_owed_or_log(comment.id)
        return False
    return True


def _require_same(comment: NewComment, error: ConditionFailed) -> None:
    """Raise CommentExists or CommentGone unless the very comment is stored already."""
    try:
        stored = load_comment(comment.id)
    except NoSuchComment:
        raise CommentGone(_("The comment with this id was deleted.")) from error
    if stored.comment != comment:
        raise CommentExists(_("There is another comment with this id."), stored) from error


def _items(comment: NewComment, *, version: int) -> tuple[Item, Item | None]:
    """Build the items of a comment and of its long body, None for a short one."""
    item, body = items_of(comment)
    item.version = version
    return item.serialize(), body.serialize() if body else None


# Editing


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
    Contended when it keeps changing, and what `comments.store.writing.write_comments` does.
    """
    after = replace(stored.comment, **parts)
    if after == stored.comment:
        finish_owed_or_log(after.id)
        return stored
    # Votes, reports and decisions change the item too: an edit is tried again on their result.
    for _attempt in range(ATTEMPTS):
        try:
            return _write_edit(stored, after, now=now, held_for=held_for)
        except ConditionFailed as error:
            current = load_comment(after.id)
            if current.comment == after:
                finish_owed_or_log(after.id)
                return current
            if current.version != stored.version:
                raise EditLost(current) from error
            stored = current
    raise Contended(BEING_CHANGED)


def _write_edit(
    stored: StoredComment, after: NewComment, *, now: datetime, held_for: str | None
) -> StoredComment:
    """Write an edit. Raises ConditionFailed where the comment is no longer as ``stored``."""
    item, body = _items(after, version=stored.version + 1)
    edits: dict[str, Value | None] = {}
    for name in sorted(_CHANGEABLE):
        if item.get(name) != stored.item.get(name):
            edits[name] = item.get(name)
    # Whoever has read the version before loses, and is shown this one.
    edits[_VERSION] = item[_VERSION]
    edits[_EDITED_AT] = {"S": timestamp(now)}
    edits |= _changed_keys(stored, after, item, now=now, held_for=held_for)

    edited = StoredComment(after, changed(stored.item, edits))
    same = unchanged(stored.item, *_DECISIVE_FOR_AN_EDIT)
    actions = [change(comment_key(after.id), edits, same), *_body_actions(stored, after, body)]
    edit = CommentChange(stored.item, edited.item, stored.comment.body, after.body)
    write_comments([edit], actions)
    return edited


def _changed_keys(
    stored: StoredComment,
    after: NewComment,
    item: Item,
    *,
    now: datetime,
    held_for: str | None,
) -> dict[str, Value | None]:
    """Return the changes of an edited comment's list keys, and those that move it in or out."""
    # What staff have hidden stays hidden.
    if stored.state is State.HIDDEN:
        return {}
    if held_for is not None:
        since = stored.item.get(_QUEUE_PLACE, {"S": sort_key_of(now, after.id)})
        return changes_to_withhold(after, since=since, reason=held_for)
    # One that waited was withheld with more than its keys.
    if stored.is_hidden:
        list_keys = changes_to_list(after)
    else:
        list_keys = {name: item[name] for name in LIST_KEYS.values()}
    return {name: key for name, key in list_keys.items() if key != stored.item.get(name)}


def _body_actions(stored: StoredComment, after: NewComment, body: Item | None) -> Iterator[Action]:
    """Yield what stores the item of a long body, or deletes it where the text is short now."""
    # The item of a long text is a write of its own: an edit of a title need not pay for it.
    is_stored = stored.has_long_body and stored.comment.body == after.body
    if body and not is_stored:
        yield put(CommentBody, body)
    elif stored.has_long_body and not body:
        yield delete(CommentBody, comment_key(after.id, keys.BODY))


# Deleting


def delete_comment(
    comment_id: str,
    *,
    by: str = "",
    version: int | None = None,
    now: datetime | None = None,
    erased_in: str | None = None,
    stored: StoredComment | None = None,
) -> bool:
    """Delete a comment with its dependents, and count it out (AP5, QP7).

    ``version`` is the only one that is deleted, None for any. ``stored`` is the comment as it was
    just read; without it, it is read. Returns whether there was a comment; doing it again finishes
    what was interrupted. The tombstone is listed in the partition ``erased_in`` of ``by_author``,
    for an erasure. Raises EditLost for another version, and what
    `comments.store.writing.write_comments` does.
    """
    moment = now or clock.now()
    just_read = [stored] if stored is not None else []

    def attempt() -> StoredComment:
        # A second attempt reads what has made the first one fail.
        current = just_read.pop() if just_read else load_comment(comment_id)
        if version is not None:
            require_version(current, version)
        _write_deletion(current, now=moment, erased_in=erased_in)
        return current

    try:
        deleted = retry(attempt)
    except NoSuchComment:
        finish_owed_or_log(comment_id)
        return False
    signals.announce(
        signals.comment_deleted,
        comment_id,
        by=by,
        moment=moment,
        comment=deleted.comment,
        was=deleted.state,
    )
    return True


def _write_deletion(stored: StoredComment, *, now: datetime, erased_in: str | None) -> None:
    """Put a tombstone in the place of a comment, and delete its long body."""
    comment = stored.comment
    expires = now + timedelta(days=TOMBSTONE_DAYS)
    # It takes the place of the comment, so that a form that comes late cannot post it again.
    tombstone: Item = {
        **comment_key(comment.id),
        Comment.hidden_product.attr_name: {"S": comment.product_id},
        EXPIRY: {"N": str(int(expires.timestamp()))},
    }
    if erased_in:
        tombstone = {**tombstone, _AUTHOR_PARTITION: {"S": erased_in}, _PLACE: stored.item[_PLACE]}
    same = unchanged(stored.item, Comment.pk, Comment.version, Comment.product_partition)
    actions = [put(Comment, tombstone, same)]
    if stored.has_long_body:
        actions.append(delete(CommentBody, comment_key(comment.id, keys.BODY)))
    write_comments([CommentChange(stored.item, tombstone, comment.body)], actions)
