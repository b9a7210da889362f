"""From a record of the stream of ``comment_sets`` to the writes it asks for: pure.

A record of a primary item asks for its new copies and for the end of those of its old image that
the new ones do not replace. A record of a copy asks for nothing: ``auto`` marks what was written
in answer to a record, else every answer would be asked about in turn.

Follows "Building the table" of part 1 of "Efficient filtering with DynamoDB".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from comments.sets.copies import copies_of, is_primary
from dynamo.runs import Item
from dynamo.streams import Record

Name = tuple[str, str]
"""The partition key and the sort key of an item of ``comment_sets``."""


@dataclass(frozen=True, slots=True)
class SetWrites:
    """Items to put and keys to delete, none of them in both."""

    puts: Mapping[Name, Item] = field(default_factory=dict)
    deletes: frozenset[Name] = frozenset()

    @classmethod
    def between(cls, before: Item | None, after: Item | None) -> "SetWrites":
        """Give what turns the copies of one primary item into those of another."""
        puts = {name_of(copy): copy for copy in (copies_of(after) if after else ())}
        old = {name_of(copy) for copy in (copies_of(before) if before else ())}
        return cls(puts, frozenset(old - puts.keys()))

    def then(self, later: "SetWrites") -> "SetWrites":
        """Give the writes that leave what these and then ``later`` leave, all of one comment."""
        gone = self.deletes | self.puts.keys() | later.deletes
        return SetWrites(later.puts, frozenset(gone - later.puts.keys()))


def writes_for(record: Record) -> SetWrites:
    """Give what a record asks for; nothing, if it is a copy's."""
    change = record["dynamodb"]
    images = [change.get("OldImage"), change.get("NewImage")]
    if not all(is_primary(image) for image in images if image):
        return SetWrites()
    return SetWrites.between(*images)


def writes_by_primary(records: Iterable[Record]) -> dict[Name, SetWrites]:
    """Give what the records of each primary item ask for together, applied in their order."""
    asked: dict[Name, list[SetWrites]] = {}
    for record in records:
        if is_primary(record["dynamodb"]["Keys"]):
            asked.setdefault(name_of(record["dynamodb"]["Keys"]), []).append(writes_for(record))
    return {name: reduce(SetWrites.then, writes) for name, writes in asked.items()}


def name_of(item: Item) -> Name:
    """Give an item's key as a plain value."""
    return item["pk"]["S"], item["sk"]["S"]


def key_of(name: Name) -> Item:
    """Spell a name as the key of a request."""
    return {"pk": {"S": name[0]}, "sk": {"S": name[1]}}
