"""The limits of a partition that AWS publishes, and the token bucket that keeps to them.

"Partitions and data distribution" and "Burst and adaptive capacity" of the Developer Guide: a
partition serves 3,000 read and 1,000 write units a second. Adaptive capacity isolates keys that
are asked for often, so that in the end a hot key has a partition of its own: here each key of a
table or index is one from the start. Unused capacity is kept for 300 seconds, which bridges a peak
above what a table provisions, not one above the limits of a partition ("DynamoDB spiky workloads",
AWS re:Post): ``burst_seconds`` is 0 unless said otherwise.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

READS, WRITES = 3_000.0, 1_000.0
"""Units a second of a partition."""
BURST_SECONDS = 300
COLLECTION_BYTES = 10 * 1024**3
"""Of the items with one partition key, in a table that has a local index."""
MOST_ACTIONS = 100
"""Of a transaction."""
QUERY_BYTES = 1024**2
"""That a Query reads at the most."""
TABLE_UNITS = 40_000
"""Of each kind a second, which a table may use on demand until AWS raises it (Quotas)."""


class Partition(NamedTuple):
    """What is limited: a partition key of a table, or of an index, for reads or writes."""

    table: str
    index_name: str
    key: str
    is_write: bool = False

    def __str__(self) -> str:
        where = f"{self.table}.{self.index_name}" if self.index_name else self.table
        return f"{'writes' if self.is_write else 'reads'} of {self.key} in {where}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Units a second of a partition, and for how many seconds unused ones are kept."""

    reads: float = READS
    writes: float = WRITES
    burst_seconds: int = 0

    def a_second(self, *, is_write: bool) -> float:
        """Return the units of a second."""
        return self.writes if is_write else self.reads

    @property
    def seconds_kept(self) -> int:
        """How many seconds' units a full bucket holds."""
        return max(self.burst_seconds, 1)

    def divided(self, by: float) -> Self:
        """Return the same for a model of the database ``by`` times as small."""
        return replace(self, reads=self.reads / by, writes=self.writes / by)


@dataclass(slots=True)
class Buckets:
    """The units that partitions have left in a second, which begins with `advance`.

    A call is let through while all its partitions have some left, and is charged what it took,
    maybe more than there was: the next seconds pay for that.
    """

    limits: Limits
    second: int = 0
    _left: dict[Partition, tuple[int, float]] = field(default_factory=dict)

    def left(self, partition: Partition) -> float:
        """Return the units left of a partition."""
        limit = self.limits.a_second(is_write=partition.is_write)
        full = limit * self.limits.seconds_kept
        since, left = self._left.get(partition, (self.second, full))
        return min(left + limit * (self.second - since), full)

    def charge(self, partition: Partition, units: float) -> None:
        """Take units from a partition."""
        self._left[partition] = self.second, self.left(partition) - units
