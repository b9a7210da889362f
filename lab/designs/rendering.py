"""The figures as text: tables for the terminal and for the documents."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lab.bench.sections import Plot, Section, Table, replace_section, write_into
from lab.bench.timing import medians_of
from lab.designs.descriptions import DESCRIPTIONS
from lab.designs.figures import DesignFigures, LabFigures, Reading, SubjectFigures, Writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMMAND = "compare"
PRICE = "price"
READS = ("design", "list", "page", "requests", "read", "units", "KB", "ms")
WRITES = (
    *("design", "write", "requests", "units", "items stored", "bytes stored"),
    *("ms", "in all lists after ms"),
)
KIB = 1_024


def sections_of(figures: LabFigures, *, drawn: "dict[str, Figure] | None" = None) -> list[Section]:
    """Write what was found about each subject; ``drawn`` are plots by the subjects' names."""
    figure_of = (drawn or {}).get
    return [_section(figures, one, figure_of(one.name)) for one in figures.subjects]


def text_of(figures: LabFigures) -> str:
    """Give all figures for a terminal."""
    return "\n\n".join([heading_of(figures), *(s.text() for s in sections_of(figures))])


def heading_of(figures: LabFigures) -> str:
    """Say when, where and how the figures were taken."""
    sentences = (
        f"Taken on {figures.taken_at[:10]} at {figures.taken_at[11:16]} UTC.",
        figures.machine,
        figures.warning,
        f"Times are {medians_of(figures.turns)}, what writes cost are means of as many.",
    )
    return " ".join(filter(None, sentences))


def write_documents(figures: LabFigures, folder: Path, *, drawn: "dict[str, Figure]") -> list[Path]:
    """Bring ``lab.md``, its plots, and the prices in ``designs/`` up to date; give the files.

    A price is written where its document has a place for it.
    """
    page = folder / "lab.md"
    replace_section(page, "run", heading_of(figures), command=COMMAND)
    written = [page, *write_into(page, sections_of(figures, drawn=drawn), command=COMMAND)]
    for name, tables in _prices(figures):
        path = folder / "designs" / name
        if path.exists() and f"<!-- {PRICE}: written by" in path.read_text():
            replace_section(path, PRICE, tables, command=COMMAND)
            written.append(path)
    return written


def _section(figures: LabFigures, subject: SubjectFigures, drawn: "Figure | None") -> Section:
    described = DESCRIPTIONS[subject.name]
    name = _slug(subject.name)
    asked = [f"*{question}*: {about}." for question, about in subject.questions.items()]
    shows = f"{described.heading}: what reading and writing cost"
    return Section(
        name=name,
        title=described.heading,
        notes=(described.question, subject.data, *asked),
        tables=tuple(_tables(subject.designs, size=figures.page_size)),
        plots=(Plot(name, shows, drawn),) if drawn else (),
    )


def _tables(designs: Sequence[DesignFigures], *, size: int) -> Iterator[Table]:
    reads = [_read_row(design.name, reading) for design in designs for reading in design.readings]
    yield Table(f"Reading a page of {size}", READS, tuple(reads))
    writes = [_write_row(design.name, writing) for design in designs for writing in design.writings]
    yield Table("Writing, on average", WRITES, tuple(writes))


def _read_row(design: str, reading: Reading) -> tuple[str, ...]:
    cost = reading.cost
    return (
        design,
        reading.question,
        f"{reading.page:,} of {reading.pages:,}",
        f"{cost.requests:g}",
        f"{cost.items_read:,.0f}",
        f"{cost.capacity_units:,g}",
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
        f"{writing.items_stored:,.4g}",
        f"{writing.bytes_stored:,.0f}",
        f"{writing.latency_ms:.1f}",
        f"{writing.consistent_ms:.1f}",
    )


def _prices(figures: LabFigures) -> Iterator[tuple[str, str]]:
    """Give for each document the figures of the designs it is about."""
    for subject in figures.subjects:
        described = DESCRIPTIONS[subject.name].designs
        documents = dict.fromkeys(described[design.name].document for design in subject.designs)
        for document in filter(None, documents):
            designs = [d for d in subject.designs if described[d.name].document == document]
            tables = ("\n".join(t.piped()) for t in _tables(designs, size=figures.page_size))
            yield document, "\n\n".join([heading_of(figures), subject.data, *tables])


def _slug(name: str) -> str:
    return name.replace(" ", "-")
