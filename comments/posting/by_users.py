"""Posts and edits by users of comments of their own, idempotent."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from comments import activity_log as activity
from comments.items import NewComment
from comments.posting.form_ids import is_author
from comments.posting.services import CommentExists, EditLost, add_comment, edit_comment
from comments.rankings.services import settle_or_log
from comments.store.comments import NoSuchComment, StoredComment, load_comment
from dynamo.calls.meter import labelled_calls
from dynamo.errors import DynamoError
from dynamo.lists.places import place_of
from shop.orders.queries import has_bought


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a comment by its author."""

    rating: int
    language: str
    title: str
    body: str


class PostedOtherwise(DynamoError):
    """The same form has been posted with other words; ``stored`` is the comment as it is."""

    def __init__(self, stored: StoredComment) -> None:
        super().__init__(_("This form has been sent before, with other words."))
        self.stored = stored


def post_comment(
    draft: Draft, *, comment_id: str, product_id: str, username: str, now: datetime
) -> NewComment:
    """Add a user's comment, marked as a buyer's if they ever bought the product.

    Posting it again returns the comment that is there. Raises PostedOtherwise when that differs,
    CommentGone when it was deleted, and what `comments.posting.services.add_comment` does.
    """
    comment = NewComment(
        id=comment_id,
        product_id=product_id,
        language=draft.language,
        rating=draft.rating,
        created_at=now,
        author=username,
        title=draft.title,
        body=draft.body,
        username=username,
        verified=_has_bought(username, product_id),
    )
    try:
        add_comment(comment)
    except CommentExists as error:
        return _posted_before(error.stored, draft, username=username)
    activity.posted(comment)
    return comment


def save_edit(
    draft: Draft, *, comment_id: str, version: int, username: str, now: datetime
) -> NewComment:
    """Change a user's own comment, if its version is still the one they have seen.

    Saving the same again is success. Raises NoSuchComment for one that is not theirs or was
    deleted, EditLost when it has changed since, and what `comments.posting.services.edit_comment`
    does.
    """
    stored = load_own(comment_id, username=username)
    before = stored.comment
    if draft_of(before) != draft and stored.version != version:
        raise EditLost(stored)
    edited = edit_comment(
        stored,
        now=now,
        rating=draft.rating,
        language=draft.language,
        title=draft.title,
        body=draft.body,
        verified=before.verified or _has_bought(username, before.product_id),
    )
    if edited.version != stored.version:
        activity.edited(edited.comment, before=before, at=now)
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
        raise PostedOtherwise(stored)
    settle_or_log(comment.product_id, newest=place_of(comment.created_at, comment.id))
    return comment


def _has_bought(username: str, product_id: str) -> bool:
    with labelled_calls("purchase"):
        return has_bought(username, product_id)
