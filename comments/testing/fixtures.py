"""Fixtures for pytest: ``pytest_plugins = ["comments.testing.fixtures"]`` in your conftest.py.

Django is to be set up before, as pytest-django does.
"""

from collections.abc import Iterator

import pytest

from comments.testing.signals import SentSignal, sent_signals
from comments.testing.tables import own_tables


@pytest.fixture
def comment_tables(dynamodb_endpoint: str) -> Iterator[None]:
    """All tables of the settings, empty, for one test: see `comments.testing.own_tables`.

    They are in the engine of the library's fixture ``dynamodb_endpoint``: the one at
    ``DYNAMODB_ENDPOINT_URL`` of the environment, else one that starts by itself.
    """
    with own_tables(dynamodb_endpoint):
        yield


@pytest.fixture
def comment_signals() -> Iterator[list[SentSignal]]:
    """The signals of comments that the test sends, in order."""
    with sent_signals() as sent:
        yield sent
