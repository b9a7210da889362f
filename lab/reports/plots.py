"""Figures drawn, as SVG whose text stays text. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from lab.reports.bench_figures import (
    FRAGMENT,
    LIST,
    PAGE,
    QUERY,
    DepthFigures,
    GridFigures,
    PageFigures,
    ThroughputFigures,
)
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.design_figures import DesignFigures, SubjectFigures
from lab.reports.tables import Drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT = "#1f2328", "#62666d"
COLOURS = ("#1f6f8b", "#c8742b", "#8a4f7d", "#4a7c59")
"""Distinct for the colour-blind as well."""
STYLE = Path(__file__).with_suffix(".mplstyle")
LINES = {
    PAGE: ("whole page", COLOURS[2]),
    FRAGMENT: ("what htmx swaps", COLOURS[1]),
    LIST: ("the list alone", COLOURS[0]),
    QUERY: ("one bare query", FAINT),
}
THOUSAND = 1_000
BAR = 0.26
LEAST_UNITS, MOST_UNITS = 0.3, 10.0
"""Capacity units at the left edge, and at the right one where nothing is longer."""
DEPTHS = ("first page", "page 100 or the middle one", "last page")


def save(path: Path, figures: Drawable) -> None:
    """Draw figures into an SVG file that has no date, so that it changes with them alone."""
    with style.context(STYLE):
        _draw(figures).savefig(path, metadata={"Date": None, "Creator": None})


def _draw(figures: Drawable) -> Figure:
    match figures:
        case DepthFigures():
            return _draw_depths(figures.pages)
        case GridFigures():
            return _draw_grid(figures)
        case ThroughputFigures():
            return _draw_throughput(figures)
        case SubjectFigures():
            return _draw_subject(figures)


def _blank(*, width: float, height: float) -> Figure:
    """Return an empty figure; sizes are in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def _add_legend(figure: Figure, axes: "Axes") -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))


def _draw_depths(pages: Sequence[PageFigures]) -> Figure:
    """Draw time above and capacity units below, by the number of the page, a column a list."""
    names = list(dict.fromkeys(page.list_name for page in pages))
    figure = _blank(width=2.2 * len(names) + 0.8, height=5.2)
    axes = figure.subplots(
        2, len(names), sharex="col", sharey="row", height_ratios=(5, 2), squeeze=False
    )
    for column, name in enumerate(names):
        of_list = [page for page in pages if page.list_name == name]
        _draw_times(axes[0][column], of_list)
        _draw_units(axes[1][column], of_list)
        axes[0][column].set_title(name)
    axes[0][0].set_ylim(0, max(one.dataLim.y1 for one in axes[0]) * 1.05)
    axes[1][0].set_ylim(0, max(one.dataLim.y1 for one in axes[1]) * 1.25)
    axes[0][0].set_ylabel("milliseconds")
    axes[1][0].set_ylabel("capacity units")
    figure.supxlabel("number of the page", fontsize=10, color=FAINT)
    _add_legend(figure, axes[0][0])
    return figure


def _draw_times(axes: "Axes", pages: Sequence[PageFigures]) -> None:
    numbers = [page.page for page in pages]
    for name, (label, colour) in LINES.items():
        times = [page.times[name].median_ms for page in pages]
        line = "--" if name == QUERY else "-"
        axes.plot(numbers, times, line, color=colour, marker="o", markersize=4, label=label)
    axes.set_xscale("log")
    axes.grid(axis="y")


def _draw_units(axes: "Axes", pages: Sequence[PageFigures]) -> None:
    numbers = [page.page for page in pages]
    units = [page.list_cost.capacity_units for page in pages]
    axes.plot(numbers, units, color=COLOURS[3], marker="s", markersize=4)
    labels = [f"{n / THOUSAND:.3g}k" if n >= THOUSAND else str(n) for n in numbers]
    axes.set_xticks(numbers, labels, fontsize=8)
    axes.minorticks_off()
    axes.grid(axis="y")


def _draw_grid(figures: GridFigures) -> Figure:
    """Draw for each reader which share of the pages needs at most so much."""
    figure = _blank(width=11, height=4)
    panels = figure.subplots(1, 3, sharey=True)
    for reader, colour in zip(figures.readers, COLOURS, strict=False):
        found = {
            "capacity units": figures.of_pages(reader, lambda page: page.list_cost.capacity_units),
            "milliseconds": figures.of_lists(reader, lambda read: read.ms),
            "milliseconds, calls delayed": figures.of_lists(reader, lambda read: read.delayed_ms),
        }
        for axes, (title, values) in zip(panels, found.items(), strict=True):
            axes.ecdf(values, color=colour, linewidth=1.8, label=reader)
            axes.set_title(title)
    for axes in panels:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("at most, for a page", color=FAINT)
        axes.grid(visible=True)
    panels[0].set_ylabel("share of the pages")
    panels[0].set_yticks([0, 0.5, 0.95, 1], ["0", "half", "95 %", "all"])
    _add_legend(figure, panels[0])
    return figure


def _draw_throughput(figures: ThroughputFigures) -> Figure:
    figure = _blank(width=8, height=2.4)
    axes = figure.subplots()
    names = list(figures.per_second)[::-1]
    bars = axes.barh(names, [figures.per_second[name] for name in names], color=COLOURS[0])
    axes.bar_label(bars, fmt="{:.0f}", padding=4, color=INK)
    axes.set_xlabel("pages a second")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure


def _draw_subject(subject: SubjectFigures) -> Figure:
    """Draw capacity units of every page, a panel a question, and of a write; a row a design."""
    questions = list(subject.questions)
    figure = _blank(
        width=2.6 * (len(questions) + 1) + 1.6, height=0.55 * len(subject.designs) + 1.6
    )
    panels = figure.subplots(1, len(questions) + 1, sharey=True, squeeze=False)[0]
    rows = range(len(subject.designs))
    for axes, question in zip(panels, questions, strict=False):
        for number, depth in enumerate(DEPTHS):
            units = [_units(design, question, number) for design in subject.designs]
            places = [row + (number - 1) * BAR for row in rows]
            axes.barh(places, units, height=BAR * 0.9, color=COLOURS[number], label=depth)
        axes.set_title(question)
    writes = [
        sum(w.cost.capacity_units for w in design.writings) / max(1, len(design.writings))
        for design in subject.designs
    ]
    panels[-1].barh(rows, writes, height=BAR * 1.6, color=COLOURS[3])
    panels[-1].set_title("a write")
    for axes in panels:
        axes.set_xscale("log")
        axes.set_xlim(left=LEAST_UNITS, right=max(axes.get_xlim()[1], MOST_UNITS))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(axis="x")
        axes.tick_params(axis="x", which="minor", labelbottom=False)
        axes.tick_params(axis="y", length=0)
    described = DESCRIPTIONS[subject.name].designs
    panels[0].set_yticks(rows, [described[design.name].title for design in subject.designs])
    panels[0].invert_yaxis()
    figure.supxlabel("capacity units, on a logarithmic scale", fontsize=10)
    _add_legend(figure, panels[0])
    return figure


def _units(design: DesignFigures, question: str, number: int) -> float:
    """Return what a page cost; nothing where the list has fewer pages."""
    pages = [r.cost.capacity_units for r in design.readings if r.question == question]
    depths = {1: (0,), 2: (0, None, 1)}.get(len(pages), (0, 1, 2))
    at = depths[number] if number < len(depths) else None
    return 0.0 if at is None else pages[at]
