"""Small runs of the lab, and how to find figures in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from django.conf import settings
from django.test import override_settings

from dynamo.calls.client import client
from dynamo.progress import Progress
from lab.designs.tables import Lab, open_lab
from lab.reports.design_figures import DesignFigures, LabFigures, Reading, SubjectFigures, Writing
from lab.reports.figures import Cost

NOW = datetime(2026, 11, 20, tzinfo=UTC)
PAGE_SIZE = 5


@contextmanager
def small_lab(*, turns: int = 1) -> Iterator[Lab]:
    with open_lab(progress=Progress(shown=False), page_size=PAGE_SIZE, turns=turns) as lab:
        yield lab


@contextmanager
def small_pages() -> Iterator[None]:
    with override_settings(PAGE_SIZE=PAGE_SIZE):
        yield


def lab_tables() -> list[str]:
    """The tables of labs that are there now."""
    pages = client().get_paginator("list_tables").paginate()
    prefix = f"{settings.DYNAMODB_TABLE_PREFIX}lab-"
    return [name for page in pages for name in page["TableNames"] if name.startswith(prefix)]


def design(subject: SubjectFigures, name: str) -> DesignFigures:
    (found,) = (one for one in subject.designs if one.name == name)
    return found


def pages(subject: SubjectFigures, name: str, question: str) -> list[Cost]:
    """What the pages of a list cost a design, the first page first."""
    return [r.cost for r in design(subject, name).readings if r.question == question]


def made_figures(subject: str = "comments", design: str = "scan") -> LabFigures:
    """Figures as a run would give them, with one design, one list and one write."""
    cost = Cost(requests=2, items_read=4321, capacity_units=138.5, response_bytes=2048)
    return LabFigures(
        taken_at="2026-11-20T13:05:00.000000Z",
        engine="dynoxide 1.2.1",
        machine="Measured on 2 cores with Django 5.2.",
        warning="Other work was running.",
        page_size=20,
        turns=3,
        subjects=(
            SubjectFigures(
                name=subject,
                data="4,321 comments of nobody.",
                questions={"popular": "5 stars, in any language: 1,234 of 4,321"},
                designs=(
                    DesignFigures(
                        name=design,
                        readings=(Reading("popular", 1, 62, 20, cost, 187.5),),
                        writings=(
                            Writing("a comment", Cost(1, 0, 66, 111), 64, 31_515, 1.5, 313.8),
                        ),
                    ),
                ),
            ),
        ),
    )
