"""Tables: create what is declared and missing; nothing is ever deleted.

Missing global secondary indexes are added one at a time (DynamoDB builds only one at once), streams
and time to live are enabled, and all are waited for. The keys and local indexes of an existing
table, and what an index has of its items, cannot be changed: a difference there is an error.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynapages.calls.faults import FAILURES, Unavailable, sentence_about
from dynapages.errors import DynamoError, gettext_noop
from dynapages.index_keys import (
    MOST_OF_A_GLOBAL_INDEX,
    EngineLacksKeys,
    attribute_names,
    key_parts,
    lacking_engine,
    require_declared_order,
    require_engine,
    require_key,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


__all__ = [
    "ON_DEMAND",
    "EngineLacksKeys",
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
USABLE = frozenset({"ACTIVE", "UPDATING"})
"""Statuses in which a table is read and written."""
ACTIVE_SECONDS = 600.0
"""How long a table or an index may take to become active."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
"""Seconds between two looks whether it is; the pause doubles."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Provisioned capacity units a second, of the table and of each of its indexes."""

    read: int
    write: int

    def parameters(self) -> dict[str, int]:
        """Return them in the form of CreateTable's ``ProvisionedThroughput``."""
        return {"ReadCapacityUnits": self.read, "WriteCapacityUnits": self.write}


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table as it should be, in the form of CreateTable's parameters.

    ``differs_hint`` are sentences on what a table of this name is that has other keys or indexes,
    and what to do about it. A global index has up to four partition attributes and up to four sort
    attributes, in this order. Raises ValueError for a key that DynamoDB would refuse.
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

    def __post_init__(self) -> None:
        require_key(f"The table {self.name}", self.key)
        for index in self.local_indexes:
            require_key(f"The local index {index['IndexName']}", index["KeySchema"])
        for index in self.global_indexes:
            require_key(
                f"The global index {index['IndexName']}",
                index["KeySchema"],
                most=MOST_OF_A_GLOBAL_INDEX,
            )

    @classmethod
    def of(cls, model: type[Any], provisioned: Throughput | None = None) -> "TableSchema":
        """Return the schema of a PynamoDB model's table, on demand unless ``provisioned``.

        ``stream_view_type`` and ``differs_hint`` are read from the model's Meta. Raises ValueError
        for an index of several attributes that is no `dynapages.pynamodb.SeveralAttributesIndex`.
        """
        schema: Any = model._get_schema()  # noqa: SLF001 - the only way to a model's declaration
        # An attribute that is a key of several indexes is declared by each of them.
        attributes: dict[str, dict[str, str]] = {}
        for definition in schema["attribute_definitions"]:
            attributes[definition["AttributeName"]] = definition
        throughput: dict[str, Any] = {}
        billing: dict[str, Any] = {"BillingMode": ON_DEMAND}
        if provisioned is not None:
            throughput = {"ProvisionedThroughput": provisioned.parameters()}
            billing = throughput
        global_indexes = []
        for index in schema["global_secondary_indexes"]:
            require_declared_order(index)
            global_indexes.append(_index(index) | throughput)
        expiry = model._ttl_attribute()  # noqa: SLF001 - the same
        return cls(
            name=model.Meta.table_name,
            attributes=list(attributes.values()),
            key=key_parts(schema["key_schema"]),
            global_indexes=global_indexes,
            local_indexes=[_index(index) for index in schema["local_secondary_indexes"]],
            billing=billing,
            expiry_attribute=expiry.attr_name if expiry else None,
            stream=getattr(model.Meta, "stream_view_type", None),
            differs_hint=getattr(model.Meta, "differs_hint", ""),
        )

    def create_request(self) -> dict[str, Any]:
        """Return the parameters of CreateTable; time to live is not among them."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "AttributeDefinitions": self.attributes,
            "KeySchema": self.key,
        }
        # An empty list of indexes is refused.
        if self.global_indexes:
            request["GlobalSecondaryIndexes"] = self.global_indexes
        if self.local_indexes:
            request["LocalSecondaryIndexes"] = self.local_indexes
        return {**request, **self.billing, **self.stream_parameters()}

    def stream_parameters(self) -> dict[str, Any]:
        """Return the parameters of CreateTable and UpdateTable that switch the stream on."""
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


# Parts of declarations and descriptions


def attribute_types(definitions: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the type of each attribute of AttributeDefinitions, by its name."""
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def index_shapes(indexes: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return what makes an index, by its name.

    It is the names of its partition and of its sort attributes, both in their order, its
    projection, and what that names.
    """
    shapes: dict[str, tuple[Any, ...]] = {}
    for index in indexes:
        key = index["KeySchema"]
        projection = index["Projection"]
        shapes[index["IndexName"]] = (
            attribute_names(key, "HASH"),
            attribute_names(key, "RANGE"),
            projection["ProjectionType"],
            sorted(projection.get("NonKeyAttributes", [])),
        )
    return shapes


def _index(index: Mapping[str, Any]) -> dict[str, Any]:
    """Return the declaration of an index of PynamoDB's in CreateTable's form."""
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


# Creation


def create_missing(
    tables: Sequence[TableSchema | type[Any]],
    *,
    client: "DynamoDBClient",
    provisioned: Throughput | None = None,
    patience: float = ACTIVE_SECONDS,
    streams: bool = True,
    report: Callable[[str], object] | None = None,
) -> None:
    """Create each table or its missing indexes, and wait until all are active.

    A table is a schema, or a PynamoDB model, which is billed on demand unless ``provisioned``.
    ``patience`` is in seconds, for each. Without ``streams`` none is enabled: for tables that are
    to be filled first. ``report`` gets a line for each step. Raises TableDiffers, TableNotReady;
    EngineLacksKeys before anything is made.
    """
    schemas = [_schema_of(table, provisioned) for table in tables]
    for schema in schemas:
        require_engine(client, schema.name, schema.global_indexes)
    for schema in schemas:
        wanted = schema if streams else replace(schema, stream=None)
        _Creation(client, wanted, patience, report).carry_out()


@dataclass(frozen=True, slots=True)
class _Creation:
    """What it takes to have one table as its schema says."""

    client: "DynamoDBClient"
    schema: TableSchema
    patience: float
    report: Callable[[str], object] | None

    def carry_out(self) -> None:
        """Create the table or complete it, and report each step."""
        existing = _describe(self.client, self.schema.name)
        if existing is None:
            self._create()
        else:
            self._complete(existing)
        self._switch_on_expiry()
        self._say("active")

    def _create(self) -> None:
        """Create the table, and wait until it is active."""
        self._say("creating")
        with (
            self._lacking_keys(self.schema.global_indexes),
            suppress(self.client.exceptions.ResourceInUseException),  # somebody else just did
        ):
            self.client.create_table(**self.schema.create_request())
        self._wait()

    def _complete(self, existing: Mapping[str, Any]) -> None:
        """Add what an existing table lacks: indexes, one at a time, and its stream."""
        name = self.schema.name
        differs = difference(self.schema, existing)
        if differs:
            raise TableDiffers(differs)
        # DynamoDB changes nothing of a table that is not active.
        self._wait()
        existing_indexes = index_shapes(existing.get("GlobalSecondaryIndexes", []))
        for index in self.schema.global_indexes:
            if index["IndexName"] not in existing_indexes:
                self._say(f"adding the index {index['IndexName']}")
                with self._lacking_keys([index]):
                    self.client.update_table(**self.schema.add_index_request(index))
                self._wait()
        if self.schema.stream and not _has_stream(existing):
            self._say("switching on its stream")
            self.client.update_table(TableName=name, **self.schema.stream_parameters())
            self._wait()

    @contextmanager
    def _lacking_keys(self, indexes: Sequence[Mapping[str, Any]]) -> Iterator[None]:
        """Raise EngineLacksKeys where the engine refuses indexes for their several attributes."""
        try:
            yield
        except ClientError as error:
            lacking = lacking_engine(error, indexes)
            if lacking is not None:
                raise lacking from error
            raise

    def _switch_on_expiry(self) -> None:
        """Switch on the time to live by the schema's attribute, if it is not on."""
        name, attribute = self.schema.name, self.schema.expiry_attribute
        if attribute is None:
            return
        described = self.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        if described.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}:
            return
        self._say(f"switching on expiry by {attribute}")
        self.client.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": attribute},
        )

    def _wait(self) -> None:
        """Wait until the table and its indexes are active. Raises TableNotReady."""
        until = time.monotonic() + self.patience
        pause = FIRST_PAUSE
        while not _is_active(self.client, self.schema.name):
            if time.monotonic() > until:
                raise TableNotReady(
                    f"The table {self.schema.name} was not active after {self.patience:g} seconds"
                )
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _say(self, step: str) -> None:
        if self.report is not None:
            self.report(f"{self.schema.name}: {step}")


