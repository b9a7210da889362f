"""Imports, in words."""

from collections.abc import Sequence
from statistics import median

from lab.bench.importing import COUNTED, RAW, ImportFigures
from lab.bench.sections import Section, Table

NAME, TITLE = "imports", "Importing comments"
LEAST = 0.5
"""What an import with counts is held to, by raw batches."""


def importing_section(figures: ImportFigures, *, notes: Sequence[str]) -> Section:
    """Write what was found about imports."""
    rows = tuple(
        (way, *(f"{f(figures.per_second[way]):,.0f}" for f in (min, median, max)))
        for way in (RAW, COUNTED)
    )
    compared = (
        (
            "with counts ÷ raw batches",
            *(f"{f(figures.ratios):.2f}" for f in (min, median, max)),
            f"{LEAST:g}",
            "yes" if figures.ratio >= LEAST else "no",
        ),
    )
    caption = f"Comments a second in {figures.turns} turns of {figures.comments:,} each way"
    return Section(
        name=NAME,
        title=TITLE,
        notes=tuple(notes),
        tables=(
            Table(caption, ("loaded", "least", "median", "most"), rows),
            Table(
                "How they compare, turn by turn",
                ("ratio", "least", "median", "most", "median at least", "holds"),
                compared,
            ),
        ),
    )
