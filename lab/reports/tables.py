"""Tables of rows, and the sections of a report: for the terminal, and written into ``docs/``."""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import compress
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import CommandError

from dynapages.lists import dollars, prices
from lab.reports.results import Results, Value, medians_of, percentile_95

if TYPE_CHECKING:
    from lab.reports.plots import Plot

LAYOUTS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("sections.toml").read_text())
PRICES: Mapping[str, Callable[[float], float]] = {
    "reads $": lambda units: prices().reads(units),
    "writes $": lambda units: prices().writes(units),
}
REDUCTIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "median": median,
    "p95": percentile_95,
    "first": itemgetter(0),
    "last": itemgetter(-1),
    "least": min,
    "most": max,
    "count": len,
    "sum": sum,
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under titles. A column whose first cell begins with a word is set left.

    ``documented`` are the titles of the columns that documents have, which are narrower than a
    terminal: None for all of them, empty where documents leave the table out.
    """

    caption: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    documented: Sequence[str] | None = None

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
        documented = self.titles if self.documented is None else self.documented
        shown = [title in documented for title in self.titles]
        for row in (self.titles, rules, *self.rows):
            yield f"| {' | '.join(compress(row, shown))} |"

    def _are_words(self) -> list[bool]:
        first = self.rows[0] if self.rows else self.titles
        return [cell.lstrip("[`")[:1].isalpha() for cell in first]


def section(
    layout: str,
    found: Results,
    *,
    name: str = "",
    notes: Sequence[str] = (),
    plots: "Sequence[Plot]" = (),
    groups: Mapping[str, Results] | None = None,
    **facts: object,
) -> "Section":
    """Write the section of ``found`` that ``sections.toml`` has a layout of.

    ``notes`` come before the layout's. ``groups`` are the rows of its tables by their names, where
    they are not all. Its sentences and promises are filled with ``facts`` and those of ``found``.
    """
    known = {**found.facts(), "part": found[0].part, "medians": medians_of(found), **facts}
    sentences = (note.format_map(known) for note in LAYOUTS[layout].get("notes", ()))
    return Section(
        name or found[0].part,
        LAYOUTS[layout]["title"].format_map(known),
        (*notes, *sentences),
        tables_of(layout, {"found": found, **(groups or {})}, known),
        tuple(plots),
    )


def tables_of(
    layout: str, groups: Mapping[str, Results], facts: Mapping[str, Any]
) -> tuple[Table, ...]:
    """Build the tables of a layout from groups of rows."""
    return tuple(
        promise(
            one["caption"].format_map(facts),
            *(
                (what.format_map(facts), facts.get(most, most), facts[found])
                for what, most, found in one["promises"]
            ),
        )
        if "promises" in one
        else _pivot(one, groups[one.get("rows", "found")], facts)
        for one in LAYOUTS[layout]["tables"]
    )


def _pivot(layout: Mapping[str, Any], found: Results, facts: Mapping[str, Any]) -> Table:
    """Build a table of a row for each group, and a cell for each column.

    ``by`` are the fields that make a group, by their titles; those of ``apart`` do so and are not
    shown. ``names`` are the words for values of the first field; only these are shown, in this
    order. ``documented`` are the titles of the columns that documents have.
    """
    by, names, columns = layout.get("by", {}), layout.get("names"), layout.get("columns", [])
    groups = found.by(*by.values(), *layout.get("apart", ()))
    if names is not None:
        shown = [key for name in names for key in groups if key[0] == name]
        groups = {(names[key[0]], *key[1:]): groups[key] for key in shown}
    return Table(
        layout["caption"].format_map(facts),
        (*by, *(title for title, *_ in columns)),
        tuple(
            (*map(_word, key[: len(by)]), *(_cell(group, *column) for _, *column in columns))
            for key, group in groups.items()
        ),
        layout.get("documented"),
    )


def _word(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _cell(found: Results, shown: str, form: str = "") -> str:
    value, *divisors = (_figure(found, part) for part in shown.split(" / "))
    for divisor in divisors:
        value = float(value) / float(divisor)
    if form in PRICES:
        return dollars(PRICES[form](float(value)))
    return format(value, form)


def _figure(found: Results, shown: str) -> Value:
    """Return the first value of a metric, or what all its numbers come to; 0 where it has none."""
    whole, _, reader = shown.partition(" @ ")
    reduction, _, metric = whole.rpartition(" of ")
    group = found.where(reader=reader) if reader else found
    if reduction:
        return REDUCTIONS[reduction](group.numbers(group[0].metric if metric == "*" else metric))
    return next(iter(group.values(metric)), 0)


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
        documented = (table for table in self.tables if table.documented != [])
        paragraphs += ["\n".join(table.piped()) for table in documented]
        return "\n\n".join(paragraphs)


def require_matplotlib() -> None:
    """Raise CommandError where it is not installed; choose a folder for its cache."""
    os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "cache" / "matplotlib"))
    if find_spec("matplotlib") is None:
        raise CommandError("Plots need matplotlib: 'make install-lab' installs it.")


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
    begin, end = f"<!-- {name}: written by manage.py {command} -->", f"<!-- end of {name} -->"
    document = page.read_text() if page.exists() else f"# {page.stem.capitalize()}\n"
    before, found, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    if not found:
        before, after = f"{document.rstrip()}\n\n", "\n"
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
