"""What reading costs: calls, items and capacity units, as the engine metered them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from dynamo.calls.meter import Call, metered

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls to DynamoDB, items they read (not only those they returned), and capacity units."""

    calls: int = 0
    items_read: int = 0
    capacity_units: float = 0.0

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Cost":
        made = list(calls)
        return cls(
            calls=len(made),
            items_read=sum(call.items_read for call in made),
            capacity_units=sum(call.capacity_units for call in made),
        )

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            calls=self.calls + other.calls,
            items_read=self.items_read + other.items_read,
            capacity_units=self.capacity_units + other.capacity_units,
        )


def cost_of(action: Callable[[], T]) -> tuple[T, dict[str, Cost]]:
    """Do something; give its result and what it cost, by the labels of its calls."""
    with metered() as meter:
        result = action()
    return result, {label: Cost.of(meter.labelled(label)) for label in meter.labels()}
