"""What ``export_model`` says, beside the tables that ``create_tables`` makes."""

import json
from typing import Any

import pytest

from dynapages.process import client
from shop.activity.tables import table_names
from tests.support.chance import unique
from tests.support.command_line import ended, start_manage
from tests.support.config.exporting import SETS, resources, shape
from tests.support.permissions import acting_as

pytestmark = pytest.mark.real_engine
CASES = [(), ("--provisioned", "7", "3")]


@pytest.fixture(autouse=True)
def calls_are_nobodys():
    """Without a name the calls below would be recorded as those of create_tables."""
    with acting_as("this test"):
        yield


@pytest.fixture(scope="module")
def prefixed():
    """Gives prefixes that no table has yet; deletes what was made under them."""
    prefixes: list[str] = []

    def prefixed() -> str:
        prefixes.append(f"{unique('stack')}-")
        return prefixes[-1]

    yield prefixed
    for name in list(table_names(client())):
        if name.startswith(tuple(prefixes)):
            client().update_table(TableName=name, DeletionProtectionEnabled=False)
            client().delete_table(TableName=name)


@pytest.fixture(scope="module", params=CASES, ids=["on demand", "provisioned"])
def made(request, prefixed):
    """The prefix of tables that ``create_tables`` made, and its options."""
    prefix = prefixed()
    run(prefix, "create_tables", *request.param)
    return prefix, request.param


def run(prefix: str, *arguments: str) -> str:
    """Run a command as a deployment does, with the settings in its environment."""
    environment = {"DYNAMODB_TABLE_PREFIX": prefix, "COMMENTS_READ_MODEL": SETS}
    code, out, err = ended(start_manage(*arguments, **environment))
    assert (code, err) == (0, "")
    return out


def exported(prefix: str, form: str, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(prefix, "export_model", "--format", form, *options))
    return found


def described(prefix: str) -> dict[str, Any]:
    """The tables on the engine, by their names without the prefix."""
    return {
        name.removeprefix(prefix): shape(client().describe_table(TableName=name)["Table"])
        | {"expires by": expiry_of(name)}
        for name in table_names(client())
        if name.startswith(prefix)
    }


def expiry_of(name: str) -> str | None:
    found = client().describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert found["TimeToLiveStatus"] in {"ENABLED", "DISABLED"}
    return found.get("AttributeName") if found["TimeToLiveStatus"] == "ENABLED" else None


class TestTheTablesThatCreateTablesMakes:
    def test_are_those_of_the_template(self, made):
        prefix, options = made
        template = exported(prefix, "cloudformation", *options)
        wanted = {}
        for table in resources(template, "DynamoDB::Table").values():
            said = table["Properties"]
            expiry = said.get("TimeToLiveSpecification", {}).get("AttributeName")
            name = said["TableName"].removeprefix(prefix)
            wanted[name] = shape(said) | {"expires by": expiry}
        assert described(prefix) == wanted

    def test_are_those_of_the_requests(self, made, prefixed):
        prefix, options = made
        other = prefixed()
        for calls in exported(other, "aws-json", *options).values():
            client().create_table(**calls["CreateTable"])
            if "UpdateTimeToLive" in calls:
                client().update_time_to_live(**calls["UpdateTimeToLive"])
        assert described(other) == described(prefix)
