"""The settings that the adapter reads: a project needs none of them."""

import re
from datetime import timedelta

import pytest
from django.conf import global_settings
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from dynapages.calls import clock
from dynapages.django.apps import DEFAULTS
from dynapages.django.rate_limits import Use, count_uses
from dynapages.process import client
from dynapages.writes import Limit, Limiter
from tests.support.project import PROJECT


def settings_read(app: str) -> set[str]:
    """Return the settings that an app reads and Django itself does not have."""
    sources = set((PROJECT / app).rglob("*.py")) - set((PROJECT / app / "tests").rglob("*.py"))
    found = (re.findall(r"settings\.([A-Z_]+)", path.read_text()) for path in sources)
    return {name for names in found for name in names} - vars(global_settings).keys()


def test_all_have_defaults():
    names = settings_read("dynapages/django") | settings_read("dynapages/files")
    names |= settings_read("dynapages/ninja")
    assert names <= DEFAULTS.keys()
    assert names | settings_read("comments") == DEFAULTS.keys()


@override_settings(RATE_LIMITER="")
def test_a_limit_needs_to_know_its_table(limit):
    with pytest.raises(ImproperlyConfigured, match="RATE_LIMITER"):
        count_uses(Use("a-name", limit), now=clock.now())


@override_settings(RATE_LIMITER=f"{__name__}.own_limiter")
def test_limits_may_be_stored_anywhere(limit):
    assert count_uses(Use("a-name", limit), now=clock.now()) == 7.0


class OwnLimiter(Limiter):
    def take(self, name, limit, *, now):
        return 7.0


def own_limiter() -> Limiter:
    return OwnLimiter(client(), "anywhere", lambda name: {"id": name})


@pytest.fixture
def limit():
    return Limit(1, timedelta(hours=1))
