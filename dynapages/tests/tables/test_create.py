"""Creating tables as they are declared."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from dynapages.tables import (
    ON_DEMAND,
    TableDiffers,
    TableNotReady,
    TableSchema,
    create_missing,
    difference,
    require_ready,
    unreadiness,
)
from dynapages_testing.chance import unique

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ALL, KEYS_ONLY = {"ProjectionType": "ALL"}, {"ProjectionType": "KEYS_ONLY"}


def including(*names: str) -> dict[str, Any]:
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(names)}


def keys(sort_key: str) -> list[dict[str, str]]:
    roles = {"pk": "HASH", sort_key: "RANGE"}
    return [{"AttributeName": name, "KeyType": role} for name, role in roles.items()]


def index(key: str, projection: Any = ALL) -> dict[str, Any]:
    """Declare the index ``by_<key>``, which shares the table's partition key."""
    return {"IndexName": f"by_{key}", "KeySchema": keys(key), "Projection": projection}


def schema(
    table: str,
    *,
    sort_key: str = "sk",
    sorts: str = "S",
    stream: str | None = None,
    differs_hint: str = "",
    globally: Sequence[dict[str, Any]] = (),
    locally: Sequence[dict[str, Any]] = (),
) -> TableSchema:
    types = {"pk": "S", sort_key: sorts}
    for each in (*globally, *locally):
        types[each["KeySchema"][1]["AttributeName"]] = "S"
    return TableSchema(
        name=table,
        attributes=[{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
        key=keys(sort_key),
        global_indexes=list(globally),
        local_indexes=list(locally),
        billing={"BillingMode": ON_DEMAND},
        expiry_attribute=None,
        stream=stream,
        differs_hint=differs_hint,
    )


@pytest.fixture
def table(client):
    name = unique("dynapages-test")
    yield name
    if name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)


@pytest.fixture
def create(client):
    def create(*schemas: TableSchema, **how: Any) -> list[str]:
        lines: list[str] = []
        create_missing(schemas, client=client, report=lines.append, **how)
        return lines

    return create


@pytest.fixture
def described(client, table):
    return lambda: client.describe_table(TableName=table)["Table"]


@pytest.mark.fallback
class TestAMissingTable:
    def test_is_created_with_its_keys_and_indexes(self, create, described, table):
        by_kind, by_day = index("kind", including("name")), index("day", KEYS_ONLY)
        create(schema(table, globally=[by_kind], locally=[by_day]))
        made = described()
        assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert [part["AttributeName"] for part in made["KeySchema"]] == ["pk", "sk"]
        (global_index,), (local_index,) = (
            made["GlobalSecondaryIndexes"],
            made["LocalSecondaryIndexes"],
        )
        assert global_index["Projection"]["NonKeyAttributes"] == ["name"]
        assert local_index["Projection"]["ProjectionType"] == "KEYS_ONLY"


class TestATableThatExists:
    def test_is_left_as_it_is(self, create, described, table):
        thing = schema(table, globally=[index("kind")], locally=[index("day")])
        create(thing)
        before = described()
        assert create(thing) == [f"{table}: active"]
        assert described() == before

    def test_keeps_its_items_and_gets_missing_indexes_one_at_a_time(
        self, create, described, client, table
    ):
        create(schema(table))
        item = {name: {"S": "x"} for name in ("pk", "sk", "kind", "day")}
        client.put_item(TableName=table, Item=item)
        lines = create(schema(table, globally=[index("kind"), index("day")]))
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

    def test_keeps_indexes_that_are_not_declared(self, create, described, table):
        create(schema(table, globally=[index("kind")]))
        assert create(schema(table)) == [f"{table}: active"]
        assert len(described()["GlobalSecondaryIndexes"]) == 1


@pytest.mark.fallback
class TestAStream:
    IMAGES = "NEW_AND_OLD_IMAGES"

    def test_is_switched_on_for_a_table_that_exists(self, create, described, table):
        create(schema(table))
        assert "StreamSpecification" not in described()
        lines = create(schema(table, stream=self.IMAGES))
        assert lines == [f"{table}: switching on its stream", f"{table}: active"]
        assert described()["StreamSpecification"]["StreamEnabled"] is True

    def test_that_is_on_is_left_as_it_is(self, create, described, table):
        create(schema(table, stream=self.IMAGES))
        before = described()["LatestStreamArn"]
        assert create(schema(table, stream=self.IMAGES)) == [f"{table}: active"]
        assert described()["LatestStreamArn"] == before

    def test_waits_where_the_table_is_to_be_filled_first(self, create, described, table):
        create(schema(table, stream=self.IMAGES), streams=False)
        assert "StreamSpecification" not in described()

    def test_that_shows_something_else_is_refused(self, create, table):
        create(schema(table, stream="KEYS_ONLY"))
        with pytest.raises(TableDiffers) as raised:
            create(schema(table, stream=self.IMAGES))
        assert "its stream: KEYS_ONLY, not NEW_AND_OLD_IMAGES" in raised.value.detail


class TestATableThatDiffers:
    @pytest.mark.parametrize(
        ("change", "what"),
        [
            ({"sort_key": "other"}, "its keys"),
            ({"sorts": "N"}, "the type of sk"),
            ({"locally": [index("week")]}, "its local indexes"),
            ({"locally": [index("day", KEYS_ONLY)]}, "its local indexes"),
            ({"globally": [index("kind", including("name"))]}, "the index by_kind"),
            ({"globally": [index("kind", including("name", "x"))]}, "the index by_kind"),
        ],
    )
    def test_is_refused_in_a_sentence(self, create, described, table, change, what):
        by_kind, by_day = index("kind", including("other", "name")), index("day")
        indexes = {"globally": [by_kind], "locally": [by_day]}
        create(schema(table, **indexes))
        before = described()
        with pytest.raises(TableDiffers) as raised:
            create(schema(table, **{**indexes, **change}))
        assert table in raised.value.detail
        assert f"in {what}: " in raised.value.detail
        assert described() == before

    def test_is_explained_by_the_hint_of_its_model(self, create, table):
        create(schema(table, globally=[index("kind")]))
        hint = "Its shop has moved."
        with pytest.raises(TableDiffers) as raised:
            create(schema(table, globally=[index("kind", KEYS_ONLY)], differs_hint=hint))
        assert raised.value.detail == (
            f"The table {table} exists, but differs from its model in the index by_kind. {hint}"
        )

    def test_tells_visitors_nothing_of_its_parts(self):
        assert str(TableDiffers("The table thing exists …")) == (
            "The database is not ready for this version of the site."
        )

    def test_is_not_one_whose_projection_is_listed_in_another_order(self, create, table):
        create(schema(table, globally=[index("kind", including("name", "size"))]))
        same = schema(table, globally=[index("kind", including("size", "name"))])
        assert create(same) == [f"{table}: active"]


class TestServingFromTables:
    def test_is_possible_where_all_are_as_declared(self, client, create, table):
        thing = schema(table, globally=[index("kind")])
        create(thing)
        require_ready(client, thing)
        assert unreadiness(client, [thing]) is None

    def test_is_possible_where_a_table_has_more_indexes(self, client, create, table):
        create(schema(table, globally=[index("kind")]))
        assert unreadiness(client, [schema(table)]) is None

    def test_is_not_possible_where_one_differs(self, client, create, table):
        create(schema(table))
        other = schema(table, sort_key="other")
        with pytest.raises(TableDiffers) as raised:
            require_ready(client, other)
        assert unreadiness(client, [other]) == raised.value.detail == difference_of(client, other)

    def test_is_not_possible_where_one_is_missing(self, client, table):
        assert unreadiness(client, [schema(table)]) == (
            f"{table}: The database is not set up yet: a table or an index is missing."
        )

    def test_is_not_possible_until_one_is_active(self, table):
        thing = schema(table)
        creating = thing.create_request() | {"TableStatus": "CREATING"}
        slow = Mock(**{"describe_table.return_value": {"Table": creating}})
        assert unreadiness(slow, [thing]) == f"{table}: CREATING"


def difference_of(client: "DynamoDBClient", wanted: TableSchema) -> str | None:
    return difference(wanted, client.describe_table(TableName=wanted.name)["Table"])


class TestATableThatIsNotReadyInTime:
    def test_is_told_in_a_sentence(self, table):
        creating = {"Table": {"TableName": table, "TableStatus": "CREATING"}}
        slow = Mock(**{"describe_table.side_effect": [LookupError, creating, creating]})
        slow.exceptions.ResourceNotFoundException = LookupError
        with pytest.raises(TableNotReady, match=f"{table} was not active after 0 seconds"):
            create_missing([schema(table)], client=slow, patience=0)
