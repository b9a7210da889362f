"""The figures, drawn: capacity units of every page, and of every write. Needs matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.bench.plotting import COLOURS, blank, legend, styled
from lab.designs.descriptions import DESCRIPTIONS
from lab.designs.figures import DesignFigures, LabFigures, SubjectFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAR = 0.26
LEAST, MOST = 0.3, 10.0
"""Capacity units at the left edge, and at the right one where nothing is longer."""
FIRST, MIDDLE, LAST = "first page", "page 100 or the middle one", "last page"


def draw(figures: LabFigures) -> "dict[str, Figure]":
    """Draw each subject, by its name."""
    with styled():
        return {subject.name: _draw(subject) for subject in figures.subjects}


def _draw(subject: SubjectFigures) -> "Figure":
    questions = list(subject.questions)
    figure = blank(width=2.6 * (len(questions) + 1) + 1.6, height=0.55 * len(subject.designs) + 1.6)
    axes = figure.subplots(1, len(questions) + 1, sharey=True, squeeze=False)[0]
    titles = [DESCRIPTIONS[subject.name].designs[design.name].title for design in subject.designs]
    for one, question in zip(axes, questions, strict=False):
        _draw_reads(one, subject.designs, question)
        one.set_title(question)
    _draw_writes(axes[-1], subject.designs)
    axes[0].set_yticks(range(len(titles)), titles)
    axes[0].invert_yaxis()
    figure.supxlabel("capacity units, on a logarithmic scale", fontsize=10)
    legend(figure, axes[0])
    return figure


def _draw_reads(axes: "Axes", designs: Sequence[DesignFigures], question: str) -> None:
    for number, depth in enumerate((FIRST, MIDDLE, LAST)):
        units = [_units(design, question, number) for design in designs]
        rows = [row + (number - 1) * BAR for row in range(len(designs))]
        axes.barh(rows, units, height=BAR * 0.9, color=COLOURS[number], label=depth)
    _set_scale(axes)


def _draw_writes(axes: "Axes", designs: Sequence[DesignFigures]) -> None:
    units = [
        sum(w.cost.capacity_units for w in design.writings) / max(1, len(design.writings))
        for design in designs
    ]
    axes.barh(range(len(designs)), units, height=BAR * 1.6, color=COLOURS[3])
    axes.set_title("a write")
    _set_scale(axes)


def _set_scale(axes: "Axes") -> None:
    axes.set_xscale("log")
    axes.set_xlim(left=LEAST, right=max(axes.get_xlim()[1], MOST))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(axis="x")
    axes.tick_params(axis="x", which="minor", labelbottom=False)
    axes.tick_params(axis="y", length=0)


def _units(design: DesignFigures, question: str, number: int) -> float:
    """Give what a page cost; nothing where the list has fewer pages."""
    pages = [r.cost.capacity_units for r in design.readings if r.question == question]
    depths = {1: (0,), 2: (0, None, 1)}.get(len(pages), (0, 1, 2))
    at = depths[number] if number < len(depths) else None
    return 0.0 if at is None else pages[at]
