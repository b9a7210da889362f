"""Tables as PynamoDB's models declare them."""

from django.conf import settings
from pynamodb.attributes import NumberAttribute, TTLAttribute, UnicodeAttribute
from pynamodb.indexes import (
    GlobalSecondaryIndex,
    IncludeProjection,
    KeysOnlyProjection,
    LocalSecondaryIndex,
)

from dynapages.process import client
from dynapages.pynamodb import DynamoModel
from dynapages.tables import TableSchema, Throughput, create_missing
from tests.support.chance import unique


class ByKind(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_kind"
        projection = IncludeProjection(["name"])

    kind = UnicodeAttribute(hash_key=True)
    size = NumberAttribute(range_key=True)


class ByDay(LocalSecondaryIndex):
    class Meta:
        index_name = "by_day"
        projection = KeysOnlyProjection()

    pk = UnicodeAttribute(hash_key=True)
    day = UnicodeAttribute(range_key=True)


class Thing(DynamoModel):
    class Meta:
        table_name = settings.DYNAMODB_TABLE_PREFIX + unique("things")
        stream_view_type = "NEW_AND_OLD_IMAGES"

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires = TTLAttribute(attr_name="e", null=True)
    by_kind = ByKind()
    by_day = ByDay()


class TestASchema:
    def test_has_the_models_keys_and_the_types_of_all_key_attributes(self):
        schema = TableSchema.of(Thing)
        assert [part["AttributeName"] for part in schema.key] == ["pk", "sk"]
        types = {each["AttributeName"]: each["AttributeType"] for each in schema.attributes}
        assert types == {"pk": "S", "sk": "S", "kind": "S", "size": "N", "day": "S"}

    def test_has_its_indexes_with_their_projections(self):
        schema = TableSchema.of(Thing)
        (by_kind,), (by_day,) = schema.global_indexes, schema.local_indexes
        assert by_kind["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name"]}
        assert by_day["Projection"] == {"ProjectionType": "KEYS_ONLY"}

    def test_has_its_stream_and_its_expiry(self):
        schema = TableSchema.of(Thing)
        assert (schema.stream, schema.expiry_attribute) == ("NEW_AND_OLD_IMAGES", "e")

    def test_is_billed_by_provisioned_capacity_when_told_to(self):
        provisioned = Throughput(read=7, write=3)
        create_missing([Thing], client=client(), provisioned=provisioned)
        made = client().describe_table(TableName=Thing.Meta.table_name)["Table"]
        for part in (made, made["GlobalSecondaryIndexes"][0]):
            assert part["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
            assert part["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
