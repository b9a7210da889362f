"""What the app's own tests share: empty tables, people, and browsers."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from sample_project import products

pytest_plugins = ["comments.testing.fixtures"]

if settings.ROOT_URLCONF != "sample_project.urls":
    raise pytest.UsageError("These tests have settings of their own: pytest -c …/standalone.ini")


@pytest.fixture
def tables(comment_tables, db):
    """Empty tables of comments, and those of users."""
    products.RATINGS.clear()


@pytest.fixture
def someone(tables):
    """Makes a user: ``someone("ann")``."""

    def made(name, **details):
        return get_user_model().objects.create_user(name, f"{name}@example.com", **details)

    return made


@pytest.fixture
def visitor():
    return Client()


@pytest.fixture
def signed_in(someone):
    """Makes a user with a browser in which they are signed in."""

    def made(name, **details):
        browser = Client()
        browser.force_login(someone(name, **details))
        return browser

    return made


@pytest.fixture
def staff(signed_in):
    return signed_in("sam", is_staff=True)
