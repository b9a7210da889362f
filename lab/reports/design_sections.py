"""The report of ``manage.py compare``: a section for each subject, and prices of the designs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from dynamo.prices import dollars, prices
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.design_figures import DesignFigures, LabFigures, Reading, SubjectFigures, Writing
from lab.reports.documents import begin_mark, replace_section, write_sections
from lab.reports.figures import medians_of
from lab.reports.storage import publish
from lab.reports.tables import Plot, Section, Table

COMMAND = "compare"
PRICE = "price"
READS = ("design", "list", "page", "requests", "read", "units", "$ a million", "KB", "ms")
WRITES = (
    *("design", "write", "requests", "units", "$ a million", "items stored", "bytes stored"),
    *("ms", "in all lists after ms"),
)
KIB = 1_024


def sections_of(figures: LabFigures) -> list[Section]:
    """Write a section about each subject."""
    return [_section(figures, subject) for subject in figures.subjects]


def text_of(figures: LabFigures) -> str:
    """Format all figures for a terminal."""
    return "\n\n".join([heading_of(figures), *(s.text() for s in sections_of(figures))])


def heading_of(figures: LabFigures) -> str:
    """Format when, where and how the figures were taken."""
    sentences = (
        f"Taken on {figures.taken_at[:10]} at {figures.taken_at[11:16]} UTC.",
        figures.machine,
        figures.warning,
        f"Times are {medians_of(figures.turns)}, what writes cost are means of as many.",
    )
    return " ".join(filter(None, sentences))


def write_documents(figures: LabFigures, folder: Path) -> list[Path]:
    """Bring ``lab.md``, its plots and figures, and the prices in ``designs/`` up to date.

    Return the files. A price is written where its document has the marks for it.
    """
    page = folder / "lab.md"
    replace_section(page, "run", heading_of(figures), command=COMMAND)
    written = write_sections(page, sections_of(figures), command=COMMAND)
    written.append(publish(figures, folder))
    for name, tables in _prices(figures):
        path = folder / "designs" / name
        if path.exists() and begin_mark(PRICE, command=COMMAND) in path.read_text():
            replace_section(path, PRICE, tables, command=COMMAND)
            written.append(path)
    return written


def anchor_of(name: str) -> str:
    """Return a subject's or design's name as file names and anchors have it."""
    return name.replace(" ", "-")


def _section(figures: LabFigures, subject: SubjectFigures) -> Section:
    described, name = DESCRIPTIONS[subject.name], anchor_of(subject.name)
    asked = [f"*{question}*: {about}." for question, about in subject.questions.items()]
    return Section(
        name=name,
        title=described.heading,
        notes=(described.question, subject.data, *asked),
        tables=_tables(subject.designs, size=figures.page_size),
        plots=(Plot(name, f"{described.heading}: what reading and writing cost", subject),),
    )


def _tables(designs: Sequence[DesignFigures], *, size: int) -> tuple[Table, ...]:
    reads = [_read_row(design.name, reading) for design in designs for reading in design.readings]
    writes = [_write_row(design.name, writing) for design in designs for writing in design.writings]
    return (
        Table(f"Reading a page of {size}", READS, tuple(reads)),
        Table("Writing, on average", WRITES, tuple(writes)),
    )


def _read_row(design: str, reading: Reading) -> tuple[str, ...]:
    cost = reading.cost
    return (
        design,
        reading.question,
        f"{reading.page:,} of {reading.pages:,}",
        f"{cost.requests:g}",
        f"{cost.items_read:,.0f}",
        f"{cost.capacity_units:,g}",
        dollars(prices().reads(cost.capacity_units)),
        f"{cost.response_bytes / KIB:,.1f}",
        f"{reading.latency_ms:.1f}",
    )


def _write_row(design: str, writing: Writing) -> tuple[str, ...]:
    cost = writing.cost
    return (
        design,
        writing.action,
        f"{cost.requests:g}",
        f"{cost.capacity_units:,.4g}",
        dollars(prices().writes(cost.capacity_units)),
        f"{writing.items_stored:,.4g}",
        f"{writing.bytes_stored:,.0f}",
        f"{writing.latency_ms:.1f}",
        f"{writing.consistent_ms:.1f}",
    )


def _prices(figures: LabFigures) -> Iterator[tuple[str, str]]:
    """Yield for each document its name and the figures of the designs it is about."""
    for subject in figures.subjects:
        described = DESCRIPTIONS[subject.name].designs
        documents = dict.fromkeys(described[design.name].document for design in subject.designs)
        for document in filter(None, documents):
            designs = [d for d in subject.designs if described[d.name].document == document]
            tables = ("\n".join(t.piped()) for t in _tables(designs, size=figures.page_size))
            yield document, "\n\n".join([heading_of(figures), subject.data, *tables])
