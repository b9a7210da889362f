"""What the tests of the API share."""

from dataclasses import replace

import pytest

from config import api
from tests.support.config.serving import served_site


@pytest.fixture
def wide_limits(monkeypatch):
    """Let one key send all the requests of a module."""
    for name in ("READ_LIMIT", "WRITE_LIMIT"):
        monkeypatch.setattr(api, name, replace(getattr(api, name), times=60_000))


@pytest.fixture
def address():
    """The address of the running site."""
    with served_site() as site:
        yield site
