"""The lines of a text file, numbered from 1, whatever it is packed and encoded in."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO

from dynapages.files.encodings import encoding_of
from dynapages.files.packing import FileUnreadable, open_content

LONGEST_LINE = 1_000_000
"""Characters; a longer line is cut, and its row is then rejected as too long."""
_START_CHARACTERS = 4_096
"""Characters by which the format of a file is detected."""


class Lines:
    """The lines of a text with their ends, one after the other.

    Only a line feed ends a line, as in editors and ``sed``: a carriage return alone does not.
    """

    def __init__(self, text: TextIO, raw: IO[bytes], *, name: str, encoding: str) -> None:
        self._text = text
        self.bytes_read: Callable[[], int] = raw.tell
        """Returns the bytes of the file on disk, packed or not, that were read."""
        self._returned: deque[str] = deque()  # lines that come once more
        self._start = ""  # what `start` has read, and nothing else yet
        self._left_out = 0
        self._ahead: deque[str] = deque()  # lines that may be among those left out
        self._texts_ahead = 0
        self.number: int = 0
        """The number of the last line returned."""
        self.name = name
        """The name of the file, or of the one in the archive."""
        self.encoding = encoding

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else self._next_line()
        if not line:
            raise StopIteration
        self.number += 1
        return line

    def push_back(self, lines: Sequence[str]) -> None:
        """Have these lines, the last ones returned, come once more."""
        self._returned.extendleft(reversed(lines))
        self.number -= len(lines)

    def start(self) -> str:
        """Return the first characters of the text, which stay to be read; before anything is."""
        self._start = self._text.read(_START_CHARACTERS)
        return self._start

    def read(self, characters: int) -> str:
        """Return the next characters, for a reader to which lines mean nothing."""
        start, self._start = self._start, ""
        return start or self._text.read(characters)

    def leave_out_last(self, count: int) -> None:
        """Leave out the last lines that are not blank, so many, and what is between them."""
        self._left_out = count

    def _next_line(self) -> str:
        """Return the next line with its end, empty before those that are left out."""
        if not self._left_out:
            return self._read_line()
        while self._texts_ahead <= self._left_out:
            line = self._read_line()
            if not line:
                return ""
            self._ahead.append(line)
            self._texts_ahead += bool(line.strip())
        line = self._ahead.popleft()
        self._texts_ahead -= bool(line.strip())
        return line

    def _read_line(self) -> str:
        """Return the next line with its end; a longer one than is allowed is cut."""
        line, end, self._start = self._start.partition("\n")
        line += end or self._text.readline(LONGEST_LINE)
        if len(line) >= LONGEST_LINE and not line.endswith("\n"):
            self._skip_line()
        return line

    def _skip_line(self) -> None:
        """Read what is left of a line that is too long, in pieces."""
        rest = self._text.readline(LONGEST_LINE)
        while rest and not rest.endswith("\n"):
            rest = self._text.readline(LONGEST_LINE)


@contextmanager
def open_lines(path: Path, encoding: str | None = None) -> Iterator[Lines]:
    """Open a text file; an ``encoding`` that is not given is detected (see `encoding_of`).

    Bytes without a meaning become lone surrogates, so that one affects one row only. Raises
    FileUnreadable, within the block too.
    """
    if encoding is None:
        with open_content(path) as content:
            encoding = encoding_of(content.unpacked)
    # UTF-16 and UTF-32 have no bytes that could stand for themselves.
    errors = "strict" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"
    try:
        with (
            open_content(path) as content,
            TextIOWrapper(content.unpacked, encoding, errors, newline="\n") as text,
        ):
            yield Lines(text, content.raw, name=content.name, encoding=encoding)
    except UnicodeDecodeError as error:
        raise FileUnreadable(f"{path} is not text in {encoding}: {error.reason}.") from error
