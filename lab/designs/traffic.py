"""Traffic: what passes between this process and DynamoDB, counted as it is answered."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lab.designs.figures import Cost

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_EVENT = "after-call.dynamodb.*"


@dataclass(slots=True)
class Tally:
    """The calls of one block."""

    calls: list[Cost] = field(default_factory=list)

    @property
    def cost(self) -> Cost:
        return sum(self.calls, Cost())


class Traffic:
    """Counts the calls of a client, whichever thread makes them.

    The client must be metered (see `dynamo.calls.meter`), which is what asks for capacity units.
    """

    def __init__(self, client: "DynamoDBClient") -> None:
        self._events = client.meta.events
        self._tally: Tally | None = None

    def attach(self) -> None:
        """See all calls from now on."""
        self._events.register(_EVENT, self._count)

    def detach(self) -> None:
        """See none any more."""
        self._events.unregister(_EVENT, self._count)

    @contextmanager
    def counted(self) -> Iterator[Tally]:
        """Count the calls of a block, without those of a block inside it."""
        before, self._tally = self._tally, Tally()
        try:
            yield self._tally
        finally:
            self._tally = before

    def _count(self, http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - botocore's
        if self._tally is not None:
            self._tally.calls.append(
                Cost(1, _items_in(parsed), _units_in(parsed), len(http_response.content))
            )


def _items_in(answer: Mapping[str, Any]) -> int:
    if "ScannedCount" in answer:
        return int(answer["ScannedCount"])
    found = answer.get("Responses", {})
    if isinstance(found, Mapping):
        return sum(map(len, found.values())) + ("Item" in answer)
    return len(found)


def _units_in(answer: Mapping[str, Any]) -> float:
    consumed = answer.get("ConsumedCapacity", [])
    tables = consumed if isinstance(consumed, list) else [consumed]
    return float(sum(table["CapacityUnits"] for table in tables))
