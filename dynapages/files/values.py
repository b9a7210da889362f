"""What values mean before they are parsed: nothing, one of several columns, a row to leave out."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynapages.files.columns import BadMapping, columns_among, split_list
from dynapages.files.records import Record

EVERY_COLUMN = ""
_OR = "|"
"""Between the columns of a field, of which the first counts that has a value."""
_AND = "+"
"""Between columns whose texts are one value together, with a blank between them."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that is left out because of the value of a field, or of a column."""

    record: Record
    because: str

    @property
    def line(self) -> int:
        return self.record.line


@dataclass(frozen=True, slots=True)
class Named:
    """A field with its ``columns``, of which the first with a value counts, or a column by itself.

    An option has named it.
    """

    name: str
    columns: Sequence[str]

    def text_in(self, values: Mapping[str, object]) -> str:
        """Return its value in a row as text, without blanks at its ends."""
        return _stripped_text(_first_value(values, self.columns))


@dataclass(frozen=True, slots=True)
class ValueRules:
    """What values mean.

    ``nulls`` mean nothing, by column, in `EVERY_COLUMN` or one. ``made`` are columns such as
    ``Email|Billing Name`` and ``Date+Time``, made of those they name, unless the file has one of
    that name. Rows with a value of ``skip`` are left out.
    """

    nulls: Mapping[str, Collection[str]]
    made: Sequence[str]
    skip: Sequence[tuple[Named, str]]
    needed: Sequence[Named]
    """What the options name, one column of which at least must be there."""

    def apply(self, record: Record) -> Record | Skipped:
        """Return a record with its nulls as None and what is made added, or that it is skipped."""
        values: dict[str, object] = {}
        for name, value in record.values.items():
            values[name] = None if self._is_null(name, value) else value
        # After the nulls: what means nothing lets the next column count.
        for name in self.made:
            if name not in record.values and _has_any(record.values, name):
                values[name] = _made_value(values, name)
        for named, text in self.skip:
            if named.text_in(values) == text:
                return Skipped(record, named.name)
        return Record(record.line, values)

    def columns(self, present: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a file, and those that are made of them."""
        return (*present, *self._made_of(present))

    def require(self, present: Sequence[str]) -> None:
        """Raise BadMapping for a column that an option names, and that is not there."""
        for named in self.needed:
            if not any(column in present for column in named.columns):
                column = named.columns[0] if named.columns else named.name
                columns_among(present, {named.name: column}, needed=[named.name])

    def _is_null(self, column: str, value: object) -> bool:
        text = _stripped_text(value)
        return text in self.nulls.get(EVERY_COLUMN, ()) or text in self.nulls.get(column, ())

    def _made_of(self, present: Collection[str]) -> Iterator[str]:
        for name in self.made:
            if name not in present and any(_has_all(present, one) for one in name.split(_OR)):
                yield name


def parse_rules(
    *,
    nulls: Iterable[str],
    skip: Iterable[str],
    columns: Mapping[str, Sequence[str]],
    concerns: Callable[[str], bool] | None = None,
) -> ValueRules:
    """Parse ``0,NULL,shipped_at=-`` and ``rating=0``; ``columns`` are those of the file's fields.

    With ``concerns``, names of which it is not true are passed over: they are of another file.
    Raises BadMapping.
    """
    nulls_of = defaultdict[str, set[str]](set)
    skipped: list[tuple[Named, str]] = []
    needed: list[Named] = []
    for text in nulls:
        for part in split_list(text):
            name, value = _parse_null(part)
            if name == EVERY_COLUMN:
                nulls_of[EVERY_COLUMN].add(value)
            elif concerns is None or concerns(name):
                named = Named(name, columns.get(name, (name,)))
                needed.append(named)
                for column in named.columns:
                    nulls_of[column].add(value)
    for text in skip:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise BadMapping(f"“{text}” is no pair such as rating=0.")
        if concerns is None or concerns(name):
            named = Named(name, columns.get(name, (name,)))
            needed.append(named)
            skipped.append((named, value))
    return ValueRules(nulls_of, _made_in(columns), skipped, needed)


def _parse_null(text: str) -> tuple[str, str]:
    """Return the name before an equals sign, or `EVERY_COLUMN`, and the value that is null."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        return EVERY_COLUMN, text
    if not name:
        raise BadMapping(f"“{text}” is no value, and no pair such as shipped_at=0.")
    return name, value


def _made_in(columns: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the columns that are made of others, each once."""
    made: dict[str, None] = {}
    for columns_of_field in columns.values():
        for column in columns_of_field:
            if _OR in column or _AND in column:
                made[column] = None
    return tuple(made)


def _has_all(present: Collection[str], name: str) -> bool:
    """Return whether a file has a column, or all that are joined in its name."""
    return name in present or all(part in present for part in name.split(_AND))


def _has_any(values: Mapping[str, object], name: str) -> bool:
    """Return whether a row has one of the columns of a name, or the first one of those joined."""
    alternatives = name.split(_OR)
    firsts = [column.split(_AND)[0] for column in alternatives]
    return any(column in values for column in (*alternatives, *firsts))


def _made_value(values: Mapping[str, object], name: str) -> object:
    """Return the first value among the columns of a name, of which some may be joined."""
    for column in name.split(_OR):
        value = values.get(column)
        if column not in values and _AND in column:
            value = _joined(values, column.split(_AND))
        if value is not None and value != "":
            return value
    return None


def _joined(values: Mapping[str, object], columns: Sequence[str]) -> str:
    """Return the texts of columns with blanks between them; empty where the first one is."""
    texts = [_stripped_text(values.get(column)) for column in columns]
    if not texts[0]:
        return ""
    return " ".join(text for text in texts if text)


def _first_value(values: Mapping[str, object], columns: Iterable[str]) -> object:
    """Return the first value that is neither missing nor an empty text; None if there is none."""
    for column in columns:
        value = values.get(column)
        if value is not None and value != "":
            return value
    return None


def _stripped_text(value: object) -> str:
    """Return a value as a file writes it, without blanks at its ends; of a list nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value).strip()
    return ""
