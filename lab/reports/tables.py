"""Tables of rows, and the sections of a report: for the terminal, and written into ``docs/``."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError

from lab.reports.results import DISTRIBUTION, Results

if TYPE_CHECKING:
    from lab.reports.plots import Plot

Cell = Callable[[Results], str]
"""Formats a cell from the rows of a group."""


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


def pivot(
    caption: str,
    results: Results,
    by: Mapping[str, str],
    *columns: tuple[str, Cell],
    apart: Sequence[str] = (),
    names: Mapping[Any, str] | None = None,
) -> Table:
    """Build a table of a row for each group, and a cell for each column.

    ``by`` are the fields that make a group, by their titles; those of ``apart`` do so and are not
    shown. ``names`` are the words for values of the first field; only these are shown, in this
    order.
    """
    groups = results.by(*by.values(), *apart)
    if names is not None:
        order = list(names)
        groups = {key: groups[key] for key in groups if key[0] in names}
        groups = dict(sorted(groups.items(), key=lambda group: order.index(group[0][0])))
    return Table(
        caption,
        (*by, *(title for title, _ in columns)),
        tuple(
            (
                *(_word(key[at], names if at == 0 else None) for at in range(len(by))),
                *(cell(found) for _, cell in columns),
            )
            for key, found in groups.items()
        ),
    )


def _word(value: object, names: Mapping[Any, str] | None) -> str:
    if names is not None:
        return names[value]
    return f"{value:,}" if isinstance(value, int) else str(value)


def of(metric: str, form: str = "") -> Cell:
    """Make the cell of a metric, formatted as ``format`` does."""
    return lambda found: format(found.value(metric), form)


def quotient(one: str, to: str, form: str = ".2f") -> Cell:
    """Make the cell of one metric divided by another."""
    return lambda found: format(found.number(one) / found.number(to), form)


def distribution(metric: str | None = None) -> Iterator[tuple[str, Cell]]:
    """Yield columns of the mean, the median, the 95th percentile and the most.

    Of one metric; without its name, of the only one that a group has.
    """

    def cell(reduce: Callable[[Sequence[float]], float]) -> Cell:
        return lambda found: f"{reduce(found.numbers(metric or found[0].metric)):,.2f}"

    return ((title, cell(reduce)) for title, reduce in DISTRIBUTION.items())


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
class Section:
    """One part of a report, with its tables and plots."""

    name: str
    title: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: "tuple[Plot, ...]" = ()

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


def require_matplotlib() -> None:
    """Raise CommandError where it is not installed; choose a folder for its cache."""
    os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "cache" / "matplotlib"))
    if find_spec("matplotlib") is None:
        raise CommandError("Plots need matplotlib: 'make install' installs it.")


def write_sections(page: Path, sections: Sequence[Section], *, command: str) -> list[Path]:
    """Bring a page up to date, and its plots in a folder of its name; return all files."""
    if not sections:
        return []
    page.parent.mkdir(parents=True, exist_ok=True)
    for section in sections:
        text = section.markdown(folder=page.stem)
        replace_section(page, section.name, text, command=command)
    return [page, *save_plots(page.with_suffix(""), sections)]


def save_plots(folder: Path, sections: Sequence[Section]) -> list[Path]:
    """Draw all plots of some sections into a folder, as SVG, and return the files."""
    plots = [plot for section in sections for plot in section.plots]
    folder.mkdir(parents=True, exist_ok=True)
    return [plot.save(folder) for plot in plots]


def replace_section(page: Path, name: str, text: str, *, command: str) -> None:
    """Put ``text`` between the marks of a section, which are added at the end if missing.

    ``command`` is the one that writes it.
    """
    begin, end = begin_mark(name, command=command), f"<!-- end of {name} -->"
    document = page.read_text() if page.exists() else f"# {page.stem.capitalize()}\n"
    before, found, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    if not found:
        before, after = f"{document.rstrip()}\n\n", "\n"
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")


def begin_mark(name: str, *, command: str) -> str:
    """Format the line that a section of a page begins with."""
    return f"<!-- {name}: written by manage.py {command} -->"
