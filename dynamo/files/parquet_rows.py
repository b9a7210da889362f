"""Records of Parquet, by pyarrow, which is installed where such files are read."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from dynamo.files.content import FileUnreadable
from dynamo.files.json_rows import flat
from dynamo.files.records import Record, Rejected

MAGIC = b"PAR1"
_AT_A_TIME = 1_000


class ParquetRows:
    """The rows of a file, numbered from 1 where others have lines, and its ``columns``.

    Raises FileUnreadable where pyarrow is missing, or the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        try:
            from pyarrow import ArrowException  # noqa: PLC0415 - it is optional
            from pyarrow.parquet import ParquetFile  # noqa: PLC0415
        except ImportError as error:
            raise FileUnreadable(
                f"{path} is a Parquet file, which pyarrow reads: pip install pyarrow."
            ) from error
        self._path = path
        self._failures = (ArrowException, OSError, UnicodeDecodeError)
        try:
            self._file: Any = ParquetFile(path)
        except self._failures as error:
            raise self._unreadable(error) from error
        self._done = 0
        self.columns: tuple[str, ...] = tuple(
            column.path.removesuffix(".list.element") for column in self._file.schema
        )

    @property
    def bytes_read(self) -> int:
        """The share of the file's bytes that the rows read so far have of all rows."""
        rows: int = self._file.metadata.num_rows
        return self._path.stat().st_size * self._done // max(rows, 1)

    def __iter__(self) -> Iterator[Record | Rejected]:
        batches = self._file.iter_batches(batch_size=_AT_A_TIME)
        try:
            for batch in batches:
                for row in batch.to_pylist():
                    self._done += 1
                    yield Record(self._done, {name: _plain(v) for name, v in flat(row).items()})
        except self._failures as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _unreadable(self, error: Exception) -> FileUnreadable:
        return FileUnreadable(f"{self._path} is a damaged Parquet file: {error}".splitlines()[0])


def _plain(value: object) -> object:
    """Return a value as JSON would have it: moments in ISO 8601, decimals as text."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
