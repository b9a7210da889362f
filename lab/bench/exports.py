"""Tables as files: the schema and the data as DynamoDB describes and exports them.

The layout ``<folder>/<table>/data/*.json.gz``, a line ``{"Item": …}`` each, is that of "DynamoDB
table export output format" of the Developer Guide, as far as dynoxide reads it.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dynamo.calls.client import Connection, build_client
from dynamo.calls.models import DynamoModel
from dynamo.engine import DynoxideEngine
from dynamo.items import Item
from dynamo.tables.create import create_missing

QUICK = 1
"""Level of compression: the file lives for seconds."""


def local(endpoint_url: str) -> Connection:
    """Give the connection to an engine of this machine, which asks for no credentials."""
    return Connection(
        region="us-east-1",
        endpoint_url=endpoint_url,
        access_key="local",
        secret_key="local",  # noqa: S106 - opens nothing
    )


def describe(model: type[DynamoModel], *, binary: Path) -> dict[str, Any]:
    """Give what DescribeTable says of a model's table, made for the purpose and thrown away."""
    with DynoxideEngine(binary=binary) as engine:
        client = build_client(local(engine.endpoint_url))
        create_missing([model], client=client)
        table = client.describe_table(TableName=model.Meta.table_name)["Table"]
    return {"Table": json.loads(json.dumps(table, default=str))}


def write_export(
    folder: Path, table: str, items: Iterable[Item], *, advance: Callable[[int], object]
) -> int:
    """Write a table's items below ``folder``, and return how many they were."""
    data = folder / table / "data"
    data.mkdir(parents=True)
    written = 0
    with gzip.open(data / "items.json.gz", "wt", compresslevel=QUICK, encoding="utf-8") as file:
        for item in items:
            file.write(f"{spell(item)}\n")
            written += 1
            advance(1)
    return written


def spell(item: Item) -> str:
    """Spell an item as a line of an export: bytes as base64."""
    return json.dumps(
        {"Item": item}, default=lambda raw: b64encode(raw).decode(), ensure_ascii=False
    )
