"""One run of the lab, from the data to the figures, and the report of it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from django.conf import settings

from dynapages.calls import Connection
from dynapages.django.options import Progress
from dynapages.errors import DynamoError
from dynapages.items import table_key
from dynapages.lists import timestamp
from dynapages.process import client, connected, current_connection
from lab.bench.context import local, require_binary, running, version_of
from lab.bench.data import OrderData
from lab.designs.comments import Comments, compare_bodies, compare_comments, of_product, sample
from lab.designs.measuring import Lab, Layout, open_lab
from lab.designs.orders import compare_customer_orders, compare_open_orders, load_orders
from lab.reports.page import anchor_of, describe_subjects, publish
from lab.reports.plots import Panel, Plot
from lab.reports.results import (
    RUN,
    Results,
    Value,
    machine_rows,
    machine_sentence,
    machine_warning,
    medians_of,
    rows,
)
from lab.reports.tables import Section, replace_section, section, write_sections
from shop.models import ShopItem

ORDERS = OrderData(of_customer=2_000, queued=2_000)


def compare(
    *,
    comments: int,
    product_id: str | None,
    turns: int,
    here: bool,
    now: datetime,
    progress: Progress,
) -> Results:
    """Load at most ``comments`` of a product, or of the sample shop, measure, and remove them.

    ``turns`` is how often each thing is timed, and written. ``here`` is on the site's own engine.
    The part ``run`` has when, where and how; ``warning`` is empty where nothing distorted times.
    Raises EngineError, InexactEngine, NoComments, WrongAnswer, NeverConsistent, and what calls to
    DynamoDB raise.
    """
    if product_id is None:
        data = sample(comments, now=now)
    else:
        data = of_product(product_id, at_most=comments)
    size = settings.PAGE_SIZE
    with (
        engine_of_the_site() if here else own_engine(comments=len(data.all)) as engine,
        open_lab(progress=progress, page_size=size, turns=turns) as lab,
    ):
        machine = Results(machine_rows(engine=engine))
        require_exact(lab)
        subjects = _subjects(lab, data)
    remotely = f"Measured on {engine}, from a machine of {machine.value('cores')} cores."
    run: dict[str, Value] = {
        "taken_at": timestamp(now),
        "engine": engine,
        "machine": remotely if here else machine_sentence(machine),
        "warning": "" if here else machine_warning(machine),
        "page_size": size,
        "turns": turns,
    }
    return Results((*rows(RUN, run), *subjects))


def _subjects(lab: Lab, data: Comments) -> Results:
    of_comments = compare_comments(lab, data)
    orders = load_orders(lab, ORDERS)
    return Results(
        (
            *of_comments,
            *compare_customer_orders(lab, orders),
            *compare_open_orders(lab, orders),
            *compare_bodies(lab),
        )
    )


PATIENCE = 120.0
"""Seconds that one call may take: a Scan reads a megabyte, a batch writes 25 items."""
MOST_IN_MEMORY = 10_000
"""Comments that are kept in memory, half a gigabyte with their copies: loading takes no disk."""
KIBIBYTES = 9
WRITE_UNITS, READ_UNITS = 10, 3
"""Units for writing an item with a text of so many KiB, and for reading it strongly. With its keys
it takes a tenth kilobyte."""


class InexactEngine(DynamoError):
    """The engine does not charge what DynamoDB does."""

    def __init__(self, *, wrote: float, read: float) -> None:
        super().__init__(
            f"This engine charges {wrote:g} units for writing an item of {KIBIBYTES} KB and "
            f"{read:g} for reading it, where DynamoDB charges {WRITE_UNITS} and {READ_UNITS}: its "
            "figures would be fiction. Run the lab on dynoxide, DynamoDB Local or Amazon DynamoDB."
        )


@contextmanager
def own_engine(*, comments: int) -> Iterator[str]:
    """Connect to a new dynoxide for so many comments; yield its name, and where it keeps them.

    That is in memory, or for many in a file below VAR_DIR, which is removed. Raises EngineError:
    BinaryMissing where it is not installed.
    """
    version = version_of(require_binary())
    with _place(comments) as db_path, running(db_path=db_path) as url, _patiently(local(url)):
        yield f"{version} {'on disk' if db_path else 'in memory'}"


@contextmanager
def _place(comments: int) -> Iterator[Path | None]:
    if comments <= MOST_IN_MEMORY:
        yield None
        return
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="lab-", dir=settings.VAR_DIR) as folder:
        yield Path(folder) / "lab.db"


@contextmanager
def engine_of_the_site() -> Iterator[str]:
    """Stay connected as the site is, and yield the engine's name."""
    with _patiently(current_connection()):
        if settings.DYNAMODB_ENDPOINT_URL:
            yield "the DynamoDB-compatible engine of the site"
        else:
            yield f"Amazon DynamoDB in {settings.AWS_REGION}"


