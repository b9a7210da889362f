"""Integrity: what is stored, compared with what it should be, and mended.

A check re-derives every key and recounts every counter from the items themselves. It reads whole
tables and is for commands, never for pages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynamo.items import Item

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it should be.

    ``subject`` names the item or counter; ``mend`` puts it right and tells whether it could, and
    is None where nothing can be derived to mend it from.
    """

    kind: str
    subject: str
    stored: str
    expected: str
    mend: Callable[[], bool] | None = None

    def as_dict(self) -> dict[str, str]:
        """Give what a report shows."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "stored": self.stored,
            "expected": self.expected,
        }


def every_item(client: "DynamoDBClient", table: str) -> Iterator[Item]:
    """Read a whole table, strongly: a Scan, at half a unit for each 2 KB of it."""
    start: dict[str, Any] = {}
    while True:
        answer = client.scan(TableName=table, ConsistentRead=True, **start)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
