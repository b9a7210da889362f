"""Tables: create what is declared and missing; nothing is ever deleted.

Missing global secondary indexes are added one at a time (DynamoDB builds only one at once), streams
and time to live are enabled, and all are waited for. The keys and local indexes of an existing
table, and what an index has of its items, cannot be changed: a difference there is an error.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dynapages.calls.faults import FAILURES, Unavailable, sentence_about
from dynapages.errors import DynamoError, gettext_noop

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


__all__ = [
    "ON_DEMAND",
    "TableDiffers",
    "TableNotReady",
    "TableSchema",
    "Throughput",
    "create_missing",
    "difference",
    "index_shapes",
    "require_ready",
    "unreadiness",
]

ON_DEMAND = "PAY_PER_REQUEST"


@dataclass(frozen=True, slots=True)
class Throughput:
    """Provisioned capacity units a second, of the table and of each of its indexes."""

    read: int
    write: int


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table as it should be, in the form of CreateTable's parameters.

    ``differs_hint`` are sentences on what a table of this name is that has other keys or indexes,
    and what to do about it.
    """

    name: str
    attributes: list[dict[str, str]]
    key: list[dict[str, str]]
    global_indexes: list[dict[str, Any]]
    local_indexes: list[dict[str, Any]]
    billing: dict[str, Any]
    expiry_attribute: str | None
    stream: str | None
    differs_hint: str = ""

    @classmethod
    def of(cls, model: type[Any], provisioned: Throughput | None = None) -> "TableSchema":
        """Return the schema of a PynamoDB model's table, on demand unless ``provisioned``.

        ``stream_view_type`` and ``differs_hint`` are read from the model's Meta.
        """
        schema: Any = model._get_schema()  # noqa: SLF001 - the only way to a model's declaration
        attributes = {a["AttributeName"]: a for a in schema["attribute_definitions"]}  # once each
        throughput = provisioned and {
            "ReadCapacityUnits": provisioned.read,
            "WriteCapacityUnits": provisioned.write,
        }
        extra = {"ProvisionedThroughput": throughput} if throughput else {}
        expiry = model._ttl_attribute()  # noqa: SLF001 - the same
        return cls(
            name=model.Meta.table_name,
            attributes=list(attributes.values()),
            key=key_parts(schema["key_schema"]),
            global_indexes=[_index(i) | extra for i in schema["global_secondary_indexes"]],
            local_indexes=[_index(i) for i in schema["local_secondary_indexes"]],
            billing=extra or {"BillingMode": ON_DEMAND},
            expiry_attribute=expiry.attr_name if expiry else None,
            stream=getattr(model.Meta, "stream_view_type", None),
            differs_hint=getattr(model.Meta, "differs_hint", ""),
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


class TableDiffers(Unavailable):
    """A table of this name exists with other keys or indexes, which DynamoDB cannot change.

    ``detail`` says in what it differs and what to do, which is for operators alone.
    """

    retry_after = 30

    def __init__(self, detail: str) -> None:
        super().__init__(gettext_noop("The database is not ready for this version of the site."))
        self.detail = detail


class TableNotReady(DynamoError):
    """A table or index did not become active within the time limit."""


def create_missing(
    tables: Sequence[TableSchema | type[Any]],
    *,
    client: "DynamoDBClient",
    provisioned: Throughput | None = None,
    patience: float = 600.0,
    streams: bool = True,
    report: Callable[[str], None] = lambda _line: None,
) -> None:
    """Create each table or its missing indexes, and wait until all are active.

    A table is a schema, or a PynamoDB model, which is billed on demand unless ``provisioned``.
    ``patience`` is in seconds, for each. Without ``streams`` none is enabled: for tables that are
    to be filled first. ``report`` gets a line for each step. Raises TableDiffers, TableNotReady.
    """
    for table in tables:
        wanted = _schema_of(table, provisioned)
        if not streams:
            wanted = replace(wanted, stream=None)
        existing = _describe(client, wanted.name)
        if existing is None:
            report(f"{wanted.name}: creating")
            with suppress(client.exceptions.ResourceInUseException):  # somebody else just did
                client.create_table(**wanted.create_request())
            _wait(client, wanted.name, patience)
        else:
            if differs := difference(wanted, existing):
                raise TableDiffers(differs)
            _wait(client, wanted.name, patience)
            living = index_shapes(existing.get("GlobalSecondaryIndexes", []))
            for index in wanted.global_indexes:
                if index["IndexName"] in living:
                    continue
                report(f"{wanted.name}: adding the index {index['IndexName']}")
                client.update_table(**wanted.add_index_request(index))
                _wait(client, wanted.name, patience)
            if wanted.stream and not _has_stream(existing):
                report(f"{wanted.name}: switching on its stream")
                client.update_table(TableName=wanted.name, **wanted.stream_parameters())
                _wait(client, wanted.name, patience)
        _switch_on_expiry(client, wanted, report)
        report(f"{wanted.name}: active")


def _schema_of(
    table: TableSchema | type[Any], provisioned: Throughput | None = None
) -> TableSchema:
    return table if isinstance(table, TableSchema) else TableSchema.of(table, provisioned)


def _name_of(table: TableSchema | type[Any]) -> str:
    name: str = table.name if isinstance(table, TableSchema) else table.Meta.table_name
    return name


def _describe(client: "DynamoDBClient", table: str) -> Mapping[str, Any] | None:
    try:
        return client.describe_table(TableName=table)["Table"]
    except client.exceptions.ResourceNotFoundException:
        return None


def _switch_on_expiry(
    client: "DynamoDBClient", wanted: TableSchema, report: Callable[[str], None]
) -> None:
    if wanted.expiry_attribute is None:
        return
    described = client.describe_time_to_live(TableName=wanted.name)["TimeToLiveDescription"]
    if described.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}:
        return
    report(f"{wanted.name}: switching on expiry by {wanted.expiry_attribute}")
    client.update_time_to_live(
        TableName=wanted.name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": wanted.expiry_attribute},
    )


