"""The figures of an open-loop load."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

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


def mean_of(turns: Sequence[RateFigures]) -> RateFigures:
    """Return the figures of several turns of the same length as those of one."""
    return RateFigures(
        capacity=fmean(turn.capacity for turn in turns),
        offered=fmean(turn.offered for turn in turns),
        seconds=sum(turn.seconds for turn in turns),
        answered=tuple(answer for turn in turns for answer in turn.answered),
        refused=sum(turn.refused for turn in turns),
        lost=sum(turn.lost for turn in turns),
        health=tuple(check for turn in turns for check in turn.health),
    )


@dataclass(frozen=True, slots=True)
class SignInFigures:
    """Clients that sign in as often as they are let, half of them by wrong names, beside readers.

    ``sign_ins`` were answered, whether right or wrong, ``pages`` with 200, each within so many
    seconds. ``possible`` is how many passwords a second ``cores`` hashed beside the same readers.
    """

    clients: int
    readers: int
    seconds: float
    cores: int
    possible: float
    sign_ins: tuple[float, ...]
    sign_ins_refused: int
    pages: tuple[float, ...]
    pages_refused: int
    lost: int

    @property
    def answered(self) -> float:
        """Sign-ins that were answered, a second."""
        return len(self.sign_ins) / self.seconds

    @property
    def refused_pages_of_100(self) -> float:
        """Pages in 100 that were answered 503."""
        return 100 * self.pages_refused / max(len(self.pages) + self.pages_refused, 1)


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """All rates, of so many processes, each of which works on so many pages at once."""

    workers: int
    pages_at_once: int
    rates: tuple[RateFigures, ...]
    sign_ins: SignInFigures
