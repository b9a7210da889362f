"""Queues of what is owed, in the partitions of a table: stored, claimed, done, or given up.

What is owed is put in the transaction that owes it. It is due some time later, so that whoever owes
it may do it at once; whoever has done it deletes the item. Else a `Worker` of some process finds it
there. It claims the item for the time of a lease, by a conditional update, has a handler of its
kind do the work, and deletes it. So a process that is killed loses nothing: after the lease another
one does the work, which may then have been done in part, or wholly. A handler must bear that.

An attempt that fails moves the item to a later moment, in one transaction. While DynamoDB itself is
at fault that goes on for ever; after so many other failures the item is moved to the partition of
the dead, where it stays until staff have it tried again, or discard it.

What is owed is one item (`Owed`). Its sort key begins with the moment at which it is due, so that a
Query finds what is due and nothing else.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from secrets import token_hex
from typing import Any
from zlib import crc32

from dynapages.calls import clock
from dynapages.calls.answers import last_key
from dynapages.calls.client_types import ItemClient
from dynapages.calls.faults import fault_in, sentence_about
from dynapages.calls.pool import time_budget
from dynapages.errors import DynamoError
from dynapages.items import SEPARATOR, Item, parse_timestamp, timestamp, wire_key
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Expression,
    Table,
    delete,
    put,
    update,
    write_item,
    write_transaction,
)

# Attributes of a stored item, besides its two keys.
KIND = "kind"
PAYLOAD = "payload"
OWED_AT = "owed_at"
FAILURE = "failure"
ATTEMPTS = "attempts"
FAILURES_COUNTED = "failures"
CLAIMS = "claims"
LEASE_UNTIL = "lease"
DEAD = "DEAD"
"""The shard of what was given up."""
SHARDS = 4
"""Partitions of a queue: each bears 1,000 units of writes a second."""
ITEMS_PER_QUERY = 25
LEASE = timedelta(minutes=1)
"""How long a handler may take, unless it is registered with another time."""
PAUSE_WHILE_AWAY = timedelta(minutes=1)
"""For which what needs a system that is away is left alone: each attempt may take a timeout."""
MOST_CLAIMS = 20
"""Attempts that were begun and never ended, one after the other: the work itself may be what kills
the processes.
"""
CLOCKS_DIFFER = timedelta(seconds=3)
"""By how much the clocks of two processes may differ."""
_FIRST_SPAN = datetime(2020, 1, 1, tzinfo=UTC)
"""From which spans of time are counted."""
_BEHIND_MOMENT = chr(ord(SEPARATOR) + 1)
"""Behind a moment, it sorts behind all keys of that moment."""

Handler = Callable[[Mapping[str, Any]], None]
"""Does what is owed, by its payload; it may be called again for one that it has done."""
System = Callable[[Mapping[str, Any]], str]
"""Returns which other system is needed for what is owed, by its payload."""

logger: logging.Logger = logging.getLogger(__name__)


# What is owed


class Postponed(DynamoError):
    """A handler could not do its work because another system is out of order.

    ``sentence`` says what is wrong. Staff see it: it should name no user. Where that system
    ``is_away`` altogether, this process attempts nothing else of the same kind for a minute, or
    nothing else that needs the same system (`Queue.register`).
    """

    def __init__(self, sentence: str, *, is_away: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.is_away = is_away


def _new_token() -> str:
    return token_hex(8)


@dataclass(frozen=True, slots=True)
class Owed:
    """One thing that a queue owes: its kind, and a payload of what JSON can hold.

    ``moment`` is when it is due; of a dead one, when it was given up. ``attempts`` are all that
    have failed, ``failures`` those of them that were not DynamoDB's fault. ``claims`` are the
    attempts that were begun since it got this moment. ``failure`` is a sentence about the last
    failure. ``lease`` begins with the moment until which a process works on it, or is empty. One
    that ``is_dead`` was given up.
    """

    queue: "Queue" = field(repr=False, compare=False)
    kind: str
    # An e-mail's link is a secret, for example.
    payload: Mapping[str, Any] = field(repr=False)
    moment: datetime
    owed_at: datetime
    token: str = field(default_factory=_new_token)
    attempts: int = 0
    failures: int = 0
    claims: int = 0
    lease: str = ""
    failure: str = ""
    is_dead: bool = False

    @property
    def sort_key(self) -> str:
        """The sort key: the moment, and the token behind it."""
        # The token alone stays the same for one thing, however often it is moved.
        return f"{timestamp(self.moment)}{SEPARATOR}{self.token}"

    @property
    def action(self) -> Action:
        """The put that stores it, for the transaction that owes it."""
        return self.queue.put_action(self)

    def is_leased(self, now: datetime) -> bool:
        """Return whether a process may be working on it at this moment."""
        return self.lease >= timestamp(now)

    def claimed(self, lease: str) -> "Owed":
        """Return the same as it is stored once a process has claimed it."""
        return replace(self, lease=lease, claims=self.claims + 1)

    def due_at(self, moment: datetime) -> "Owed":
        """Return the same with another moment."""
        return replace(self, moment=moment)

    def given_up(self) -> "Owed":
        """Return the same, given up."""
        return replace(self, is_dead=True)

    def after_failure(self, moment: datetime, failure: str, *, counts: bool) -> "Owed":
        """Return the same after an attempt that failed at this moment.

        With ``counts`` the failure is not DynamoDB's fault, and one of those after which it is
        given up.
        """
        failures = self.failures
        if counts:
            failures += 1
        return replace(
            self,
            moment=moment,
            attempts=self.attempts + 1,
            failures=failures,
            claims=0,
            lease="",
            failure=failure,
        )

    def as_new(self, moment: datetime) -> "Owed":
        """Return the same as if it had never been attempted."""
        return Owed(self.queue, self.kind, self.payload, moment, self.owed_at, self.token)

    def attributes(self) -> Item:
        """Return its attributes in wire form, without its keys."""
        # As one text: what JSON holds has no types of DynamoDB, and is read as it was written.
        payload = json.dumps(self.payload, ensure_ascii=False, separators=(",", ":"))
        texts = {
            KIND: self.kind,
            PAYLOAD: payload,
            OWED_AT: timestamp(self.owed_at),
            LEASE_UNTIL: self.lease,
            FAILURE: self.failure,
        }
        numbers = {
            ATTEMPTS: self.attempts,
            FAILURES_COUNTED: self.failures,
            CLAIMS: self.claims,
        }
        # What is empty or zero is left out: an item of more than a kilobyte costs two units.
        stored: dict[str, dict[str, str]] = {}
        for name, text in texts.items():
            if text:
                stored[name] = {"S": text}
        for name, number in numbers.items():
            if number:
                stored[name] = {"N": str(number)}
        return stored


def owed_in(queue: "Queue", item: Item) -> Owed:
    """Return what an item of a queue holds. Raises ValueError and KeyError for other items."""
    moment, _, token = item[queue.sort_key]["S"].partition(SEPARATOR)
    partition = item[queue.partition_key]["S"]
    return Owed(
        queue=queue,
        kind=item[KIND]["S"],
        payload=json.loads(item[PAYLOAD]["S"]),
        moment=parse_timestamp(moment),
        owed_at=parse_timestamp(item[OWED_AT]["S"]),
        token=token,
        attempts=_number(item, ATTEMPTS),
        failures=_number(item, FAILURES_COUNTED),
        claims=_number(item, CLAIMS),
        lease=_text(item, LEASE_UNTIL),
        failure=_text(item, FAILURE),
        is_dead=partition == queue.partition(DEAD),
    )


def _text(item: Item, name: str) -> str:
    text: str = item[name]["S"] if name in item else ""
    return text


def _number(item: Item, name: str) -> int:
    return int(item[name]["N"]) if name in item else 0


# Queues


class Outcome(StrEnum):
    """What became of an attempt; ``LEFT`` is what others have, or a kind that is not known here."""

    DONE = "done"
    FAILED = "failed"
    DEAD = "dead"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a failure is retried, None for ever, and after how long: it doubles each time."""

    most: int | None
    longest: timedelta
    first: timedelta = timedelta(seconds=30)

    def pause(self, attempts: int) -> timedelta:
        """Return the pause after so many attempts have failed, at least 1."""
        doublings = min(attempts - 1, 20)  # more would not fit into a timedelta
        return min(self.longest, self.first * (1 << doublings))


