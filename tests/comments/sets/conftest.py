"""The site on the read model ``sets``, with the stream of ``comment_sets`` switched on."""

from collections.abc import Iterator

import pytest

from comments.read_model import SETS
from comments.sets.models import CommentSetItem
from dynamo.client import client
from dynamo.tables import create_missing
from tests.comments.read_models import reading_by


@pytest.fixture(scope="module")
def streamed(
    tables: None, engine_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Tables of the module's own, where there is an engine to be had for them."""
    with reading_by(SETS, tmp_path_factory.mktemp("engine"), engine_name=engine_name):
        create_missing([CommentSetItem], client=client())
        yield
