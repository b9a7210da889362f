"""Throughput, in words and drawn."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.bench.plotting import COLOURS, INK, blank
from lab.bench.sections import Plot, Section, Table
from lab.bench.throughput import ThroughputFigures
from lab.bench.timing import medians_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, TITLE = "throughput", "Pages a second of the whole site"
LEAST = {"three ratings": 0.8, "four ratings, two languages": 0.6}
"""What lists are held to, by the list without a filter. The series measured 0.34 for three ratings
(268 pages a second by 783 for one)."""


def throughput_section(figures: ThroughputFigures, *, notes: Sequence[str]) -> Section:
    """Write what was found about throughput."""
    caption = (
        f"Whole pages a second by gunicorn with {figures.workers} workers, {figures.clients} "
        f"clients; {medians_of(figures.turns)} of {figures.seconds:g} s"
    )
    rows = tuple(
        (name, f"{rate:.1f}", f"{figures.ratio(name):.2f}", *_promise(figures, name))
        for name, rate in figures.per_second.items()
    )
    titles = ("list", "pages a second", "÷ no filter", "at least", "holds")
    return Section(
        name=NAME,
        title=TITLE,
        notes=tuple(notes),
        tables=(Table(caption, titles, rows),),
        plots=(Plot(NAME, f"{TITLE}, by filter", _draw(figures)),),
    )


def _promise(figures: ThroughputFigures, name: str) -> tuple[str, str]:
    least = LEAST.get(name)
    if least is None:
        return "", ""
    return f"{least:g}", "yes" if figures.ratio(name) >= least else "no"


def _draw(figures: ThroughputFigures) -> "Figure":
    figure = blank(width=8, height=2.4)
    axes = figure.subplots()
    names = list(figures.per_second)[::-1]
    bars = axes.barh(names, [figures.per_second[name] for name in names], color=COLOURS[0])
    axes.bar_label(bars, fmt="{:.0f}", padding=4, color=INK)
    axes.set_xlabel("pages a second")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure
