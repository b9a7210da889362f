"""Items of another table that are derived from a comment, written until it changes no more.

The comment is read strongly and what it says *now* is derived and written; a caller only names
items that may be stored, for those that are not derived to be deleted. Then the comment is read
again, and where it has changed meanwhile, what was just written counts as named, and it is done
over. So whoever ends last leaves what the comment says, in whatever order changes are followed.

See docs/adr/0015-copies-of-what-is.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Generic, TypeVar

from django.conf import settings

from comments.store.table import ATTEMPTS
from dynapages.calls import Batches, Pool, in_chunks, instead_of_batches, size_of_batch
from dynapages.items import Item
from dynapages.process import client
from dynapages.writes import MOST_ACTIONS, Action, Contended, write_transaction

Name = tuple[str, str]
"""The partition key and the sort key of an item."""
Key = TypeVar("Key")
"""What names a source."""

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
        return Applied(
            records=self.records + other.records,
            comments=self.comments + other.comments,
            copies_put=self.copies_put + other.copies_put,
            copies_deleted=self.copies_deleted + other.copies_deleted,
        )


@dataclass(slots=True)
class DerivedWriter(ABC, Generic[Key]):
    """Writes the items of one table by batch calls, which wait out a throttled table."""

    table: ClassVar[str]
    key: ClassVar[tuple[str, str]] = ("pk", "sk")
    """The key attributes of the table."""
    batches: Batches

    @abstractmethod
    def read(self, keys: Collection[Key]) -> Mapping[Key, Item]:
        """Read sources strongly, those there are."""

    @abstractmethod
    def derive(self, sources: Mapping[Key, Item]) -> Mapping[Key, Iterable[Item]]:
        """Derive the items of sources."""

    def before_writing(self, writes: Iterable[Writes]) -> None:
        """Do what must be done before these writes; none are made where it raises."""

    def write_items(self, puts: Sequence[Item], deletes: Sequence[Item]) -> None:
        """Put items, and delete others by their keys.

        These are deleted first: a comment that moves is for a moment in too few lists, never twice.
        """
        self.batches.delete(self.table, deletes)
        self.batches.put(self.table, puts)

    def settle(
        self, named: Mapping[Key, Writes], known: Mapping[Key, Item] | None = None
    ) -> Applied:
        """Write the items of these sources as they are now.

        ``named`` has items that may have to be deleted; ``known`` are the sources as they were
        just written. Raises BatchIncomplete, and Contended when sources keep changing.
        """
        applied = Applied(comments=len(named))
        pending = dict(named)
        # A writer has just written them: one read less.
        sources = self.read(pending) if known is None else known
        for _ in range(ATTEMPTS):
            writes = self._writes(pending, sources)
            self.before_writing(writes.values())
            applied += self._write(writes)
            sources_before, sources = sources, self.read(pending)
            # What has changed meanwhile is derived again, and may leave what was just written.
            pending = {}
            for key, written in writes.items():
                if sources.get(key) != sources_before.get(key):
                    pending[key] = written
            if not pending:
                return applied
        raise Contended(f"{len(pending)} comments were changed by others at every attempt.")

    def _writes(
        self, pending: Mapping[Key, Writes], sources: Mapping[Key, Item]
    ) -> dict[Key, Writes]:
        """Return the writes that follow from sources, after those that are pending."""
        derived = self.derive({key: sources[key] for key in pending if key in sources})
        writes = {}
        for key, before in pending.items():
            items = self.by_name(derived.get(key, ()))
            writes[key] = before.then(Writes(items))
        return writes

    def by_name(self, items: Iterable[Item]) -> dict[Name, Item]:
        """Return items by their keys."""
        partition, sort = self.key
        return {(item[partition]["S"], item[sort]["S"]): item for item in items}

    def table_key(self, name: Name) -> Item:
        """Build a key as DynamoDB takes it."""
        partition, sort = self.key
        return {partition: {"S": name[0]}, sort: {"S": name[1]}}

    def _write(self, writes: Mapping[Key, Writes]) -> Applied:
        """Put and delete the items of sources by batches; return how many."""
        deletes: list[Item] = []
        puts: list[Item] = []
        for of_source in writes.values():
            deletes += [self.table_key(name) for name in of_source.deletes]
            puts += of_source.puts.values()
        self.write_items(puts, deletes)
        return Applied(copies_put=len(puts), copies_deleted=len(deletes))


def bulk_batches() -> Batches:
    """Return the batch calls that many items are written with."""
    # The embedded engine commits each item of a batch to the disk by itself.
    if settings.DYNAMODB_IS_AN_ENGINE:
        return TransactedPuts(client(), POOL)
    return Batches(client(), POOL)


class TransactedPuts(Batches):
    """Puts items in transactions, which an engine on disk commits at once; a batch item by item.

    Amazon DynamoDB would charge them twice: it is sent batches, and the meter knows that.
    """

    def put(self, table: str, items: Iterable[Item]) -> None:
        puts: list[Action] = [{"Put": {"TableName": table, "Item": item}} for item in items]
        chunks = in_chunks(puts, size_of_batch(MOST_ACTIONS))
        writes = [partial(write_transaction, self.client, chunk) for chunk in chunks]
        with instead_of_batches():
            self.pool.gather(writes)

    def put_and_delete(self, table: str, items: Iterable[Item], table_keys: Iterable[Item]) -> None:
        self.delete(table, table_keys)
        self.put(table, items)
