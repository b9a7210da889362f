"""What tests of the whole shop share."""

from collections.abc import Iterator

import pytest

from comments.search.models import TABLE, WordItem
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.comments.options import comments_set


@pytest.fixture(scope="module")
def searched(tables) -> Iterator[None]:
    """Tables of comments that can be searched, as in the sample shop."""
    with comments_set(SEARCH=True):
        create_missing([WordItem], client=client())
        yield
    client().delete_table(TableName=TABLE)
