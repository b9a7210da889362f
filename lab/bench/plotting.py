"""How plots look: calm, on a ground of their own, with text that stays text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUND, INK, FAINT, GRID = "#fbfaf7", "#1f2328", "#62666d", "#e4e1da"
COLOURS = ("#1f6f8b", "#c8742b", "#8a4f7d", "#4a7c59")
"""Told apart by the colour-blind as well."""
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica Neue", "Arial", "DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.facecolor": GROUND,
    "axes.labelcolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "figure.facecolor": GROUND,
    "savefig.facecolor": GROUND,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "grid.color": GRID,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "bench",
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save in this style."""
    with mpl.rc_context(STYLE):  # type: ignore[arg-type] # its keys are plain strings here
        yield


def blank(*, width: float, height: float) -> Figure:
    """Give an empty figure; sizes are in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def legend(figure: Figure, axes: "Axes") -> None:
    """Explain the lines once, above all."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=len(labels))
