"""The page ``/lab/``: the figures of the last run, each design's beside its description."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from dynamo.prices import prices
from dynamo.web.numbers import in_dollars
from lab.reports.descriptions import DESCRIPTIONS, Description
from lab.reports.design_figures import DesignFigures, LabFigures, Reading, SubjectFigures, Writing
from lab.reports.design_sections import anchor_of

LEAST_UNITS = 0.25
"""Capacity units of a bar without length: half of what the cheapest read costs."""
FULL = 100


@dataclass(frozen=True, slots=True)
class Amount:
    """Capacity units, the length of their bar, of 100, and what a million times cost."""

    units: float
    bar: int
    price: str


@dataclass(frozen=True, slots=True)
class DesignView:
    """A design, its description, and its figures.

    ``rows`` are its readings, each with the length of its bar, on the logarithmic scale of its
    subject. ``reads`` are the dearest page of each question, ``write`` is its first write.
    """

    anchor: str
    description: Description
    rows: tuple[tuple[Reading, int], ...]
    reads: tuple[Amount, ...]
    write: Amount | None
    writings: tuple[Writing, ...]


@dataclass(frozen=True, slots=True)
class SubjectView:
    """What was compared on the same data; ``action`` is what was written.

    ``least`` are the units of a bar without length, ``most`` those of one of full length.
    """

    anchor: str
    heading: str
    question: str
    data: str
    questions: Mapping[str, str]
    designs: tuple[DesignView, ...]
    action: str
    most: float
    least: float = LEAST_UNITS


def subjects_of(figures: LabFigures) -> list[SubjectView]:
    """Prepare figures for the page; subjects that have no description are left out."""
    return [_subject(one) for one in figures.subjects if _is_described(one)]


def _is_described(subject: SubjectFigures) -> bool:
    described = DESCRIPTIONS.get(subject.name)
    return described is not None and all(one.name in described.designs for one in subject.designs)


def _subject(subject: SubjectFigures) -> SubjectView:
    described = DESCRIPTIONS[subject.name]
    costs = [
        cost
        for design in subject.designs
        for cost in (*(r.cost for r in design.readings), *(w.cost for w in design.writings))
    ]
    most = max(cost.capacity_units for cost in costs)
    return SubjectView(
        anchor=anchor_of(subject.name),
        heading=described.heading,
        question=described.question,
        data=subject.data,
        questions=subject.questions,
        designs=tuple(_design(design, subject, most=most) for design in subject.designs),
        action=next((w.action for design in subject.designs for w in design.writings), ""),
        most=most,
    )


def _design(design: DesignFigures, subject: SubjectFigures, *, most: float) -> DesignView:
    return DesignView(
        anchor=f"{anchor_of(subject.name)}-{anchor_of(design.name)}",
        description=DESCRIPTIONS[subject.name].designs[design.name],
        rows=tuple((r, _bar(r.cost.capacity_units, most=most)) for r in design.readings),
        reads=tuple(
            _amount(_dearest(design, question), prices().reads, most=most)
            for question in subject.questions
        ),
        write=next(
            (
                _amount(writing.cost.capacity_units, prices().writes, most=most)
                for writing in design.writings
            ),
            None,
        ),
        writings=design.writings,
    )


def _dearest(design: DesignFigures, question: str) -> float:
    units = (r.cost.capacity_units for r in design.readings if r.question == question)
    return max(units, default=0.0)


def _amount(units: float, price: Callable[[float], float], *, most: float) -> Amount:
    return Amount(units, _bar(units, most=most), in_dollars(price(units)))


def _bar(units: float, *, most: float) -> int:
    if units <= LEAST_UNITS or most <= LEAST_UNITS:
        return 0
    return round(FULL * log(units / LEAST_UNITS) / log(most / LEAST_UNITS))
