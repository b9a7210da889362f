"""Shards: over how many partitions a list is spread, such as a queue that every order passes.

Follows "Write Sharding (GSI)" of "AWS DynamoDB (Design Patterns)". The number is stored in an item
of its own, as that of a counter's shards is in its first one. It is raised, never lowered, and
before the first writer uses a new shard. A process remembers it: maybe too low, never too high.
Writers rely on that; readers must read all shards, so they read those they know of together with
the number, and the others afterwards.
"""

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from random import randrange
from typing import TypeVar
from weakref import WeakKeyDictionary

from dynapages.calls.client_types import ItemClient
from dynapages.calls.faults import FAILURES, Throttled, fault_in
from dynapages.calls.meter import labelled_calls
from dynapages.calls.pool import Pool
from dynapages.items import KeyValue, wire_key
from dynapages.writes.counters import LOSSES_TO_SPREAD, SHARDS, shards_in
from dynapages.writes.transactions import ConditionFailed, Expression, update, write_item

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one list, whose number is stored in the item of ``table`` with this ``key``.

    There are at least ``least``. This and ``client`` are called anew each time: the client may be
    another by then, and a setting another number.
    """

    client: Callable[[], ItemClient] = field(repr=False)
    table: str
    key: Mapping[str, KeyValue]
    least: Callable[[], int] = field(repr=False)
    # By client: another one may be of another database, where the number is another.
    _known: MutableMapping[ItemClient, int] = field(
        default_factory=WeakKeyDictionary, compare=False, repr=False
    )

    def known(self) -> int:
        """Return how many shards there are at least, as far as this process knows."""
        return self._known.get(self.client(), 1)

    def count(self) -> int:
        """Return the stored number, read strongly."""
        key = wire_key(self.key)
        with labelled_calls("shards"):
            response = self.client().get_item(TableName=self.table, Key=key, ConsistentRead=True)
        stored = shards_in(response.get("Item", {}))
        self._remember(stored)
        return stored

    def raise_to(self, number: int) -> None:
        """Raise the stored number to ``number`` unless it is as high already."""
        names, values = {"#n": SHARDS}, {":n": {"N": str(number)}}
        raised = update(
            self.table,
            wire_key(self.key),
            Expression("SET #n = :n", names, values),
            Expression("attribute_not_exists(#n) OR #n < :n", names, values),
        )
        try:
            write_item(self.client(), raised)
        except ConditionFailed:
            self.count()
        else:
            self._remember(number)

    def writable(self) -> int:
        """Return how many shards a writer may use, stored if that is new."""
        least = self.least()
        if least > self.known():
            self.raise_to(least)
        return self.known()

    def pick(self) -> int:
        """Return a random shard to write to."""
        return randrange(self.writable())  # noqa: S311 - spreads load

    def spreading(self, *, most: int, items: int = 1) -> Callable[[frozenset[int]], None]:
        """Return the ``on_throttled`` of a write whose first ``items`` actions are in shards.

        When one was throttled `LOSSES_TO_SPREAD` times, the shards known now are doubled, up to
        ``most``, for the writes to come. Writers that are throttled at once double them once.
        """
        known = self.known()
        doubled = min(2 * known, most)
        losses = 0

        def spread(throttled: frozenset[int]) -> None:
            nonlocal losses
            if throttled.isdisjoint(range(items)):
                return
            losses += 1
            if losses != LOSSES_TO_SPREAD or doubled <= known:
                return
            try:
                self.raise_to(doubled)
            except FAILURES as failure:
                # Where this is throttled as well, the next write that is does it.
                if not isinstance(fault_in(failure), Throttled):
                    raise

        return spread

    def read_all(
        self, read: Callable[[int], T], *, pool: Pool, count: Callable[[], int] | None = None
    ) -> T:
        """Return what ``read`` returns for the stored number of shards, in one round as a rule.

        It is called with the number that this process knows, while the stored one is read, and
        again if that is greater. Shards may be used as soon as their number is stored, so nothing
        is missed that was written before this read began. ``count`` may read the number together
        with other items.
        """
        with pool.together() as together:
            counting = together.start(count or self.count)
            known = self.known()
            result = read(known)
            stored = counting.result()
        self._remember(stored)
        if stored > known:
            return read(stored)
        return result

    def _remember(self, number: int) -> None:
        if number > self.known():
            self._known[self.client()] = number
