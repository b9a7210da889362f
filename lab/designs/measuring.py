"""Designs, and what their reads and writes cost, measured on an engine of the lab's own.

Each design has a table under the name that the site gives it, with the indexes that the design
needs and no others: so the site's own functions read and write it. The table is made, filled,
measured, and deleted before the next design's.

Each answer is compared with the right one before anything is counted. What is written must be in
every list before the next write.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Any, Generic, TypeVar

from pynamodb.expressions.condition import Condition

from dynapages.calls import Batches, metered
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.items import Item, item_bytes
from dynapages.lists import Order, PageRequest, Position
from dynapages.process import client, pool
from dynapages.pynamodb import DynamoModel
from dynapages.tables import TableSchema
from lab.bench.readers import WrongAnswer, cut_page
from lab.figures import BILLED_OVERHEAD, DesignFigures, Question, Reading, SubjectFigures, Writing

DEEP_PAGE = 100
"""The page that is read besides the first and the last, where a list is that long."""
CHUNK = 1_000
"""Items that are put at once."""
CONSISTENT_SECONDS = 60.0
"""How long it may take until what was written is where lists read it."""

Record = TypeVar("Record")


class NeverConsistent(DynamoError):
    """What was written did not become visible where lists read it."""


@dataclass(frozen=True, slots=True)
class SubjectList:
    """A list that each design is asked for.

    ``about`` describes it, ``positions`` are those of its items, and ``shown_at`` returns what the
    list shows of the items with some sort keys.
    """

    name: str
    about: str
    positions: Sequence[Position]
    shown_at: Callable[[Sequence[str]], Sequence[Item]]


@dataclass(frozen=True, slots=True)
class WriteCase(Generic[Record]):
    """A record to write; ``key`` is the partition key, or the whole key, of the items it leaves.

    Figures are means of all writes of an ``action``.
    """

    action: str
    key: Item
    record: Record


class Design(Generic[Record]):
    """A way to store the data of a subject, and to read its lists; subclasses are the designs.

    ``indexes`` are the names of those that its table has, of the indexes of ``model``.
    """

    name: str
    model: type[DynamoModel]
    indexes: Sequence[str] = ()

    def items(self) -> Iterator[Item]:
        """Yield the items of all the data; their keys must not repeat."""
        raise NotImplementedError

    def read(self, list_name: str, request: PageRequest) -> Sequence[Item]:
        """Read a page of a list of the subject; return what it shows of each item."""
        raise NotImplementedError

    def write_cases(self) -> Iterator[WriteCase[Record]]:
        """Yield writes of each kind, for a table that is full."""
        raise NotImplementedError

    def write(self, record: Record) -> None:
        """Write a record as the design stores it."""
        raise NotImplementedError

    def is_shown(self, record: Record) -> bool:
        """Return whether all lists show what was written of a record."""
        raise NotImplementedError

    def follow(self) -> None:
        """Do what a stream's handler does after a write; the writes of most designs are whole."""


def compare_designs(
    name: str,
    data: str,
    subject_lists: Sequence[SubjectList],
    designs: Sequence[Design[Any]],
    *,
    page_size: int,
    progress: Progress,
) -> SubjectFigures:
    """Measure each design. Raises WrongAnswer and NeverConsistent."""
    questions = []
    for subject_list in subject_lists:
        last_page = pages_of(len(subject_list.positions), size=page_size)[-1]
        questions.append(Question(subject_list.name, subject_list.about, last_page))
    measured = []
    with progress.step(f"Comparing {name}", total=len(designs), unit=" designs") as advance:
        for design in designs:
            measured.append(_measure_design(design, subject_lists, page_size=page_size))
            advance(1)
    return SubjectFigures(name, data, tuple(questions), tuple(measured))


def pages_of(items: int, *, size: int) -> list[int]:
    """Return the first page of a list, page 100 or else the middle one, and the last."""
    last = max(1, ceil(items / size))
    deep = DEEP_PAGE if last > DEEP_PAGE else ceil(last / 2)
    return sorted({1, deep, last})


