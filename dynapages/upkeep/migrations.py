"""Migrations: named steps that bring stored items over to the shape that the code writes now.

A step reads its table by Scan, and writes each item of an older shape on condition that what it was
derived from is still stored; else the item is read and derived again. So the site may run
meanwhile. After each page a checkpoint is stored in the table itself, by which an interrupted step
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
from dynapages.calls.answers import last_key
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

MOST_ITEMS_READ = 500
"""Items read at a time."""
WRITTEN_AT_A_TIME = 16
"""Items derived and written at a time."""
ATTEMPTS = 5
"""Of an item that others keep changing."""


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
        if self.units is None:
            return MOST_ITEMS_READ
        return max(1, min(MOST_ITEMS_READ, int(self.units)))

    @contextmanager
    def paced(self) -> Iterator[None]:
        """Meter the calls made inside the block, and pause behind it."""
        with metered() as meter:
            before = meter.units
            yield
            used = meter.units - before
        self.spent += used
        if self.units is not None:
            now = self.now()
            # Time that was not used is not saved up: the limit is for each second.
            self._free_at = max(self._free_at, now) + used / self.units
            self.sleep(self._free_at - now)


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
        if self.finished:
            return "finished"
        return "interrupted" if self.started else "not run"

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
        answer = self.client.get_item(TableName=step.table, Key=step.key, ConsistentRead=True)
        return Checkpoint.of(answer.get("Item", {}))

    def carry_out(
        self,
        step: MigrationStep,
        *,
        restart: bool = False,
        advance: Callable[[int], object] | None = None,
    ) -> Checkpoint:
        """Carry out what is left of a step, or with ``restart`` all of it; return how far it came.

        ``advance`` is called with numbers of items read. Raises AnotherRun, Contended, and
        botocore's errors; what was written until then stays, and the same call again continues.
        """
        stored = self.load(step)
        if stored.finished and not restart:
            return stored
        begun = stored
        if restart:
            begun = Checkpoint(revision=stored.revision)
        checkpoint = replace(begun, run=self.run, started=begun.started or _now())
        checkpoint = self._store(step, checkpoint)
        read_before = 0
        while True:
            if advance is not None:
                advance(checkpoint.read - read_before)
            if checkpoint.finished:
                return checkpoint
            read_before = checkpoint.read
            checkpoint = self._bring_page_over(step, checkpoint)

    def _bring_page_over(self, step: MigrationStep, checkpoint: Checkpoint) -> Checkpoint:
        """Bring one page of items over, and store a checkpoint behind it."""
        with self.pace.paced():
            answer = self.client.scan(**_scan(step, checkpoint.after, self.pace.page))
        items, after = answer["Items"], last_key(answer)
        changed = 0
        for start in range(0, len(items), WRITTEN_AT_A_TIME):
            calls = []
            for item in items[start : start + WRITTEN_AT_A_TIME]:
                calls.append(partial(self._bring_over, step, item))
            with self.pace.paced():
                changed += sum(self.pool.gather(calls))
        following = replace(
            checkpoint,
            after=after,
            read=checkpoint.read + answer["ScannedCount"],
            changed=checkpoint.changed + changed,
            finished="" if after else _now(),
        )
        return self._store(step, following)

    def _bring_over(self, step: MigrationStep, item: Item) -> bool:
        """Write what an item needs; return whether it needed anything."""
        key = table_key(item["pk"]["S"], item["sk"]["S"])
        for _ in range(ATTEMPTS):
            actions = step.derive(item) if item else []
            if not actions or self.is_trial:
                return bool(actions)
            try:
                # A single write costs half of what a transaction of one takes.
                if len(actions) == 1:
                    write_item(self.client, actions[0])
                else:
                    write_transaction(self.client, actions)
            except ConditionFailed:
                answer = self.client.get_item(TableName=step.table, Key=key, ConsistentRead=True)
                item = answer.get("Item", {})
            else:
                return True
        raise Contended(f"Others kept changing the item {key['pk']['S']} {key['sk']['S']}.")

    def _store(self, step: MigrationStep, checkpoint: Checkpoint) -> Checkpoint:
        """Store a checkpoint over that of the same revision. Raises AnotherRun."""
        if self.is_trial:
            return checkpoint
        following = replace(checkpoint, revision=checkpoint.revision + 1)
        # The first checkpoint must meet none: another run may just have begun.
        stored = checkpoint.item(step) if checkpoint.revision else {}
        condition = unchanged(stored, "revision")
        try:
            write_item(self.client, put(step.table, following.item(step), condition))
        except ConditionFailed as error:
            # Its own write, whose answer was lost, is no other run's.
            if self.load(step) != following:
                sentence = f"Another run of the step {step.name} is under way: this one stops."
                raise AnotherRun(sentence) from error
        return following


def _scan(step: MigrationStep, after: Item | None, size: int) -> dict[str, Any]:
    """Build the parameters of a strong Scan of the items that a step concerns."""
    placeholders: dict[str, str] = {}
    values: dict[str, Any] = {}
    condition = step.only.serialize(placeholders, values)
    parameters: dict[str, Any] = {
        "TableName": step.table,
        "ConsistentRead": True,
        "Limit": size,
        "FilterExpression": condition,
        "ExpressionAttributeNames": {name: path for path, name in placeholders.items()},
        "ExpressionAttributeValues": values,
    }
    if after is not None:
        parameters["ExclusiveStartKey"] = after
    return parameters


def _now() -> str:
    return timestamp(clock.now())
