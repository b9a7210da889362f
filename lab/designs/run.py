"""One run of ``manage.py compare``: from the data to the figures, and the report of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.conf import settings

from dynapages.django.options import Progress
from dynapages.lists import timestamp
from dynapages.process import connected
from lab.bench.data import OrderData
from lab.bench.engines import engine_version, local_connection, require_binary, running_engine
from lab.designs.comments import compare_comments, load_product, load_sample
from lab.designs.long_texts import compare_long_texts
from lab.designs.orders import Orders, compare_customer_orders, compare_open_orders
from lab.figures import PUBLISHED_FILE, Figures, SubjectFigures
from lab.page import describe_subjects
from lab.report import Section, Table, replace_section

ORDERS = OrderData(of_customer=2_000, queued=2_000)
CALL_SECONDS = 120.0
"""What one call may take: a Scan reads a megabyte, a batch writes 25 items."""
COMMAND = "compare"


def compare(*, comments: int, product_id: str | None, now: datetime, progress: Progress) -> Figures:
    """Compare the designs of all subjects in an engine of the lab's own, in memory.

    That is on at most so many ``comments``, of a product of the site or else of the sample shop.
    Raises EngineError, NoComments, WrongAnswer, NeverConsistent, and what calls to DynamoDB raise.
    """
    if product_id is None:
        compared = load_sample(comments, now=now)
    else:
        compared = load_product(product_id, at_most=comments)
    size = settings.PAGE_SIZE
    # Before this process is connected to the lab's engine: the comments may be the site's.
    orders = Orders.make(ORDERS)
    with _own_engine():
        subjects = (
            compare_comments(compared, page_size=size, progress=progress),
            compare_customer_orders(orders, page_size=size, progress=progress),
            compare_open_orders(orders, page_size=size, progress=progress),
            compare_long_texts(page_size=size, progress=progress),
        )
    engine = f"{engine_version(require_binary())} in memory"
    return Figures(timestamp(now), engine, size, subjects)


@contextmanager
def _own_engine() -> Iterator[None]:
    """Connect this process to a new engine, so that a slow answer is waited for."""
    with (
        running_engine() as url,
        connected(replace(local_connection(url), read_seconds=CALL_SECONDS)),
    ):
        yield


# The report.


def heading_of(figures: Figures) -> str:
    """Return a sentence on when and on what the figures were taken."""
    day, time = figures.taken_at[:10], figures.taken_at[11:16]
    return f"Taken on {day} at {time} UTC, with {figures.engine}."


def report_of(figures: Figures) -> str:
    """Return all figures as Markdown."""
    sections = [subject_section(subject, figures).text() for subject in figures.subjects]
    return "\n\n".join([heading_of(figures), *sections])


def write_documents(figures: Figures, folder: Path) -> list[Path]:
    """Bring the figures in a folder of documents, and their date in ``lab.md``, up to date.

    Return the files. From the figures ``make readme`` writes the prices in ``designs/``.
    """
    page = folder / "lab.md"
    replace_section(page, "run", heading_of(figures), command=COMMAND)
    published = folder / PUBLISHED_FILE
    published.write_text(f"{figures.as_json()}\n", encoding="utf-8")
    return [page, published]


def subject_section(subject: SubjectFigures, figures: Figures) -> Section:
    """Build the section about a subject."""
    described = describe_subjects()[subject.name]
    paragraphs = [described.question, subject.data]
    paragraphs += [f"*{question.name}*: {question.about}." for question in subject.questions]
    return Section(
        described.heading, paragraphs, [_reads_table(subject, figures), _writes_table(subject)]
    )


def _reads_table(subject: SubjectFigures, figures: Figures) -> Table:
    rows = []
    for design in subject.designs:
        for question in subject.questions:
            readings = design.of_question(question.name)
            most_read = max(reading.items_read for reading in readings)
            first, last = readings[0].capacity_units, readings[-1].capacity_units
            rows.append((design.name, question.name, first, last, most_read))
    return Table(
        f"Capacity units of a page of {figures.page_size}, and the most items read for one",
        ("design", "list", "first page", "last page", "read"),
        rows,
    )


def _writes_table(subject: SubjectFigures) -> Table:
    rows = []
    for design in subject.designs:
        for writing in design.writings:
            stored = writing.items_stored, writing.bytes_stored
            rows.append((design.name, writing.action, writing.capacity_units, *stored))
    return Table(
        "Writing, on average",
        ("design", "write", "units", "items stored", "bytes stored"),
        rows,
    )