def _measure_design(
    design: Design[Any], subject_lists: Sequence[SubjectList], *, page_size: int
) -> DesignFigures:
    request = _create_request(design)
    table = request["TableName"]
    # The next design's table has the same name, so this one must be gone by then, whatever happens.
    client().create_table(**request)
    client().get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    try:
        put_items(table, design.items())
        readings: list[Reading] = []
        for subject_list in subject_lists:
            readings += _measure_readings(design, subject_list, size=page_size)
        writings = _measure_writings(design, request)
    finally:
        client().delete_table(TableName=table)
    return DesignFigures(design.name, tuple(readings), tuple(writings))


def _create_request(design: Design[Any]) -> dict[str, Any]:
    """Build the CreateTable request for the model's table with the design's indexes."""
    schema = TableSchema.of(design.model)
    indexes = [index for index in schema.global_indexes if index["IndexName"] in design.indexes]
    key_parts = list(schema.key)
    for index in indexes:
        key_parts += index["KeySchema"]
    key_names = {part["AttributeName"] for part in key_parts}
    # DynamoDB refuses a table whose definitions name an attribute that is in no key.
    definitions = [one for one in schema.attributes if one["AttributeName"] in key_names]
    request: dict[str, Any] = {
        "TableName": schema.name,
        "AttributeDefinitions": definitions,
        "KeySchema": schema.key,
        **schema.billing,
    }
    if indexes:  # an empty list is refused
        request["GlobalSecondaryIndexes"] = indexes
    return request


def put_items(table: str, items: Iterable[Item]) -> None:
    """Put items into a table by batches."""
    batches = Batches(client(), pool())
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == CHUNK:
            batches.put(table, chunk)
            chunk = []
    batches.put(table, chunk)


def _measure_readings(
    design: Design[Any], subject_list: SubjectList, *, size: int
) -> Iterator[Reading]:
    for page in pages_of(len(subject_list.positions), size=size):
        yield _measure_reading(design, subject_list, page=page, size=size)


def _measure_reading(
    design: Design[Any], subject_list: SubjectList, *, page: int, size: int
) -> Reading:
    request, sort_keys = cut_page(subject_list.positions, page=page, size=size)
    # Read twice: a process that has read a list before knows what the site remembers of it.
    design.read(subject_list.name, request)
    with metered() as meter, _counted_items() as counts:
        shown = design.read(subject_list.name, request)
    if list(shown) != list(subject_list.shown_at(sort_keys)):
        raise WrongAnswer(
            f"Page {page} of “{subject_list.name}”, as “{design.name}” reads it, is not what that "
            "page holds: nothing was measured."
        )
    return Reading(
        subject_list.name,
        page,
        requests=meter.calls,
        items_read=sum(counts),
        capacity_units=meter.amazon_units,
    )


@contextmanager
def _counted_items() -> Iterator[list[int]]:
    """Yield a list that gets the number of items that each answer of the client is about."""
    counts: list[int] = []

    # The meter has this of queries and scans only, not of items that are got by their keys.
    def count(parsed: Mapping[str, Any], **_: object) -> None:
        counts.append(_items_read(parsed))

    events = client().meta.events
    events.register("after-call.dynamodb.*", count)
    try:
        yield counts
    finally:
        events.unregister("after-call.dynamodb.*", count)


def _items_read(answer: Mapping[str, Any]) -> int:
    """Return how many items were read, returned or not, for an answer of DynamoDB."""
    if "ScannedCount" in answer:
        return int(answer["ScannedCount"])
    if "Item" in answer:
        return 1
    return sum(len(items) for items in answer.get("Responses", {}).values())


# Writes.


@dataclass(frozen=True, slots=True)
class _Written:
    """What one write took, and the bytes of each item and index entry that it left."""

    requests: int
    capacity_units: float
    sizes: Sequence[int]


def _measure_writings(design: Design[Any], table: Mapping[str, Any]) -> list[Writing]:
    written: dict[str, list[_Written]] = defaultdict(list)
    for case in design.write_cases():
        written[case.action].append(_measure_write(design, case, table))
    return [_mean_of(action, writes) for action, writes in written.items()]


