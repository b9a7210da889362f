"""The prices in ``docs/designs/``: capacity units, from the figures that the documentation ships.

``make readme`` writes them into the documents, whose marks call these functions.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from lab.reports.results import Results
from lab.reports.tables import Table

FIGURES = Path(__file__).parents[2] / "docs" / "lab" / "figures.jsonl"
UNITS = "capacity_units"


def subject_table(part: str, designs: Mapping[str, str]) -> str:
    """Return a table in Markdown of what the designs of a subject cost.

    That is the first page of each list, and each write. ``designs`` are the cells of the first
    column, by the names that the designs have in the figures.
    """
    found = _figures().where(part=part)
    lists = [str(row.list) for row in found.where(metric="about")]
    writes = found.where(page=None, metric=UNITS).names("list")
    rows = (
        (cell, *(_units(found, name, reader=design) for name in (*lists, *writes)))
        for design, cell in designs.items()
    )
    return _piped(("capacity units", *lists, *writes), tuple(rows))


def choice_table(*rows: Sequence[str]) -> str:
    """Return a table in Markdown of what one wants, the design for it, and its price.

    Each row is what one wants, the design, and its subject and name in the figures. Where lists, or
    writes, cost a design more or less, the price has both.
    """
    priced = tuple(
        (wanted, design, *_ranges(_figures().where(part=part, reader=name, metric=UNITS)))
        for wanted, design, part, name in rows
    )
    return _piped(("you want", "design", "a page", "a write"), priced)


@cache
def _figures() -> Results:
    return Results.of_lines(FIGURES.read_text(encoding="utf-8"))


def _units(found: Results, name: str, *, reader: str) -> str:
    """Format what a list's first page, or a write, cost."""
    return f"{found.where(list=name, reader=reader).number(UNITS):g}"


def _ranges(found: Results) -> Iterator[str]:
    """Yield the least and most of first pages, and of writes; once where they are the same."""
    for page in (1, None):
        units = found.where(page=page).numbers(UNITS)
        yield "–".join(dict.fromkeys(f"{one:g}" for one in (min(units), max(units))))


def _piped(titles: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    _caption, *lines = Table("", titles, rows).piped()
    return "\n".join(lines)
