"""An import in two passes: the first checks every row, the second reads what to write.

So nothing is written when the file turns out to be unreadable, and of the rows with one id only the
newest is stored.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Generic, TypeVar
from zlib import crc32

from dynapages.django.forecasts import checking_forecast
from dynapages.django.options import Progress
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile, open_rows
from dynapages.files.values import Skipped
from dynapages.files.winners import Version, Versions, Winners

Row = TypeVar("Row")
_DIGEST_BYTES = 16
_SHARE_OF_A_PART = 4
"""A group of more rows than this fraction of a part is divided among all parts."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of several parts of a file, counted from 1, which processes import side by side."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> "Part":
        """Parse ``2/8``. Raises ValueError, whose text is one sentence."""
        number, slash, of = text.partition("/")
        are_numbers = number.isdecimal() and of.isdecimal()
        if not (slash and are_numbers and 1 <= int(number) <= int(of)):
            raise ValueError(f"“{text}” is no part such as 2/8, the second of eight")
        return cls(int(number), int(of))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def is_whole(self) -> bool:
        return self.of == 1

    def has(self, name: str) -> bool:
        """Return whether what has this name is in the part: each name is in one of them."""
        return crc32(name.encode()) % self.of == self.number - 1


WHOLE = Part()


@dataclass(slots=True)
class TwoPassImport(Generic[Row]):
    """The rows of a file, ``parse``-d alike in both passes; ``rows == read + rejected + skipped``.

    Of a ``part`` the numbers are those of its own rows, once the second pass has ended. Rows of one
    group (`group_of`) are in one part, unless the group is large. ``detected`` says in words which
    encoding and delimiter the first pass found, ``digest`` is one of all rows that it read.
    """

    file: RowFile
    parse: Callable[[OpenRows], Iterable[Row | Rejected | Skipped]]
    version_of: Callable[[Row], Version]
    group_of: Callable[[Row], str] | None = None
    part: Part = WHOLE
    read: int = 0
    rejected: int = 0
    skipped: int = 0
    won: int = 0
    detected: str = ""
    digest: str = ""
    row_number: int = -1
    """The number of the row that `winning` has yielded last, from 0."""
    winners: Winners = field(default_factory=Winners)
    _large_groups: Collection[str] = ()
    _state_of_file: tuple[int, int] = (0, 0)

    @property
    def rows(self) -> int:
        return self.read + self.rejected + self.skipped

    @property
    def superseded(self) -> int:
        return self.read - self.won

    def check(self, rejects: RejectsFile, progress: Progress) -> None:
        """Read all rows, and write those that are rejected to ``rejects``.

        Raises FileUnreadable, RejectsUnwritable, and what ``parse`` does.
        """
        digest = blake2b(digest_size=_DIGEST_BYTES)
        sizes: Counter[str] = Counter()
        with (
            Versions() as versions,
            checked_rows(self.file, self.parse, progress) as (opened, parsed),
        ):
            self._state_of_file = _state_of(self.file)
            for number, row in enumerate(opened.explaining(parsed)):
                if isinstance(row, Rejected | Skipped):
                    self._count_unread(row, number, rejects)
                    continue
                self.read += 1
                digest.update(repr(row).encode())
                versions.offer(self.version_of(row), row=number)
                if self.group_of is not None and not self.part.is_whole:
                    sizes[self.group_of(row)] += 1
            self.winners = versions.winners()
            # Only now it is known which lines were left out.
            self.detected = opened.detected
        self.won = len(self.winners)
        self.digest = digest.hexdigest()
        largest = self.read / (self.part.of * _SHARE_OF_A_PART)
        self._large_groups = {group for group, size in sizes.items() if size > largest}

    def winning(self) -> Iterator[Row]:
        """Read the newest rows again. Raises FileUnreadable where the file has changed."""
        if _state_of(self.file) != self._state_of_file:
            raise self._changed()
        digest = blake2b(digest_size=_DIGEST_BYTES)
        read = won = 0
        with open_rows(self.file) as opened:
            for number, row in enumerate(self.parse(opened)):
                if isinstance(row, Rejected | Skipped):
                    continue
                digest.update(repr(row).encode())
                if not self._is_in_part(row):
                    continue
                read += 1
                # Numbered as in the first pass: so the last of two alike is known again.
                if number in self.winners:
                    won += 1
                    self.row_number = number
                    yield row
        if digest.hexdigest() != self.digest:
            raise self._changed()
        self.read, self.won = read, won

    def _count_unread(self, row: Rejected | Skipped, number: int, rejects: RejectsFile) -> None:
        """Count a row that is not read, in the one part that it belongs to."""
        if not self.part.has(str(number)):
            return
        if isinstance(row, Rejected):
            rejects.add(row)
            self.rejected += 1
        else:
            self.skipped += 1

    def _is_in_part(self, row: Row) -> bool:
        if self.part.is_whole or self.group_of is None:
            return True
        name = self.group_of(row)
        if name in self._large_groups:
            name, _ = self.version_of(row)
        return self.part.has(name)

    def _changed(self) -> FileUnreadable:
        return FileUnreadable(f"{self.file.path} changed while it was read: run it again.")


def _state_of(file: RowFile) -> tuple[int, int]:
    """Return what changes with the content of a file: its size, and when it was written."""
    status = file.path.stat()
    return status.st_size, status.st_mtime_ns


@contextmanager
def checked_rows(
    file: RowFile, parse: Callable[[OpenRows], Iterable[Row]], progress: Progress
) -> Iterator[tuple[OpenRows, Iterator[Row]]]:
    """Open a file for its first pass, which moves a progress bar by the bytes read."""
    with open_rows(file) as opened:
        size = file.path.stat().st_size  # opening it comes first: that says it when it is missing
        with progress.step("Checking", total=size, unit="B") as advance:
            rows = checking_forecast(progress).of_file(parse(opened), opened.bytes_read, size)
            yield opened, opened.advancing(rows, advance)