def _schema_of(
    table: TableSchema | type[Any], provisioned: Throughput | None = None
) -> TableSchema:
    """Return a schema as it is, or that of a PynamoDB model."""
    if isinstance(table, TableSchema):
        return table
    return TableSchema.of(table, provisioned)


def _name_of(table: TableSchema | type[Any]) -> str:
    if isinstance(table, TableSchema):
        return table.name
    name: str = table.Meta.table_name
    return name


def _describe(client: "DynamoDBClient", table: str) -> Mapping[str, Any] | None:
    """Return what DescribeTable says of a table; None if there is no such table."""
    try:
        return client.describe_table(TableName=table)["Table"]
    except client.exceptions.ResourceNotFoundException:
        return None


def _has_stream(existing: Mapping[str, Any]) -> bool:
    return bool(existing.get("StreamSpecification", {}).get("StreamEnabled"))


# Differences, and whether pages can be served


def difference(table: TableSchema | type[Any], existing: Mapping[str, Any]) -> str | None:
    """Return a sentence on what of an existing table cannot be changed and differs, and on a way.

    ``existing`` is the ``Table`` of DescribeTable's answer. None where it differs in nothing, or
    only lacks what `create_missing` adds.
    """
    schema = _schema_of(table)
    for what, found, declared in _comparisons(schema, existing):
        if found == declared:
            continue
        differs = f"The table {schema.name} exists, but differs from its model in {what}"
        if schema.differs_hint:
            return f"{differs}. {schema.differs_hint}"
        return (
            f"{differs}: {found}, not {declared}. DynamoDB cannot change that in place; use "
            f"a table of another name, or move the data."
        )
    return None