def _mean_of(action: str, writes: Sequence[_Written]) -> Writing:
    """Return what writes of a kind took on average: they store items of different sizes."""
    number = len(writes)
    requests, units, items, size = 0, 0.0, 0, 0
    for write in writes:
        requests += write.requests
        units += write.capacity_units
        items += len(write.sizes)
        size += sum(write.sizes)
    return Writing(
        action,
        requests=round(requests / number, 2),
        capacity_units=round(units / number, 2),
        items_stored=round(items / number, 2),
        bytes_stored=round(size / number),
    )


def _measure_write(
    design: Design[Record], case: WriteCase[Record], table: Mapping[str, Any]
) -> _Written:
    until = monotonic() + CONSISTENT_SECONDS
    with metered() as meter:
        design.write(case.record)
    requests, units = meter.calls, meter.amazon_units
    while True:
        # What a handler writes is part of the price; what the lab reads to see it is not.
        with metered() as meter:
            design.follow()
        requests += meter.calls
        units += meter.amazon_units
        if design.is_shown(case.record):
            break
        if monotonic() > until:
            raise NeverConsistent(
                f"After {CONSISTENT_SECONDS:g} seconds {design.name} lacked a write."
            )
    sizes = [item_bytes(item) + BILLED_OVERHEAD for item in _stored_items(case.key, table)]
    return _Written(requests, units, sizes)


def _stored_items(key: Item, table: Mapping[str, Any]) -> Iterator[Item]:
    """Read the items of a key or a partition, and each of their entries in the indexes."""
    name = table["TableName"]
    items = list(query_by_key(name, key))
    yield from items
    for index in table.get("GlobalSecondaryIndexes", []):
        key_names = [part["AttributeName"] for part in index["KeySchema"]]
        for item in items:
            if not item.keys() >= set(key_names):
                continue  # the index is sparse, and has no entry of this item
            index_key = {key_name: item[key_name] for key_name in key_names}
            # Others may have the same key in the index.
            for entry in query_by_key(name, index_key, index=index["IndexName"]):
                if entry["pk"] == item["pk"] and entry["sk"] == item["sk"]:
                    yield entry


# Reads of the designs.


def query_by_key(table: str, key: Item, *, index: str | None = None) -> Iterator[Item]:
    """Yield the items with a partition key, or with a whole key, in a table or an index."""
    names, values, conditions = {}, {}, []
    for number, (name, value) in enumerate(key.items()):
        names[f"#{number}"] = name
        values[f":{number}"] = value
        conditions.append(f"#{number} = :{number}")
    request: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": " AND ".join(conditions),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    if index:
        request["IndexName"] = index
    for page in client().get_paginator("query").paginate(**request):
        yield from page["Items"]


def filtered_items(
    table: str, condition: Condition, *, key: Condition | None = None
) -> Iterator[Item]:
    """Yield the items that a FilterExpression keeps, of a Query by ``key`` or else of a Scan.

    There is a call for each megabyte. A page of a list that is sorted otherwise than the table
    needs all of them: what was not read yet could belong on it.
    """
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    request: dict[str, Any] = {"TableName": table}
    request["FilterExpression"] = condition.serialize(names, values)
    if key is not None:
        request["KeyConditionExpression"] = key.serialize(names, values)
    # PynamoDB has the placeholders by their attributes, DynamoDB the other way round.
    request["ExpressionAttributeNames"] = {name: path for path, name in names.items()}
    request["ExpressionAttributeValues"] = values
    scan, query = client().get_paginator("scan"), client().get_paginator("query")
    pages = scan.paginate(**request) if key is None else query.paginate(**request)
    for page in pages:
        yield from page["Items"]


def cut_sorted(
    items: Iterable[Item],
    request: PageRequest,
    *,
    sort_key: Callable[[Item], str],
    order: Order = Order.NEWEST_FIRST,
) -> list[Item]:
    """Sort items, and return the page behind the request's position."""
    # A Scan returns items in the order of hashes: nothing may be cut before all are sorted.
    is_newest_first = order is Order.NEWEST_FIRST
    page = []
    for item in sorted(items, key=sort_key, reverse=is_newest_first):
        position = request.position
        if position is None or position.is_before(sort_key(item), ascending=not is_newest_first):
            page.append(item)
    return page[: request.size]
