"""Rate limits stored in the table, so that all web nodes share them.

A `Limiter` counts uses by a `Limit`. Each limited name has an item with one number: the moment
until which it is *taken*. Each use takes one share of the window, and time gives it back: a limit
of 10 in 15 minutes allows ten uses at once, then one every 90 seconds. This is the generic cell
rate algorithm of ITU-T I.371; conditional updates make it exact with any number of writers. An item
whose moment has passed means the same as none: the table's time to live may delete it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from dynapages.calls.client_types import ItemClient
from dynapages.items import KeyValue, wire_key
from dynapages.writes.transactions import ConditionFailed, Expression, delete, update, write_item

EXPIRES_AT = "expires_at"
"""The usual attribute for the table's time to live: seconds since 1970."""
TAKEN_UNTIL = "taken_until"
"""Milliseconds since 1970."""
_EXPIRES = "#expires = :expiry"
ATTEMPTS = 16
"""Writes for one use: others may take and give back between them."""
REMEMBERED = 10_000
"""Names of which a process remembers until when they were taken: some two megabytes."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``times`` at once, at least 1, and as many again in each ``window``."""

    times: int
    window: timedelta

    @property
    def share(self) -> int:
        """The part of the window that one use takes, in milliseconds; at least 1."""
        return max(1, self.window // timedelta(milliseconds=1) // self.times)

    @property
    def spare(self) -> int:
        """The most that may be taken for one more use to be allowed, in milliseconds."""
        return self.share * (self.times - 1)


@dataclass(frozen=True, slots=True)
class Spent:
    """What became of one use.

    ``wait`` is 0.0 for one that was counted, else the seconds until the next one is allowed.
    ``left`` is how many more are allowed right now.
    """

    wait: float
    left: int


@dataclass(frozen=True, slots=True)
class Limiter:
    """The limits in one table; ``key_of(name)`` returns the table key of a limit's item.

    ``expires_at`` is the attribute of the table's time to live.
    """

    client: ItemClient = field(repr=False)
    table: str
    key_of: Callable[[str], Mapping[str, KeyValue]] = field(repr=False)
    expires_at: str = EXPIRES_AT

    def take(self, name: str, limit: Limit, *, now: datetime) -> float:
        """Count one use like `spend`; return 0.0, or the seconds until the next one is allowed."""
        return self.spend(name, limit, now=now).wait

    def spend(self, name: str, limit: Limit, *, now: datetime) -> Spent:
        """Count one use, unless it is refused; return how long to wait, and how many are left.

        One write; two where another process has counted uses of this name since this one did.
        """
        moment = _milliseconds(now)
        latest = moment + limit.spare
        taken_until = _remembered.get(self._place(name))
        for _ in range(ATTEMPTS):
            # Two updates with opposite conditions: what is remembered says which one to try first.
            if taken_until > moment:
                outcome = self._take_further(name, limit, moment)
            else:
                outcome = self._take_first(name, limit, moment)
            taken_until = outcome.taken_until
            if outcome.is_done:
                return Spent(0.0, max(0, (latest + limit.share - taken_until) // limit.share))
            if taken_until > latest:
                return Spent((taken_until - latest) / 1_000, 0)
        # Others took and gave back between each two of our calls.
        return Spent(limit.share / 1_000, 0)

    def seems_used_up(self, name: str, limit: Limit, *, now: datetime) -> bool:
        """Return whether the next use would be refused, by what this process remembers.

        Nothing is read. Others may have given uses back since.
        """
        return _remembered.get(self._place(name)) > _milliseconds(now) + limit.spare

    def give_back(self, name: str, limit: Limit) -> None:
        """Undo one `take` that returned 0.0."""
        self._set_taken(
            name, "SET #taken = #taken - :by", "attribute_exists(#taken)", by=limit.share
        )

    def rest(self, name: str, limit: Limit, *, lasts: timedelta, now: datetime) -> None:
        """Allow no use for so long from now, however few there were."""
        rested = _milliseconds(now) + lasts // timedelta(milliseconds=1)
        expiry = _expiry(limit, rested)
        self._set_taken(
            name, f"SET #taken = :to, {_EXPIRES}", to=rested + limit.spare, expiry=expiry
        )

    def clear(self, name: str) -> None:
        """Forget all uses."""
        write_item(self.client, delete(self.table, wire_key(self.key_of(name))))
        _remembered.set(self._place(name), 0)

    def _take_first(self, name: str, limit: Limit, moment: int) -> "_Outcome":
        """Take a share where none is taken."""
        return self._set_taken(
            name,
            f"SET #taken = :to, {_EXPIRES}",
            "attribute_not_exists(#taken) OR #taken <= :now",
            to=moment + limit.share,
            now=moment,
            expiry=_expiry(limit, moment),
        )

    def _take_further(self, name: str, limit: Limit, moment: int) -> "_Outcome":
        """Take a share behind those that are taken."""
        return self._set_taken(
            name,
            f"SET #taken = #taken + :by, {_EXPIRES}",
            "#taken > :now AND #taken <= :latest",
            by=limit.share,
            now=moment,
            latest=moment + limit.spare,
            expiry=_expiry(limit, moment),
        )

    def _set_taken(
        self, name: str, changes: str, condition: str = "", **numbers: int
    ) -> "_Outcome":
        """Change a limit's item, by expressions of ``numbers``, and remember what is taken."""
        values = {f":{each}": {"N": str(number)} for each, number in numbers.items()}
        names = {"#taken": TAKEN_UNTIL, "#expires": self.expires_at}
        change = Expression(changes, names, values)
        required = Expression(condition, names, values) if condition else None
        key = wire_key(self.key_of(name))
        action = update(self.table, key, change, required, return_item=True)
        is_done = True
        try:
            stored = write_item(self.client, action, return_values="UPDATED_NEW")
        except ConditionFailed as error:
            is_done = False
            stored = error.failed[0]
        taken_until = int(stored.get(TAKEN_UNTIL, {"N": "0"})["N"])
        _remembered.set(self._place(name), taken_until)
        return _Outcome(taken_until, is_done=is_done)

    def _place(self, name: str) -> tuple[str, str]:
        return self.table, name


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of an update: until when is taken, in milliseconds; 0 where there is no item."""

    taken_until: int
    is_done: bool


class _Remembered:
    """Until when the latest names were taken, by table and name, as this process last saw it."""

    def __init__(self) -> None:
        self._moments: dict[tuple[str, str], int] = {}
        self._lock = Lock()

    def get(self, place: tuple[str, str]) -> int:
        """Return milliseconds since 1970; 0 where nothing is remembered."""
        return self._moments.get(place, 0)

    def set(self, place: tuple[str, str], taken_until: int) -> None:
        """Remember a name as the latest, and forget the oldest beyond `REMEMBERED`."""
        with self._lock:
            self._moments.pop(place, None)
            self._moments[place] = taken_until
            if len(self._moments) > REMEMBERED:
                oldest = next(iter(self._moments))
                del self._moments[oldest]


_remembered = _Remembered()


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def _expiry(limit: Limit, moment: int) -> int:
    return moment // 1_000 + int(limit.window.total_seconds()) + 1
