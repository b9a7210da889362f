"""The tables of the lab: made for a run, filled, and removed however it ends.

The site's own functions are measured, and they call the site's tables by name. Each name is
replaced by that of the table of the design that is being measured, and a call to any other table is
refused before it is sent: nothing that runs here can touch the shop's data.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.exceptions import WaiterError
from django.conf import settings

from dynapages.calls import Batches
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.process import client, pool, slow_client
from dynapages.pynamodb import DynamoModel
from dynapages.tables import TableSchema
from lab.bench.context import handling
from lab.reports.results import Cost

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import WaiterConfigTypeDef

_BY_TABLE = ("Responses", "UnprocessedItems", "UnprocessedKeys")
"""Parts of the answers to batches, which are objects by table name."""


class OutsideTheLab(DynamoError):
    """A call named a table that is not the lab's."""

    def __init__(self, table: str) -> None:
        super().__init__(f"The lab has no table in the place of {table}, and leaves that alone.")


class Redirection:
    """Replaces the names of tables in a client's calls."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._names: Mapping[str, str] = {}

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Refuse every table but the lab's own within the block."""
        # last, because botocore calls on with what this handler returns
        with (
            handling("provide-client-params.dynamodb.*", self._redirect, last=True),
            handling("after-call.dynamodb.*", self._restore),
        ):
            yield

    def admit(self, table: str) -> None:
        """Allow calls to a table of the lab."""
        self._own.add(table)

    @contextmanager
    def to(self, names: Mapping[str, str]) -> Iterator[None]:
        """Within the block, replace table names of the site by those of the lab."""
        before, self._names = self._names, names
        try:
            yield
        finally:
            self._names = before

    def _redirect(self, params: Mapping[str, Any], **_: object) -> Mapping[str, Any]:
        redirected = dict(params)
        if "TableName" in params:
            redirected["TableName"] = self._name(params["TableName"])
        if "RequestItems" in params:
            redirected["RequestItems"] = {
                self._name(table): found for table, found in params["RequestItems"].items()
            }
        if "TransactItems" in params:
            redirected["TransactItems"] = [
                {kind: {**action, "TableName": self._name(action["TableName"])}}
                for actions in params["TransactItems"]
                for kind, action in actions.items()
            ]
        return redirected

    def _restore(self, parsed: dict[str, Any], **_: object) -> None:
        names = {name: table for table, name in self._names.items()}
        for part in _BY_TABLE:
            if isinstance(parsed.get(part), dict):
                parsed[part] = {names.get(t, t): found for t, found in parsed[part].items()}

    def _name(self, table: str) -> str:
        name = self._names.get(table, table)
        if name not in self._own:
            raise OutsideTheLab(table)
        return name


class Traffic:
    """Counts a client's calls of all threads, by its ``after-call`` events.

    The client must be metered (see `dynapages.calls.meter`), which is what asks for capacity units.
    """

    def __init__(self) -> None:
        self._calls: list[Cost] = []

    def count(self, http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - botocore's
        """Note the cost of an answered call."""
        size = len(http_response.content)
        self._calls.append(Cost(1, _items_in(parsed), _units_in(parsed), size))

    @contextmanager
    def counted(self) -> Iterator[list[Cost]]:
        """Yield a list that gets the cost of each call when the block ends."""
        first, found = len(self._calls), list[Cost]()
        yield found
        found += self._calls[first:]


def _items_in(answer: Mapping[str, Any]) -> int:
    if "ScannedCount" in answer:
        return int(answer["ScannedCount"])
    found = answer.get("Responses", {})
    if isinstance(found, Mapping):
        return sum(map(len, found.values())) + ("Item" in answer)
    return len(found)


def _units_in(answer: Mapping[str, Any]) -> float:
    consumed = answer.get("ConsumedCapacity", [])
    tables = consumed if isinstance(consumed, list) else [consumed]
    return float(sum(table["CapacityUnits"] for table in tables))


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
        schema = TableSchema.of(self.model)
        wanted = [index for index in schema.global_indexes if index["IndexName"] in self.indexes]
        keys = [schema.key, *(index["KeySchema"] for index in wanted)]
        used = {part["AttributeName"] for key in keys for part in key}
        return {
            "TableName": table,
            "AttributeDefinitions": [d for d in schema.attributes if d["AttributeName"] in used],
            "KeySchema": schema.key,
            **schema.billing,
            **({"GlobalSecondaryIndexes": wanted} if wanted else {}),
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
        patient = slow_client()
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
        patient = slow_client()
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
