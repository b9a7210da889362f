"""What is owed, as it is stored: one item, which is deleted when it is done.

Its sort key begins with the moment at which it is due, so that a Query finds what is due and
nothing else. While a process works on it, it has a *lease*: until that is over, others leave it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from dynapages.items import SEPARATOR, Item, parse_timestamp, timestamp
from dynapages.writes.transactions import Action

if TYPE_CHECKING:
    from dynapages.work.queues import Queue

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


class Postponed(Exception):
    """A handler could not do its work because another system is out of order.

    ``sentence`` says what is wrong. Staff see it: it should name no user. Where that system
    ``is_away`` altogether, this process attempts nothing else of the same kind for a minute.
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
    payload: Mapping[str, Any]
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
        stored: dict[str, dict[str, str]] = {}
        # What is empty or zero is left out: an item of more than a kilobyte costs two units.
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