def _comparisons(
    schema: TableSchema, existing: Mapping[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """Yield what cannot be changed: its name, the value that exists, the value declared."""
    yield "its keys", key_parts(existing["KeySchema"]), schema.key
    types = attribute_types(existing["AttributeDefinitions"])
    declared_types = attribute_types(schema.attributes)
    # Only attributes that are keys of a table or an index are defined, so one may have new ones.
    for name in sorted(types.keys() & declared_types.keys()):
        yield f"the type of {name}", types[name], declared_types[name]
    local_indexes = index_shapes(existing.get("LocalSecondaryIndexes", []))
    yield "its local indexes", local_indexes, index_shapes(schema.local_indexes)
    global_indexes = index_shapes(existing.get("GlobalSecondaryIndexes", []))
    declared_indexes = index_shapes(schema.global_indexes)
    for name in sorted(global_indexes.keys() & declared_indexes.keys()):
        yield f"the index {name}", global_indexes[name], declared_indexes[name]
    if schema.stream and _has_stream(existing):
        yield "its stream", existing["StreamSpecification"]["StreamViewType"], schema.stream


def _is_active(client: "DynamoDBClient", table: str) -> bool:
    """Return whether a table and all its global indexes are active."""
    described = _describe(client, table)
    if described is None or described["TableStatus"] != "ACTIVE":
        return False
    indexes = described.get("GlobalSecondaryIndexes", [])
    return all(index["IndexStatus"] == "ACTIVE" for index in indexes)


def require_ready(client: "DynamoDBClient", table: TableSchema | type[Any]) -> None:
    """Raise what keeps pages from being served from a table, by one DescribeTable.

    TableDiffers, TableNotReady, or what the call raises.
    """
    described = client.describe_table(TableName=_name_of(table))["Table"]
    differs = difference(table, described)
    if differs:
        raise TableDiffers(differs)
    # While an index is added the table is UPDATING, and is read and written as before.
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
