"""An import in two passes: the first checks every row, the second reads what to write.

So nothing is written when the file turns out to be unreadable, and of the rows with one id only the
newest is stored.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Generic, TypeVar

from dynapages.django.options import Progress
from dynapages.files.packing import FileUnreadable
from dynapages.files.records import Rejected
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile, open_rows
from dynapages.files.values import Skipped

Row = TypeVar("Row")
Version = tuple[str, int]
"""The id of a row, and a number that is greater for a newer version; of two alike the last wins."""
_ROW_BITS = 40
_ID_DIGEST_BYTES = 12


class Winners:
    """The newest row of each id: about 150 bytes for each, whatever the id's length."""

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._newest)

    def offer(self, version: Version, *, row: int) -> None:
        """Add the version in a row, by its number in the file."""
        key, number = _packed(version, row)
        newest = self._newest.get(key)
        if newest is None or number > newest:
            self._newest[key] = number

    def is_winner(self, version: Version, *, row: int) -> bool:
        """Return whether no version that was offered is newer than this one."""
        key, number = _packed(version, row)
        return self._newest.get(key) == number


def _packed(version: Version, row: int) -> tuple[bytes, int]:
    """Return a digest of the id, and one number that orders by version, then by row."""
    row_id, order = version
    digest = blake2b(row_id.encode(), digest_size=_ID_DIGEST_BYTES).digest()
    # One int instead of a pair: there is one for each id of the file.
    return digest, order << _ROW_BITS | row


@dataclass(slots=True)
class TwoPassImport(Generic[Row]):
    """The rows of a file, ``parse``-d alike in both passes; ``rows == read + rejected + skipped``.

    ``detected`` says in words which encoding and delimiter the first pass found.
    """

    file: RowFile
    parse: Callable[[OpenRows], Iterable[Row | Rejected | Skipped]]
    version_of: Callable[[Row], Version]
    rows: int = 0
    rejected: int = 0
    skipped: int = 0
    detected: str = ""
    winners: Winners = field(default_factory=Winners)

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped

    @property
    def superseded(self) -> int:
        return self.read - len(self.winners)

    def check(self, rejects: RejectsFile, progress: Progress) -> None:
        """Read all rows, and write those that are rejected to ``rejects``.

        Raises FileUnreadable, RejectsUnwritable, and what ``parse`` does.
        """
        with checked_rows(self.file, self.parse, progress) as (opened, parsed):
            self.detected = opened.detected
            for number, row in enumerate(parsed):
                self.rows += 1
                if isinstance(row, Rejected):
                    rejects.add(row)
                    self.rejected += 1
                elif isinstance(row, Skipped):
                    self.skipped += 1
                else:
                    self.winners.offer(self.version_of(row), row=number)

    def winning(self) -> Iterator[Row]:
        """Read the newest rows again. Raises FileUnreadable where the file has changed."""
        read = won = 0
        with open_rows(self.file) as opened:
            for number, row in enumerate(self.parse(opened)):
                if isinstance(row, Rejected | Skipped):
                    continue
                read += 1
                # Numbered as in the first pass: so the last of two alike is known again.
                if self.winners.is_winner(self.version_of(row), row=number):
                    won += 1
                    yield row
        if read != self.read or won != len(self.winners):
            raise FileUnreadable(f"{self.file.path} changed while it was read: run it again.")


@contextmanager
def checked_rows(
    file: RowFile, parse: Callable[[OpenRows], Iterable[Row]], progress: Progress
) -> Iterator[tuple[OpenRows, Iterator[Row]]]:
    """Open a file for its first pass, which moves a progress bar by the bytes read."""
    with open_rows(file) as opened:
        size = file.path.stat().st_size  # opening it comes first: that says it when it is missing
        with progress.step("Checking", total=size, unit="B") as advance:
            yield opened, opened.advancing(parse(opened), advance)
