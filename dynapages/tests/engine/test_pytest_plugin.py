"""The plugin, in runs of pytest of its own."""

import os
import subprocess
import sys

import pytest

from dynapages.engine.server import find_dynoxide

ASKS = """
import botocore.session

def test_lists_the_tables(dynamodb_endpoint):
    client = botocore.session.get_session().create_client(
        "dynamodb", "us-east-1", endpoint_url=dynamodb_endpoint,
        aws_access_key_id="any", aws_secret_access_key="any",
    )
    print("at", dynamodb_endpoint)
    assert client.list_tables()["TableNames"] == []
"""
READS_AN_ITEM = """
import botocore.session

KEYS = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
}

def test_reads_an_item(dynamodb_endpoint, dynamodb_cost):
    client = botocore.session.get_session().create_client(
        "dynamodb", "us-east-1", endpoint_url=dynamodb_endpoint,
        aws_access_key_id="any", aws_secret_access_key="any",
    )
    client.create_table(TableName="things", BillingMode="PAY_PER_REQUEST", **KEYS)
    with dynamodb_cost(at_most=AT_MOST):
        client.get_item(TableName="things", Key={"pk": {"S": "lamp"}})
"""
NONE_INSTALLED = """
from dynapages.engine import server
server.find_dynoxide = lambda *folder: None
server.find_spec = lambda name: None
"""


PLUGIN = "dynapages.engine.pytest_plugin"
NOT_PASSED_ON = {"DYNAMODB_ENDPOINT_URL", "PYTEST_ADDOPTS"}


@pytest.fixture
def run(tmp_path):
    """Runs pytest in a folder of its own, and gives what it printed."""

    def run(*options: str, path: str = "", program: str = ASKS, **variables: str) -> str:
        (tmp_path / "test_asks.py").write_text(program)
        (tmp_path / "pytest.ini").write_text("[pytest]")  # else it takes that of a folder above
        kept = {name: os.environ[name] for name in os.environ.keys() - NOT_PASSED_ON}
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-rs", "-s", "-p", PLUGIN, *options],
            cwd=tmp_path,
            env={
                **kept,
                "PATH": path,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONPATH": os.pathsep.join(sys.path),
                **variables,
            },
            capture_output=True,
            check=False,
            text=True,
        )
        return ended.stdout

    return run


@pytest.fixture
def path_of_an_engine():
    binary = find_dynoxide()
    if binary is None:
        pytest.skip("dynoxide is not installed")
    return str(binary.parent)


class TestTheEndpoint:
    def test_starts_an_engine_for_the_tests(self, run, path_of_an_engine):
        printed = run(path=path_of_an_engine)
        assert "at http://127.0.0.1:" in printed
        assert "1 passed" in printed

    def test_gives_the_endpoint_of_the_environment(self, run, dynamodb_endpoint):
        assert f"at {dynamodb_endpoint}" in run(DYNAMODB_ENDPOINT_URL=dynamodb_endpoint)


class TestTheCost:
    def test_of_a_test_that_keeps_to_it_is_no_failure(self, run, path_of_an_engine):
        program = READS_AN_ITEM.replace("AT_MOST", "0.5")
        assert "1 passed" in run(path=path_of_an_engine, program=program)

    def test_of_a_test_that_does_not_is_printed_with_its_calls(self, run, path_of_an_engine):
        printed = run(path=path_of_an_engine, program=READS_AN_ITEM.replace("AT_MOST", "0"))
        assert "1 failed" in printed
        assert "may take 0 units at most; it took 0.5 units and 1 round, in 1 call:" in printed
        assert "round 1: GetItem of things, 0.5 units" in printed

    def test_is_shown_at_the_block_that_was_too_dear(self, run, path_of_an_engine):
        printed = run(path=path_of_an_engine, program=READS_AN_ITEM.replace("AT_MOST", "0"))
        assert ">       with dynamodb_cost(at_most=0):" in printed
        assert "contextlib" not in printed


class TestWithoutAnEngine:
    @pytest.fixture(autouse=True)
    def none_installed(self, tmp_path):
        (tmp_path / "conftest.py").write_text(NONE_INSTALLED)

    def test_tests_are_skipped_with_what_to_install(self, run):
        printed = run()
        assert "1 skipped" in printed
        assert "npm install @dynoxide/" in printed

    def test_tests_fail_where_it_is_required(self, run):
        assert "1 error" in run("--dynamodb-required")
