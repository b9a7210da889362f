"""Figures in words: sections of tables, for the terminal and as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLE = "# Benchmarks\n"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under titles; what comes first in a cell decides how its column is set."""

    caption: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def aligned(self) -> Iterator[str]:
        """Give its lines for a terminal."""
        yield self.caption
        widths = [max(map(len, column)) for column in zip(self.titles, *self.rows, strict=True)]
        for row in (self.titles, *self.rows):
            cells = [
                cell.ljust(width) if words else cell.rjust(width)
                for cell, width, words in zip(row, widths, self._are_words(), strict=True)
            ]
            yield "  ".join(cells).rstrip()

    def piped(self) -> Iterator[str]:
        """Give its lines as Markdown."""
        yield f"{self.caption}:\n"
        rules = tuple("---" if words else "---:" for words in self._are_words())
        for row in (self.titles, rules, *self.rows):
            yield f"| {' | '.join(row)} |"

    def _are_words(self) -> list[bool]:
        first = self.rows[0] if self.rows else self.titles
        return [cell[:1].isalpha() for cell in first]


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing, the name of its file, and what it shows in words."""

    name: str
    shows: str
    figure: "Figure"


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report, ready to be written."""

    name: str
    title: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()

    def text(self) -> str:
        """Give it for a terminal."""
        lines = [self.title.upper(), *self.notes]
        for table in self.tables:
            lines += ["", *table.aligned()]
        return "\n".join(lines)

    def markdown(self, *, folder: str) -> str:
        """Give it as Markdown, with its plots in ``folder``."""
        paragraphs = [f"## {self.title}", *self.notes]
        paragraphs += [f"![{plot.shows}]({folder}/{plot.name}.svg)" for plot in self.plots]
        paragraphs += ["\n".join(table.piped()) for table in self.tables]
        return "\n\n".join(paragraphs)


def write_sections(sections: Sequence[Section], folder: Path) -> list[Path]:
    """Bring ``benchmarks.md`` and its plots up to date, and return what was written."""
    page = folder / "benchmarks.md"
    return [page, *write_into(page, sections, command="bench")]


def write_into(page: Path, sections: Sequence[Section], *, command: str) -> list[Path]:
    """Bring a page up to date, and its plots in a folder of its name; return their files."""
    plots = page.with_suffix("")
    plots.mkdir(parents=True, exist_ok=True)
    written = []
    for section in sections:
        text = section.markdown(folder=plots.name)
        replace_section(page, section.name, text, command=command)
        for plot in section.plots:
            path = plots / f"{plot.name}.svg"
            plot.figure.savefig(path, metadata={"Date": None, "Creator": None})
            written.append(path)
    return written


def replace_section(path: Path, name: str, text: str, *, command: str = "bench") -> None:
    """Put ``text`` between the marks of a section; all around it stays as it is.

    ``command`` is the one that writes it. Where the marks are missing, they are added at the end.
    """
    begin, end = f"<!-- {name}: written by manage.py {command} -->", f"<!-- end of {name} -->"
    document = path.read_text() if path.exists() else _TITLE
    before, found, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    if not found:
        before, after = f"{document.rstrip()}\n\n", "\n"
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
