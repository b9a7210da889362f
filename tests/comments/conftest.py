"""Tables of a module's own."""

from collections.abc import Iterator

import pytest

from dynamo.client import client
from tests.comments.outage import own_engine
from tests.strict import refuse_what_aws_refuses


@pytest.fixture(scope="module")
def few_items(
    tables: None, engine_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Tables in which nothing is but what the module's tests write.

    For those that check the integrity often, which reads all there is. Where there is no engine
    to be had for it, the tables are the common ones.
    """
    if engine_name != "dynoxide":
        yield
        return
    with own_engine(tmp_path_factory.mktemp("engine")):
        refuse_what_aws_refuses(client())
        yield
