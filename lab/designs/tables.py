"""The tables of the lab: made for a run, filled, and removed however it ends."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.exceptions import WaiterError
from django.conf import settings

from dynamo.calls.batches import Batches
from dynamo.calls.client import client, patient_client, pool
from dynamo.calls.models import DynamoModel
from dynamo.items import Item
from dynamo.progress import Progress
from dynamo.tables.schema import ON_DEMAND
from lab.bench.context import handling
from lab.designs.redirect import Redirection
from lab.designs.traffic import Traffic

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import WaiterConfigTypeDef

CHUNK = 1_000
SOON: "WaiterConfigTypeDef" = {"Delay": 1, "MaxAttempts": 600}
"""Seconds between two looks at a table that is not active yet, and the most looks."""
_BRIEFLY: "WaiterConfigTypeDef" = {"Delay": 1, "MaxAttempts": 20}
"""The same, before a table is removed: only an active one can be."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A table of the lab: the keys of a model's table, and some of its indexes."""

    name: str
    model: type[DynamoModel]
    indexes: tuple[str, ...] = ()

    def create_request(self, table: str) -> dict[str, Any]:
        """Build the CreateTable request for it."""
        schema: Any = self.model._get_schema()  # noqa: SLF001 - the only way to a declaration
        wanted = [i for i in schema["global_secondary_indexes"] if i["index_name"] in self.indexes]
        schemas = [schema["key_schema"], *(index["key_schema"] for index in wanted)]
        used = {part["AttributeName"] for keys in schemas for part in keys}
        types = {d["AttributeName"]: dict(d) for d in schema["attribute_definitions"]}
        indexes = [
            {
                "IndexName": index["index_name"],
                "KeySchema": _key(index["key_schema"]),
                "Projection": dict(index["projection"]),
            }
            for index in wanted
        ]
        return {
            "TableName": table,
            "AttributeDefinitions": [types[name] for name in sorted(used)],
            "KeySchema": _key(schema["key_schema"]),
            "BillingMode": ON_DEMAND,
            **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
        }


@dataclass(frozen=True, slots=True)
class LabTable:
    """A table that was made: its layout, and its name."""

    layout: Layout
    name: str

    @property
    def in_place(self) -> Mapping[str, str]:
        """This table's name by that of the site's table of the same model."""
        return {self.layout.model.Meta.table_name: self.name}


@dataclass(slots=True)
class Lab:
    """What a run measures with. ``turns`` is how often each thing is timed, or written."""

    progress: Progress
    page_size: int
    turns: int
    prefix: str
    redirection: Redirection = field(default_factory=Redirection)
    traffic: Traffic = field(default_factory=Traffic)
    made: list[str] = field(default_factory=list)

    def make(self, layout: Layout) -> LabTable:
        """Make an empty table and wait until it is active."""
        name = f"{self.prefix}{layout.name}"
        patient = patient_client()
        self.made.append(name)
        patient.create_table(**layout.create_request(name))
        patient.get_waiter("table_exists").wait(TableName=name, WaiterConfig=SOON)
        self.redirection.admit(name)
        return LabTable(layout, name)

    def fill(self, table: LabTable, items: Iterable[Item], *, total: int) -> None:
        """Put items, whose keys must not repeat. Raises BatchIncomplete and botocore's errors."""
        batches, rest = Batches(client(), pool()), iter(items)
        label = f"Loading {table.layout.name}"
        with self.progress.step(label, total=total, unit=" items") as advance:
            while chunk := list(islice(rest, CHUNK)):
                batches.put(table.name, chunk)
                advance(len(chunk))

    def remove_tables(self) -> None:
        """Remove all tables that were made."""
        patient = patient_client()
        while self.made:
            name = self.made[-1]
            try:
                patient.get_waiter("table_exists").wait(TableName=name, WaiterConfig=_BRIEFLY)
                patient.delete_table(TableName=name)
            except (WaiterError, patient.exceptions.ResourceNotFoundException):
                pass  # it never came to be
            self.made.pop()


@contextmanager
def open_lab(*, progress: Progress, page_size: int, turns: int) -> Iterator[Lab]:
    """Work on the engine this process is connected to; leave nothing there.

    Tables are called ``<prefix>lab-<run>-…``, so that two runs do not meet.
    """
    prefix = f"{settings.DYNAMODB_TABLE_PREFIX}lab-{uuid4().hex[:6]}-"
    lab = Lab(progress, page_size, turns, prefix)
    try:
        with lab.redirection.attached(), handling("after-call.dynamodb.*", lab.traffic.count):
            yield lab
    finally:
        lab.remove_tables()


def _key(schema: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    key = [{"AttributeName": k["AttributeName"], "KeyType": k["KeyType"]} for k in schema]
    return sorted(key, key=lambda part: part["KeyType"])
