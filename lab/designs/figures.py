"""What a run found, as data: tables, plots and the page are made of this."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Cost:
    """What was asked of DynamoDB, and what it answered with.

    ``items_read`` are those it read, not only those it returned; ``response_bytes`` are those of
    the answers' bodies. Of several, the figures may be means.
    """

    requests: float = 0
    items_read: float = 0
    capacity_units: float = 0.0
    response_bytes: float = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.requests + other.requests,
            self.items_read + other.items_read,
            self.capacity_units + other.capacity_units,
            self.response_bytes + other.response_bytes,
        )

    @classmethod
    def mean(cls, costs: Sequence[Self]) -> Self:
        """Give the mean of at least one."""
        return cls(
            *(
                round(fmean(values), 2)
                for values in zip(*(asdict(cost).values() for cost in costs), strict=True)
            )
        )


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
    are billed for. ``consistent_ms`` is the time until all lists had it, from before the write;
    ``latency_ms`` is that of the write alone. Both are medians.
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
    """What was compared on the same data: ``data`` says in a sentence what that was.

    ``questions`` tells what stands behind the name of each question.
    """

    name: str
    data: str
    questions: Mapping[str, str]
    designs: tuple[DesignFigures, ...]


@dataclass(frozen=True, slots=True)
class LabFigures:
    """Everything a run found. ``taken_at`` is a UTC moment; ``turns`` is how often it was timed.

    ``warning`` says that the times are worth little, and is empty where they are not.
    """

    taken_at: str
    engine: str
    machine: str
    warning: str
    page_size: int
    turns: int
    subjects: tuple[SubjectFigures, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give the figures as ``compare --json`` prints them."""
        return asdict(self)

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Self:
        """Read what `as_dict` gave. Raises KeyError or TypeError for anything else."""
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
