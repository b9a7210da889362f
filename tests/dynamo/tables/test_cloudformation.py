"""A table's declaration as the properties of a table of CloudFormation."""

from typing import Any

from pynamodb.attributes import TTLAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex

from dynamo.calls.models import DynamoModel
from dynamo.tables.cloudformation import table_properties
from dynamo.tables.schema import TableSchema, Throughput


class ByKind(GlobalSecondaryIndex[Any]):
    class Meta:
        index_name = "by_kind"
        projection = AllProjection()

    kind = UnicodeAttribute(hash_key=True)


class Thing(DynamoModel):
    class Meta:
        table_name = "things"
        stream_view_type = "NEW_IMAGE"

    pk = UnicodeAttribute(hash_key=True)
    expires_at = TTLAttribute(null=True, attr_name="z")
    by_kind = ByKind()


class Plain(DynamoModel):
    class Meta:
        table_name = "plain"

    pk = UnicodeAttribute(hash_key=True)


class TestTheProperties:
    def test_of_a_plain_table_are_its_key_and_its_billing(self):
        assert table_properties(TableSchema.of(Plain)) == {
            "TableName": "plain",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }

    def test_name_what_the_stream_shows_and_what_expires(self):
        properties = table_properties(TableSchema.of(Thing))
        assert properties["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}
        expiry = {"AttributeName": "z", "Enabled": True}
        assert properties["TimeToLiveSpecification"] == expiry

    def test_limit_a_table_on_demand_and_its_indexes(self):
        limit = {"MaxReadRequestUnits": 5}
        properties = table_properties(TableSchema.of(Thing), maximum=limit)
        (index,) = properties["GlobalSecondaryIndexes"]
        assert properties["OnDemandThroughput"] == index["OnDemandThroughput"] == limit

    def test_give_provisioned_capacity_to_a_table_and_its_indexes(self):
        schema = TableSchema.of(Thing, Throughput(7, 3))
        properties = table_properties(schema, maximum={"MaxReadRequestUnits": 5})
        (index,) = properties["GlobalSecondaryIndexes"]
        capacity = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 3}
        assert properties["BillingMode"] == "PROVISIONED"
        assert properties["ProvisionedThroughput"] == index["ProvisionedThroughput"] == capacity
        assert "OnDemandThroughput" not in properties | index
