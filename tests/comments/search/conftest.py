"""The site with comments that can be searched, on tables of the module's own."""

import pytest

from comments.search.models import WordItem
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.comments.options import comments_set
from tests.support.work import finish_what_waits


@pytest.fixture
def searchable(tables):
    """Postings are written."""
    create_missing([WordItem], client=client())
    with comments_set(SEARCH=True):
        yield


@pytest.fixture(autouse=True)
def nothing_waits_for_long():
    """A test finds no changes of another one that are not finished yet."""
    yield
    finish_what_waits()
