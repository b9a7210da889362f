"""Reports of the lab's commands: sections of paragraphs, tables, and figures held to a limit.

They are Markdown, which a terminal shows as readable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dynapages.django.text_tables import format_table

LIMIT_TITLES = ("what", "at most", "measured", "holds")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under titles; each row has a cell for each title."""

    caption: str
    titles: Sequence[str]
    rows: Sequence[Sequence[object]]

    def text(self) -> str:
        """Return the caption and the table."""
        return f"{self.caption}:\n\n{format_table(self.titles, self.rows)}"


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure, what it is in words, and the most that it may be."""

    what: str
    at_most: float
    measured: float

    @property
    def holds(self) -> bool:
        return self.measured <= self.at_most


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: its title, paragraphs, tables, and the limits that must hold."""

    title: str
    paragraphs: Sequence[str]
    tables: Sequence[Table]
    limits: Sequence[Limit] = ()

    @property
    def holds(self) -> bool:
        """Whether each figure is within its limit."""
        return all(limit.holds for limit in self.limits)

    def text(self) -> str:
        """Return the section as Markdown."""
        parts = [f"## {self.title}", *self.paragraphs]
        parts += [table.text() for table in self.tables]
        if self.limits:
            rows = []
            for limit in self.limits:
                holds = "yes" if limit.holds else "no"
                rows.append((limit.what, limit.at_most, round(limit.measured, 2), holds))
            parts.append(Table("What they are held to", LIMIT_TITLES, rows).text())
        return "\n\n".join(parts)


def replace_section(page: Path, name: str, text: str, *, command: str) -> None:
    """Put a text between the marks of a section of a document; raise ValueError without marks.

    ``command`` is the command of manage.py that writes it, which the first mark names.
    """
    begin, end = f"<!-- {name}: written by manage.py {command} -->", f"<!-- end of {name} -->"
    # The text between the marks is replaced: what stands around them was written by hand.
    document = page.read_text()
    before, begin_mark, rest = document.partition(begin)
    _, end_mark, after = rest.partition(end)
    if not begin_mark or not end_mark:
        raise ValueError(f"{page} has no section “{name}”.")
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
