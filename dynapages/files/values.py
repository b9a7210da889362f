"""What values mean before they are parsed: nothing, a fallback, a row that is left out."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynapages.files.records import BadMapping, Record, columns_among, split_list

EVERY_COLUMN = ""
_OR = "|"
"""Between the columns of a field, of which the first counts that has a value."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that is left out as asked, because of the value of a field, or of a column."""

    record: Record
    because: str

    @property
    def line(self) -> int:
        return self.record.line


@dataclass(frozen=True, slots=True)
class Named:
    """A field, or a column that is none, and the ``columns`` of it, of which the first counts."""

    name: str
    columns: Sequence[str]

    def text_in(self, values: Mapping[str, object]) -> str:
        """Return its value as the file spells it, without blanks at its ends."""
        return _spelled(_first(values, self.columns))


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
        """Return a record by the rules."""
        values = {name: self._meant(name, value) for name, value in record.values.items()}
        for name in self._fallbacks_among(values):
            values[name] = _first(values, name.split(_OR))
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

    def _meant(self, name: str, value: object) -> object:
        found = (nulls for column in (EVERY_COLUMN, name) if (nulls := self.nulls.get(column)))
        return None if any(_spelled(value) in nulls for nulls in found) else value

    def _fallbacks_among(self, present: Collection[str]) -> Iterator[str]:
        for name in self.fallbacks:
            if name not in present and any(column in present for column in name.split(_OR)):
                yield name


def parse_rules(
    *,
    nulls: Iterable[str],
    skip: Iterable[str],
    columns: Mapping[str, Sequence[str]],
    concerns: Callable[[str], bool] = bool,
) -> ValueRules:
    """Parse ``0,NULL,shipped_at=-`` and ``rating=0``; ``columns`` are those of the file's fields.

    A name that does not ``concern`` the file is of another one. Raises BadMapping.
    """
    meant, skipped = defaultdict[str, set[str]](set), list[tuple[Named, str]]()
    needed: list[Named] = []

    def named(name: str) -> Named:
        needed.append(Named(name, columns.get(name, (name,))))
        return needed[-1]

    for text in (part for option in nulls for part in split_list(option)):
        name, equals, value = (part.strip() for part in text.partition("="))
        if equals and not name:
            raise BadMapping(f"“{text}” is no value, and no pair such as shipped_at=0.")
        if not equals:
            meant[EVERY_COLUMN].add(text)
        elif concerns(name):
            for column in named(name).columns:
                meant[column].add(value)
    for text in skip:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise BadMapping(f"“{text}” is no pair such as rating=0.")
        if concerns(name):
            skipped.append((named(name), value))
    fallbacks = dict.fromkeys(c for some in columns.values() for c in some if _OR in c)
    return ValueRules(meant, tuple(fallbacks), skipped, needed)


def _first(values: Mapping[str, object], columns: Iterable[str]) -> object:
    found = (values.get(column) for column in columns)
    return next((value for value in found if not isinstance(value, str | None) or value), None)


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, str | int | float) else ""
