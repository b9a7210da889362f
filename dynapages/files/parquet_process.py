"""The process that reads a file of Parquet, by pyarrow, and prints its rows as lines of JSON.

A few kilobytes may hold gigabytes, so it gets no more memory than `MOST_MEMORY` of
`dynapages.files.parquet_rows`.
It prints an object with the ``columns`` and the number of ``rows``; for each row an object of its
values, or a text why it is rejected; last, where the file cannot be read on, a list of the reason.
"""

import json
import resource
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import singledispatch
from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import FileMetaData, ParquetFile

from dynapages.files.lines import LONGEST_LINE
from dynapages.files.parquet_rows import MOST_MEMORY, NEEDS_MORE
from dynapages.files.records import RowRefused

_AT_A_TIME = 64
"""Rows that are unpacked at a time."""
_PIECE = 64 * 1024
"""Bytes of a column that are read at a time."""
_NUMBER = 8
"""Characters that any value but a text counts for."""
_BYTES_OF_A_CHARACTER = 4
"""Of UTF-8, at the most."""
_SHOWN = 60
"""Characters of a column's name in a reason."""
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 24 * 60 * 60

Row = dict[str, object] | str
"""The values of a row, or why it is rejected."""


def messages(path: Path) -> Iterator[object]:
    """Yield what the process prints."""
    done, is_whole = 0, False
    try:
        with ParquetFile(path) as file:
            metadata = file.metadata
            columns = list(_columns(file.schema_arrow))
        yield {"columns": columns, "rows": metadata.num_rows}
        for is_frugal in (False, True):
            try:
                for row in _rows(path, metadata, done, is_frugal=is_frugal):
                    yield row
                    done += 1
                is_whole = True
                break
            except MemoryError:
                continue
    except (pa.ArrowException, OSError) as error:
        yield [f"is a damaged Parquet file: {error}".splitlines()[0]]
    else:
        if not is_whole:
            yield [NEEDS_MORE]


def _columns(fields: Iterable[pa.Field], prefix: str = "") -> Iterator[str]:
    """Yield the names of columns, with dots as in `dynapages.files.json_rows`."""
    for field in fields:
        if pa.types.is_struct(field.type):
            yield from _columns(field.type, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def _rows(path: Path, metadata: FileMetaData, first: int, *, is_frugal: bool) -> Iterator[Row]:
    """Yield rows from the ``first`` on; to be frugal takes many times as long.

    pyarrow can leave a text that is in many rows as it is in the file, once: as a dictionary.
    """
    with ParquetFile(
        path,
        metadata=metadata,
        read_dictionary=list(_texts(metadata)) if is_frugal else None,
        pre_buffer=False,
        buffer_size=_PIECE,
        coerce_int96_timestamp_unit="us",  # in nanoseconds years end with 2262
    ) as file:
        done = 0
        for batch in file.iter_batches(1 if is_frugal else _AT_A_TIME, use_threads=False):
            names, columns = batch.schema.names, batch.columns
            for number in range(max(first - done, 0), batch.num_rows):
                yield _row(names, [column[number] for column in columns])
            done += batch.num_rows


def _texts(metadata: FileMetaData) -> Iterator[str]:
    """Yield the columns of text that pyarrow can read as a dictionary."""
    groups = range(metadata.num_row_groups)
    for number in range(metadata.num_columns):
        column = metadata.schema.column(number)
        is_text = column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
        if is_text and not any(
            "DELTA_BYTE_ARRAY" in metadata.row_group(group).column(number).encodings
            for group in groups
        ):
            yield column.path


class _RowTooLong(Exception):
    """A row has more characters than any valid one."""


class _Count:
    """Counts the characters of a row, names included."""

    def __init__(self) -> None:
        self._characters = 0

    def add(self, characters: int) -> None:
        """Raise _RowTooLong where they are too many with these."""
        self._characters += characters
        if self._characters >= LONGEST_LINE:
            raise _RowTooLong


def _row(names: Sequence[str], scalars: Sequence[pa.Scalar]) -> Row:
    values: dict[str, object] = {}
    count = _Count()
    for name, scalar in zip(names, scalars, strict=True):
        try:
            count.add(len(name))
            values[name] = _value(scalar, count)
        except _RowTooLong:
            return f"the row has {LONGEST_LINE:,} characters or more"
        except RowRefused as refused:
            return f"{name[:_SHOWN]} {refused}"
        except (ValueError, ArithmeticError, pa.ArrowException) as error:
            return f"{name[:_SHOWN]} cannot be read: {error}"
    return values


def _value(scalar: pa.Scalar, count: _Count) -> object:
    """Return a value of JSON. Raises _RowTooLong, RowRefused, and what pyarrow does."""
    if not scalar.is_valid:
        count.add(1)
        return None
    return _found(scalar, count)


@singledispatch
def _found(scalar: pa.Scalar, count: _Count) -> object:
    count.add(_NUMBER)
    value = scalar.as_py()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, bool | int | float):
        raise RowRefused(f"has a type that cannot be read: {scalar.type}")
    return value


