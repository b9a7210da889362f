"""People, a product and a comment; tables of a module's own."""

import pytest

from dynapages.process import client
from dynapages_testing.strict import refuse_what_aws_refuses
from tests.support.comments.outage import own_engine
from tests.support.comments.read_models import BOTH, reading_by
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import made_product, someone


@pytest.fixture(scope="module")
def few_items(tables, engine_name):
    """Tables in which nothing is but what the module's tests write.

    For those that check the integrity often, which reads all there is. Where there is no engine
    to be had for it, the tables are the common ones.
    """
    if engine_name != "dynoxide":
        yield
        return
    with own_engine():
        refuse_what_aws_refuses(client())
        yield


@pytest.fixture(scope="module", params=BOTH)
def model(request, tables, engine_name):
    """Each read model in turn; its name."""
    with reading_by(request.param, engine_name=engine_name) as name:
        yield name


@pytest.fixture
def alice():
    return someone("alice")


@pytest.fixture
def ann():
    return someone("ann")


@pytest.fixture
def bob():
    return someone("bob")


@pytest.fixture
def sam():
    return someone("sam", is_staff=True)


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def comment():
    return made_comment()
