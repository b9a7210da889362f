"""The lines of a text file, numbered from 1, whatever it is packed and encoded in."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO

from dynamo.files.content import Content, FileUnreadable, open_content
from dynamo.files.encodings import encoding_of

LONGEST_LINE = 1_000_000
"""Characters; a longer line is cut, and its row is then rejected as too long."""


class Lines:
    """The lines of a text with their ends, one after the other.

    Only a line feed ends a line, as in editors and ``sed``: a carriage return alone does not.
    """

    def __init__(self, text: TextIO, raw: IO[bytes], *, name: str, encoding: str) -> None:
        self._text = text
        self._raw = raw
        self._again: deque[str] = deque()
        self.number = 0
        """The number of the last line returned."""
        self.name = name
        """The name of the file, or of the one in the archive."""
        self.encoding = encoding

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

    def read(self, characters: int) -> str:
        """Return the next characters, for a reader to which lines mean nothing."""
        return self._again.popleft() if self._again else self._text.read(characters)

    @property
    def bytes_read(self) -> int:
        """The bytes of the file on disk, packed or not, that were read."""
        return self._raw.tell()

    def _read(self) -> str:
        line = self._text.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            while (rest := self._text.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
        return line


@contextmanager
def open_lines(path: Path, encoding: str | None = None) -> Iterator[Lines]:
    """Open a text file; an ``encoding`` that is not given is found out (see `encoding_of`).

    Bytes that mean nothing in UTF-8 or another encoding of bytes become lone surrogates, so that
    one of them affects one row only. Raises FileUnreadable, within the block too.
    """
    if encoding is None:
        with open_content(path) as content:
            encoding = encoding_of(content.unpacked)
    with open_content(path) as content:
        yield from _decoded(path, content, encoding)


def _decoded(path: Path, content: Content, encoding: str) -> Iterator[Lines]:
    # UTF-16 and UTF-32 have no bytes that could stand for themselves.
    errors = "strict" if encoding.startswith(("utf-16", "utf-32")) else "surrogateescape"
    try:
        with TextIOWrapper(
            content.unpacked, encoding=encoding, errors=errors, newline="\n"
        ) as text:
            yield Lines(text, content.raw, name=content.name, encoding=encoding)
    except UnicodeDecodeError as error:
        raise FileUnreadable(f"{path} is not text in {encoding}: {error.reason}.") from error
