"""Tables as PynamoDB's models declare them."""

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.core.checks.registry import Tags
from pynamodb.attributes import NumberAttribute, TTLAttribute, UnicodeAttribute
from pynamodb.indexes import (
    GlobalSecondaryIndex,
    IncludeProjection,
    KeysOnlyProjection,
    LocalSecondaryIndex,
)

from dynapages.process import client
from dynapages.pynamodb import DynamoModel, SeveralAttributesIndex, feed_of, index_of
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


class ByStatus(SeveralAttributesIndex):
    class Meta:
        index_name = "by_status"
        projection = KeysOnlyProjection()

    tenant = UnicodeAttribute(hash_key=True)
    status = UnicodeAttribute(attr_name="a_status", hash_key=True)
    priority = NumberAttribute(range_key=True)
    at = UnicodeAttribute(range_key=True)


class Event(DynamoModel):
    class Meta:
        table_name = unique("events")

    id = UnicodeAttribute(hash_key=True)
    by_status = ByStatus()


class ByTenant(SeveralAttributesIndex):
    class Meta:
        index_name = "by_tenant"
        projection = KeysOnlyProjection()

    tenant = UnicodeAttribute(hash_key=True)
    status = UnicodeAttribute(hash_key=True)
    at = UnicodeAttribute(range_key=True)


class Member(DynamoModel):
    class Meta:
        table_name = unique("members")

    id = UnicodeAttribute(hash_key=True)
    by_tenant = ByTenant()


class ByAlphabet(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_alphabet"
        projection = KeysOnlyProjection()

    stars = NumberAttribute(hash_key=True)
    product = UnicodeAttribute(hash_key=True)
    time = UnicodeAttribute(range_key=True)
    place = UnicodeAttribute(range_key=True)


class Review(DynamoModel):
    class Meta:
        table_name = unique("reviews")

    id = UnicodeAttribute(hash_key=True)
    by_alphabet = ByAlphabet()


IN_ALPHABETICAL_ORDER = (
    "PynamoDB would create the index by_alphabet with its attributes in the order of the alphabet: "
    "partition product, stars; sort place, time. Derive its class from "
    "dynapages.pynamodb.SeveralAttributesIndex, which keeps the order of the class."
)


class TestAnIndexOfSeveralAttributes:
    def test_has_them_in_the_order_of_its_class(self):
        (index,) = TableSchema.of(Event).global_indexes
        assert index["KeySchema"] == [
            {"AttributeName": "tenant", "KeyType": "HASH"},
            {"AttributeName": "a_status", "KeyType": "HASH"},
            {"AttributeName": "priority", "KeyType": "RANGE"},
            {"AttributeName": "at", "KeyType": "RANGE"},
        ]

    def test_has_those_of_a_base_class_first(self):
        class ByMore(ByStatus):
            class Meta:
                index_name = "by_more"
                projection = KeysOnlyProjection()

            area = UnicodeAttribute(hash_key=True)

        assert list(ByMore.Meta.attributes) == ["tenant", "status", "priority", "at", "area"]

    def test_is_refused_where_pynamodb_would_order_them(self):
        with pytest.raises(ValueError, match="by_alphabet") as raised:
            TableSchema.of(Review)
        assert str(raised.value) == IN_ALPHABETICAL_ORDER

    def test_of_pynamodb_still_orders_them_by_the_alphabet(self):
        """The reason of the refusal: without this one, the class is not needed any more."""
        (index,) = Review._get_schema()["global_secondary_indexes"]
        assert [part["AttributeName"] for part in index["key_schema"]] == [
            "place",
            "product",
            "stars",
            "time",
        ]

    def test_is_an_error_of_a_check(self, settings):
        settings.DYNAMODB_MODELS = [f"{__name__}.Event", f"{__name__}.Review"]
        (error,) = run_checks(tags=[Tags.models])
        assert (error.id, error.msg, error.obj) == ("dynapages.keys", IN_ALPHABETICAL_ORDER, Review)

    def test_is_read_by_tuples_of_values(self):
        index = index_of(Event.by_status)
        assert (index.partition, index.sort) == (("tenant", "a_status"), ("priority", "at"))
        assert index.table_key == ("id",)
        assert index.key_types == {"tenant": "S", "a_status": "S", "priority": "N", "at": "S"}

    def test_of_one_sort_attribute_is_read_by_its_values(self):
        assert index_of(Member.by_tenant).sort == "at"

    def test_is_not_read_in_the_order_of_pynamodb(self):
        with pytest.raises(ValueError, match="by_alphabet") as raised:
            feed_of(Review.by_alphabet, [("lamp", 5)])
        assert str(raised.value) == IN_ALPHABETICAL_ORDER

    @pytest.mark.parametrize("method", ["query", "count"])
    def test_is_not_read_by_what_takes_one_value(self, method):
        with pytest.raises(TypeError, match="has 2 \\(tenant, a_status\\)") as raised:
            getattr(Event.by_status, method)("acme")
        assert f"PynamoDB's {method} takes one value" in str(raised.value)
