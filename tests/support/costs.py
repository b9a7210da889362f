"""What a page or a form costs, as tables in the documents say it."""

from dataclasses import dataclass

from dynapages.calls import Meter


@dataclass(frozen=True)
class Costs:
    """Calls, serial rounds and capacity units."""

    calls: int
    rounds: int
    units: float

    @classmethod
    def of(cls, meter: Meter) -> "Costs":
        return cls(meter.calls, meter.rounds, meter.units)
