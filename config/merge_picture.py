"""A picture of how the page of a list was merged from its queries, as coordinates and SVG paths.

Each query is a lane from left to right, and each item a dot in a column. `picture_of` builds it;
``_explanation_picture.html`` draws it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dynapages.lists import Explanation

COLUMN_WIDTH = 18
LANE_HEIGHT = 34
FIRST_LANE_Y = 24
LABEL_HEIGHT = 30
"""Room below the page for the sort key of the item under the pointer."""
CHARACTER_WIDTH = 8
"""A little more than a character of a key takes."""
MOST_NOT_SHOWN = 6
"""Dots for items that were read and are not on the page; beyond it their number is written."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A query, with its dots and their lines to the page as SVG paths.

    ``not_shown`` are the dots of items that were read and are not on the page, ``more`` is the
    number of those without a dot.
    """

    key: str
    y: int
    shown: str
    joins: str
    not_shown: str
    more: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The lanes from top to bottom, the dots of the page below them, and the key of each.

    Sizes are in pixels.
    """

    lanes: tuple[Lane, ...]
    sort_keys: tuple[str, ...]

    @property
    def items(self) -> list[tuple[int, str]]:
        """The x coordinate and the sort key of each item of the page."""
        return [(_column_x(column), key) for column, key in enumerate(self.sort_keys)]

    @property
    def page_y(self) -> int:
        """Where the row of the page's dots is, below the lanes."""
        return _lane_y(len(self.lanes))

    @property
    def page(self) -> str:
        """The dots of the page as an SVG path."""
        return _dots(range(len(self.sort_keys)), self.page_y)

    @property
    def edge(self) -> int:
        """The x coordinate of the line between what is shown and what was only read."""
        return _column_x(len(self.sort_keys))

    @property
    def width(self) -> int:
        """Enough for all columns, and for the longest key that is written."""
        texts = [*self.sort_keys, *(lane.key for lane in self.lanes)]
        longest = max((len(text) for text in texts), default=0)
        columns = len(self.sort_keys) + MOST_NOT_SHOWN + 2
        return max(_column_x(columns), CHARACTER_WIDTH * longest)

    @property
    def height(self) -> int:
        """That of the lanes, the page and a label."""
        return self.page_y + LABEL_HEIGHT


def picture_of(explanation: Explanation) -> Picture:
    """Draw the queries that were made for a page; others of its plan have no lane."""
    queries = [number for number, query in enumerate(explanation.queries) if query.rounds]
    lanes = [
        _lane(explanation, query_number, y=_lane_y(lane), page_y=_lane_y(len(queries)))
        for lane, query_number in enumerate(queries)
    ]
    return Picture(tuple(lanes), explanation.places)


def _lane(explanation: Explanation, query_number: int, *, y: int, page_y: int) -> Lane:
    query = explanation.queries[query_number]
    columns = []
    for column, merged_query in enumerate(explanation.merged_from):
        if merged_query == query_number:
            columns.append(column)
    only_read = query.items_read - query.items_returned
    # A column stays free between the page and what was only read.
    first = len(explanation.merged_from) + 1
    return Lane(
        key=query.key,
        y=y,
        shown=_dots(columns, y),
        joins="".join(f"M{_column_x(column)} {y}V{page_y}" for column in columns),
        not_shown=_dots(range(first, first + min(only_read, MOST_NOT_SHOWN)), y),
        more=max(0, only_read - MOST_NOT_SHOWN),
    )


def _lane_y(number: int) -> int:
    return LANE_HEIGHT * number + FIRST_LANE_Y


def _column_x(column: int) -> int:
    return COLUMN_WIDTH * (column + 1)


def _dots(columns: Iterable[int], y: int) -> str:
    """Build a path that is a dot in each column, if its line has round ends."""
    return "".join(f"M{_column_x(column)} {y}h0" for column in columns)
