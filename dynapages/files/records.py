"""Records and rejected rows, which readers of files yield, and the values of a record's fields.

Moments are parsed in any of the usual forms.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Self, TextIO

from dynapages.django.formats import escape_formula
from dynapages.files.lines import LONGEST_LINE

MOST_NESTED = 32
"""How deep a row's values may be nested: what holds none is one deep."""
SHOWN = 128
"""Characters of an id in a list of rejected rows."""


class RowRefused(ValueError):
    """A record is not valid; the text names the field and the reason."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row that was split into values. ``line`` is the number of its first line."""

    line: int
    values: Mapping[str, object]

    def shown(self, column: str) -> str:
        """Return the start of a value, to name a row that is rejected; it may be empty."""
        value = self.values.get(column)
        return "" if value is None else str(value)[:SHOWN]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was refused, with the reason, and its id if it has one.

    ``file`` is the name of its file if an import reads several.
    """

    line: int
    reason: str
    id: str = ""
    file: str = ""


def text_of(name: str, value: object) -> str:
    """Return the value of a field as text, empty for None. Raises RowRefused."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowRefused(f"{name} is neither text nor a number")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RowRefused(f"{name} is not UTF-8 text") from error
    if "\0" in text:
        raise RowRefused(f"{name} holds a NUL character")
    return text


def short_text(name: str, text: str, longest: int) -> str:
    """Return a text of up to ``longest`` characters. Raises RowRefused."""
    if len(text) > longest:
        raise RowRefused(f"{name} has {len(text):,} characters, more than {longest:,}")
    return text


def moment_of(name: str, text: str, formats: "DateFormats") -> datetime:
    """Parse a moment as aware UTC. Raises RowRefused."""
    try:
        return formats.parse(text)
    except ValueError as error:
        raise RowRefused(f"{name}: {error}") from error


MOST_LISTED = 100_000
"""Rows that the file lists; those behind them are counted only."""
_SHOWN_FIRST = 10
"""Rows that a report repeats."""
_LONGEST_REASON = 1_000
_END = Rejected(0, f"More rows were rejected: only the first {MOST_LISTED:,} are listed.")


class RejectsUnwritable(ValueError):
    """The file of rejected rows cannot be written; the text has the reason."""


class RejectsFile:
    """Writes rejected rows to ``path``, which is created with the first one, `MOST_LISTED` at most.

    A file of an earlier import is removed at the start.
    """

    def __init__(self, path: Path, *, of_several_files: bool = False) -> None:
        self.path = path
        self._columns = ["file"] * of_several_files + ["line", "id", "reason"]
        self.count = 0
        self._file: TextIO | None = None
        self._writer: Any = None

    def add(self, rejected: Rejected) -> None:
        """Write one row, long ids and reasons cut. Raises RejectsUnwritable."""
        try:
            if self._file is None:
                self._open()
            if self.count < MOST_LISTED:
                self._write(rejected)
            elif self.count == MOST_LISTED:
                self._write(_END)
        except OSError as error:
            raise self._unwritable(error) from error
        self.count += 1

    @property
    def sentence(self) -> str:
        """How many rows were rejected, and where they are listed; empty where there are none."""
        rows = "1 row was" if self.count == 1 else f"{self.count:,} rows were"
        listed = "see the list"
        if self.count > MOST_LISTED:
            listed = f"the first {MOST_LISTED:,} are listed"
        return f"{rows} rejected; {listed} in {self.path}" if self.count else ""

    def first(self) -> Iterator[str]:
        """Yield the first rejected rows as lines of a report."""
        if not self.count:
            return
        with self.path.open(encoding="utf-8", newline="") as file:
            for row in islice(csv.DictReader(file), _SHOWN_FIRST):
                place = ", ".join(filter(None, [row.get("file"), f"line {row['line']}", row["id"]]))
                yield f"  {place}: {row['reason']}"

    def __enter__(self) -> Self:
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, rejected: Rejected) -> None:
        values = {
            "file": rejected.file,
            "line": rejected.line or "",
            "id": rejected.id[:SHOWN],
            "reason": rejected.reason[:_LONGEST_REASON],
        }
        self._writer.writerow([escape_formula(values[one]) for one in self._columns])

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(self._columns)

    def _unwritable(self, error: OSError) -> RejectsUnwritable:
        return RejectsUnwritable(f"{self.path} cannot be written: {error.strerror}.")


