"""The site on the read model ``sets``, with the stream of its table, or before that is on."""

import pytest

from comments.host import SETS
from comments.sets.models import CommentSetItem
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.comments.read_models import reading_by


@pytest.fixture(scope="module")
def followed(tables, engine_name):
    """Tables of the module's own, where there is an engine to be had for them; no stream."""
    with reading_by(SETS, engine_name=engine_name):
        yield


@pytest.fixture(scope="module")
def streamed(followed):
    """The same, with the stream of ``comment_sets`` switched on."""
    create_missing([CommentSetItem], client=client())