def _has_stream(existing: Mapping[str, Any]) -> bool:
    return bool(existing.get("StreamSpecification", {}).get("StreamEnabled"))


def difference(table: TableSchema | type[Any], existing: Mapping[str, Any]) -> str | None:
    """Return in what an existing table differs that cannot be changed, and what to do.

    ``existing`` is the ``Table`` of DescribeTable's answer. None where it differs in nothing, or
    only lacks what `create_missing` adds.
    """
    wanted = _schema_of(table)
    for what, living, declared in _comparisons(wanted, existing):
        if living == declared:
            continue
        differs = f"The table {wanted.name} exists, but differs from its model in {what}"
        if wanted.differs_hint:
            return f"{differs}. {wanted.differs_hint}"
        return (
            f"{differs}: {living}, not {declared}. DynamoDB cannot change that in place; use "
            f"another DYNAMODB_TABLE_PREFIX, or move the data."
        )
    return None


def _comparisons(
    wanted: TableSchema, existing: Mapping[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """Yield what cannot be changed: its name, the value that exists, the value declared."""
    yield "its keys", key_parts(existing["KeySchema"]), wanted.key
    types = attribute_types(existing["AttributeDefinitions"])
    declared_types = attribute_types(wanted.attributes)
    for name in sorted(types.keys() & declared_types.keys()):
        yield f"the type of {name}", types[name], declared_types[name]
    local = index_shapes(existing.get("LocalSecondaryIndexes", []))
    yield "its local indexes", local, index_shapes(wanted.local_indexes)
    living = index_shapes(existing.get("GlobalSecondaryIndexes", []))
    declared = index_shapes(wanted.global_indexes)
    for name in sorted(living.keys() & declared.keys()):
        yield f"the index {name}", living[name], declared[name]
    if wanted.stream and _has_stream(existing):
        yield "its stream", existing["StreamSpecification"]["StreamViewType"], wanted.stream


def _wait(client: "DynamoDBClient", table: str, patience: float) -> None:
    until = time.monotonic() + patience
    pause = 0.05
    while not _is_active(client, table):
        if time.monotonic() > until:
            raise TableNotReady(f"The table {table} was not active after {patience:g} seconds")
        time.sleep(pause)
        pause = min(pause * 2, 5.0)


def _is_active(client: "DynamoDBClient", table: str) -> bool:
    described = _describe(client, table) or {"TableStatus": ""}
    indexes = described.get("GlobalSecondaryIndexes", [])
    statuses = [described["TableStatus"], *(index["IndexStatus"] for index in indexes)]
    return set(statuses) == {"ACTIVE"}


USABLE = frozenset({"ACTIVE", "UPDATING"})


def require_ready(client: "DynamoDBClient", table: TableSchema | type[Any]) -> None:
    """Raise what keeps pages from being served from a table, by one DescribeTable.

    TableDiffers, TableNotReady, or what the call raises.
    """
    described = client.describe_table(TableName=_name_of(table))["Table"]
    if differs := difference(table, described):
        raise TableDiffers(differs)
    if described["TableStatus"] not in USABLE:
        raise TableNotReady(described["TableStatus"])


def unreadiness(client: "DynamoDBClient", tables: Iterable[TableSchema | type[Any]]) -> str | None:
    """Return why pages cannot be served now from these tables, None when they can."""
    for table in tables:
        try:
            require_ready(client, table)
        except TableDiffers as differs:
            return differs.detail
        except FAILURES as failure:
            return f"{_name_of(table)}: {sentence_about(failure)}"
    return None
