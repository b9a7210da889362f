"""What calls cost, taken from the engine's answers as they arrive."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lab.reports.figures import Cost


@dataclass(slots=True)
class Tally:
    """The calls of one block."""

    calls: list[Cost] = field(default_factory=list)

    @property
    def cost(self) -> Cost:
        return sum(self.calls, Cost())


class Traffic:
    """Counts a client's calls of all threads: `count` handles its ``after-call`` events.

    The client must be metered (see `dynamo.calls.meter`), which is what asks for capacity units.
    """

    def __init__(self) -> None:
        self._tally: Tally | None = None

    @contextmanager
    def counted(self) -> Iterator[Tally]:
        """Count the calls of a block, without those of a block inside it."""
        before, self._tally = self._tally, Tally()
        try:
            yield self._tally
        finally:
            self._tally = before

    def count(self, http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - botocore's
        """Add the cost of an answered call to the tally of the innermost block."""
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
