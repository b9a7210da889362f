"""Figures in words: sections of tables, for the terminal and as Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.reports.bench_figures import DepthFigures, GridFigures, ThroughputFigures
from lab.reports.design_figures import SubjectFigures

Drawable = DepthFigures | GridFigures | ThroughputFigures | SubjectFigures
"""Figures that `lab.reports.plots` can draw."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under titles. A column whose first cell begins with a letter is set left."""

    caption: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def aligned(self) -> Iterator[str]:
        """Yield its lines for a terminal."""
        yield self.caption
        widths = [max(map(len, column)) for column in zip(self.titles, *self.rows, strict=True)]
        for row in (self.titles, *self.rows):
            cells = [
                cell.ljust(width) if words else cell.rjust(width)
                for cell, width, words in zip(row, widths, self._are_words(), strict=True)
            ]
            yield "  ".join(cells).rstrip()

    def piped(self) -> Iterator[str]:
        """Yield its lines as Markdown."""
        yield f"{self.caption}:\n"
        rules = tuple("---" if words else "---:" for words in self._are_words())
        for row in (self.titles, rules, *self.rows):
            yield f"| {' | '.join(row)} |"

    def _are_words(self) -> list[bool]:
        first = self.rows[0] if self.rows else self.titles
        return [cell[:1].isalpha() for cell in first]


PROMISE = ("what", "at most", "found", "holds")


def promise(caption: str, *held: tuple[str, float, float]) -> Table:
    """Build a table of figures that are held to a limit: each what, at most, and found."""
    return Table(
        caption,
        PROMISE,
        tuple(
            (what, f"{most:g}", f"{found:.2f}", holds(is_so=found <= most))
            for what, most, found in held
        ),
    )


def holds(*, is_so: bool) -> str:
    """Format whether a figure is what it is held to."""
    return "yes" if is_so else "no"


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing of figures: the name of its file, and what it shows in words."""

    name: str
    shows: str
    figures: Drawable


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report, with its tables and plots."""

    name: str
    title: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all its promises hold."""
        promises = [table for table in self.tables if table.titles == PROMISE]
        return all(row[-1] == holds(is_so=True) for table in promises for row in table.rows)

    def text(self) -> str:
        """Format it for a terminal, without its plots."""
        lines = [self.title.upper(), *self.notes]
        for table in self.tables:
            lines += ["", *table.aligned()]
        return "\n".join(lines)

    def markdown(self, *, folder: str) -> str:
        """Format it as Markdown; its plots are in ``folder``."""
        paragraphs = [f"## {self.title}", *self.notes]
        paragraphs += [f"![{plot.shows}]({folder}/{plot.name}.svg)" for plot in self.plots]
        paragraphs += ["\n".join(table.piped()) for table in self.tables]
        return "\n\n".join(paragraphs)
