"""Writes, measured: what they cost, what they leave behind, and when every list has it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from dynamo.errors import DynamoError
from dynamo.items import Item
from dynamo.lists.sizes import item_bytes
from lab.designs.figures import Cost, Writing
from lab.designs.tables import Lab, LabTable

PATIENCE = 60.0
"""Seconds until what was written must be where lists read it."""
OVERHEAD = 100
"""Bytes billed for each stored item and index entry besides its own."""
Look = Callable[[], bool]
"""Tells whether what was written is in one place where a list reads it."""


class NeverConsistent(DynamoError):
    """What was written did not come to be where lists read it."""


@dataclass(frozen=True, slots=True)
class WriteCase:
    """One write. ``follow`` is what must happen behind it: a handler, or nothing.

    ``looks`` are all the places in which lists look for it; ``key`` is the key, or the partition
    key, of what it leaves in the table.
    """

    action: str
    table: LabTable
    write: Callable[[], object]
    looks: Sequence[Look]
    key: Item
    follow: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class _Measured:
    cost: Cost
    items: int
    size: int
    seconds: float
    consistent: float


def measure_writings(lab: Lab, cases: Sequence[WriteCase]) -> tuple[Writing, ...]:
    """Do each write once; give the means of those with the same action. Raises NeverConsistent."""
    measured: dict[str, list[_Measured]] = {}
    label = f"Writing to {cases[0].table.layout.name}" if cases else "Writing"
    with lab.progress.step(label, total=len(cases), unit=" writes") as advance:
        for case in cases:
            measured.setdefault(case.action, []).append(_measure(lab, case))
            advance(1)
    return tuple(_writing(action, some) for action, some in measured.items())


def _measure(lab: Lab, case: WriteCase) -> _Measured:
    with lab.redirection.to(case.table.in_place):
        began = time.perf_counter()
        with lab.traffic.counted() as tally:
            case.write()
            wrote = time.perf_counter()
        cost = tally.cost + _until_consistent(lab, case)
        ended = time.perf_counter()
    stored = list(stored_items(lab, case.table, case.key))
    return _Measured(
        cost=cost,
        items=len(stored),
        size=sum(item_bytes(item) + OVERHEAD for item in stored),
        seconds=wrote - began,
        consistent=ended - began,
    )


def _until_consistent(lab: Lab, case: WriteCase) -> Cost:
    """Let what follows the write happen until it is everywhere, and give the cost of that."""
    until = time.monotonic() + PATIENCE
    cost, left = Cost(), list(case.looks)
    while left:
        with lab.traffic.counted() as tally:
            case.follow()
        cost += tally.cost
        while left and left[0]():
            del left[0]
        if left and time.monotonic() > until:
            sentence = f"After {PATIENCE:g} seconds {case.table.layout.name} lacked a write."
            raise NeverConsistent(sentence)
    return cost


def stored_items(lab: Lab, table: LabTable, key: Item) -> Iterator[Item]:
    """Read the items of a key or a partition, and each of their entries in the indexes."""
    items = _query(lab, table, key, ConsistentRead=True)
    yield from items
    indexes = table.layout.create_request(table.name).get("GlobalSecondaryIndexes", [])
    for index in indexes:
        names = [part["AttributeName"] for part in index["KeySchema"]]
        for item in items:
            if all(name in item for name in names):
                entry = {name: item[name] for name in names}
                found = _query(lab, table, entry, IndexName=index["IndexName"])
                yield from (e for e in found if (e["pk"], e["sk"]) == (item["pk"], item["sk"]))


def _query(lab: Lab, table: LabTable, key: Item, **more: Any) -> list[Item]:  # noqa: ANN401 - botocore's
    names = {f"#{number}": name for number, name in enumerate(key)}
    values = {f":{number}": value for number, value in enumerate(key.values())}
    answer = lab.client.query(
        TableName=table.name,
        KeyConditionExpression=" AND ".join(f"#{n} = :{n}" for n in range(len(key))),
        ExpressionAttributeNames=names,
        ExpressionAttributeValues=values,
        **more,
    )
    return list(answer["Items"])


def _writing(action: str, measured: Sequence[_Measured]) -> Writing:
    return Writing(
        action=action,
        cost=Cost.mean([one.cost for one in measured]),
        items_stored=round(fmean(one.items for one in measured), 2),
        bytes_stored=round(fmean(one.size for one in measured)),
        latency_ms=round(median(one.seconds for one in measured) * 1_000, 3),
        consistent_ms=round(median(one.consistent for one in measured) * 1_000, 3),
    )
