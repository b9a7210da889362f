"""Migrations: named steps that bring stored items over to the shape that the code writes now.

A step reads its table by Scan, and writes each item of an older shape on condition that what it was
derived from is still stored; else the item is read and derived again. So the site may run beside
it. After each page a checkpoint is stored in the table itself, by which an interrupted step
continues, on whatever machine. A run that finds another run's checkpoint there stops.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dynapages.calls import clock
from dynapages.calls.meter import metered
from dynapages.calls.pool import Pool
from dynapages.errors import DynamoError
from dynapages.items import Item, table_key, timestamp, wire_key
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Contended,
    Serializable,
    put,
    unchanged,
    write_item,
    write_transaction,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

PAGE = 500
"""Items read at a time, at the most."""


@dataclass(slots=True)
class Pace:
    """Pauses so that no more than ``units`` capacity units a second are used; None for no limit.

    ``spent`` are all units used. ``sleep`` and ``now`` are in seconds.
    """

    units: float | None = None
    spent: float = 0.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic
    _free_at: float = 0.0

    @property
    def page(self) -> int:
        """The number of items to read at a time: for about a second's units at the most."""
        return PAGE if self.units is None else max(1, min(PAGE, int(self.units)))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Meter the calls made inside the block, and pause behind it."""
        with metered() as meter:
            before = meter.units
            yield
            used = meter.units - before
        self.spent += used
        if self.units is not None:
            now = self.now()
            self._free_at = max(self._free_at, now) + used / self.units
            self.sleep(self._free_at - now)


ATTEMPTS = 5
TOGETHER = 16
"""Items derived and written at a time."""


class AnotherRun(DynamoError):
    """Another run of the same step has stored a checkpoint since this one did."""


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """A change of the items of ``table`` that meet ``only``, a condition on their attributes.

    ``derive(item)`` returns the actions that bring an item over, none where it has its shape,
    conditional on all that they were derived from. The table's keys are the strings ``pk`` and
    ``sk``. ``name`` is in the checkpoint's key: it stays, and no other step of the table has it.
    """

    name: str
    sentence: str
    table: str
    only: Serializable
    derive: Callable[[Item], Sequence[Action]]

    @property
    def key(self) -> Item:
        """The table key of the checkpoint, ``MIGRATION#<name>`` twice."""
        return table_key(f"MIGRATION#{self.name}", f"MIGRATION#{self.name}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far a step has come; the moments are as `dynapages.items.timestamp` formats them.

    ``after`` is the key of the last item read. ``read`` counts all items of the table up to there,
    ``changed`` those that were written. ``run`` differs for each run.
    """

    revision: int = 0
    run: str = ""
    after: Item | None = None
    read: int = 0
    changed: int = 0
    started: str = ""
    finished: str = ""

    @property
    def state(self) -> str:
        """One of ``finished``, ``interrupted`` (or under way) and ``not run``."""
        return "finished" if self.finished else "interrupted" if self.started else "not run"

    def item(self, step: MigrationStep) -> Item:
        """Build the item that is stored."""
        values = asdict(self)
        after = values.pop("after")
        item = {**step.key, **wire_key(values)}
        return item if after is None else {**item, "after": {"M": after}}

    @classmethod
    def of(cls, item: Item) -> "Checkpoint":
        """Read what `item` built; an empty item is a step that was not run."""
        if not item:
            return cls()
        return cls(
            revision=int(item["revision"]["N"]),
            run=item["run"]["S"],
            after=item["after"]["M"] if "after" in item else None,
            read=int(item["read"]["N"]),
            changed=int(item["changed"]["N"]),
            started=item["started"]["S"],
            finished=item["finished"]["S"],
        )


@dataclass(slots=True)
class Migration:
    """A run of steps; with ``is_trial`` nothing is written, no checkpoint either."""

    client: "DynamoDBClient"
    pool: Pool
    pace: Pace = field(default_factory=Pace)
    is_trial: bool = False
    run: str = field(default_factory=lambda: uuid4().hex)

    def load(self, step: MigrationStep) -> Checkpoint:
        """Read how far a step has come, strongly."""
        found = self.client.get_item(TableName=step.table, Key=step.key, ConsistentRead=True)
        return Checkpoint.of(found.get("Item", {}))

    def carry_out(
        self,
        step: MigrationStep,
        *,
        restart: bool = False,
        advance: Callable[[int], object] = lambda _number: None,
    ) -> Checkpoint:
        """Carry out what is left of a step, or with ``restart`` all of it; return how far it came.

        ``advance`` is called with numbers of items read. Raises AnotherRun, Contended, and
        botocore's errors; what was written until then stays, and the same call again continues.
        """
        stored = self.load(step)
        if stored.finished and not restart:
            return stored
        begun = replace(Checkpoint(started=_now()) if restart else stored, run=self.run)
        reached = replace(begun, revision=stored.revision, started=begun.started or _now())
        reached = self._store(step, reached)
        advance(reached.read)
        while not reached.finished:
            reached, read = self._page(step, reached)
            advance(read)
        return reached

    def _page(self, step: MigrationStep, reached: Checkpoint) -> tuple[Checkpoint, int]:
        """Bring one page of items over, and store a checkpoint behind it."""
        with self.pace.kept():
            answer = self.client.scan(**_scan(step, reached.after, self.pace.page))
        items, after = answer["Items"], answer.get("LastEvaluatedKey")
        changed = 0
        for start in range(0, len(items), TOGETHER):
            some = items[start : start + TOGETHER]
            with self.pace.kept():
                calls = [partial(self._bring_over, step, item) for item in some]
                changed += sum(self.pool.gather(calls))
        passed = replace(
            reached,
            after=after,
            read=reached.read + answer["ScannedCount"],
            changed=reached.changed + changed,
            finished="" if after else _now(),
        )
        return self._store(step, passed), answer["ScannedCount"]

    def _bring_over(self, step: MigrationStep, item: Item) -> bool:
        """Write what an item needs; return whether it needed anything."""
        key = table_key(item["pk"]["S"], item["sk"]["S"])
        for _ in range(ATTEMPTS):
            actions = step.derive(item) if item else []
            if not actions or self.is_trial:
                return bool(actions)
            try:
                if len(actions) == 1:
                    write_item(self.client, actions[0])
                else:
                    write_transaction(self.client, actions)
            except ConditionFailed:
                found = self.client.get_item(TableName=step.table, Key=key, ConsistentRead=True)
                item = found.get("Item", {})
                continue
            return True
        raise Contended(f"Others kept changing the item {key['pk']['S']} {key['sk']['S']}.")

    def _store(self, step: MigrationStep, reached: Checkpoint) -> Checkpoint:
        """Store a checkpoint over that of the same revision. Raises AnotherRun."""
        if self.is_trial:
            return reached
        following = replace(reached, revision=reached.revision + 1)
        same = unchanged(reached.item(step) if reached.revision else {}, "revision")
        try:
            write_item(self.client, put(step.table, following.item(step), same))
        except ConditionFailed as error:
            # Its own write, whose answer was lost, is no other run's.
            if self.load(step) != following:
                sentence = f"Another run of the step {step.name} is under way: this one stops."
                raise AnotherRun(sentence) from error
        return following


def _scan(step: MigrationStep, after: Item | None, size: int) -> dict[str, Any]:
    placeholders: dict[str, str] = {}
    values: dict[str, Any] = {}
    chosen = step.only.serialize(placeholders, values)
    start = {} if after is None else {"ExclusiveStartKey": after}
    return {
        "TableName": step.table,
        "ConsistentRead": True,
        "Limit": size,
        "FilterExpression": chosen,
        "ExpressionAttributeNames": {name: path for path, name in placeholders.items()},
        "ExpressionAttributeValues": values,
        **start,
    }


def _now() -> str:
    return timestamp(clock.now())
