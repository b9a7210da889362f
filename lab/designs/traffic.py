"""What calls cost, taken from the engine's answers as they arrive."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lab.reports.figures import Cost


class Traffic:
    """Counts a client's calls of all threads: `count` handles its ``after-call`` events.

    The client must be metered (see `dynamo.calls.meter`), which is what asks for capacity units.
    """

    def __init__(self) -> None:
        self._costs: list[Cost] | None = None

    @contextmanager
    def counted(self) -> Iterator[list[Cost]]:
        """Yield a list that gets the cost of each call of a block, but of blocks inside it."""
        before, self._costs = self._costs, []
        try:
            yield self._costs
        finally:
            self._costs = before

    def count(self, http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - botocore's
        """Add the cost of an answered call to the list of the innermost block."""
        if self._costs is not None:
            size = len(http_response.content)
            self._costs.append(Cost(1, _items_in(parsed), _units_in(parsed), size))


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
