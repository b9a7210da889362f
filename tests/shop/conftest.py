"""The cast of the order tests: alice and bob are customers, sam is staff."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from dynapages.process import client
from dynapages_testing.strict import refuse_what_aws_refuses
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from tests.support.comments.browsing import Visitor
from tests.support.orders.making import made_order, put


@pytest.fixture
def stranger():
    return Visitor("", Client())


@pytest.fixture
def sign_up(tables):
    def sign_up(username: str, *, is_staff: bool = False) -> Visitor:
        create_profile(username=username, password=None, now=datetime.now(UTC), is_staff=is_staff)
        browser = Client()
        browser.force_login(find_user(username))
        return Visitor(username, browser)

    return sign_up


@pytest.fixture
def alice(sign_up, fresh):
    return sign_up(fresh("alice"))


@pytest.fixture
def bob(sign_up, fresh):
    return sign_up(fresh("bob"))


@pytest.fixture
def sam(sign_up, fresh):
    return sign_up(fresh("sam"), is_staff=True)


@pytest.fixture
def order(alice):
    """An order that alice has just placed."""
    put(order := made_order(alice.username))
    return order


@pytest.fixture(autouse=True, scope="session")
def strict_as_aws():
    """The process's client refuses what only AWS refuses."""
    refuse_what_aws_refuses(client())
