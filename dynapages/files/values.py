"""What values mean before they are parsed: nothing, a fallback, a row that is left out."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynapages.files.columns import BadMapping, columns_among, split_list
from dynapages.files.records import Record

EVERY_COLUMN = ""
_OR = "|"
"""Between the columns of a field, of which the first counts that has a value."""


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

    ``nulls`` mean nothing, by column, in `EVERY_COLUMN` or one. ``fallbacks`` are columns such as
    ``Email|Billing Name``, made of those they name. Rows with a value of ``skip`` are left out.
    """

    nulls: Mapping[str, Collection[str]]
    fallbacks: Sequence[str]
    skip: Sequence[tuple[Named, str]]
    needed: Sequence[Named]
    """What the options name, one column of which at least must be there."""

    def apply(self, record: Record) -> Record | Skipped:
        """Return a record with its nulls as None and its fallbacks added, or that it is skipped."""
        values: dict[str, object] = {}
        for name, value in record.values.items():
            values[name] = None if self._is_null(name, value) else value
        # After the nulls: what means nothing lets the next column count.
        for name in list(self._fallbacks_among(values)):
            values[name] = _first_value(values, name.split(_OR))
        for named, text in self.skip:
            if named.text_in(values) == text:
                return Skipped(record, named.name)
        return Record(record.line, values)

    def columns(self, present: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a file, and the fallbacks that are made of them."""
        return (*present, *self._fallbacks_among(present))

    def require(self, present: Sequence[str]) -> None:
        """Raise BadMapping for a column that an option names, and that is not there."""
        for named in self.needed:
            if not any(column in present for column in named.columns):
                column = named.columns[0] if named.columns else named.name
                columns_among(present, {named.name: column}, needed=[named.name])

    def _is_null(self, column: str, value: object) -> bool:
        text = _stripped_text(value)
        return text in self.nulls.get(EVERY_COLUMN, ()) or text in self.nulls.get(column, ())

    def _fallbacks_among(self, present: Collection[str]) -> Iterator[str]:
        for name in self.fallbacks:
            if name not in present and any(column in present for column in name.split(_OR)):
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
    return ValueRules(nulls_of, _fallbacks_in(columns), skipped, needed)


def _parse_null(text: str) -> tuple[str, str]:
    """Return the name before an equals sign, or `EVERY_COLUMN`, and the value that is null."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        return EVERY_COLUMN, text
    if not name:
        raise BadMapping(f"“{text}” is no value, and no pair such as shipped_at=0.")
    return name, value


def _fallbacks_in(columns: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the columns that are made of others, each once."""
    fallbacks: dict[str, None] = {}
    for columns_of_field in columns.values():
        for column in columns_of_field:
            if _OR in column:
                fallbacks[column] = None
    return tuple(fallbacks)


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
