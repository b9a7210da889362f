"""A plugin for pytest: its fixtures. An installed dynapages brings it along.

``dynamodb_cost`` is `dynapages.cost`. ``dynamodb_endpoint`` is the URL at ``DYNAMODB_ENDPOINT_URL``
of the environment where that is set. Else an embedded engine starts with the first test that asks,
and stops with the last: each process of pytest-xdist has one of its own, empty and in memory. Where
no engine is installed, tests that ask are skipped, with the sentence that says what to install;
with ``--dynamodb-required`` they fail.
"""

import os
from collections.abc import Iterator

import pytest

from dynapages.calls.costs import cost
from dynapages.engine.server import NoEngine, embedded


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--dynamodb-required``."""
    parser.getgroup("dynapages").addoption(
        "--dynamodb-required",
        action="store_true",
        help="fail the tests that need DynamoDB, instead of skipping them, where there is none",
    )


@pytest.fixture(scope="session")
def dynamodb_endpoint(pytestconfig: pytest.Config) -> Iterator[str]:
    """The URL of a DynamoDB, for ``endpoint_url``: any region and any keys will do."""
    given = os.environ.get("DYNAMODB_ENDPOINT_URL")
    if given:
        yield given
        return
    try:
        engine = embedded()
    except NoEngine as missing:
        if pytestconfig.getoption("--dynamodb-required"):
            raise
        pytest.skip(str(missing))
    with engine:
        yield engine.endpoint_url


@pytest.fixture
def dynamodb_cost() -> type[cost]:
    """What allows a block so many capacity units and rounds: ``dynamodb_cost(at_most=2.0)``."""
    return cost
