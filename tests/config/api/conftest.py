"""What the tests of the API share."""

from dataclasses import replace

import pytest

from config import api


@pytest.fixture
def wide_limits(monkeypatch):
    """Let one key send all the requests of a module."""
    for name in ("READ_LIMIT", "WRITE_LIMIT"):
        monkeypatch.setattr(api, name, replace(getattr(api, name), times=60_000))