def _patiently(connection: Connection) -> AbstractContextManager[None]:
    """Connect so that a slow answer is measured instead of given up."""
    return connected(replace(connection, read_seconds=PATIENCE))


def require_exact(lab: Lab) -> None:
    """Write and read an item of known size. Raises InexactEngine, as on moto."""
    table, key = lab.make(Layout("probe", ShopItem)), table_key("PROBE", "PROBE")
    item = {**key, "text": {"S": "x" * KIBIBYTES * 1_024}}
    with lab.traffic.counted() as writing:
        client().put_item(TableName=table.name, Item=item)
    with lab.traffic.counted() as reading:
        client().get_item(TableName=table.name, Key=key, ConsistentRead=True)
    wrote, read = (costs[0].capacity_units for costs in (writing, reading))
    if (wrote, read) != (WRITE_UNITS, READ_UNITS):
        raise InexactEngine(wrote=wrote, read=read)


COMMAND = "compare"
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
        f"Times are {medians_of(figures)}, what writes cost are means of as many.",
    )
    return " ".join(filter(None, sentences))


def write_documents(figures: Results, folder: Path) -> list[Path]:
    """Bring ``lab.md``, its plots and figures up to date; return the files.

    From the figures ``make readme`` writes the prices in ``designs/``.
    """
    page = folder / "lab.md"
    replace_section(page, "run", heading_of(figures), command=COMMAND)
    written = write_sections(page, sections_of(figures), command=COMMAND)
    return [*written, publish(figures, folder)]


def _section(figures: Results, subject: Results) -> Section:
    part = subject[0].part
    described = describe_subjects()[part]
    asked = (f"*{row.list}*: {row.value}." for row in subject.where(metric="about"))
    written = section(
        "designs",
        Results((*subject, *figures.where(part=RUN, metric="page_size"))),
        name=anchor_of(part),
        plots=[_plot(subject)],
        groups=_groups(subject, subject.names("reader")),
        heading=described.heading,
        question=described.question,
    )
    return replace(written, notes=(*written.notes, *asked))


def _groups(subject: Results, designs: list[str]) -> dict[str, Results]:
    """Return the rows of reads and writes; with kilobytes, and the page's number of how many."""
    found = subject.where(reader=tuple(designs))
    reads = []
    for row in found:
        if row.page is not None:
            reads.append(row)
        if row.page is not None and row.metric == "response_bytes":
            pages = subject.where(list=row.list).number("pages")
            reads.append(row._replace(metric="kilobytes", value=float(row.value) / KIB))
            reads.append(row._replace(metric="page_of_pages", value=f"{row.page:,} of {pages:,}"))
    return {"reads": Results(reads), "writes": found.where(page=None)}


def _plot(subject: Results) -> Plot:
    """Show capacity units of every page, a panel a question, and of a write; a row a design."""
    part, designs = subject[0].part, subject.names("reader")
    described = describe_subjects()[part]
    questions = [str(row.list) for row in subject.where(metric="about")]
    places = range(len(designs))
    names = [described.designs[design].title for design in designs]
    panels = []
    for question in questions:
        units = [subject.where(list=question, reader=d).numbers("capacity_units") for d in designs]
        series = {name: (places, [_at(u, at) for u in units]) for at, name in enumerate(DEPTHS)}
        panels.append(Panel("bars", question, series, names=names))
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