FAULTS = Retries(most=None, longest=timedelta(minutes=10))
"""Of DynamoDB: it will come back."""
POSTPONED = Retries(most=15, longest=timedelta(hours=1))
"""Of other systems: for eight hours."""
ERRORS = Retries(most=8, longest=timedelta(minutes=10))
"""Of the handler: half an hour, in which it may be deployed anew."""


GIVEN_UP_AT_ONCE = Retries(most=0, longest=timedelta(0))


@dataclass(frozen=True, slots=True)
class _Failure:
    """What went wrong in an attempt, and how it is retried."""

    sentence: str
    retries: Retries


@dataclass(frozen=True, slots=True)
class _Kind:
    """What does things of a kind, how long it may take, and the other ``system`` of each.

    ``system`` is None where all need the same one, or none.
    """

    handler: Handler
    lease: timedelta
    system: System | None = None

    def system_of(self, owed: Owed) -> str:
        """Return the name of the system that is needed; empty where all need the same."""
        return "" if self.system is None else self.system(owed.payload)


class Queue:
    """A queue called ``name``, for the log, in partitions of ``table``.

    ``partition(shard)`` returns the partition key of a shard, whose name is ``"0"``, ``"1"`` and so
    on, or ``"DEAD"``. ``client()`` returns the client of all calls but that of the transaction in
    which something is owed. Both key attributes of the table must be strings.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        partition: Callable[[str], str],
        *,
        client: Callable[[], ItemClient],
        partition_key: str = "pk",
        sort_key: str = "sk",
    ) -> None:
        self.name = name
        self.table = table
        self.partition_key = partition_key
        self.sort_key = sort_key
        self.shards: Sequence[str] = [str(number) for number in range(SHARDS)]
        self.partition = partition
        self._client = client
        self._kinds: dict[str, _Kind] = {}
        self._unknown: set[str] = set()
        # By kind, and by the system that is away.
        self._paused_until: dict[tuple[str, str], datetime] = {}

    def __repr__(self) -> str:
        return f"<Queue {self.name} of {', '.join(self._kinds) or 'no kinds'}>"

    def register(
        self,
        kind: str,
        handler: Handler,
        *,
        lease: timedelta = LEASE,
        system: System | None = None,
    ) -> None:
        """Have a handler do what is owed of this kind.

        After ``lease`` others may begin the same; its calls to DynamoDB then raise OutOfTime. Where
        things of the kind need different systems, ``system(payload)`` returns the name of one: if
        it is away, what needs the others is attempted all the same.
        """
        self._kinds[kind] = _Kind(handler, lease, system)

    def does(self, kind: str) -> bool:
        """Return whether a handler of this kind is registered."""
        return kind in self._kinds

    # Owing and doing

    def owe(
        self,
        kind: str,
        payload: Mapping[str, Any],
        *,
        after: timedelta = timedelta(0),
        since: datetime | None = None,
        token: str = "",
    ) -> Owed:
        """Return what is owed, due ``after`` some time; nothing is written.

        Its ``action`` belongs in the transaction that owes it. Until it is due, it is left to the
        caller, who may do it and call `done`.

        It is owed ``since`` a moment (aware), None for now. Its key follows from the moment at
        which it is due and from ``token``, 16 hexadecimal digits, by chance where none are given.
        With both, whoever owes the same thing again stores it once, unless it was attempted since.
        """
        owed_at = since or clock.now()
        return Owed(
            self, kind, payload, owed_at + after, owed_at=owed_at, token=token or _new_token()
        )

    def owe_once(self, kind: str, payload: Mapping[str, Any], *, every: timedelta) -> Owed:
        """Return what is owed once in each span of time ``every``, however often it is owed then.

        Its key follows from the kind, the payload and the span, at whose end it is due: further
        puts of it in the same span change nothing. The end is different for different payloads.
        """
        now = clock.now()
        name = json.dumps([kind, payload], sort_keys=True).encode()
        token = blake2b(name, digest_size=8).hexdigest()
        # Nobody may have begun with it by a clock that is ahead of this one.
        earliest = (now + CLOCKS_DIFFER - _FIRST_SPAN) // timedelta(microseconds=1)
        span = every // timedelta(microseconds=1)
        offset = int(token, 16) % span
        spans = (earliest - offset) // span + 1
        moment = _FIRST_SPAN + timedelta(microseconds=spans * span + offset)
        return Owed(self, kind, payload, moment=moment, owed_at=now, token=token)

    def put_action(self, owed: Owed) -> Action:
        """Build the put of something that is owed."""
        return put(self.table, {**self.key_of(owed), **owed.attributes()})

    def done(self, owed: Owed) -> None:
        """Delete what is owed, also if it is gone already. Raises botocore's errors."""
        write_item(self._client(), self._delete(owed))

    # What a worker calls

    def due(self, shard: str, *, now: datetime) -> Iterator[Owed]:
        """Yield what is due in a shard, oldest first; half a unit where there is nothing.

        Eventually consistent: what others do at the same time may still be there.
        """
        return self._query(shard, until=timestamp(now) + _BEHIND_MOMENT)

    def attempt(self, owed: Owed) -> Outcome:
        """Claim what is owed, have its handler do it, and delete it; or move it where that fails.

        Raises botocore's errors where it could not even be moved: it is then left until its lease
        is over.
        """
        kind = self._kinds.get(owed.kind)
        if kind is None:
            self._log_unknown(owed.kind)
            return Outcome.LEFT
        paused_until = self._paused_until.get((owed.kind, kind.system_of(owed)))
        if paused_until is not None and clock.now() < paused_until:
            return Outcome.LEFT
        # A handler that was held up must write nothing after its lease, when others may have begun.
        with time_budget(kind.lease.total_seconds()):
            claimed = self._claim(owed, kind.lease)
            if claimed is None:
                return Outcome.LEFT
            if claimed.claims > MOST_CLAIMS:
                sentence = f"It was begun {MOST_CLAIMS} times, and no process came to its end."
                return self._move_after(_Failure(sentence, GIVEN_UP_AT_ONCE), claimed)
            failure = self._failure_of(kind, claimed)
        if failure is not None:
            return self._move_after(failure, claimed)
        self.done(claimed)
        return Outcome.DONE

    def _failure_of(self, kind: _Kind, owed: Owed) -> _Failure | None:
        """Have the handler of its kind do what is owed; return what went wrong, None if nothing."""
        try:
            kind.handler(owed.payload)
        except Postponed as error:
            if error.is_away:
                system = owed.kind, kind.system_of(owed)
                self._paused_until[system] = clock.now() + PAUSE_WHILE_AWAY
            return _Failure(error.sentence, POSTPONED)
        except Exception as error:
            if fault_in(error) is not None:
                return _Failure(sentence_about(error), FAULTS)
            # A mistake in one handler must not keep the others from their work.
            logger.exception("%s: %s failed.", self.name, owed.kind)
            return _Failure(f"{type(error).__name__}: the log has the rest.", ERRORS)
        return None

    def _claim(self, owed: Owed, lease: timedelta) -> Owed | None:
        """Return what is owed with a lease of this process, None where others have it."""
        now = clock.now()
        if owed.is_leased(now):
            return None
        # The moment comes first, for the comparison; what is random tells two claims apart.
        claimed = owed.claimed(f"{timestamp(now + lease)}{SEPARATOR}{token_hex(4)}")
        names = {"#key": self.partition_key, "#lease": LEASE_UNTIL, "#claims": CLAIMS}
        changes = Expression(
            "SET #lease = :lease ADD #claims :one",
            names,
            {":lease": {"S": claimed.lease}, ":one": {"N": "1"}},
        )
        is_free = Expression(
            "attribute_exists(#key) AND (attribute_not_exists(#lease) OR #lease < :now)",
            names,
            {":now": {"S": timestamp(now)}},
        )
        key = self.key_of(owed)
        try:
            write_item(self._client(), update(self.table, key, changes, is_free))
        except ConditionFailed:  # done, moved or leased by others since it was read
            return None
        return claimed

    def _move_after(self, failure: _Failure, claimed: Owed) -> Outcome:
        """Move what could not be done to a later moment, or to the dead."""
        retries = failure.retries
        # A fault of the database says nothing about the work itself.
        counts = retries is not FAULTS
        failed = claimed.after_failure(clock.now(), failure.sentence, counts=counts)
        logger.warning(
            "%s: %s failed for the %s. time. %s",
            self.name,
            failed.kind,
            failed.attempts,
            failure.sentence,
        )
        is_dead = retries.most is not None and failed.failures >= retries.most
        if is_dead:
            moved = failed.given_up()
        else:
            moved = failed.due_at(failed.moment + retries.pause(failed.attempts))
        is_mine = Expression(
            "#lease = :mine", {"#lease": LEASE_UNTIL}, {":mine": {"S": claimed.lease}}
        )
        try:
            write_transaction(self._client(), [self._delete(claimed, is_mine), moved.action])
        except ConditionFailed:  # it took longer than its lease, and others have it
            return Outcome.LEFT
        return Outcome.DEAD if is_dead else Outcome.FAILED

    def _log_unknown(self, kind: str) -> None:
        if kind not in self._unknown:
            self._unknown.add(kind)
            logger.warning("%s: nothing here does %r; it is left to others.", self.name, kind)

    # What staff see

    def waiting(self, *, until: datetime | None = None) -> Iterator[Owed]:
        """Yield all that is owed and not dead, due or not; strongly consistent.

        ``until`` leaves out, and does not read, what is due after that moment.
        """
        end = ""
        if until is not None:
            end = timestamp(until) + _BEHIND_MOMENT
        for shard in self.shards:
            yield from self._query(shard, until=end, consistent=True)

    def dead(self) -> Iterator[Owed]:
        """Yield what was given up, the first one first; strongly consistent.

        It stays until it is retried or discarded.
        """
        return self._query(DEAD, consistent=True)

    def count_dead(self, most: int) -> int:
        """Count what was given up, ``most`` at the most; eventually consistent, by one call."""
        answer = self._client().query(
            TableName=self._table_name,
            KeyConditionExpression="#pk = :pk",
            ExpressionAttributeNames={"#pk": self.partition_key},
            ExpressionAttributeValues=wire_key({":pk": self.partition(DEAD)}),
            Select="COUNT",
            Limit=most,
        )
        count: int = answer["Count"]
        return count

    def find_dead(self, sort_key: str) -> Owed | None:
        """Return one that was given up, by its sort key; strongly consistent."""
        key = wire_key({self.partition_key: self.partition(DEAD), self.sort_key: sort_key})
        answer = self._client().get_item(TableName=self._table_name, Key=key, ConsistentRead=True)
        if "Item" not in answer:
            return None
        return owed_in(self, answer["Item"])

    def retry(self, dead: Owed) -> Owed | None:
        """Have one that was given up be due now, with all its attempts; return it.

        Returns None where it is not there any more.
        """
        exists = Expression("attribute_exists(#key)", {"#key": self.partition_key})
        due_again = dead.as_new(clock.now())
        try:
            write_transaction(self._client(), [self._delete(dead, exists), due_again.action])
        except ConditionFailed:
            return None
        return due_again

    def discard(self, owed: Owed) -> None:
        """Delete what is owed without doing it, also if it is gone already."""
        write_item(self._client(), self._delete(owed))

    # The table

    @property
    def _table_name(self) -> str:
        if isinstance(self.table, str):
            return self.table
        name: str = self.table.Meta.table_name
        return name

    def key_of(self, owed: Owed) -> Item:
        """Return the table key of what is owed."""
        shard = DEAD
        if not owed.is_dead:
            # By the token, so that it is in the same shard in every process.
            shard = self.shards[crc32(owed.token.encode()) % len(self.shards)]
        partition = self.partition(shard)
        return wire_key({self.partition_key: partition, self.sort_key: owed.sort_key})

    def _delete(self, owed: Owed, condition: Expression | None = None) -> Action:
        return delete(self.table, self.key_of(owed), condition)

    def _query(self, shard: str, *, until: str = "", consistent: bool = False) -> Iterator[Owed]:
        """Yield what a shard holds, oldest first, ``until`` a sort key if one is given."""
        names = {"#pk": self.partition_key}
        values = wire_key({":pk": self.partition(shard)})
        condition = "#pk = :pk"
        if until:
            condition += " AND #sk < :until"
            names["#sk"] = self.sort_key
            values = {**values, **wire_key({":until": until})}
        request: dict[str, Any] = {
            "TableName": self._table_name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
            "ConsistentRead": consistent,
            "Limit": ITEMS_PER_QUERY,
        }
        while True:
            answer = self._client().query(**request)
            for item in answer["Items"]:
                yield owed_in(self, item)
            stop = last_key(answer)
            if stop is None:
                return
            request["ExclusiveStartKey"] = stop
