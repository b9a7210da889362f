"""Limits on how often something may be done, kept in the table: one limit for all web nodes.

One item for each thing that is limited, and in it one number: the moment until which it is
*taken*. Doing it once takes one share of the window; what was taken runs off by itself as time
passes. So a limit of 10 in 15 minutes allows ten at once, then one every 90 seconds. This is the
generic cell rate algorithm of ITU-T I.371; a conditional UpdateItem makes it exact among any
number of writers.

An item that has run off means the same as no item, so the table's time to live may remove it at
any later time.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pynamodb.attributes import NumberAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change

from dynamo.items import Item, wire_key
from dynamo.writes.actions import parameters, update

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

EXPIRES_AT = "expires_at"
"""The attribute for the table's time to live: seconds since 1970."""
TAKEN_UNTIL = "taken_until"
"""Milliseconds since 1970."""
_TAKEN = NumberAttribute(attr_name=TAKEN_UNTIL)
_EXPIRY = NumberAttribute(attr_name=EXPIRES_AT)
ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Limit:
    """So many times at once, at least one, and again so many spread over each window."""

    times: int
    window: timedelta

    @property
    def share(self) -> int:
        """What one time takes of the window, in milliseconds."""
        return self.window // timedelta(milliseconds=1) // self.times

    @property
    def spare(self) -> int:
        """What may be taken at most for one more time to fit in, in milliseconds."""
        return self.share * (self.times - 1)


@dataclass(frozen=True, slots=True)
class Limiter:
    """The limits kept in one table. The key of a limit's item is ``key_of(name)``."""

    client: "DynamoDBClient"
    table: str
    key_of: Callable[[str], Mapping[str, str]]

    def take(self, name: str, limit: Limit, *, now: datetime) -> float:
        """Count one time against a limit; return 0.0, or the seconds until there is room.

        What is refused is not counted: waiting so long is enough, however often one asked.
        One write when the limit is untouched, two when some of it is taken.
        """
        moment = _milliseconds(now)
        latest = moment + limit.spare
        for _ in range(ATTEMPTS):
            if self._start(name, limit, moment) is None:
                return 0.0
            taken_until = self._go_on(name, limit, moment)
            if taken_until is None:
                return 0.0
            if taken_until > latest:
                return (taken_until - latest) / 1_000
        return limit.share / 1_000  # others took and gave back between each two of our calls

    def give_back(self, name: str, limit: Limit) -> None:
        """Undo one `take` that returned 0.0: what was done turns out not to count."""
        self._write(name, [_TAKEN.set(_TAKEN - limit.share)], _TAKEN.exists())

    def _start(self, name: str, limit: Limit, moment: int) -> int | None:
        """Take the first share of an untouched limit; else return until when it is taken."""
        changes = [_TAKEN.set(moment + limit.share), _EXPIRY.set(_expiry(limit, moment))]
        return self._write(name, changes, _TAKEN.does_not_exist() | (moment >= _TAKEN))

    def _go_on(self, name: str, limit: Limit, moment: int) -> int | None:
        """Take a further share where it fits in; else return until when the limit is taken."""
        changes = [_TAKEN.set(_TAKEN + limit.share), _EXPIRY.set(_expiry(limit, moment))]
        fits_in = (moment < _TAKEN) & (moment + limit.spare >= _TAKEN)
        return self._write(name, changes, fits_in)

    def _write(self, name: str, changes: Iterable[Change], condition: Condition) -> int | None:
        key = wire_key(self.key_of(name))
        written = update(self.table, key, changes, condition, return_item=True)
        try:
            self.client.update_item(**parameters(written))
        except self.client.exceptions.ConditionalCheckFailedException as error:
            held: Mapping[str, Any] = error.response
            return _taken_until(held.get("Item", {}))
        return None


def _taken_until(item: Item) -> int:
    return int(item[TAKEN_UNTIL]["N"]) if TAKEN_UNTIL in item else 0


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def _expiry(limit: Limit, moment: int) -> int:
    return moment // 1_000 + int(limit.window.total_seconds()) + 1
