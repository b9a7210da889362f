"""``python -m lab.beside``: the tables of dynapages/docs/beside-the-others.md, measured anew."""

import sys

from dynapages.django.text_tables import format_table
from lab.beside.measuring import Column, Comparison, measure
from lab.beside.notes import SEVERAL

CAPTIONS = {
    "one": "A page of 20 of one partition",
    "several": f"A page of 20 of {len(SEVERAL)} partitions, in one order",
}
TIME = "processor time of a page (ms)"


def table_of(columns: list[Column]) -> str:
    """Return the table of a task: a row for each figure and behaviour."""
    titles = ["", *(column.title for column in columns)]
    rows = []
    for number, (name, _) in enumerate(columns[0].cells):
        rows.append([name, *(column.cells[number][1] for column in columns)])
    rows.append([TIME, *(f"{column.milliseconds:.1f}" for column in columns)])
    return format_table(titles, rows)


def main() -> None:
    """Measure, and print."""
    sys.stdout.write(report(measure()))


def report(comparison: Comparison) -> str:
    """Return the tables, the versions and what was left out."""
    parts = []
    for task, columns in comparison.columns.items():
        parts.append(f"## {CAPTIONS[task]}\n\n{table_of(columns)}\n")
    versions = (f"{title} {version}" for title, version in comparison.versions.items())
    parts.append(f"Versions: {', '.join(versions)}.")
    for reason in comparison.left_out:
        parts.append(f"Left out: {reason}.")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
