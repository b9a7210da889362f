"""The figures of an open-loop load."""

from dataclasses import dataclass
from statistics import median

from lab.reports.figures import percentile_95


@dataclass(frozen=True, slots=True)
class RateFigures:
    """One rate: ``offered`` requests a second, and seconds until each of their answers.

    ``capacity`` is how many pages a second clients got just before that wait for their answers.
    """

    capacity: float
    offered: float
    seconds: float
    answered: tuple[float, ...]
    refused: int
    lost: int
    health: tuple[float, ...]

    @property
    def goodput(self) -> float:
        """Pages answered with 200, a second."""
        return len(self.answered) / self.seconds

    @property
    def median(self) -> float:
        """Of the answers with 200, in seconds."""
        return median(self.answered) if self.answered else 0.0

    @property
    def p95(self) -> float:
        """The 95th percentile of the answers with 200, in seconds."""
        return percentile_95(self.answered) if self.answered else 0.0


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """All rates, of so many processes, each of which works on so many pages at once."""

    workers: int
    pages_at_once: int
    rates: tuple[RateFigures, ...]
