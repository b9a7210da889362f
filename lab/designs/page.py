"""The page ``/lab/``: the figures of the last run, each design's beside what it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log

from dynamo.lists.places import parse_timestamp
from lab.designs.descriptions import DESCRIPTIONS, Description
from lab.designs.figures import DesignFigures, LabFigures, Reading, SubjectFigures, Writing

LEAST_UNITS = 0.25
"""Capacity units of a bar without length: half of what the cheapest read costs."""
FULL = 100


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A page that was read; ``bar`` is the length of its bar, of 100, on a logarithmic scale."""

    reading: Reading
    bar: int
    is_first_of_question: bool


@dataclass(frozen=True, slots=True)
class GlanceRow:
    """A design in one row: the units of the dearest page of each list, and what a write takes."""

    title: str
    anchor: str
    units: tuple[float, ...]
    write: Writing | None


@dataclass(frozen=True, slots=True)
class DesignView:
    """A design, its three sentences, and its figures."""

    anchor: str
    description: Description
    rows: tuple[ReadRow, ...]
    writings: tuple[Writing, ...]


@dataclass(frozen=True, slots=True)
class SubjectView:
    """What was compared on the same data."""

    anchor: str
    heading: str
    question: str
    data: str
    questions: tuple[tuple[str, str], ...]
    glance: tuple[GlanceRow, ...]
    designs: tuple[DesignView, ...]
    action: str


@dataclass(frozen=True, slots=True)
class LabView:
    """All of the page."""

    figures: LabFigures
    taken: datetime
    subjects: tuple[SubjectView, ...]


def lab_view(figures: LabFigures) -> LabView:
    """Prepare figures for the page; what this version cannot describe is left out."""
    return LabView(
        figures=figures,
        taken=parse_timestamp(figures.taken_at),
        subjects=tuple(_subject(one) for one in figures.subjects if _is_described(one)),
    )


def _is_described(subject: SubjectFigures) -> bool:
    described = DESCRIPTIONS.get(subject.name)
    return described is not None and all(one.name in described.designs for one in subject.designs)


def _subject(subject: SubjectFigures) -> SubjectView:
    described = DESCRIPTIONS[subject.name]
    anchor = _anchor(subject.name)
    most = max(r.cost.capacity_units for design in subject.designs for r in design.readings)
    written = next((w.action for design in subject.designs for w in design.writings), "")
    return SubjectView(
        anchor=anchor,
        heading=described.heading,
        question=described.question,
        data=subject.data,
        questions=tuple(subject.questions.items()),
        glance=tuple(_glance(one, subject, anchor=anchor) for one in subject.designs),
        designs=tuple(
            DesignView(
                anchor=f"{anchor}-{_anchor(one.name)}",
                description=described.designs[one.name],
                rows=tuple(_rows(one.readings, most=most)),
                writings=one.writings,
            )
            for one in subject.designs
        ),
        action=written,
    )


def _glance(design: DesignFigures, subject: SubjectFigures, *, anchor: str) -> GlanceRow:
    return GlanceRow(
        title=DESCRIPTIONS[subject.name].designs[design.name].title,
        anchor=f"{anchor}-{_anchor(design.name)}",
        units=tuple(
            max(
                (r.cost.capacity_units for r in design.readings if r.question == question),
                default=0.0,
            )
            for question in subject.questions
        ),
        write=design.writings[0] if design.writings else None,
    )


def _rows(readings: Sequence[Reading], *, most: float) -> list[ReadRow]:
    questions = [None, *(reading.question for reading in readings)]
    return [
        ReadRow(
            reading=reading,
            bar=_length(reading.cost.capacity_units, most=most),
            is_first_of_question=reading.question != before,
        )
        for before, reading in zip(questions, readings, strict=False)
    ]


def _length(units: float, *, most: float) -> int:
    if units <= LEAST_UNITS or most <= LEAST_UNITS:
        return 0
    return round(FULL * log(units / LEAST_UNITS) / log(most / LEAST_UNITS))


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
