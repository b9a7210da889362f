"""A comment with a long text, to spoil."""

import pytest

from comments.posting.services import add_comment
from tests.support.comments.truth import written


@pytest.fixture
def comment(fresh):
    comment = written(fresh("product"), id=fresh("comment"), rating=5, body="long " * 400)
    add_comment(comment)
    return comment
