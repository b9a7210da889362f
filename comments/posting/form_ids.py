"""Whose comment it is: the ids of comments that users write, and who may change them.

A comment's id is made with the form it is written in, and bound to its user and product by a
signature. So the same form sent twice is the same comment, and no form can take another one's
place.
"""

import re
from datetime import datetime, timedelta

from django.core.signing import BadSignature, TimestampSigner
from ulid import ULID

from comments.models import Comment
from comments.store.comments import StoredComment
from dynamo.lists.places import id_at

FORM_LIVES = timedelta(days=1)
"""How long a form may lie open before it is sent."""

_MADE_HERE = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


class BadForm(ValueError):
    """The form does not say which comment it posts, is somebody else's, or too old."""


def new_form_id(*, username: str, product_id: str, now: datetime) -> str:
    """Make the id of a comment that is about to be written, signed for its user and product."""
    return _signer(username, product_id).sign(str(ULID.from_datetime(now)))


def comment_id_of(form_id: str, *, username: str, product_id: str) -> str:
    """Read the comment's id from what `new_form_id` made. Raises BadForm."""
    try:
        comment_id = _signer(username, product_id).unsign(form_id, max_age=FORM_LIVES)
    except BadSignature as error:  # SignatureExpired is one
        raise BadForm("This form is too old, or was made for somebody else.") from error
    return comment_id


def is_author(username: str, stored: StoredComment) -> bool:
    """Tell whether a comment is a user's own, by the table."""
    return stored.comment.username == username != ""


def username_shown(comment: Comment) -> str:
    """Give the user whose comment an entry of a list is; empty for an imported one.

    The lists have no room for the name of a user beside that of an author, and need none: what
    users write has an id made here and says whether its author is a buyer, and its author is the
    user. An import brings at most one of the two.
    """
    if comment.verified is None:
        return ""
    is_made_here = _MADE_HERE.fullmatch(id_at(comment.place))
    return comment.author or "" if is_made_here else ""


def _signer(username: str, product_id: str) -> TimestampSigner:
    return TimestampSigner(salt=f"comments.form/{username}/{product_id}")
