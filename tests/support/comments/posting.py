"""Posts and edits past the site's pages: what they read first, and the write."""

from datetime import datetime

from comments.posting.services import (
    Draft,
    change_own,
    is_buyer,
    post_comment,
    read_own,
    read_writer,
)


def post_as(
    user_id: str, draft: Draft, *, comment_id: str, product_id: str, author: str, now: datetime
) -> bool:
    """Post a user's comment; return whether it waits for the shop."""
    writer = read_writer(user_id, product_id)
    return post_comment(
        draft, writer=writer, comment_id=comment_id, product_id=product_id, author=author, now=now
    )


def edit_as(
    user_id: str, draft: Draft, *, comment_id: str, version: int | None, now: datetime
) -> bool:
    """Replace the content of a user's own comment; return whether it waits for the shop."""
    own = read_own(comment_id, user_id=user_id)

    def replaced(_before: Draft) -> Draft:
        return draft

    return change_own(replaced, own, is_verified=is_buyer(own), version=version, now=now)
