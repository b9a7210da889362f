"""The cast of the account tests: alice and bob are customers, sam is staff."""

from dataclasses import replace
from threading import Lock
from typing import Any

import pytest
from django.utils import timezone

from shop.accounts import hashing, rate_limits
from shop.accounts.services import create_profile
from tests.support.accounts.cast import (
    PASSWORD,
    Person,
    WatchedHasher,
    browser_of,
    new_browser,
)
from tests.support.work import finish_what_waits


@pytest.fixture(autouse=True)
def fast_hashes(settings, monkeypatch):
    """Real hashes are slow on purpose; these are fast, can be watched, and are made at once."""
    settings.PASSWORD_HASHERS = ["tests.support.accounts.cast.WatchedHasher"]
    monkeypatch.setattr(WatchedHasher, "watcher", staticmethod(lambda: None))
    monkeypatch.setattr(hashing.SLOTS, "_locks", [Lock() for _ in range(64)])


@pytest.fixture(autouse=True)
def no_emails_of_others():
    yield
    finish_what_waits()


@pytest.fixture
def browser():
    return new_browser()


@pytest.fixture
def create_person(tables, fresh):
    def create(kind: str, **account: Any) -> Person:
        account = {"username": fresh(kind), "password": PASSWORD, **account}
        create_profile(now=timezone.now(), **account)
        return Person(account["username"], account.get("email"))

    return create


@pytest.fixture
def alice(create_person, fresh):
    """A customer with an e-mail address; Bob and Sam have none."""
    return create_person("alice", email=f"{fresh('alice')}@example.com")


@pytest.fixture
def bob(create_person):
    return create_person("bob")


@pytest.fixture
def sam(create_person):
    return create_person("sam", is_staff=True)


@pytest.fixture
def hers(alice):
    """The browser of Alice, who is signed in."""
    return browser_of(alice)


@pytest.fixture
def allow(monkeypatch):
    """Sets how often something may be done: ``allow(2, "PASSWORD_CHANGES")``."""

    def allow(times: int, limit: str) -> None:
        few = replace(getattr(rate_limits, limit), times=times)
        monkeypatch.setattr(rate_limits, limit, few)

    return allow
