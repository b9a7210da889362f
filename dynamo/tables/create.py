"""Tables: create what the models declare and is missing; nothing is ever deleted.

Missing tables are created, missing global secondary indexes are added one at a time (DynamoDB
builds only one at once), streams and time to live are enabled, and all are waited for. The keys and
local indexes of an existing table cannot be changed: a difference there is an error.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dynamo.calls.models import DynamoModel
from dynamo.errors import DynamoError
from dynamo.tables.schema import (
    TableSchema,
    Throughput,
    attribute_types,
    index_shapes,
    key_parts,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


class TableDiffers(DynamoError):
    """A table of this name exists with other keys or indexes, which DynamoDB cannot change."""


class TableNotReady(DynamoError):
    """A table or index did not become active within the time limit."""


def create_missing(
    models: Sequence[type[DynamoModel]],
    *,
    client: "DynamoDBClient",
    provisioned: Throughput | None = None,
    patience: float = 600.0,
    streams: bool = True,
    report: Callable[[str], None] = lambda _line: None,
) -> None:
    """Create each model's table or its missing indexes, and wait until all are active.

    Billing is on demand unless ``provisioned``. ``patience`` is in seconds, for each table.
    Without ``streams`` none is enabled: for tables that are to be filled first. ``report`` gets one
    line for each step. Raises TableDiffers and TableNotReady.
    """
    for model in models:
        wanted = TableSchema.of(model, provisioned)
        if not streams:
            wanted = replace(wanted, stream=None)
        existing = _describe(client, wanted.name)
        if existing is None:
            report(f"{wanted.name}: creating")
            with suppress(client.exceptions.ResourceInUseException):  # somebody else just did
                client.create_table(**wanted.create_request())
            _wait(client, wanted.name, patience)
        else:
            _refuse_differences(wanted, existing)
            _wait(client, wanted.name, patience)
            for index in _missing_indexes(wanted, existing):
                report(f"{wanted.name}: adding the index {index['IndexName']}")
                client.update_table(**wanted.add_index_request(index))
                _wait(client, wanted.name, patience)
            if wanted.stream and not _has_stream(existing):
                report(f"{wanted.name}: switching on its stream")
                client.update_table(TableName=wanted.name, **wanted.stream_parameters())
                _wait(client, wanted.name, patience)
        _switch_on_expiry(client, wanted, report)
        report(f"{wanted.name}: active")


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


def _refuse_differences(wanted: TableSchema, existing: Mapping[str, Any]) -> None:
    for what, living, declared in _comparisons(wanted, existing):
        if living != declared:
            raise TableDiffers(_sentence(wanted.name, what, living, declared))


def _comparisons(
    wanted: TableSchema, existing: Mapping[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """Yield what cannot be changed: its name, the value that exists, the value declared."""
    yield "its keys", key_parts(existing["KeySchema"]), wanted.key
    types, declared_types = (
        attribute_types(existing["AttributeDefinitions"]),
        attribute_types(wanted.attributes),
    )
    for name in types.keys() & declared_types.keys():
        yield f"the type of {name}", types[name], declared_types[name]
    local = index_shapes(existing.get("LocalSecondaryIndexes", []))
    yield "its local indexes", local, index_shapes(wanted.local_indexes)
    living = index_shapes(existing.get("GlobalSecondaryIndexes", []))
    declared = index_shapes(wanted.global_indexes)
    for name in living.keys() & declared.keys():
        yield f"the index {name}", living[name], declared[name]
    if wanted.stream and _has_stream(existing):
        yield "its stream", existing["StreamSpecification"]["StreamViewType"], wanted.stream


def _sentence(table: str, what: str, living: object, declared: object) -> str:
    return (
        f"The table {table} exists, but differs from its model in {what}: "
        f"{living}, not {declared}. DynamoDB cannot change that in place; use another "
        f"DYNAMODB_TABLE_PREFIX, or move the data."
    )


def _missing_indexes(
    wanted: TableSchema, existing: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    living = index_shapes(existing.get("GlobalSecondaryIndexes", []))
    return (index for index in wanted.global_indexes if index["IndexName"] not in living)


def _wait(client: "DynamoDBClient", table: str, patience: float) -> None:
    until = time.monotonic() + patience
    pause = 0.05
    while not _is_active(client, table):
        if time.monotonic() > until:
            sentence = f"The table {table} was not active after {patience:g} seconds"
            raise TableNotReady(sentence)
        time.sleep(pause)
        pause = min(pause * 2, 5.0)


def _is_active(client: "DynamoDBClient", table: str) -> bool:
    described = _describe(client, table)
    if described is None:
        return False
    parts = [described["TableStatus"]] + [
        index["IndexStatus"] for index in described.get("GlobalSecondaryIndexes", [])
    ]
    return all(status == "ACTIVE" for status in parts)