_FORMAT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_END_OF_DAY = re.compile(r"24:00(?::00(?:\.0+)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_DIGITS, _MILLISECONDS_DIGITS = 10, 13
_WORD = re.compile(r"[^\W\d_]+\.?")
_NUMBER = re.compile(r"m?\d+")
_WITH_NAMES = (
    *(
        day + time
        for day in ("%d m%m %Y", "m%m %d %Y", "%Y m%m %d")
        for time in ("", " %H %M", " %H %M %S")
    ),
    *("m%m %Y", "%Y m%m"),
)
"""The orders in which a named month (as ``m03``), a year and maybe a day are found."""


_SAMPLE = datetime(2001, 2, 3, tzinfo=UTC)
_ITS_MONTH = _SAMPLE.replace(day=1)
_OTHER_YEAR = _SAMPLE.replace(year=2007)  # on the same day of the week


class FormatUnknown(ValueError):
    """A date format or locale that cannot be used; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class DateFormats:
    """The formats of a file's dates, tried in order before those of `parse_moment`.

    They are those of ``strptime``; ``%B`` and ``%b`` are months in English, or by the names that
    ``months`` has numbers of, in lower case. With such names and no format a month's name, a year
    and maybe a day and a time are found in any usual order: “2 de marzo de 2024”. A month without a
    day is its first. Raises FormatUnknown.
    """

    formats: tuple[str, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.formats:
            # From Python 3.13 on, strptime warns of a day without a year.
            has_year = _SAMPLE.strftime(one) != _OTHER_YEAR.strftime(one)
            if not has_year or _parsed(_SAMPLE.strftime(one), one) not in {_SAMPLE, _ITS_MONTH}:
                raise FormatUnknown(
                    f"“{one}” is no format of a year, a month and maybe a day, such as %d/%m/%Y."
                )

    def parse(self, text: str) -> datetime:
        """Parse a moment as aware UTC, as `parse_moment` does. Raises ValueError."""
        moment, _ = self._found(text)
        if moment is not None:
            return moment
        try:
            return parse_moment(text)
        except ValueError as error:
            if not self.formats:
                raise
            raise ValueError(f"“{text[:40]}” is no date in the format {self.formats[0]}") from error

    def lacks_day(self, text: str) -> bool:
        """Return whether a date is a month without a day, which `parse` takes for its first."""
        moment, pattern = self._found(text)
        return moment is not None and "%d" not in pattern and _lacks_day(pattern)

    def _found(self, text: str) -> tuple[datetime | None, str]:
        """Return the moment by the first pattern that fits, and that pattern."""
        if not (self.formats or self.months):
            return None, ""
        spelled, patterns = _numbered(text, self.months) if self.months else text, self.formats
        if self.months and patterns:
            patterns = tuple(p.replace("%B", "m%m").replace("%b", "m%m") for p in patterns)
        elif spelled != text:
            spelled, patterns = " ".join(_NUMBER.findall(spelled)), _WITH_NAMES
        found = ((_parsed(spelled, pattern), pattern) for pattern in patterns)
        return next((one for one in found if one[0] is not None), (None, ""))


def _lacks_day(pattern: str) -> bool:
    return _parsed(_SAMPLE.strftime(pattern), pattern) == _ITS_MONTH


def parse_moment(text: str) -> datetime:
    """Parse a moment as aware UTC; without an offset it is UTC, a date is its midnight.

    ISO 8601 with a blank or T, ``UTC`` or ``Z``; seconds (ten digits) or milliseconds (thirteen)
    since 1970. Digits beyond microseconds are dropped. 24:00 is the midnight at a day's end. A leap
    second, 23:59:60 in UTC, is the first one of the next day, as clocks of computers have it.
    Raises ValueError.
    """
    if text.isascii() and text.isdigit():
        return _since_1970(text)
    match = _FORMAT.fullmatch(text)
    if match is None:
        raise ValueError(
            f"“{text[:40]}” is no date and time such as 2023-01-05T12:30:00Z (see --date-format "
            f"and --date-locale)"
        )
    zone = (match["zone"] or "Z").upper().replace("UTC", "Z")
    time = (match["time"] or "00:00").replace(",", ".")
    is_day_over, is_leap = bool(_END_OF_DAY.fullmatch(time)), time[6:8] == "60"
    time = "00:00" if is_day_over else time
    time = f"{time[:6]}59{time[8:]}" if is_leap else time
    none = f"“{text}” is no moment of the calendar"
    try:
        moment = datetime.fromisoformat(f"{match['date']}T{time}{zone}").astimezone(UTC)
        moment += timedelta(days=is_day_over, seconds=is_leap)
    except (ValueError, OverflowError) as error:
        raise ValueError(none) from error
    if is_leap and (moment.hour, moment.minute, moment.second) != (0, 0, 0):
        raise ValueError(none)
    return moment


def _numbered(text: str, months: Mapping[str, int]) -> str:
    """Put numbers in place of the names of months."""

    def number(match: re.Match[str]) -> str:
        found = months.get(match[0].lower().rstrip("."))
        return match[0] if found is None else f"m{found:02}"

    return _WORD.sub(number, text)


def _parsed(text: str, pattern: str) -> datetime | None:
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 - most formats have no zone
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _since_1970(digits: str) -> datetime:
    if len(digits) == _SECONDS_DIGITS:
        return _EPOCH + timedelta(seconds=int(digits))
    if len(digits) == _MILLISECONDS_DIGITS:
        return _EPOCH + timedelta(milliseconds=int(digits))
    raise ValueError(
        f"“{digits[:40]}” is no time since 1970: seconds have 10 digits, milliseconds 13"
    )


DELIMITERS = ",;\t|"
MOST_LISTED_COLUMNS = 20
"""Columns that a message names."""
_SHOWN = 60
"""Characters of a column's name in a message."""
_PART = re.compile(r'(?:"[^"]*"|[^,"]|")+')


class BadMapping(ValueError):
    """An option names a column, field or value that does not exist; the text lists the others."""


class ColumnNames:
    """The names of columns in the rows read so far, the first `LONGEST_LINE` characters of them."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._length = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._names)

    def add(self, names: Iterable[str]) -> None:
        """Add those of a row, whole, unless there are too many before."""
        if self._length < LONGEST_LINE:
            new = [name for name in names if name not in self._names]
            self._length += sum(map(len, new))
            self._names.update(dict.fromkeys(new))


def listed(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, the first `MOST_LISTED_COLUMNS` of them."""
    shown = [name[:_SHOWN] for name in columns[:MOST_LISTED_COLUMNS]]
    more = len(columns) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")


def split_list(text: str) -> list[str]:
    """Split ``a,"b, c"`` at commas that are not between double quotes."""
    parts = (part.replace('"', "").strip() for part in _PART.findall(text))
    return [part for part in parts if part]


def parse_pairs(text: str, *, example: str, may_be_empty: bool = False) -> dict[str, str]:
    """Parse ``a=b,"c, d"=e``: what holds a comma is between double quotes.

    Raises BadMapping, which shows an ``example``, for anything else.
    """
    pairs: dict[str, str] = {}
    for pair in split_list(text):
        left, equals, right = (part.strip() for part in pair.partition("="))
        if not (left and equals and (right or may_be_empty)):
            raise BadMapping(f"“{pair}” is no pair such as {example}.")
        if left in pairs:
            raise BadMapping(f"“{left}” is given twice.")
        pairs[left] = right
    return pairs


def parse_columns(text: str, *, fields: Sequence[str]) -> dict[str, str]:
    """Parse ``field=column,…``; a field with an empty column (``reply=``) is not in the file.

    Raises BadMapping for a field that is not in ``fields``.
    """
    named = parse_pairs(text, example="id=review_id", may_be_empty=True)
    _require_fields(named, fields)
    return named


def parse_constants(texts: Iterable[str], *, fields: Sequence[str]) -> dict[str, str]:
    """Parse each ``field=value``, whose value may hold commas. Raises BadMapping."""
    constants: dict[str, str] = {}
    for text in texts:
        field, equals, value = text.partition("=")
        if not (equals and value):
            raise BadMapping(f"“{text}” is no pair such as language=de.")
        constants[field.strip()] = value
    _require_fields(constants, fields)
    return constants


def _require_fields(named: Iterable[str], fields: Sequence[str]) -> None:
    for name in named:
        if name not in fields:
            raise BadMapping(f"There is no field “{name}”; the fields are: {', '.join(fields)}.")


def columns_among(
    present: Sequence[str], columns: Mapping[str, str], *, needed: Collection[str]
) -> dict[str, str]:
    """Return the columns (by field) that a file has.

    Raises BadMapping if the column of a ``needed`` field is not ``present``, or a column is
    present twice.
    """
    for name, column in columns.items():
        if name in needed and column not in present:
            raise BadMapping(_no_column(name, column, present))
        if present.count(column) > 1:
            raise BadMapping(f"There are {present.count(column)} columns “{column}”.")
    return {name: column for name, column in columns.items() if column in present}


def _no_column(field: str, column: str, present: Sequence[str]) -> str:
    for_field = "" if field == column else f" (for {field})"
    missing = f"There is no column “{column}”{for_field}"
    if any(_is_garbled(name) for name in present):
        return f"{missing}, and the line that names the columns is not UTF-8 text."
    if len(present) == 1 and (delimiter := max(DELIMITERS, key=present[0].count)) in present[0]:
        return f"{missing}: it seems that columns are separated by “{delimiter}”, see --delimiter."
    return f"{missing}; the columns are: {listed(present)}."


def _is_garbled(name: str) -> bool:
    # Lone surrogates are bytes that are no UTF-8; NULs come from UTF-16 without byte order mark.
    return any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)
