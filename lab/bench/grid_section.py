"""The grid, in words and drawn."""

from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median, quantiles
from typing import TYPE_CHECKING

from matplotlib.ticker import NullFormatter, StrMethodFormatter

from lab.bench.grid import GridFigures, PageCost, ReadFigures
from lab.bench.plotting import COLOURS, FAINT, blank, legend
from lab.bench.readers import RULES, SITE
from lab.bench.sections import Plot, Section, Table
from lab.bench.timing import medians_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, TITLE = "grid", "Every set of ratings with a dozen sets of languages"
UNITS, MS, DELAYED = "capacity units", "milliseconds", "milliseconds, calls delayed"
OF_PAGES: dict[str, Callable[[PageCost], float]] = {
    UNITS: lambda page: page.list_cost.capacity_units,
    "items read": lambda page: page.list_cost.items_read,
    "queries": lambda page: page.list_cost.calls,
    "rounds": lambda page: page.rounds,
}
OF_LISTS: dict[str, Callable[[ReadFigures], float]] = {
    MS: lambda read: read.ms,
    DELAYED: lambda read: read.delayed_ms,
    "added by the delay, a round": lambda read: read.delay_a_round,
}
COUNTS = (
    "The planner's times include reading the counts, its capacity units do not: ½ unit, "
    "which the page needs anyway to say how many comments each click will show."
)
MOST_OF_THE_MEAN, MOST_MEDIAN, MOST_P95 = 0.5, 2.0, 3.2
"""What the planner is held to: its mean by that of the rules, the others by an unfiltered page."""


def grid_section(figures: GridFigures, *, notes: Sequence[str]) -> Section:
    """Write what was found about the grid."""
    of_readers = tuple(f"“{name}” reads {about}." for name, about in figures.readers.items())
    pages = len(figures.of_pages(SITE.name, OF_PAGES[UNITS]))
    cost = f"What {pages:,} pages of {figures.page_size} from {len(figures.lists)} lists cost"
    time = (
        f"How long their first pages take, as {medians_of(figures.turns)}, "
        f"also with {figures.delay_ms} ms added to each call"
    )
    costs = [(w, r, figures.of_pages(r, of)) for w, of in OF_PAGES.items() for r in figures.readers]
    times = [(w, r, figures.of_lists(r, of)) for w, of in OF_LISTS.items() for r in figures.readers]
    return Section(
        name=NAME,
        title=TITLE,
        notes=(*notes, " ".join(of_readers), COUNTS),
        tables=(
            *(
                Table(caption, ("of a page", "reader", "mean", "median", "95 %", "most"), rows)
                for caption, rows in ((cost, _rows(costs)), (time, _rows(times)))
            ),
            Table(
                "What the planner's capacity units are held to",
                ("what", "at most", "found", "holds"),
                tuple(_promises(figures)),
            ),
            Table(
                "Its capacity units by how many languages are chosen: each takes a query of its "
                "own, and a query half a unit, even where it finds a comment or none",
                ("languages", "pages", "mean", "median", "95 %", "most"),
                tuple(_by_languages(figures)),
            ),
        ),
        plots=(Plot(NAME, f"{TITLE}: capacity units and time by reader", _draw(figures)),),
    )


def _promises(figures: GridFigures) -> list[tuple[str, str, str, str]]:
    units = OF_PAGES[UNITS]
    planner = _distribution(figures.of_pages(SITE.name, units))
    rules = _distribution(figures.of_pages(RULES.name, units))
    unfiltered = figures.unfiltered_units
    held = (
        ("mean ÷ mean of the rules", MOST_OF_THE_MEAN, planner[0] / rules[0]),
        ("median ÷ an unfiltered page", MOST_MEDIAN, planner[1] / unfiltered),
        ("95 % ÷ an unfiltered page", MOST_P95, planner[2] / unfiltered),
    )
    return [
        (what, f"{most:g}", f"{found:.2f}", "yes" if found <= most else "no")
        for what, most, found in held
    ]


def _by_languages(figures: GridFigures) -> Iterator[tuple[str, ...]]:
    units = OF_PAGES[UNITS]
    found: dict[int, list[float]] = {}
    for one in figures.lists:
        pages = one.by_reader[SITE.name].pages
        found.setdefault(len(one.languages), []).extend(units(page) for page in pages)
    for number, costs in sorted(found.items()):
        name = str(number) if number else "any"
        yield name, f"{len(costs):,}", *map(_spelled, _distribution(costs))


def _rows(found: Sequence[tuple[str, str, Sequence[float]]]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (what, reader, *map(_spelled, _distribution(values))) for what, reader, values in found
    )


def _distribution(found: Sequence[float]) -> tuple[float, float, float, float]:
    """Give mean, median, 95th percentile and maximum."""
    p95 = quantiles(found, n=20, method="inclusive")[-1] if len(found) > 1 else found[0]
    return mean(found), median(found), p95, max(found)


def _spelled(number: float) -> str:
    return f"{number:,.2f}"


def _draw(figures: GridFigures) -> "Figure":
    """Draw for each reader what share of the pages needs at most so much."""
    figure = blank(width=11, height=4)
    panels = figure.subplots(1, 3, sharey=True)
    for reader, colour in zip(figures.readers, COLOURS, strict=False):
        units = figures.of_pages(reader, OF_PAGES[UNITS])
        times = (figures.of_lists(reader, OF_LISTS[what]) for what in (MS, DELAYED))
        for axes, found in zip(panels, (units, *times), strict=True):
            axes.ecdf(found, color=colour, linewidth=1.8, label=reader)
    for axes, what in zip(panels, (UNITS, MS, DELAYED), strict=True):
        _dress(axes, what)
    panels[0].set_ylabel("share of the pages")
    panels[0].set_yticks([0, 0.5, 0.95, 1], ["0", "half", "95 %", "all"])
    legend(figure, panels[0])
    return figure


def _dress(axes: "Axes", what: str) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_title(what)
    axes.set_xlabel("at most, for a page", color=FAINT)
    axes.grid(visible=True)
