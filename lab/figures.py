"""The figures of a comparison of designs; those of one run stand in the documentation, as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

DOCUMENTS = Path(__file__).parents[1] / "docs"
PUBLISHED_FILE = Path("lab", "figures.json")
"""Below the folder of the documentation."""
BILLED_OVERHEAD = 100
"""Bytes billed for each stored item and index entry in addition to its own."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one page of a list cost: calls to DynamoDB, items read, capacity units.

    ``items_read`` counts those that a FilterExpression dropped, too.
    """

    question: str
    page: int
    requests: int
    items_read: int
    capacity_units: float


@dataclass(frozen=True, slots=True)
class Writing:
    """What one kind of write cost, and stored in the table and its indexes, on average."""

    action: str
    requests: float
    capacity_units: float
    items_stored: float
    bytes_stored: float


@dataclass(frozen=True, slots=True)
class DesignFigures:
    """What a design's reads and writes cost."""

    name: str
    readings: tuple[Reading, ...]
    writings: tuple[Writing, ...]

    def dearest_reading(self) -> Reading:
        """Return the reading of the page that took the most capacity units."""
        return max(self.readings, key=_capacity_units)

    def of_question(self, question: str) -> list[Reading]:
        """Return the readings of a list's pages, the first page first."""
        return [reading for reading in self.readings if reading.question == question]


def _capacity_units(reading: Reading) -> float:
    return reading.capacity_units


@dataclass(frozen=True, slots=True)
class Question:
    """A list that each design was asked for: what is in it, and its number of pages."""

    name: str
    about: str
    pages: int


@dataclass(frozen=True, slots=True)
class SubjectFigures:
    """The designs of a subject, measured on the same data, which ``data`` describes."""

    name: str
    data: str
    questions: tuple[Question, ...]
    designs: tuple[DesignFigures, ...]

    def design(self, name: str) -> DesignFigures:
        """Return the figures of a design. Raises KeyError for another name."""
        for design in self.designs:
            if design.name == name:
                return design
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a run: when and on which engine it was made, and the items of a page."""

    taken_at: str
    engine: str
    page_size: int
    subjects: tuple[SubjectFigures, ...]

    def subject(self, name: str) -> SubjectFigures:
        """Return the figures of a subject. Raises KeyError for another name."""
        for subject in self.subjects:
            if subject.name == name:
                return subject
        raise KeyError(name)

    def as_json(self) -> str:
        """Return all figures as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` wrote. Raises ValueError, TypeError or KeyError for other JSON."""
        document: dict[str, Any] = json.loads(text)
        document["subjects"] = tuple(_subject(subject) for subject in document["subjects"])
        return cls(**document)


def _subject(document: dict[str, Any]) -> SubjectFigures:
    questions = tuple(Question(**question) for question in document["questions"])
    designs = tuple(_designs(document["designs"]))
    return SubjectFigures(document["name"], document["data"], questions, designs)


def _designs(documents: Sequence[dict[str, Any]]) -> Iterator[DesignFigures]:
    for document in documents:
        readings = tuple(Reading(**reading) for reading in document["readings"])
        writings = tuple(Writing(**writing) for writing in document["writings"])
        yield DesignFigures(document["name"], readings, writings)


@cache
def find_published() -> Figures | None:
    """Return the figures of the documentation; None where the site runs without it."""
    # An image may have been built without the documentation.
    path = DOCUMENTS / PUBLISHED_FILE
    if not path.exists():
        return None
    return Figures.from_json(path.read_text(encoding="utf-8"))
