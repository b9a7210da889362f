"""The cheapest way to cover a grid by whole rows, whole columns and single cells."""

from collections.abc import Hashable, Mapping
from itertools import chain, combinations
from typing import TypeVar

Row = TypeVar("Row", bound=Hashable)
Column = TypeVar("Column", bound=Hashable)


def cheapest_cover(
    rows: Mapping[Row, float],
    columns: Mapping[Column, float],
    cells: Mapping[tuple[Row, Column], float],
) -> tuple[tuple[Row, ...], tuple[Column, ...]]:
    """Return the rows and the columns of the cheapest cover; the cells beside both complete it.

    The mappings are to prices. Every set of columns is tried, so these should be few.
    """

    def left(row: Row, taken: tuple[Column, ...]) -> float:
        return sum(cells[row, column] for column in columns if column not in taken)

    def total(taken: tuple[Column, ...]) -> float:
        besides = sum(min(rows[row], left(row, taken)) for row in rows)
        return sum(columns[column] for column in taken) + besides

    sets = (combinations(columns, size) for size in range(len(columns) + 1))
    best = min(chain.from_iterable(sets), key=total)
    return tuple(row for row in rows if rows[row] < left(row, best)), best
