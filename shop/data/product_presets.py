"""Known files of products: their columns, and which of their rows are public products."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dynapages.files.records import Record, Rejected, RowRefused, text_of
from dynapages.files.values import Skipped

_PRESETS = Path(__file__).parent / "product_presets.toml"
_LONGEST_COLUMN_SHOWN = 60
Row = Record | Rejected | Skipped
Values = Mapping[str, Sequence[str]]
"""Values of columns, in lower case."""


@dataclass(frozen=True, slots=True)
class ProductPreset:
    """How a known file writes products.

    ``columns`` are those of fields, of which the first counts that has a value; ``element`` is the
    name of elements of XML that are rows; ``line_break`` is what stands for one in a description.
    Which rows count is in the file of presets.
    """

    about: str = ""
    columns: Values = field(default_factory=dict)
    element: str | None = None
    only: Values = field(default_factory=dict)
    left_out: Values = field(default_factory=dict)
    has_further_rows: bool = False
    line_break: str = ""

    def pick(self, rows: Iterable[Row], id_column: str) -> Iterator[Row]:
        """Yield rows: those that are no products as skipped, those that are not public as rejected.

        ``id_column`` is the column with the id of a row.
        """
        previous_id: object = None
        for row in rows:
            if not isinstance(row, Record):
                yield row
                continue
            row_id = row.values.get(id_column)
            is_further = self.has_further_rows and bool(row_id) and row_id == previous_id
            previous_id = row_id
            if is_further:
                yield Skipped(row, id_column)
            else:
                yield self._picked(row, id_column)

    def _picked(self, record: Record, id_column: str) -> Row:
        """Return a record, or that it is no product, or none that the public may see."""
        try:
            for column, value in record.values.items():
                key = _key_of(column)
                if key in self.left_out and not _words_of(value).isdisjoint(self.left_out[key]):
                    return Skipped(record, column)
            for column, value in record.values.items():
                _require_public(column, value, self.only.get(_key_of(column)))
        except RowRefused as refused:
            return Rejected(record.line, str(refused), record.shown(id_column))
        return self._with_line_breaks(record)

    def _with_line_breaks(self, record: Record) -> Record:
        """Return a record whose descriptions have line breaks, in place of what stands for them."""
        if not self.line_break:
            return record
        values = dict(record.values)
        columns = self.columns.get("description", ())
        for column in (*columns, "|".join(columns)):
            text = values.get(column)
            if isinstance(text, str):
                values[column] = text.replace(self.line_break, "\n")
        return Record(record.line, values)


def _require_public(column: str, value: object, allowed: Sequence[str] | None) -> None:
    """Raise RowRefused for a value that is not among those allowed, if there are any."""
    if allowed is None:
        return
    word = text_of(column, value).strip()
    if word.lower() in allowed:
        return
    said = f"“{word[:20]}”" if word else "empty"
    shown = column[:_LONGEST_COLUMN_SHOWN]
    raise RowRefused(f"{shown} is {said}: only {' or '.join(filter(None, allowed))} is imported")


def _words_of(value: object) -> set[str]:
    """Return the words of a value such as ``variation, virtual``, in lower case."""
    text = text_of("value", value).lower()
    return {word.strip() for word in text.split(",")}


def _key_of(column: str) -> str:
    return "".join(column[:_LONGEST_COLUMN_SHOWN].lower().split())


@cache
def presets() -> Mapping[str, ProductPreset]:
    """Return the known files by name."""
    known: dict[str, ProductPreset] = {}
    for name, values in tomllib.loads(_PRESETS.read_text(encoding="utf-8")).items():
        for rule in ("only", "left_out"):
            by_key: dict[str, Sequence[str]] = {}
            for column, words in values.get(rule, {}).items():
                by_key[_key_of(column)] = words
            values[rule] = by_key
        known[name] = ProductPreset(**values)
    return known
