"""The figures of a storm."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DONE, REFUSED, FAILED, AWAY = "done", "refused", "failed", "away"
"""What clients were told: ``away`` is a 503, or no answer at all."""
WRONGLY_REFUSED = "wrongly refused"


@dataclass(frozen=True, slots=True)
class StormOptions:
    """How long, in seconds, how many calls of a hundred meet a fault, and what is killed."""

    seconds: float
    rate: float
    clients: int = 12
    kill: Sequence[str] = ()
    seed: int = 1


@dataclass(frozen=True, slots=True)
class StormFigures:
    """What a storm found.

    ``wrong`` is what is stored otherwise than it was told, ``tracebacks`` are the exceptions that
    the site logged.
    """

    options: StormOptions
    outcomes: Counter[tuple[str, str]]
    slowest: dict[str, float]
    faults: Counter[tuple[str, str]]
    kills: Counter[str]
    wrong: tuple[str, ...]
    tracebacks: tuple[str, ...]
    differences: tuple[str, ...]
