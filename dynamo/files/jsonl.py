"""Records of JSON lines: one object to a line."""

import json
from collections.abc import Iterator

from dynamo.files.lines import LONGEST_LINE, Lines
from dynamo.files.records import Record, Rejected

MOST_COLUMNS = 200
"""The most names of columns that are kept."""


class JsonLines:
    """The objects of a file; ``columns`` are the names in those read so far."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._columns: dict[str, None] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __iter__(self) -> Iterator[Record | Rejected]:
        for text in self._lines:
            if text.strip():
                yield self._record(self._lines.number, text)

    def _record(self, line: int, text: str) -> Record | Rejected:
        if len(text) >= LONGEST_LINE:
            return Rejected(line, f"the line has {LONGEST_LINE:,} characters or more")
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            return Rejected(line, f"the line is no JSON: {error}")
        if not isinstance(values, dict):
            return Rejected(line, "the line is no JSON object")
        if len(self._columns) < MOST_COLUMNS:
            self._columns.update(dict.fromkeys(values))
        return Record(line, values)
