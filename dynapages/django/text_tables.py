"""Tables that commands print: readable in a terminal, and Markdown for a document."""

from collections.abc import Sequence

from tabulate import tabulate


def format_table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table in Markdown, without a line break at its end.

    Text is set left. Numbers are set right, and get commas between thousands.
    """
    alignments = []
    for column in range(len(titles)):
        is_number = bool(rows) and isinstance(rows[0][column], int | float)
        alignments.append("right" if is_number else "left")
    cells = [[_format_cell(value) for value in row] for row in rows]
    return tabulate(
        cells, headers=titles, tablefmt="pipe", colalign=alignments, disable_numparse=True
    )


def _format_cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    # "g" alone would write a million as 1e+06.
    return f"{value:,.10g}"
