"""Schemas: a model's declaration, in the form of CreateTable's parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynamo.calls.models import DynamoModel

ON_DEMAND, PROVISIONED = "PAY_PER_REQUEST", "PROVISIONED"


@dataclass(frozen=True, slots=True)
class Throughput:
    """Provisioned capacity units a second, of the table and of each of its indexes."""

    read: int
    write: int


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A model's declaration, in the form of CreateTable's parameters."""

    name: str
    attributes: list[dict[str, str]]
    key: list[dict[str, str]]
    global_indexes: list[dict[str, Any]]
    local_indexes: list[dict[str, Any]]
    billing: dict[str, Any]
    expiry_attribute: str | None
    stream: str | None

    @classmethod
    def of(cls, model: type[DynamoModel], provisioned: Throughput | None = None) -> "TableSchema":
        """Return the schema of a model's table, on demand unless ``provisioned``."""
        schema: Any = model._get_schema()  # noqa: SLF001 - the only way to a model's declaration
        throughput = provisioned and {
            "ReadCapacityUnits": provisioned.read,
            "WriteCapacityUnits": provisioned.write,
        }
        extra = {"ProvisionedThroughput": throughput} if throughput else {}
        expiry = model._ttl_attribute()  # type: ignore[no-untyped-call] # noqa: SLF001 - the same
        return cls(
            name=model.Meta.table_name,
            attributes=_unique(schema["attribute_definitions"]),
            key=key_parts(schema["key_schema"]),
            global_indexes=[_index(i) | extra for i in schema["global_secondary_indexes"]],
            local_indexes=[_index(i) for i in schema["local_secondary_indexes"]],
            billing=extra or {"BillingMode": ON_DEMAND},
            expiry_attribute=expiry.attr_name if expiry else None,
            stream=getattr(model.Meta, "stream_view_type", None),
        )

    def create_request(self) -> dict[str, Any]:
        """Return the parameters of CreateTable; time to live is not among them."""
        indexes = {
            "GlobalSecondaryIndexes": self.global_indexes,
            "LocalSecondaryIndexes": self.local_indexes,
        }
        return {
            "TableName": self.name,
            "AttributeDefinitions": self.attributes,
            "KeySchema": self.key,
            **{name: value for name, value in indexes.items() if value},
            **self.billing,
            **self.stream_parameters(),
        }

    def cloudformation_properties(
        self, *, maximum: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the properties of an ``AWS::DynamoDB::Table`` with this declaration.

        ``maximum`` is the OnDemandThroughput of a table that is billed on demand and of each of its
        global indexes.
        """
        is_limited = maximum and self.billing.get("BillingMode") == ON_DEMAND
        limit = {"OnDemandThroughput": maximum} if is_limited else {}
        expiry = {"AttributeName": self.expiry_attribute, "Enabled": True}
        parts = {
            "GlobalSecondaryIndexes": [{**index, **limit} for index in self.global_indexes],
            "LocalSecondaryIndexes": self.local_indexes,
            "TimeToLiveSpecification": self.expiry_attribute and expiry,
            # To name what it shows is to switch it on: there is no StreamEnabled here.
            "StreamSpecification": self.stream and {"StreamViewType": self.stream},
        }
        return {
            "TableName": self.name,
            "AttributeDefinitions": self.attributes,
            "KeySchema": self.key,
            "BillingMode": PROVISIONED,
            **self.billing,
            **limit,
            **{name: value for name, value in parts.items() if value},
        }

    def stream_parameters(self) -> dict[str, Any]:
        """Return what CreateTable and UpdateTable are told of the stream."""
        if self.stream is None:
            return {}
        return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": self.stream}}

    def add_index_request(self, index: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of UpdateTable that add a global index."""
        return {
            "TableName": self.name,
            "AttributeDefinitions": self.attributes,
            "GlobalSecondaryIndexUpdates": [{"Create": index}],
        }


def attribute_types(definitions: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the type of each attribute of AttributeDefinitions, by its name."""
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def index_shapes(indexes: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return what makes an index, by its name: its key, its projection, what that names."""
    return {
        index["IndexName"]: (
            [part["AttributeName"] for part in key_parts(index["KeySchema"])],
            index["Projection"]["ProjectionType"],
            sorted(index["Projection"].get("NonKeyAttributes", [])),
        )
        for index in indexes
    }


def _unique(definitions: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    return [dict(named) for named in {d["AttributeName"]: d for d in definitions}.values()]


def key_parts(schema: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the two parts of a KeySchema, the partition key first, and nothing besides."""
    key = [{"AttributeName": k["AttributeName"], "KeyType": k["KeyType"]} for k in schema]
    return sorted(key, key=lambda part: part["KeyType"])


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "IndexName": index["index_name"],
        "KeySchema": key_parts(index["key_schema"]),
        "Projection": dict(index["projection"]),
    }
