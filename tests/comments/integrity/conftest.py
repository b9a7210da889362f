"""A comment with a long text, to spoil."""

import pytest

from comments.items import NewComment
from comments.posting.services import add_comment
from tests.support.comments.truth import START


@pytest.fixture
def comment(fresh):
    comment = NewComment(
        id=fresh("comment"),
        product_id=fresh("product"),
        language="en",
        rating=5,
        created_at=START,
        body="long " * 400,
    )
    add_comment(comment)
    return comment
