"""Pages at several depths, in words and drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.bench.pages import FRAGMENT, LIST, PAGE, QUERY, RATIOS, DepthFigures, PageFigures
from lab.bench.plotting import COLOURS, FAINT, blank, legend
from lab.bench.sections import Plot, Section, Table
from lab.bench.timing import medians_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COSTS = (
    "list",
    "page",
    "plan",
    "runs",
    "read",
    "entry bytes",
    "units",
    "for the plan",
    "whole page",
)
TIMES = (
    *("list", "page", "bare query", "list", "fragment", "whole page"),
    *("list ÷ query", "fragment ÷ query", "page ÷ query", "page ÷ its calls"),
)
LINES = {
    PAGE: ("whole page", COLOURS[2]),
    FRAGMENT: ("what htmx swaps", COLOURS[1]),
    LIST: ("the list alone", COLOURS[0]),
    QUERY: ("one bare query", FAINT),
}
UNITS = COLOURS[3]
K = 1_000


def page_section(figures: DepthFigures, *, name: str, title: str, notes: Sequence[str]) -> Section:
    """Write what was found about pages of one kind."""
    pages = figures.pages
    return Section(
        name=name,
        title=title,
        notes=tuple(notes),
        tables=(
            Table(
                f"Capacity units of a page of {figures.page_size}",
                COSTS,
                tuple(map(_cost_row, pages)),
            ),
            Table(
                f"Milliseconds, as {medians_of(figures.turns)}, and their ratios",
                TIMES,
                tuple(map(_time_row, pages)),
            ),
        ),
        plots=(Plot(name, f"{title}: time and capacity units by depth", _draw(pages)),),
    )


def _cost_row(page: PageFigures) -> tuple[str, ...]:
    return (
        page.list_name,
        f"{page.page:,}",
        page.plan,
        f"{page.runs}",
        f"{page.list_cost.items_read}",
        f"{page.entry_bytes}",
        f"{page.list_cost.capacity_units:g}",
        f"{page.other_cost.capacity_units:g}",
        f"{page.page_cost.capacity_units:g}",
    )


def _time_row(page: PageFigures) -> tuple[str, ...]:
    times = (f"{page.times[name].median_ms:.2f}" for name in (QUERY, LIST, FRAGMENT, PAGE))
    ratios = (f"{page.ratio(one, to):.2f}" for one, to in RATIOS)
    return (page.list_name, f"{page.page:,}", *times, *ratios)


def _draw(pages: Sequence[PageFigures]) -> "Figure":
    """Draw time above and capacity units below, by the number of the page, a column a list."""
    names = list(dict.fromkeys(page.list_name for page in pages))
    figure = blank(width=2.2 * len(names) + 0.8, height=5.2)
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
    legend(figure, axes[0][0])
    return figure


def _draw_times(axes: "Axes", pages: Sequence[PageFigures]) -> None:
    numbers = [page.page for page in pages]
    for name, (label, colour) in LINES.items():
        times = [page.times[name].median_ms for page in pages]
        style = "--" if name == QUERY else "-"
        axes.plot(numbers, times, style, color=colour, marker="o", markersize=4, label=label)
    axes.set_xscale("log")
    axes.grid(axis="y")


def _draw_units(axes: "Axes", pages: Sequence[PageFigures]) -> None:
    numbers = [page.page for page in pages]
    units = [page.list_cost.capacity_units for page in pages]
    axes.plot(numbers, units, color=UNITS, marker="s", markersize=4)
    axes.set_xticks(numbers, [_short(number) for number in numbers], fontsize=8)
    axes.minorticks_off()
    axes.grid(axis="y")


def _short(number: int) -> str:
    return f"{number / K:.3g}k" if number >= K else str(number)
