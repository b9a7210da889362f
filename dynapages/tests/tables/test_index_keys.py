"""Keys of several attributes: which are allowed, and what engines make of them."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from dynapages.calls.client import Connection, build_client
from dynapages.engine.fault_proxy import FaultProxy
from dynapages.engine.server import DynoxideEngine, EngineServer, MotoEngine, find_dynoxide
from dynapages.tables import (
    ON_DEMAND,
    EngineLacksKeys,
    TableDiffers,
    TableSchema,
    create_missing,
    index_shapes,
)
from dynapages_testing.chance import unique
from dynapages_testing.processes import PATIENCE

PARTITION, SORT = ("tenant", "status"), ("priority", "at")


def key(partition: tuple[str, ...], sort: tuple[str, ...] = ()) -> list[dict[str, str]]:
    parts = [{"AttributeName": name, "KeyType": "HASH"} for name in partition]
    return parts + [{"AttributeName": name, "KeyType": "RANGE"} for name in sort]


def index(partition: tuple[str, ...], sort: tuple[str, ...]) -> dict[str, Any]:
    projection = {"ProjectionType": "ALL"}
    return {
        "IndexName": "by_status",
        "KeySchema": key(partition, sort),
        "Projection": projection,
    }


BY_STATUS = index(PARTITION, SORT)


def schema(
    *global_indexes: dict[str, Any],
    table_key: list[dict[str, str]] | None = None,
    locally: tuple[dict[str, Any], ...] = (),
    name: str = "",
) -> TableSchema:
    used = {part["AttributeName"] for each in global_indexes for part in each["KeySchema"]}
    return TableSchema(
        name=name or unique("dynapages-test"),
        attributes=[
            {"AttributeName": attribute, "AttributeType": "N" if attribute == "priority" else "S"}
            for attribute in sorted(used | {"id"})
        ],
        key=table_key or key(("id",)),
        global_indexes=list(global_indexes),
        local_indexes=list(locally),
        billing={"BillingMode": ON_DEMAND},
        expiry_attribute=None,
        stream=None,
    )


class TestAKey:
    def test_of_a_global_index_has_up_to_four_partition_and_four_sort_attributes(self):
        wide = index(("a", "b", "c", "d"), ("e", "f", "g", "h"))
        assert schema(wide).global_indexes == [wide]

    @pytest.mark.parametrize(
        ("partition", "sort", "sentence"),
        [
            (
                ("tenant", "status", "at", "e", "f"),
                ("priority",),
                "The global index by_status has 5 partition attributes (tenant, status, at, e, f).",
            ),
            (
                ("id",),
                ("tenant", "status", "at", "e", "f"),
                "The global index by_status has 5 sort attributes (tenant, status, at, e, f).",
            ),
            ((), ("at",), "The global index by_status has no partition attribute."),
            (
                ("tenant", "at"),
                ("at",),
                "The global index by_status names an attribute twice in its key: tenant, at, at.",
            ),
        ],
        ids=["five partition attributes", "five sort attributes", "no partition", "one twice"],
    )
    def test_that_a_global_index_cannot_have_is_refused(self, partition, sort, sentence):
        with pytest.raises(ValueError, match="by_status") as raised:
            schema(index(partition, sort))
        assert str(raised.value).startswith(sentence)

    def test_with_a_sort_attribute_before_a_partition_attribute_is_refused(self):
        mixed = {**BY_STATUS, "KeySchema": key(("tenant",), ("at",)) + key(("status",))}
        with pytest.raises(ValueError, match="Partition attributes come first"):
            schema(mixed)

    def test_of_a_table_has_one_attribute_of_each(self):
        with pytest.raises(ValueError, match="has 2 partition attributes") as raised:
            schema(table_key=key(("tenant", "id")), name="events")
        assert str(raised.value) == (
            "The table events has 2 partition attributes (tenant, id). A global index has at most "
            "four, a table or a local index one."
        )

    def test_of_a_local_index_has_one_attribute_of_each(self):
        with pytest.raises(ValueError, match="The local index by_status has 2 sort attributes"):
            schema(locally=(index(("id",), SORT),))


class TestAShape:
    def test_tells_partition_attributes_from_sort_attributes(self):
        one = index_shapes([index(("tenant", "status"), ("at",))])
        other = index_shapes([index(("tenant",), ("status", "at"))])
        assert one != other

    @pytest.mark.parametrize(
        "other",
        [index(("status", "tenant"), SORT), index(PARTITION, ("at", "priority"))],
        ids=["partition", "sort"],
    )
    def test_tells_one_order_from_another(self, other):
        assert index_shapes([BY_STATUS]) != index_shapes([other])


# Engines


def client_of(endpoint: str) -> Any:
    return build_client(
        Connection(
            region="us-east-1",
            endpoint_url=endpoint,
            access_key="tests",
            secret_key="tests",
            read_seconds=PATIENCE,
        )
    )


@pytest.fixture(scope="module")
def moto() -> Iterator[EngineServer]:
    pytest.importorskip("moto")
    with MotoEngine(start_seconds=PATIENCE) as engine:
        yield engine


@pytest.fixture(scope="module")
def dynoxide() -> Iterator[EngineServer]:
    binary = find_dynoxide()
    if binary is None:
        pytest.skip("dynoxide is not installed")
    with DynoxideEngine(binary=binary, start_seconds=PATIENCE) as engine:
        yield engine


class TestAnEngineThatHasThem:
    def test_makes_the_index_in_the_declared_order(self, moto):
        client, wanted = client_of(moto.endpoint_url), schema(BY_STATUS)
        create_missing([wanted], client=client)
        (made,) = client.describe_table(TableName=wanted.name)["Table"]["GlobalSecondaryIndexes"]
        assert made["KeySchema"] == BY_STATUS["KeySchema"]

    def test_adds_the_index_to_a_table_that_exists(self, moto):
        client, wanted = client_of(moto.endpoint_url), schema(BY_STATUS)
        create_missing([schema(name=wanted.name)], client=client)
        create_missing([wanted], client=client)
        (made,) = client.describe_table(TableName=wanted.name)["Table"]["GlobalSecondaryIndexes"]
        assert made["KeySchema"] == BY_STATUS["KeySchema"]

    def test_has_another_index_where_the_order_is_another(self, moto):
        client, wanted = client_of(moto.endpoint_url), schema(BY_STATUS)
        create_missing([wanted], client=client)
        other = schema(index(PARTITION, ("at", "priority")), name=wanted.name)
        with pytest.raises(TableDiffers) as raised:
            create_missing([other], client=client)
        assert "in the index by_status: (['tenant', 'status'], ['priority', 'at'], " in (
            raised.value.detail
        )


class TestAnEngineThatLacksThem:
    def test_is_named_with_its_version_before_anything_is_made(self, dynoxide):
        client = client_of(dynoxide.endpoint_url)
        before = client.list_tables()["TableNames"]
        with pytest.raises(EngineLacksKeys) as raised:
            create_missing([schema(), schema(BY_STATUS)], client=client)
        assert str(raised.value) == (
            "dynoxide 1.2.1 has no keys of several attributes, which the index by_status needs. "
            "Amazon DynamoDB has them, DynamoDB Local from 3.3.0 on, moto from 5.1.21 on, dynoxide "
            "from 3.1.0 on."
        )
        assert client.list_tables()["TableNames"] == before

    def test_is_known_through_a_proxy(self, dynoxide):
        with FaultProxy(dynoxide.endpoint_url) as proxy:
            client = client_of(proxy.endpoint_url)
            with pytest.raises(EngineLacksKeys, match=r"dynoxide 1\.2\.1"):
                create_missing([schema(BY_STATUS)], client=client)

    def test_does_not_get_the_index_for_a_table_that_exists(self, dynoxide):
        client, wanted = client_of(dynoxide.endpoint_url), schema(BY_STATUS)
        create_missing([schema(name=wanted.name)], client=client)
        with pytest.raises(EngineLacksKeys):
            create_missing([wanted], client=client)
        described = client.describe_table(TableName=wanted.name)["Table"]
        assert "GlobalSecondaryIndexes" not in described

    def test_is_told_by_its_refusal_where_it_has_no_name(self, plain):
        """DynamoDB Local before 3.3.0 refuses such a table, and says no version."""
        wanted = schema(BY_STATUS)
        headers = {"HTTPHeaders": {"server": "Jetty(12.0.8)"}}
        missing = {"service_error_code": "ResourceNotFoundException", "response_meta": headers}
        too_big = (
            "Key Schema too big.  Key Schema must at most consist of the hash and range key of "
            "a table"
        )
        with Stubber(plain) as answers:
            answers.add_client_error("describe_table", **missing)
            answers.add_client_error("describe_table", **missing)
            answers.add_client_error(
                "create_table",
                "ValidationException",
                service_message=too_big,
                response_meta=headers,
            )
            with pytest.raises(EngineLacksKeys, match=r"^This engine \(Jetty\(12\.0\.8\)\) has no"):
                create_missing([wanted], client=plain)
