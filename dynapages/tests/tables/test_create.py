"""Creating tables from models, on whatever engine the tests run on."""

from typing import Any
from unittest.mock import Mock

import pytest
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import (
    AllProjection,
    GlobalSecondaryIndex,
    IncludeProjection,
    KeysOnlyProjection,
    LocalSecondaryIndex,
)

from dynapages.pynamodb.models import DynamoModel
from dynapages.tables import TableDiffers, TableNotReady, Throughput, create_missing
from dynapages_testing.chance import unique


def index(key: str, projection: Any = None, kind: type = GlobalSecondaryIndex) -> Any:
    """Declare the index ``by_<key>``; a local one shares the table's partition key."""
    meta = {"index_name": f"by_{key}", "projection": projection or AllProjection()}
    partition = {"pk": UnicodeAttribute(hash_key=True), key: UnicodeAttribute(range_key=True)}
    return type(f"By{key}", (kind,), {"Meta": type("Meta", (), meta), **partition})()


def model(
    table: str,
    *,
    sort_key: str = "sk",
    sorts: type = UnicodeAttribute,
    stream: str | None = None,
    **indexes: Any,
) -> Any:
    shown = {"stream_view_type": stream} if stream else {}
    meta = type("Meta", (), {"table_name": table, "region": "us-east-1"} | shown)
    attributes = {"pk": UnicodeAttribute(hash_key=True), sort_key: sorts(range_key=True)}
    return type("Thing", (DynamoModel,), {"Meta": meta, **attributes, **indexes})


@pytest.fixture
def table(client):
    name = unique("dynapages-test")
    yield name
    if name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)


@pytest.fixture
def create(client):
    def create(*models: Any, **how: Any) -> list[str]:
        lines: list[str] = []
        create_missing(models, client=client, report=lines.append, **how)
        return lines

    return create


@pytest.fixture
def described(client, table):
    return lambda: client.describe_table(TableName=table)["Table"]


@pytest.mark.fallback
class TestAMissingTable:
    def test_is_created_with_its_keys_and_indexes(self, create, described, table):
        local = index("day", KeysOnlyProjection(), LocalSecondaryIndex)
        create(model(table, by_kind=index("kind", IncludeProjection(["name"])), by_day=local))
        made = described()
        assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert [part["AttributeName"] for part in made["KeySchema"]] == ["pk", "sk"]
        (global_index,), (local_index,) = (
            made["GlobalSecondaryIndexes"],
            made["LocalSecondaryIndexes"],
        )
        assert global_index["Projection"]["NonKeyAttributes"] == ["name"]
        assert local_index["Projection"]["ProjectionType"] == "KEYS_ONLY"

    def test_is_billed_by_provisioned_capacity_when_told_to(self, create, described, table):
        create(model(table, by_kind=index("kind")), provisioned=Throughput(read=7, write=3))
        for part in (described(), described()["GlobalSecondaryIndexes"][0]):
            assert part["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
            assert part["ProvisionedThroughput"]["WriteCapacityUnits"] == 3


class TestATableThatExists:
    def test_is_left_as_it_is(self, create, described, table):
        thing = model(table, by_kind=index("kind"), by_day=index("day", kind=LocalSecondaryIndex))
        create(thing)
        before = described()
        assert create(thing) == [f"{table}: active"]
        assert described() == before

    def test_keeps_its_items_and_gets_missing_indexes_one_at_a_time(
        self, create, described, client, table
    ):
        create(model(table))
        item = {name: {"S": "x"} for name in ("pk", "sk", "kind", "day")}
        client.put_item(TableName=table, Item=item)
        lines = create(model(table, by_kind=index("kind"), by_day=index("day")))
        assert len([line for line in lines if "adding the index" in line]) == 2
        names = {each["IndexName"] for each in described()["GlobalSecondaryIndexes"]}
        assert names == {"by_kind", "by_day"}
        found = client.query(
            TableName=table,
            IndexName="by_day",
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "x"}},
        )
        assert found["Items"] == [item]

    def test_keeps_indexes_that_no_model_declares(self, create, described, table):
        create(model(table, by_kind=index("kind")))
        assert create(model(table)) == [f"{table}: active"]
        assert len(described()["GlobalSecondaryIndexes"]) == 1


@pytest.mark.fallback
class TestAStream:
    IMAGES = "NEW_AND_OLD_IMAGES"

    def test_is_switched_on_for_a_table_that_exists(self, create, described, table):
        create(model(table))
        assert "StreamSpecification" not in described()
        lines = create(model(table, stream=self.IMAGES))
        assert lines == [f"{table}: switching on its stream", f"{table}: active"]
        assert described()["StreamSpecification"]["StreamEnabled"] is True

    def test_that_is_on_is_left_as_it_is(self, create, described, table):
        create(model(table, stream=self.IMAGES))
        before = described()["LatestStreamArn"]
        assert create(model(table, stream=self.IMAGES)) == [f"{table}: active"]
        assert described()["LatestStreamArn"] == before

    def test_waits_where_the_table_is_to_be_filled_first(self, create, described, table):
        create(model(table, stream=self.IMAGES), streams=False)
        assert "StreamSpecification" not in described()

    def test_that_shows_something_else_is_refused(self, create, table):
        create(model(table, stream="KEYS_ONLY"))
        with pytest.raises(TableDiffers, match="its stream: KEYS_ONLY, not NEW_AND_OLD_IMAGES"):
            create(model(table, stream=self.IMAGES))


class TestATableThatDiffers:
    @pytest.mark.parametrize(
        ("change", "what"),
        [
            ({"sort_key": "other"}, "its keys"),
            ({"sorts": NumberAttribute}, "the type of sk"),
            ({"by_day": index("week", kind=LocalSecondaryIndex)}, "its local indexes"),
            (
                {"by_day": index("day", KeysOnlyProjection(), LocalSecondaryIndex)},
                "its local indexes",
            ),
            ({"by_kind": index("kind", IncludeProjection(["name"]))}, "the index by_kind"),
            ({"by_kind": index("kind", IncludeProjection(["name", "x"]))}, "the index by_kind"),
        ],
    )
    def test_is_refused_in_a_sentence(self, create, described, table, change, what):
        indexes = {
            "by_kind": index("kind", IncludeProjection(["other", "name"])),
            "by_day": index("day", kind=LocalSecondaryIndex),
        }
        create(model(table, **indexes))
        before = described()
        with pytest.raises(TableDiffers) as raised:
            create(model(table, **{**indexes, **change}))
        assert table in str(raised.value)
        assert f"in {what}: " in str(raised.value)
        assert described() == before

    def test_is_not_one_whose_projection_is_listed_in_another_order(self, create, table):
        create(model(table, by_kind=index("kind", IncludeProjection(["name", "size"]))))
        same = model(table, by_kind=index("kind", IncludeProjection(["size", "name"])))
        assert create(same) == [f"{table}: active"]


class TestATableThatIsNotReadyInTime:
    def test_is_told_in_a_sentence(self, table):
        creating = {"Table": {"TableName": table, "TableStatus": "CREATING"}}
        slow = Mock(**{"describe_table.side_effect": [LookupError, creating, creating]})
        slow.exceptions.ResourceNotFoundException = LookupError
        with pytest.raises(TableNotReady, match=f"{table} was not active after 0 seconds"):
            create_missing([model(table)], client=slow, patience=0)