@_found.register(pa.DictionaryScalar)
@_found.register(pa.ExtensionScalar)
def _within(scalar: pa.Scalar, count: _Count) -> object:
    return _value(scalar.value, count)


@_found.register(pa.BinaryScalar)
def _text(scalar: pa.Scalar, count: _Count) -> str:
    # It is copied only where it may be short enough.
    buffer = scalar.as_buffer()
    least = buffer.size // _BYTES_OF_A_CHARACTER
    count.add(least)
    text: str = buffer.to_pybytes().decode("utf-8", "surrogateescape")
    count.add(len(text) - least)
    return text


@_found.register(pa.UuidScalar)
def _uuid(scalar: pa.Scalar, count: _Count) -> str:
    text = str(scalar.as_py())
    count.add(len(text))
    return text


@_found.register(pa.ListScalar)
def _list(scalar: pa.Scalar, count: _Count) -> list[object]:
    return [_value(one, count) for one in scalar.values]


@_found.register(pa.StructScalar)
def _object(scalar: pa.Scalar, count: _Count) -> dict[str, object]:
    found: dict[str, object] = {}
    for number, field in enumerate(scalar.type):
        count.add(len(field.name))
        found[field.name] = _value(scalar[number], count)
    return found


@_found.register(pa.TimestampScalar)
def _moment(scalar: pa.Scalar, count: _Count) -> str:
    count.add(_NUMBER)
    seconds, fraction = _split(scalar)
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError as error:
        raise RowRefused(f"is no moment of the calendar: {seconds:,} s since 1970") from error
    return f"{moment.replace(tzinfo=None).isoformat()}{fraction}+00:00"


@_found.register(pa.Time32Scalar)
@_found.register(pa.Time64Scalar)
def _time(scalar: pa.Scalar, count: _Count) -> str:
    count.add(_NUMBER)
    seconds, fraction = _split(scalar)
    if not 0 <= seconds < _DAY:
        raise RowRefused(f"is no time of a day: {seconds:,} s since midnight")
    return f"{(_EPOCH + timedelta(seconds=seconds)).time().isoformat()}{fraction}"


@_found.register(pa.DurationScalar)
def _duration(scalar: pa.Scalar, count: _Count) -> str:
    count.add(_NUMBER)
    return f"PT{Decimal(scalar.value) / _PER_SECOND[scalar.type.unit]:f}S"


def _split(scalar: pa.Scalar) -> tuple[int, str]:
    """Return the whole seconds of a time, and what is behind their point."""
    unit = _PER_SECOND[scalar.type.unit]
    seconds, rest = divmod(scalar.value, unit)
    return seconds, f".{unit + rest}".replace(".1", ".", 1) if rest else ""


def _serve(path: Path) -> None:
    """Print the rows of a file, within `MOST_MEMORY`."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    for message in messages(path):
        sys.stdout.write(json.dumps(message) + "\n")


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
