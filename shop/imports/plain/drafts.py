"""Orders whose rows are being found: what they hold, and why some are rejected."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dynamo.files.json_rows import flat
from dynamo.files.records import Record, Rejected, RowRefused
from shop.imports.loading import Place
from shop.imports.names import Names
from shop.imports.plain.fields import text_of
from shop.imports.plain.lines import PlainLine, parse_line
from shop.imports.plain.orders import PlainOrder, parse_order
from shop.imports.plain.shape import LINE_FIELDS, ORDER_FIELDS, Shape

OWN_FIELDS = tuple(name for name in ORDER_FIELDS if name != "order_id")
"""The fields of an order that only some of its rows may have."""
_SHOWN = 40


@dataclass(slots=True)
class Draft:
    """The rows of an order as they are found; ``faults`` are why some of them are rejected.

    ``doubt`` is why one of its lines may be missing.
    """

    id: str
    shape: Shape
    names: Names
    texts: dict[str, str] = field(default_factory=dict)
    lines: list[PlainLine] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    faults: dict[Place, str] = field(default_factory=dict)
    doubt: str = ""
    is_headed: bool = False

    def add_own(self, record: Record, place: Place) -> None:
        """Add the order's own fields in a row; they must not contradict those before."""
        self.is_headed = True
        try:
            texts = _texts(record, OWN_FIELDS, self.shape.columns)
        except RowRefused as refused:
            self.faults.setdefault(place, str(refused))
            return
        for name, text in texts.items():
            if self.texts.setdefault(name, text) != text:
                self.faults.setdefault(place, f"{name} is another one in another row of the order")

    def add_line(self, record: Record, place: Place, columns: Mapping[str, str]) -> None:
        """Add the line in a row, if there is one."""
        try:
            if texts := _texts(record, LINE_FIELDS, columns):
                self.lines.append(parse_line({**self.shape.constants, **texts}, self.names))
        except RowRefused as refused:
            self.faults.setdefault(place, str(refused))

    def add_nested(self, record: Record, place: Place) -> list[str]:
        """Add the lines in a list; return the names of their values."""
        name, seen = self.shape.lines_in or "", dict[str, None]()
        value: Any = record.values.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.faults.setdefault(place, f"{name} is no list of objects")
            return []
        for one in value:
            try:
                line = Record(record.line, flat(one))
            except RowRefused as refused:
                self.faults.setdefault(place, f"{name}: one of them {refused}")
                continue
            seen.update(dict.fromkeys(line.values))
            self.add_line(line, place, self.shape.line_columns)
        return list(seen)

    def parse(self) -> PlainOrder | None:
        """Parse the order, when all its rows are found; None if they are rejected."""
        if not self.is_headed or self.doubt or self.faults:
            return None
        texts = {**self.shape.constants, **self.texts, "order_id": self.id}
        try:
            return parse_order(
                texts, self.lines, places=self.places, shape=self.shape, names=self.names
            )
        except RowRefused as refused:
            self.faults[self.places[0]] = str(refused)
            return None

    def rejected(self) -> Iterator[Rejected]:
        """Yield all rows of an order that is rejected."""
        shown = self.id[:_SHOWN]
        because = self.doubt if self.is_headed else f"there is no order “{shown}”"
        if self.faults:
            first = next(iter(self.faults))
            because = f"line {first.line} of {first.file}, of its order “{shown}”, was rejected"
        for place in self.places:
            yield Rejected(place.line, self.faults.get(place, because), self.id, place.file)


def _texts(record: Record, fields: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    found = ((name, record.values.get(columns.get(name, name))) for name in fields)
    return {name: text for name, value in found if (text := text_of(name, value))}
