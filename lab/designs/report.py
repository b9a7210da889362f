"""The report of ``manage.py compare``: a section for each subject, and prices of the designs."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from dynamo.prices import dollars, prices
from lab.reports.descriptions import DESCRIPTIONS, anchor_of
from lab.reports.plots import Panel, Plot
from lab.reports.results import RUN, Results, medians_of
from lab.reports.storage import publish
from lab.reports.tables import (
    Section,
    Table,
    begin_mark,
    of,
    pivot,
    replace_section,
    write_sections,
)

COMMAND = "compare"
PRICE = "price"
KIB = 1_024
DEPTHS = ("first page", "page 100 or the middle one", "last page")


def sections_of(figures: Results) -> list[Section]:
    """Write a section about each subject."""
    subjects = [name for name in figures.names("part") if name != RUN]
    return [_section(figures, figures.where(part=name)) for name in subjects]


def text_of(figures: Results) -> str:
    """Format all figures for a terminal."""
    return "\n\n".join([heading_of(figures), *(s.text() for s in sections_of(figures))])


def heading_of(figures: Results) -> str:
    """Format when, where and how the figures were taken."""
    run = figures.where(part=RUN).facts()
    taken = str(run["taken_at"])
    sentences = (
        f"Taken on {taken[:10]} at {taken[11:16]} UTC.",
        str(run["machine"]),
        str(run["warning"]),
        f"Times are {medians_of(run['turns'])}, what writes cost are means of as many.",
    )
    return " ".join(filter(None, sentences))


def write_documents(figures: Results, folder: Path) -> list[Path]:
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


def _section(figures: Results, subject: Results) -> Section:
    part = subject[0].part
    described = DESCRIPTIONS[part]
    asked = [f"*{row.list}*: {row.value}." for row in subject if row.metric == "about"]
    return Section(
        name=anchor_of(part),
        title=described.heading,
        notes=(described.question, str(subject.value("data")), *asked),
        tables=_tables(figures, subject, subject.names("reader")),
        plots=(_plot(subject),),
    )


def _tables(figures: Results, subject: Results, designs: list[str]) -> tuple[Table, ...]:
    def page_of_pages(found: Results) -> str:
        pages = subject.where(list=found[0].list).number("pages")
        return f"{found[0].page:,} of {pages:,}"

    found = subject.where(reader=tuple(designs))
    reads = Results(row for row in found if row.page is not None)
    size = figures.where(part=RUN).value("page_size")
    reading = pivot(
        f"Reading a page of {size}",
        *(reads, {"design": "reader", "list": "list"}),
        ("page", page_of_pages),
        ("requests", of("requests", "g")),
        ("read", of("items_read", ",.0f")),
        ("units", of("capacity_units", ",g")),
        ("$ a million", lambda one: dollars(prices().reads(one.number("capacity_units")))),
        ("KB", lambda one: f"{one.number('response_bytes') / KIB:,.1f}"),
        ("ms", of("latency_ms", ".1f")),
        apart=("page",),
    )
    writing = pivot(
        "Writing, on average",
        *(found.where(page=None), {"design": "reader", "write": "list"}),
        ("requests", of("requests", "g")),
        ("units", of("capacity_units", ",.4g")),
        ("$ a million", lambda one: dollars(prices().writes(one.number("capacity_units")))),
        ("items stored", of("items_stored", ",.4g")),
        ("bytes stored", of("bytes_stored", ",.0f")),
        ("ms", of("latency_ms", ".1f")),
        ("in all lists after ms", of("consistent_ms", ".1f")),
    )
    return reading, writing


def _plot(subject: Results) -> Plot:
    """Show capacity units of every page, a panel a question, and of a write; a row a design."""
    part, designs = subject[0].part, subject.names("reader")
    described = DESCRIPTIONS[part]
    questions = [str(row.list) for row in subject if row.metric == "about"]
    places = range(len(designs))
    panels = []
    for question in questions:
        units = [subject.where(list=question, reader=d).numbers("capacity_units") for d in designs]
        panels.append(
            Panel(
                "bars",
                question,
                {
                    name: (places, [_at(of, depth) for of in units])
                    for depth, name in enumerate(DEPTHS)
                },
                names=[described.designs[design].title for design in designs],
            )
        )
    writes = [subject.where(page=None, reader=d).numbers("capacity_units") for d in designs]
    means = [fmean(of_design or (0.0,)) for of_design in writes]
    return Plot(
        name=anchor_of(part),
        shows=f"{described.heading}: what reading and writing cost",
        panels=([*panels, Panel("bars", "a write", {"": (places, means)})],),
        below="capacity units, on a logarithmic scale",
        size=(2.6 * (len(questions) + 1) + 1.6, 0.55 * len(designs) + 1.6),
    )


def _at(pages: list[float], depth: int) -> float:
    """Return what a page cost; nothing where the list has fewer pages."""
    depths = {1: (0,), 2: (0, None, 1)}.get(len(pages), (0, 1, 2))
    at = depths[depth] if depth < len(depths) else None
    return 0.0 if at is None else pages[at]


def _prices(figures: Results) -> Iterator[tuple[str, str]]:
    """Yield for each document its name and the figures of the designs it is about."""
    for (part,), subject in figures.by("part").items():
        if part == RUN:
            continue
        documents: dict[str, list[str]] = {}
        for design in subject.names("reader"):
            document = DESCRIPTIONS[str(part)].designs[design].document
            documents.setdefault(document, []).append(design)
        for document, designs in documents.items():
            if document:
                tables = ("\n".join(t.piped()) for t in _tables(figures, subject, designs))
                data = str(subject.value("data"))
                yield document, "\n\n".join([heading_of(figures), data, *tables])
