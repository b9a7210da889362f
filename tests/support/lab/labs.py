"""Small runs of the lab, and how to find figures in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from django.conf import settings
from django.test import override_settings

from dynapages.django.options import Progress
from dynapages.process import client
from lab.designs.measuring import Lab, open_lab
from lab.reports.results import RUN, Cost, Results, Row, rows

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


def pages(subject: Results, name: str, question: str) -> list[Cost]:
    """What the pages of a list cost a design, the first page first."""
    found = subject.where(reader=name, list=question).by("page").values()
    return [Cost(**{each: page.number(each) for each in Cost.__slots__}) for page in found]


def writes(subject: Results, name: str) -> list[Results]:
    """What each kind of write took in a design."""
    return list(subject.where(reader=name, page=None).by("list").values())


def made_figures(subject: str = "comments", design: str = "scan", *, turns: int = 3) -> Results:
    """Figures as a run would give them, with one design, one list and one write."""
    run = {
        "taken_at": "2026-11-20T13:05:00.000000Z",
        "engine": "dynoxide 1.2.1",
        "machine": "Measured on 2 cores with Django 5.2.",
        "warning": "Other work was running.",
        "page_size": 20,
        "turns": turns,
    }
    about = {"about": "5 stars, in any language: 1,234 of 4,321", "pages": 62}
    read = {"items": 20, **Cost(2, 4321, 138.5, 2048).metrics(), "latency_ms": 187.5}
    written = {"items_stored": 64, "bytes_stored": 31_515, "latency_ms": 1.5}
    written |= {**Cost(1, 0, 66, 111).metrics(), "consistent_ms": 313.8}
    return Results(
        (
            *rows(RUN, run),
            Row(subject, None, None, None, "data", "4,321 comments of nobody."),
            *rows(subject, about, list="popular"),
            *rows(subject, read, list="popular", page=1, reader=design),
            *rows(subject, written, list="a comment", reader=design),
        )
    )
