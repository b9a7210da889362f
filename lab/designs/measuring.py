"""The tables of the lab, and reads and writes of designs on them, measured.

Tables are made for a run, filled, and removed however it ends. The site's own functions are
measured, and they call the site's tables by name. Each name is replaced by that of the table of the
design that is being measured, and a call to any other table is refused before it is sent: nothing
that runs here can touch the shop's data.

Each answer is compared with the right one before anything is counted. What is written is looked
for until every list has it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import islice
from math import ceil
from operator import and_
from statistics import fmean, median
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from botocore.exceptions import WaiterError
from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from dynapages.calls import Batches
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.items import Item, item_bytes
from dynapages.lists import Order, PageRequest, Position
from dynapages.process import client, pool, slow_client
from dynapages.pynamodb import DynamoModel
from dynapages.tables import TableSchema
from lab.bench.context import handling, time_in_turns
from lab.bench.pages import WrongAnswer, cut
from lab.reports.results import Cost, Results, Row, Value, rows

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


DEEP = 100
"""The page that is read besides the first and the last, where a list is that long."""
SETTLING = 20.0
"""Seconds that the indexes of a table that was just filled may take to have everything."""
PATIENCE = 60.0
"""Seconds until what was written must be where lists read it."""
OVERHEAD = 100
"""Bytes billed for each stored item and index entry besides its own."""
_PAUSE = 0.2

Answer = Sequence[Item]
"""The items of a page, cut down to what the list shows."""
Look = Callable[[], bool]
"""Returns whether what was written is in one place where a list reads it."""


class NeverConsistent(DynamoError):
    """What was written did not become visible where lists read it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A list that each design is asked for; ``about`` describes it.

    ``positions`` are those of its items, ``shown_at`` returns what it shows at some places.
    """

    about: str
    positions: Sequence[Position]
    shown_at: Callable[[Sequence[str]], Answer]


@dataclass(frozen=True, slots=True)
class WriteCase:
    """One write; ``follow`` is done after it until every look succeeds, as a handler would.

    ``looks`` are one for each place where lists read it; ``key`` is the key, or the partition key,
    of the items it leaves in the table.
    """

    action: str
    write: Callable[[], object]
    looks: Sequence[Look]
    key: Item
    follow: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Design:
    """A design on its full table: how it reads a page of a question, by name, and what it writes.

    ``writes`` is called when all reads are measured.
    """

    name: str
    table: LabTable
    read: Callable[[str, PageRequest], Answer]
    writes: Callable[[], Sequence[WriteCase]]


@dataclass(frozen=True, slots=True)
class _ReadCase:
    design: Design
    question: str
    page: int
    request: PageRequest
    expected: Answer

    def read(self, lab: Lab) -> Answer:
        with lab.redirection.to(self.design.table.in_place):
            return self.design.read(self.question, self.request)


def measure_designs(
    lab: Lab, *, name: str, data: str, questions: Mapping[str, Question], designs: Sequence[Design]
) -> Results:
    """Ask each design each question, then let it write. Raises WrongAnswer and NeverConsistent.

    Of each question a row is ``about`` it, and one has the number of its ``pages``. A page has its
    ``items``, what it cost, and ``latency_ms``, a median. A write has no page; its list is what was
    written. It has the mean cost, the mean ``items_stored`` in the table and its indexes and the
    ``bytes_stored`` they are billed for, and the medians of ``latency_ms``, of the write alone, and
    ``consistent_ms``, from its beginning until all lists had it.
    """
    found = [Row(name, None, None, None, "data", data)]
    for asked, question in questions.items():
        last = pages_of(len(question.positions), size=lab.page_size)[-1]
        found += rows(name, {"about": question.about, "pages": last}, list=asked)
    found += _measure_readings(lab, name, [c for d in designs for c in _cases(lab, d, questions)])
    for design in designs:
        for action, written in _measure_writings(lab, design):
            found += rows(name, written, list=action, reader=design.name)
    return Results(found)


def pages_of(items: int, *, size: int) -> list[int]:
    """Return the first page of a list, page 100 or else the middle one, and the last."""
    last = max(1, ceil(items / size))
    deep = DEEP if last > DEEP else ceil(last / 2)
    return sorted({1, deep, last})


def _cases(lab: Lab, design: Design, questions: Mapping[str, Question]) -> Iterator[_ReadCase]:
    size = lab.page_size
    for asked, question in questions.items():
        for page in pages_of(len(question.positions), size=size):
            behind, places = cut(question.positions, page=page, size=size)
            request, expected = PageRequest(size, behind), question.shown_at(places)
            yield _ReadCase(design, asked, page, request, expected)


def _measure_readings(lab: Lab, part: str, cases: Sequence[_ReadCase]) -> Iterator[Row]:
    with lab.progress.step("Comparing answers", total=len(cases), unit=" pages") as advance:
        costs = []
        for case in cases:
            costs.append(_measure_cost(lab, case))
            advance(1)
    actions = {number: partial(case.read, lab) for number, case in enumerate(cases)}
    with lab.progress.step("Timing reads", total=lab.turns, unit=" turns") as advance:
        # no turn to warm up: each page was read twice when it was compared
        times = time_in_turns(actions, turns=lab.turns, warm_up=0, after_turn=advance)
    for number, (case, cost) in enumerate(zip(cases, costs, strict=True)):
        figures: dict[str, Value] = {
            "items": len(case.expected),
            **cost.metrics(),
            "latency_ms": times[number].median_ms,
        }
        at = (case.question, case.page, case.design.name)
        yield from rows(part, figures, list=at[0], page=at[1], reader=at[2])


def _measure_cost(lab: Lab, case: _ReadCase) -> Cost:
    until = time.monotonic() + SETTLING
    while list(case.read(lab)) != list(case.expected) and time.monotonic() < until:
        time.sleep(_PAUSE)
    with lab.traffic.counted() as costs:
        answer = case.read(lab)
    if list(answer) != list(case.expected):
        raise WrongAnswer(
            f"Page {case.page} of “{case.question}”, as “{case.design.name}” reads it, is not "
            "what that page holds: nothing was measured."
        )
    return sum(costs, Cost())


def _measure_writings(lab: Lab, design: Design) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield each action, and the figures of its writes."""
    measured: dict[str, list[tuple[Cost, list[int], float, float]]] = {}
    cases, label = design.writes(), f"Writing to {design.table.layout.name}"
    with lab.progress.step(label, total=len(cases), unit=" writes") as advance:
        for case in cases:
            measured.setdefault(case.action, []).append(_measure_write(lab, design.table, case))
            advance(1)
    for action, writes in measured.items():
        costs, sizes, latencies, until_consistent = zip(*writes, strict=True)
        yield (
            action,
            {
                **Cost.mean(costs).metrics(),
                "items_stored": round(fmean(map(len, sizes)), 2),
                "bytes_stored": round(fmean(map(sum, sizes))),
                "latency_ms": round(median(latencies) * 1_000, 3),
                "consistent_ms": round(median(until_consistent) * 1_000, 3),
            },
        )


