"""Small comparisons of the lab, and figures as a run would give them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from dynapages.django.options import Progress
from dynapages.process import connected
from lab.bench.engines import local_connection, running_engine
from lab.figures import DesignFigures, Figures, Question, Reading, SubjectFigures, Writing

NOW = datetime(2026, 11, 20, tzinfo=UTC)
PAGE_SIZE = 5
QUIET = Progress(shown=False)


@contextmanager
def lab_engine() -> Iterator[None]:
    """An engine of the lab's own, which this process is connected to."""
    with running_engine() as url, connected(local_connection(url)):
        yield


def pages(subject: SubjectFigures, design: str, question: str) -> list[Reading]:
    """What the pages of a list cost a design, the first page first."""
    return subject.design(design).of_question(question)


def made_design(name: str = "scan", *, units: float = 138.5, items_read: int = 4_321):
    reading = Reading("popular", 1, requests=2, items_read=items_read, capacity_units=units)
    writing = Writing("a comment", 1, 66, items_stored=64, bytes_stored=31_515)
    return DesignFigures(name, (reading,), (writing,))


def made_figures(*designs: DesignFigures) -> Figures:
    """The figures of comments, with one list and one write; of one design unless some are given."""
    subject = SubjectFigures(
        "comments",
        "4,321 comments of nobody.",
        (Question("popular", "5 stars, in any language: 1,234 of 4,321", 62),),
        designs or (made_design(),),
    )
    return Figures("2026-11-20T13:05:00.000000Z", "dynoxide 1.2.1", 20, (subject,))
