"""The rows of one order, as the first pass of an import finds them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dynapages.files.json_rows import flat
from dynapages.files.records import Record, Rejected, RowRefused
from shop.data.amounts import Amounts
from shop.data.currencies import decimals_of
from shop.data.fields import field_text, is_return, pieces, without_html
from shop.data.names import Names
from shop.data.orders import ImportedOrder, PlainLine, RowRef, parse_line, parse_order
from shop.data.shape import ORDER_FIELDS, Shape

OWN_FIELDS = tuple(name for name in ORDER_FIELDS if name != "order_id")
"""The fields of an order that only some of its rows may have."""
_SHOWN = 40
"""Characters of an order's id that a reason repeats."""


@dataclass(slots=True)
class OrderRows:
    """The rows of an order as they are found; ``faults`` are why some of them are rejected.

    ``incomplete_because`` is why one of its lines may be missing. ``amounts`` reads
    those of all files. ``skipped`` are the rows whose line is left out, by an option or as
    a return, of which ``returned`` is the number. ``summaries`` are rows without a product, with
    the number of pieces that all lines must have together. It ``is_headed`` once a row has the
    order's own fields, and ``is_unwanted`` if an option leaves it out. ``html_rows`` are
    those whose HTML became text.
    """

    id: str
    shape: Shape
    names: Names
    amounts: Amounts = field(default_factory=Amounts)
    texts: dict[str, str] = field(default_factory=dict)
    lines: list[PlainLine] = field(default_factory=list)
    rows: list[RowRef] = field(default_factory=list)
    faults: dict[RowRef, str] = field(default_factory=dict)
    skipped: list[RowRef] = field(default_factory=list)
    returned: int = 0
    incomplete_because: str = ""
    summaries: dict[RowRef, int] = field(default_factory=dict)
    is_headed: bool = False
    is_unwanted: bool = False
    lines_left_out: int = 0
    html_rows: set[RowRef] = field(default_factory=set)

    @property
    def is_skipped(self) -> bool:
        """Whether the order is left out, or all of its lines are."""
        return self.is_unwanted or bool(self.lines_left_out and not (self.lines or self.faults))

    def skip_line(self, row: RowRef) -> None:
        """Leave out the line in a row."""
        self.skipped.append(row)
        self.lines_left_out += 1

    def add_own(self, record: Record, row: RowRef) -> None:
        """Add a row, and the order's own fields in it, which must not contradict those before."""
        self.rows.append(row)
        self.is_headed = True
        try:
            texts = texts_in(self.shape.join_order(record), OWN_FIELDS, self.shape.columns)
        except RowRefused as refused:
            self.faults.setdefault(row, str(refused))
            return
        currency_before = self._currency
        for name, text in texts.items():
            # Later rows repeat the order's own fields, or leave them empty.
            if self.texts.setdefault(name, text) != text:
                self.faults.setdefault(row, f"{name} is another one in another row of the order")
        # The lines before were read as amounts of another currency.
        is_other = decimals_of(self._currency) != decimals_of(currency_before)
        if self.lines and is_other:
            self.faults.setdefault(row, "currency is missing in the first row of the order")

    def _plain(self, texts: dict[str, str], row: RowRef) -> dict[str, str]:
        """Return the texts of a line without HTML, unless they are to stay as they are."""
        # An export of this shop, which alone has a history, comes back as it was.
        if self.shape.keep_html or "history" in self.texts:
            return texts
        plain = without_html(texts, ("product_name", "category"))
        if plain != texts:
            self.html_rows.add(row)
        return plain

    @property
    def _currency(self) -> str:
        """The order's currency, as far as its rows have told it yet."""
        return self.texts.get("currency") or self.shape.constants.get("currency", "")

    def add_line(
        self,
        record: Record,
        row: RowRef,
        columns: Mapping[str, str],
        *,
        may_be_summary: bool = False,
    ) -> None:
        """Add the line in a row, if there is one; a return is left out.

        One that has nothing of a line but a number of pieces ``may_be_summary`` of all others.
        """
        try:
            texts = self._plain(
                texts_in(self.shape.join_line(record), self.shape.line_fields, columns), row
            )
            if is_return(texts.get("quantity", "")):
                self._add_return(row)
            elif may_be_summary and texts.keys() == {"quantity"}:
                self.summaries[row] = pieces(texts, "quantity")
            elif texts:
                texts = {**self.shape.constants, "currency": self._currency, **texts}
                self.lines.append(parse_line(texts, self.names, self.amounts))
        except RowRefused as refused:
            self.faults.setdefault(row, str(refused))

    def _add_return(self, row: RowRef) -> None:
        self.returned += 1
        self.lines_left_out += 1
        if not self.shape.lines_in:  # else the row is the order's
            self.skipped.append(row)

    def add_nested(self, record: Record, row: RowRef) -> list[str]:
        """Add the lines in a list; return the names of their values."""
        column = self.shape.lines_in or ""
        value: Any = record.values.get(column) or []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.faults.setdefault(row, f"{column} is no list of objects")
            return []
        names: dict[str, None] = {}
        for one in value:
            try:
                line = Record(record.line, flat(one))
            except RowRefused as refused:
                self.faults.setdefault(row, f"{column}: one of them {refused}")
                continue
            names.update(dict.fromkeys(self._add_nested_line(line, row)))
        return list(names)

    def _add_nested_line(self, line: Record, row: RowRef) -> Iterable[str]:
        """Add a line of a list, unless an option skips it; return the names of its values."""
        rules = self.shape.line_rules
        changed = rules.apply(line) if rules else line
        if not isinstance(changed, Record):
            self.lines_left_out += 1
            return line.values
        self.add_line(changed, row, self.shape.line_columns)
        return changed.values

    def parse(self) -> ImportedOrder | None:
        """Parse the order, when all its rows are found; None if they are rejected."""
        self._check_summaries()
        # An order is written whole or not at all.
        if not self.is_headed or self.incomplete_because or self.faults:
            return None
        texts = {**self.shape.constants, **self.texts, "order_id": self.id}
        try:
            return parse_order(
                texts, self.lines, rows=self.rows, shape=self.shape, names=self.names
            )
        except RowRefused as refused:
            self.faults[self.rows[0]] = str(refused)
            return None

    def _check_summaries(self) -> None:
        """Note a fault where a summary may be a line, or its order has other lines than it says."""
        total = sum(line.quantity for line in self.lines)
        number_of_lines = len(self.lines) + self.lines_left_out
        for row, expected in self.summaries.items():
            # Behind a single line it may be a second one, of as many pieces.
            may_be_line = number_of_lines == 1 and row != self.rows[0]
            if not self.lines or may_be_line:
                self.faults.setdefault(row, "product_id is missing")
            # What is left out may have been counted.
            elif expected != total and not self.lines_left_out:
                self.faults.setdefault(
                    row,
                    f"quantity: this row has no product and {expected:,} pieces, but the lines of "
                    f"its order have {total:,} together",
                )

    def rejected(self) -> Iterator[Rejected]:
        """Yield all rows of an order that is rejected."""
        shown = self.id[:_SHOWN]
        because = self.incomplete_because
        if not self.is_headed:
            because = f"there is no order “{shown}”"
        if self.faults:
            first = next(iter(self.faults))
            because = f"line {first.line} of {first.file}, of its order “{shown}”, was rejected"
        for row in self.rows:
            if row in self.skipped and row not in self.faults:
                continue
            yield Rejected(row.line, self.faults.get(row, because), self.id, row.file)


def texts_in(record: Record, fields: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of those fields that a record has, by field. Raises RowRefused."""
    texts: dict[str, str] = {}
    for name in fields:
        text = field_text(name, record.values.get(columns.get(name, name)))
        if text:
            texts[name] = text
    return texts
