"""Exports of a model whose index has keys of several attributes."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection

from dynapages.process import client
from dynapages.pynamodb import DynamoModel, SeveralAttributesIndex
from tests.support.command_line import run_manage
from tests.support.config.exporting import resources, template

KEY = [
    {"AttributeName": "tenant", "KeyType": "HASH"},
    {"AttributeName": "status", "KeyType": "HASH"},
    {"AttributeName": "priority", "KeyType": "RANGE"},
    {"AttributeName": "at", "KeyType": "RANGE"},
]


class ByStatus(SeveralAttributesIndex["Event"]):
    class Meta:
        index_name = "by_status"
        projection = AllProjection()

    tenant = UnicodeAttribute(hash_key=True)
    status = UnicodeAttribute(hash_key=True)
    priority = NumberAttribute(range_key=True)
    at = UnicodeAttribute(range_key=True)


class Event(DynamoModel):
    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}events"

    id = UnicodeAttribute(hash_key=True)
    by_status = ByStatus()


@pytest.fixture(autouse=True)
def with_the_model() -> Iterator[None]:
    models = [*settings.DYNAMODB_MODELS, f"{__name__}.Event"]
    with override_settings(DYNAMODB_MODELS=models):
        yield


class TestATemplate:
    def test_has_the_index_in_the_order_of_its_class(self):
        tables = resources(template("--without-months"), "DynamoDB::Table")
        (index,) = tables["EventsTable"]["Properties"]["GlobalSecondaryIndexes"]
        assert index["KeySchema"] == KEY

    def test_defines_all_its_attributes(self):
        tables = resources(template("--without-months"), "DynamoDB::Table")
        defined = tables["EventsTable"]["Properties"]["AttributeDefinitions"]
        assert {each["AttributeName"]: each["AttributeType"] for each in defined} == {
            "id": "S",
            "tenant": "S",
            "status": "S",
            "priority": "N",
            "at": "S",
        }


class TestAModelForWorkbench:
    def test_is_refused_in_a_sentence(self):
        code, out, err = run_manage("export_model", "--format", "workbench")
        assert (code, out) == (1, "")
        assert err == (
            "CommandError: The format of NoSQL Workbench has one partition attribute and one sort "
            f"attribute for an index; by_status of {Event.Meta.table_name} has several of one of "
            "them.\n"
        )


class TestCreatingItsTable:
    def test_is_refused_in_a_sentence_where_the_engine_has_no_such_keys(self, engine_name):
        if engine_name != "dynoxide":
            pytest.skip("other engines have them")
        code, out, err = run_manage("create_tables")
        assert (code, out) == (1, "")
        assert err.startswith("CommandError: dynoxide 1.2.1 has no keys of several attributes, ")
        assert Event.Meta.table_name not in client().list_tables()["TableNames"]
