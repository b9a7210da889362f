"""The writes of copies that stream records ask for, correct in any order.

The primary item is read first, strongly, and the copies of its present state are written; the
record's images only name other copies that may exist. Then the primary is read again, and what has
changed meanwhile is written again. So, for one comment:

- the same record twice, a stale duplicate, a replay of any part of a stream, in whatever order:
  when the last of them is applied the copies are those of the primary as it then is;
- after a crash between any two writes the record, which was not acknowledged, is read again and
  completes them;
- two consumers at once (a second ``run_stream``, a Lambda that timed out but still runs) leave
  the same, as long as each comes to its second read.

``check_integrity --model sets`` mends the rest: a consumer that stalled while another one overtook
it and then died before its second read, copies that somebody else wrote or deleted, and records
that a stream lost because nobody read it for a day.

Two strong reads of some 400 bytes beside 31 writes to the table and 31 to its index: see the
decision record on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from operator import add

from comments.sets.models import TABLE
from comments.sets.streaming import Name, SetWrites, key_of, name_of, writes_by_primary
from dynamo.calls.batches import Batches
from dynamo.calls.client import client
from dynamo.calls.pool import Pool
from dynamo.items import Item
from dynamo.streams.walk import Record
from dynamo.writes.transactions import Contended

ATTEMPTS = 5
"""How often copies are written anew because their primary has changed meanwhile."""

POOL = Pool(4)
"""Few calls at a time: an embedded engine writes one after the other anyway, and a call that waits
in line for too long is given up and sent again, which makes the line longer."""


def batches() -> Batches:
    """Return the batch calls that copies are written with."""
    return Batches(client(), POOL)


@dataclass(frozen=True, slots=True)
class Applied:
    """The numbers of primaries in records, and of copies put and deleted."""

    primaries: int = 0
    puts: int = 0
    deletes: int = 0

    def __add__(self, other: "Applied") -> "Applied":
        return Applied(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class CopyWriter:
    """Writes copies by batch calls, which wait out a throttled table."""

    batches: Batches

    def apply(self, records: Sequence[Record]) -> Applied:
        """Write what records ask for; those of one comment should be in order.

        Raises BatchIncomplete, Contended when primaries keep changing, and botocore's errors; the
        same call again writes the rest.
        """
        return self.settle(writes_by_primary(records))

    def settle(self, asked: Mapping[Name, SetWrites]) -> Applied:
        """Write the copies of these primary items as they are now.

        ``asked`` names other copies that may have to be deleted. Raises like `apply`.
        """
        applied = Applied(primaries=len(asked))
        pending = dict(asked)
        now = self._read(pending)
        for _ in range(ATTEMPTS):
            if not pending:
                return applied
            written = {
                name: writes.then(SetWrites.between(None, now.get(name)))
                for name, writes in pending.items()
            }
            applied += self._write(written)
            before, now = now, self._read(pending)
            pending = {n: written[n] for n in pending if now.get(n) != before.get(n)}
        if pending:
            raise Contended(f"{len(pending)} comments were changed by others at every attempt.")
        return applied

    def _read(self, names: Mapping[Name, object]) -> dict[Name, Item]:
        return {name_of(found): found for found in self.batches.get(TABLE, map(key_of, names))}

    def _write(self, writes: Mapping[Name, SetWrites]) -> Applied:
        """Delete first: a comment that moves is for a moment in too few lists, never twice."""
        deletes = [key_of(name) for one in writes.values() for name in one.deletes]
        puts = [item for one in writes.values() for item in one.puts.values()]
        self.batches.delete(TABLE, deletes)
        self.batches.put(TABLE, puts)
        return Applied(puts=len(puts), deletes=len(deletes))
