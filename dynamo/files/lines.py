"""The lines of a file, numbered from 1, whether or not it is compressed."""

import gzip
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO

LONGEST_LINE = 1_000_000
"""Characters; a longer line is cut, and its row is then rejected as too long."""
_GZIP_MAGIC = b"\x1f\x8b"


class FileUnreadable(ValueError):
    """The file cannot be read; the text is one sentence."""


class Lines:
    """The lines of a text with their ends, one after the other.

    Only a line feed ends a line, as in editors and ``sed``: a carriage return alone does not.
    """

    def __init__(self, text: TextIO, raw: IO[bytes]) -> None:
        self._text = text
        self._raw = raw
        self._again: deque[str] = deque()
        self.number = 0
        """The number of the last line returned."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._read()
        if not line:
            raise StopIteration
        self.number += 1
        return line

    def take_back(self, lines: Sequence[str]) -> None:
        """Return these lines, the last ones returned, once more."""
        self._again.extendleft(reversed(lines))
        self.number -= len(lines)

    @property
    def bytes_read(self) -> int:
        """The bytes of the file on disk, compressed or not, that were read."""
        return self._raw.tell()

    def _read(self) -> str:
        line = self._text.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            while (rest := self._text.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
        return line


@contextmanager
def open_lines(path: Path) -> Iterator[Lines]:
    """Open a file of UTF-8, with or without byte order mark, plain or gzip whatever its name.

    Bytes that are not UTF-8 become lone surrogates, so that one of them affects one row only.
    Raises FileUnreadable, within the block too: a compressed file may be damaged further on.
    """
    try:
        with path.open("rb") as raw:
            is_compressed = raw.peek(2).startswith(_GZIP_MAGIC)
            content = gzip.GzipFile(fileobj=raw) if is_compressed else raw
            with TextIOWrapper(
                content, encoding="utf-8-sig", errors="surrogateescape", newline="\n"
            ) as text:
                yield Lines(text, raw)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileUnreadable(f"{path} is damaged: {error}") from error
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}.") from error
