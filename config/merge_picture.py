"""The picture of a merge: which query found each item of a page, as paths of an SVG."""

from collections.abc import Iterable
from dataclasses import dataclass

from dynapages.lists.explain import Explanation

STEP = 18
LANE = 22
MOST_BESIDE = 6
"""Dots for items that were read and are not on the page; beyond it their number is written."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A query, with its dots and their lines to the page as SVG paths.

    ``more`` is the number of items that were read and have no dot.
    """

    key: str
    y: int
    shown: str
    joins: str
    beside: str
    more: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The lanes from top to bottom, and the dots of the page below them; sizes in pixels."""

    lanes: tuple[Lane, ...]
    items: int

    @property
    def page_y(self) -> int:
        return LANE * len(self.lanes) + LANE

    @property
    def page(self) -> str:
        return _dots(range(self.items), self.page_y)

    @property
    def edge(self) -> int:
        return _x(self.items)

    @property
    def width(self) -> int:
        return _x(self.items + MOST_BESIDE + 2)

    @property
    def height(self) -> int:
        return self.page_y + LANE // 2


def picture_of(explanation: Explanation) -> Picture:
    """Draw the queries that were made for a page."""
    made = [(n, query) for n, query in enumerate(explanation.queries) if query.rounds]
    items = len(explanation.merged_from)
    page_y = LANE * len(made) + LANE
    lanes = []
    for at, (number, query) in enumerate(made):
        y = LANE * at + LANE // 2
        shown = [c for c, query_of in enumerate(explanation.merged_from) if query_of == number]
        beside = query.items_read - query.items_returned
        lanes.append(
            Lane(
                key=query.key,
                y=y,
                shown=_dots(shown, y),
                joins="".join(f"M{_x(column)} {y}V{page_y}" for column in shown),
                beside=_dots(range(items + 1, items + 1 + min(beside, MOST_BESIDE)), y),
                more=max(0, beside - MOST_BESIDE),
            )
        )
    return Picture(tuple(lanes), items)


def _x(column: int) -> int:
    return STEP * (column + 1)


def _dots(columns: Iterable[int], y: int) -> str:
    """Build a path that is a dot in each column, if its line has round ends."""
    return "".join(f"M{_x(column)} {y}h0" for column in columns)
