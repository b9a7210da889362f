"""What ``manage.py compare`` found, as data: its tables, plots and page are made of this.

Its words are English: the page translates the names of questions and writes when it shows them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from lab.reports.figures import Cost


@dataclass(frozen=True, slots=True)
class Reading:
    """One page of the answer to one question; ``latency_ms`` is the median of some turns."""

    question: str
    page: int
    pages: int
    items: int
    cost: Cost
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Writing:
    """One write, as the mean of some.

    ``items_stored`` are items of the table and entries of its indexes, ``bytes_stored`` what they
    are billed for. ``latency_ms`` is the time of the write alone, ``consistent_ms`` that from its
    beginning until all lists had it. Both are medians.
    """

    action: str
    cost: Cost
    items_stored: float
    bytes_stored: float
    latency_ms: float
    consistent_ms: float


@dataclass(frozen=True, slots=True)
class DesignFigures:
    """One design: its reads and its writes."""

    name: str
    readings: tuple[Reading, ...]
    writings: tuple[Writing, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectFigures:
    """What was compared on the same data, which ``data`` describes in a sentence.

    ``questions`` describes each question by its name.
    """

    name: str
    data: str
    questions: Mapping[str, str]
    designs: tuple[DesignFigures, ...]


@dataclass(frozen=True, slots=True)
class LabFigures:
    """Everything a run found. ``taken_at`` is a UTC moment; ``turns`` is how often it was timed.

    ``warning`` is empty where nothing distorted the times.
    """

    taken_at: str
    engine: str
    machine: str
    warning: str
    page_size: int
    turns: int
    subjects: tuple[SubjectFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as ``compare --json`` prints them."""
        return asdict(self)

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Self:
        """Read what `as_dict` returned. Raises KeyError or TypeError for anything else."""
        return cls(**{**found, "subjects": tuple(map(_subject, found["subjects"]))})


def _subject(found: Mapping[str, Any]) -> SubjectFigures:
    return SubjectFigures(**{**found, "designs": tuple(map(_design, found["designs"]))})


def _design(found: Mapping[str, Any]) -> DesignFigures:
    return DesignFigures(
        name=found["name"],
        readings=tuple(Reading(**_with_cost(each)) for each in found["readings"]),
        writings=tuple(Writing(**_with_cost(each)) for each in found["writings"]),
    )


def _with_cost(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "cost": Cost(**found["cost"])}
