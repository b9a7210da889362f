"""Comments for tests, written by what pages and imports write them by."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from ulid import ULID

from comments.items import NewComment
from comments.posting.services import Draft, add_comment, post_comment, read_writer
from comments.store.comments import load_comment
from comments.users import display_name_of, user_id_of

if TYPE_CHECKING:  # it is a model, and this may be imported before apps are ready
    from django.contrib.auth.base_user import AbstractBaseUser

AUTHOR = "Ann"
"""The author of a comment that no user writes."""


def make_comment(
    product_id: str,
    *,
    rating: int = 5,
    language: str = "en",
    title: str = "Lovely",
    body: str = "Bright and warm light.",
    user: "AbstractBaseUser | None" = None,
    created_at: datetime | None = None,
) -> NewComment:
    """Store a comment on a product, and return it as it is stored.

    With a ``user`` it is posted as by the form: the gates of ``GATE`` decide whether it is held,
    ``HAS_BOUGHT`` whether the purchase is verified, and receivers get the signal. Without one it is
    as an import brings it: published, by an author called “Ann”, and no signal is sent.

    ``rating`` is 1 to 5, ``language`` a code of two letters, ``created_at`` aware; without it, it
    is now. Whether there is such a product is not asked, but its pages are 404 without. Raises
    `comments.posting.services.Rejected` where a gate refuses it, and
    `dynapages.writes.Contended` and botocore's errors where it could not be written.
    """
    now = created_at or timezone.now()
    comment_id = str(ULID.from_datetime(now))
    if user is None:
        comment = NewComment(
            id=comment_id,
            product_id=product_id,
            language=language,
            rating=rating,
            created_at=now,
            author=AUTHOR,
            title=title,
            body=body,
        )
        add_comment(comment)
        return comment
    post_comment(
        Draft(rating, language, title, body),
        writer=read_writer(user_id_of(user), product_id),
        comment_id=comment_id,
        product_id=product_id,
        author=display_name_of(user),
        now=now,
    )
    return load_comment(comment_id).comment
