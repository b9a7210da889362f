"""The writes that a record of the stream of ``comment_sets`` asks for.

A record of a primary item asks for its new copies, and for the deletion of those of its old image
that the new ones do not replace. A record of a copy asks for nothing: without the mark ``auto``
every copy would be copied in turn.

Follows "Building the table" of part 1 of "Efficient filtering with DynamoDB".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from comments.sets.copies import copies_of, is_nameable, is_primary
from dynamo.errors import DynamoError
from dynamo.items import Item, table_key
from dynamo.streams.walk import Record

Name = tuple[str, str]
"""The partition key and the sort key of an item of ``comment_sets``."""

_IMAGES = {"INSERT": ("NewImage",), "MODIFY": ("OldImage", "NewImage"), "REMOVE": ("OldImage",)}
"""What a record must tell, by the name of its event."""


class UnreadableRecord(DynamoError):
    """A record lacks its key or an image: it is of another stream, or of another view type."""

    def __init__(self) -> None:
        super().__init__(
            "A record lacks the key or an image of its item: the stream of comment_sets must be "
            "NEW_AND_OLD_IMAGES, as “manage.py create_tables” sets it up."
        )


@dataclass(frozen=True, slots=True)
class SetWrites:
    """Items to put and keys to delete, none of them in both."""

    puts: Mapping[Name, Item] = field(default_factory=dict)
    deletes: frozenset[Name] = frozenset()

    @classmethod
    def between(cls, before: Item | None, after: Item | None) -> "SetWrites":
        """Return the writes that turn the copies of one primary item into those of another."""
        puts = {name_of(copy): copy for copy in _copies(after)}
        old = {name_of(copy) for copy in _copies(before)}
        return cls(puts, frozenset(old - puts.keys()))

    def then(self, later: "SetWrites") -> "SetWrites":
        """Return the writes with the same result as these followed by ``later``, of one comment."""
        gone = self.deletes | self.puts.keys() | later.deletes
        return SetWrites(later.puts, frozenset(gone - later.puts.keys()))


def writes_for(record: Record) -> SetWrites:
    """Return the writes a record asks for; none for that of a copy. Raises UnreadableRecord."""
    if not is_primary(_key_in(record)):
        return SetWrites()
    change = record["dynamodb"]
    if any(image not in change for image in _IMAGES[record["eventName"]]):
        raise UnreadableRecord
    return SetWrites.between(change.get("OldImage"), change.get("NewImage"))


def writes_by_primary(records: Iterable[Record]) -> dict[Name, SetWrites]:
    """Return the writes of the records of each primary item together, applied in their order.

    Raises UnreadableRecord.
    """
    asked: dict[Name, list[SetWrites]] = {}
    for record in records:
        key = _key_in(record)
        if is_primary(key):
            asked.setdefault(name_of(key), []).append(writes_for(record))
    return {name: reduce(SetWrites.then, writes) for name, writes in asked.items()}


def name_of(item: Item) -> Name:
    """Return an item's key as a plain value."""
    return item["pk"]["S"], item["sk"]["S"]


def key_of(name: Name) -> Item:
    """Build the key of a request from a name."""
    return table_key(*name)


def _key_in(record: Record) -> Item:
    key: Item | None = record.get("dynamodb", {}).get("Keys")
    if key is None or record.get("eventName") not in _IMAGES:
        raise UnreadableRecord
    return key


def _copies(primary: Item | None) -> list[Item]:
    return copies_of(primary) if primary and is_nameable(primary) else []
