import pytest

from dynapages.engine.server import find_dynoxide
from tests.support.project import PROJECT


@pytest.fixture(scope="session")
def dynoxide():
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
