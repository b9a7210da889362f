"""Integrity: compare what is stored with what it should be, and repair it.

A check derives every key and recounts every counter from the items themselves. It reads whole
tables: for commands, never for a page.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dynamo.items import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Difference:
    """A stored value that differs from the expected one.

    ``subject`` names the item or counter. ``mend`` repairs it and returns whether it did, False
    when it changed meanwhile; it is None where the expected value cannot be derived. A busy one
    kept changing while it was compared, and may be as it should be. With ``is_hint`` nothing is
    wrong: the stored value only costs more than it need.
    """

    kind: str
    subject: str
    stored: str
    expected: str
    mend: Callable[[], bool] | None = field(default=None, compare=False)
    is_busy: bool = False
    is_hint: bool = False

    @classmethod
    def busy(cls, kind: str, subject: str) -> "Difference":
        """Build the difference of what kept changing."""
        return cls(kind, subject, "changing", "at rest", is_busy=True)

    def as_dict(self) -> dict[str, str]:
        """Return the fields of a report."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "stored": self.stored,
            "expected": self.expected,
        }


def every_item(client: "DynamoDBClient", table: str) -> Iterator[Item]:
    """Yield all items of a table by a strong Scan, at one capacity unit for each 4 KB."""
    start: dict[str, Any] = {}
    while True:
        answer = client.scan(TableName=table, ConsistentRead=True, **start)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
