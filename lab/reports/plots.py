"""Plots, drawn by one function as SVG whose text stays text. Drawing needs matplotlib."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#1f6f8b", "#c8742b", "#8a4f7d", "#4a7c59")
"""Distinct for the colour-blind as well."""
INK = "#1f2328"
STYLE = Path(__file__).with_suffix(".mplstyle")
THOUSAND, MILLION = 1_000, 1_000_000
GRIDS: Mapping[str, Literal["x", "y", "both"]] = {"lines": "y", "shares": "both", "bars": "x"}
BARS = 0.78
"""The height of all bars of a row; rows are 1 apart."""
LEAST, MOST = 0.3, 10.0
"""The left edge of a logarithmic scale of bars, and the right one where nothing is longer."""

Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""By their names: numbers along the horizontal axis, and the values at them."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a plot.

    Lines are values by number; shares are how many of the values are at most so large; bars lie
    in rows called ``names``, a bar for each series.
    """

    kind: Literal["lines", "shares", "bars"]
    title: str
    series: Series
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """Rows of panels, as many in each: the name of its file, and what it shows in words."""

    name: str
    shows: str
    panels: Sequence[Sequence[Panel]]
    below: str
    left: Sequence[str] = ()
    size: tuple[float, float] = (11, 4)
    heights: Sequence[float] = (1,)
    is_logarithmic: bool = True

    def save(self, folder: Path) -> Path:
        """Draw it into a file that has no date, so that it changes with the figures alone."""
        from matplotlib import style  # noqa: PLC0415 - it is heavy, and may be missing
        from matplotlib.figure import Figure  # noqa: PLC0415 - the same

        path = folder / f"{self.name}.svg"
        with style.context(STYLE):
            figure = Figure(figsize=self.size, layout="constrained")
            grid = figure.subplots(
                *(len(self.panels), len(self.panels[0])),
                sharex="col",
                sharey="row",
                squeeze=False,
                height_ratios=self.heights,
            )
            for number, panels in enumerate(self.panels):
                for axes, panel in zip(grid[number], panels, strict=True):
                    _draw(axes, panel, is_logarithmic=self.is_logarithmic)
                if panels[0].kind == "lines":
                    grid[number][0].set_ylim(0, 1.1 * max(a.dataLim.y1 for a in grid[number]))
            if self.panels[0][0].kind == "bars":
                grid[0][0].invert_yaxis()
            for axes, words in zip(grid[:, 0], self.left, strict=False):
                axes.set_ylabel(words)
            figure.supxlabel(self.below, fontsize=10)
            handles, labels = grid[0][0].get_legend_handles_labels()
            if any(labels):
                figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))
            figure.savefig(path, metadata={"Date": None, "Creator": None})
        return path


def _shortened(number: float) -> str:
    for unit, letter in ((MILLION, "M"), (THOUSAND, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{letter}"
    return str(number)


def _draw(axes: "Axes", panel: Panel, *, is_logarithmic: bool) -> None:
    if is_logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.tick_params(axis="x", which="minor", labelbottom=False)
    for at, (name, (numbers, values)) in enumerate(panel.series.items()):
        colour = COLOURS[at % len(COLOURS)]
        if panel.kind == "lines":
            axes.plot(numbers, values, marker="o", markersize=4, color=colour, label=name)
            axes.set_xticks(numbers, list(map(_shortened, numbers)), fontsize=8)
            axes.minorticks_off()
        elif panel.kind == "shares":
            axes.ecdf(values, linewidth=1.8, color=colour, label=name)
            axes.set_yticks([0, 0.5, 0.95, 1], ["0", "half", "95 %", "all"])
        else:
            height = BARS / len(panel.series)
            places = [n + (at - (len(panel.series) - 1) / 2) * height for n in numbers]
            bars = axes.barh(places, values, height=height * 0.9, color=colour, label=name)
            if is_logarithmic:
                axes.set_xlim(left=LEAST, right=max(axes.get_xlim()[1], MOST))
            else:
                axes.bar_label(bars, fmt="{:.0f}", padding=4, color=INK)
    axes.set_title(panel.title)
    axes.grid(visible=True, axis=GRIDS[panel.kind])
    if panel.names:
        axes.set_yticks(range(len(panel.names)), panel.names)
        axes.tick_params(axis="y", length=0)
