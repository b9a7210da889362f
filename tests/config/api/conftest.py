"""What the tests of the API share."""

from dataclasses import replace

import pytest

from comments.web import rate_limits as comment_limits
from config import api
from dynapages.writes import Limiter
from shop.accounts import rate_limits as order_limits
from tests.support.comments.options import comments_set
from tests.support.config.serving import served_site


@pytest.fixture
def wide_limits(monkeypatch):
    """Let one key send all the requests of a module, and its user write as often."""
    for name in ("READ_LIMIT", "WRITE_LIMIT"):
        monkeypatch.setattr(api, name, replace(getattr(api, name), times=60_000))
    for name in ("ORDERS_OF_A_USER", "ORDERS_FROM_AN_ADDRESS"):
        wide = replace(getattr(order_limits, name), times=60_000)
        monkeypatch.setattr(order_limits, name, wide)
    for name in ("STAFF_WRITES_PER_USER", "STAFF_WRITES_PER_ADDRESS"):
        monkeypatch.setattr(comment_limits, name, 60_000)
    with comments_set(WRITES_PER_USER=60_000, WRITES_PER_ADDRESS=60_000):
        yield


@pytest.fixture
def counted(monkeypatch):
    """The limits that are counted, by the beginnings of their names."""
    names = []
    spend = Limiter.spend

    def spy(self, name, limit, *, now):
        names.append(name.partition("/")[0])
        return spend(self, name, limit, now=now)

    monkeypatch.setattr(Limiter, "spend", spy)
    return names


@pytest.fixture
def address():
    """The address of the running site."""
    with served_site() as site:
        yield site
