"""The ids of comments that users write, and who may change them.

A comment's id is made with the form it is written in, and signed for its user and product. So the
same form sent twice is the same comment, and no form can replace another comment.
"""

from datetime import datetime, timedelta

from django.core.signing import BadSignature, TimestampSigner
from django.utils.translation import gettext as _
from ulid import ULID

from comments.store.comments import StoredComment

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
