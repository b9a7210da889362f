"""Items of another table that are derived from a comment, written until it changes no more.

The comment is read strongly and what it says *now* is derived and written; whoever asks only names
items that may be there, for those that are not derived to be deleted. Then the comment is read
again, and where it has changed meanwhile, what was just written counts as named, and it is done
over. So whoever ends last leaves what the comment says, in whatever order changes are followed.

See docs/adr/0015-copies-of-what-is.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from operator import add
from typing import ClassVar, Generic, TypeVar

from django.conf import settings

from comments import keys
from comments.store.table import ATTEMPTS, whole_id
from dynapages.calls import Batches, Pool, in_chunks, instead_of_batches
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.process import client
from dynapages.upkeep import every_item
from dynapages.writes import MOST_ACTIONS, Action, Contended, write_transaction

Name = tuple[str, str]
"""The partition key and the sort key of an item."""
Key = TypeVar("Key")
"""What names a source."""

NAMED = 3
POOL = Pool(4)
"""Few calls at a time: an embedded engine writes one after the other, and a long line times out."""


@dataclass(frozen=True, slots=True)
class Writes:
    """Items to put and keys to delete, none of them in both."""

    puts: Mapping[Name, Item] = field(default_factory=dict)
    deletes: frozenset[Name] = frozenset()

    def then(self, later: "Writes") -> "Writes":
        """Return the writes with the result of these followed by ``later``, of one comment."""
        gone = self.deletes | self.puts.keys() | later.deletes
        return Writes(later.puts, frozenset(gone - later.puts.keys()))


@dataclass(frozen=True, slots=True)
class Applied:
    """The numbers of records of a stream, of comments in them, and of copies put and deleted."""

    records: int = 0
    comments: int = 0
    copies_put: int = 0
    copies_deleted: int = 0

    def __add__(self, other: "Applied") -> "Applied":
        return Applied(*map(add, astuple(self), astuple(other)))


@dataclass(slots=True)
class DerivedWriter(ABC, Generic[Key]):
    """Writes the items of one table by batch calls, which wait out a throttled table.

    Others are deleted first: a comment that moves is for a moment in too few lists, never twice.
    With ``puts_first`` it is the other way round.
    """

    table: ClassVar[str]
    key: ClassVar[tuple[str, str]] = ("pk", "sk")
    """The key attributes of the table."""
    batches: Batches
    puts_first: bool = False

    @abstractmethod
    def read(self, keys: Collection[Key]) -> Mapping[Key, Item]:
        """Read sources strongly, those there are."""

    @abstractmethod
    def derive(self, sources: Mapping[Key, Item]) -> Mapping[Key, Iterable[Item]]:
        """Derive the items of sources."""

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Do what must be done before these writes; none are made where it raises."""

    def settle(
        self, asked: Mapping[Key, Writes], known: Mapping[Key, Item] | None = None
    ) -> Applied:
        """Write the items of these sources as they are now.

        ``asked`` names others that may have to be deleted; ``known`` are the sources as they were
        just written. Raises BatchIncomplete, and Contended when sources keep changing.
        """
        applied = Applied(comments=len(asked))
        pending = dict(asked)
        now = self.read(pending) if known is None else known
        for _ in range(ATTEMPTS):
            derived = self.derive({key: now[key] for key in pending if key in now})
            written = {
                key: writes.then(Writes(self.by_name(derived.get(key, ()))))
                for key, writes in pending.items()
            }
            self.before_writing(written.values())
            applied += self._write(written)
            before, now = now, self.read(pending)
            pending = {n: written[n] for n in pending if now.get(n) != before.get(n)}
            if not pending:
                return applied
        raise Contended(f"{len(pending)} comments were changed by others at every attempt.")

    def by_name(self, items: Iterable[Item]) -> dict[Name, Item]:
        """Return items by their keys."""
        partition, sort = self.key
        return {(item[partition]["S"], item[sort]["S"]): item for item in items}

    def table_key(self, name: Name) -> Item:
        """Build a key as DynamoDB takes it."""
        return {attribute: {"S": text} for attribute, text in zip(self.key, name, strict=True)}

    def _write(self, writes: Mapping[Key, Writes]) -> Applied:
        deletes = [self.table_key(name) for one in writes.values() for name in one.deletes]
        puts = [item for one in writes.values() for item in one.puts.values()]
        if self.puts_first:
            self.batches.put(self.table, puts)
            self.batches.delete(self.table, deletes)
        else:
            self.batches.delete(self.table, deletes)
            self.batches.put(self.table, puts)
        return Applied(copies_put=len(puts), copies_deleted=len(deletes))


def scanned(table: str, progress: Progress, step: str = "Comparing") -> Iterator[Item]:
    """Yield all items of a table, and show how far it was read."""
    total = client().describe_table(TableName=table)["Table"]["ItemCount"]
    with progress.step(step, total=total, unit=" items") as advance:
        yield from every_item(client(), table, advance)


def spelled(partition_keys: Sequence[str]) -> str:
    """Return what a report calls the comments with these keys, one or more."""
    first, last = (
        whole_id(keys.comment_id_in(key)) for key in (partition_keys[0], partition_keys[-1])
    )
    if len(partition_keys) == 1:
        return f"comment {first}"
    return f"{len(partition_keys)} comments from {first} to {last}"


def listed(names: Iterable[str]) -> str:
    """Return what a report says of names: the first `NAMED`, and how many others there are."""
    every = sorted(names)
    shown, others = ", ".join(every[:NAMED]) or "none", len(every) - NAMED
    return f"{shown} and {others} more" if others > 0 else shown


def bulk_batches() -> Batches:
    """Return the batch calls that many items are written with."""
    return (TransactedPuts if settings.DYNAMODB_IS_AN_ENGINE else Batches)(client(), POOL)


class TransactedPuts(Batches):
    """Puts items in transactions, which an engine on disk commits at once; a batch item by item.

    Amazon DynamoDB would charge them twice: it is sent batches, and the meter knows that.
    """

    def put(self, table: str, items: Iterable[Item]) -> None:
        puts: list[Action] = [{"Put": {"TableName": table, "Item": item}} for item in items]
        chunks = in_chunks(puts, MOST_ACTIONS)
        with instead_of_batches():
            self.pool.gather([partial(write_transaction, self.client, some) for some in chunks])