def _measure_write(
    lab: Lab, table: LabTable, case: WriteCase
) -> tuple[Cost, list[int], float, float]:
    """Return the cost of a write, what it left stored, and seconds: of it, and until all saw it."""
    with lab.redirection.to(table.in_place):
        began = time.perf_counter()
        with lab.traffic.counted() as costs:
            case.write()
            wrote = time.perf_counter()
        cost = sum(costs, Cost()) + _follow(lab, table, case)
        ended = time.perf_counter()
    sizes = [item_bytes(item) + OVERHEAD for item in _stored_items(table, case.key)]
    return cost, sizes, wrote - began, ended - began


def _follow(lab: Lab, table: LabTable, case: WriteCase) -> Cost:
    """Do what follows a write until every look succeeds, and return the cost of that."""
    until = time.monotonic() + PATIENCE
    cost, left = Cost(), list(case.looks)
    while left:
        with lab.traffic.counted() as costs:
            case.follow()
        cost += sum(costs, Cost())
        while left and left[0]():
            del left[0]
        if left and time.monotonic() > until:
            raise NeverConsistent(f"After {PATIENCE:g} seconds {table.layout.name} lacked a write.")
    return cost


def _stored_items(table: LabTable, key: Item) -> Iterator[Item]:
    """Read the items of a key or a partition, and each of their entries in the indexes."""
    items = _query(table, key, ConsistentRead=True)
    yield from items
    for index in table.layout.create_request(table.name).get("GlobalSecondaryIndexes", []):
        names = [part["AttributeName"] for part in index["KeySchema"]]
        for item in items:
            if all(name in item for name in names):
                entry = {name: item[name] for name in names}
                found = _query(table, entry, IndexName=index["IndexName"])
                yield from (e for e in found if (e["pk"], e["sk"]) == (item["pk"], item["sk"]))


def _query(table: LabTable, values: Item, **more: Any) -> list[Item]:  # noqa: ANN401 - botocore's
    key = reduce(and_, (Path(name) == value for name, value in values.items()))
    return list(every_item(table.name, None, key=key, **more))


def every_item(
    table: str,
    condition: Condition | None,
    *,
    key: Condition | None = None,
    **more: Any,  # noqa: ANN401 - botocore's
) -> Iterator[Item]:
    """Yield the items that a FilterExpression keeps, of a Query by ``key`` or else of a Scan.

    There is a call for each megabyte; ``more`` are its parameters. A page of a list that is sorted
    otherwise than the table needs all of them: what was not read yet could belong on it.
    """
    conditions = {"KeyConditionExpression": key, "FilterExpression": condition}
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    request: dict[str, Any] = {
        **{
            name: one.serialize(names, values)
            for name, one in conditions.items()
            if one is not None
        },
        "TableName": table,
        "ExpressionAttributeNames": {name: path for path, name in names.items()},
        "ExpressionAttributeValues": values,
        **more,
    }
    for page in client().get_paginator("scan" if key is None else "query").paginate(**request):
        yield from page["Items"]


def cut_out(
    items: Iterable[Item],
    request: PageRequest,
    *,
    place: Callable[[Item], str],
    order: Order = Order.NEWEST_FIRST,
) -> Sequence[Item]:
    """Sort items by their places and return the page behind the request's position."""
    is_newest_first = order is Order.NEWEST_FIRST
    ordered = sorted(items, key=place, reverse=is_newest_first)
    if request.position:
        is_ahead = partial(request.position.is_before, ascending=not is_newest_first)
        ordered = [one for one in ordered if is_ahead(place(one))]
    return ordered[: request.size]
