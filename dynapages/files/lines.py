"""The lines of a text file, numbered from 1, whatever it is packed and encoded in.

It may be packed by gzip, or alone in a zip archive. Its encoding is found out here:
charset-normalizer takes most Latin-1 for cp1250, and UTF-8 with one damaged byte too.
"""

import codecs
import gzip
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path, PurePosixPath
from typing import IO, TextIO, cast

_GZIP_MAGIC, _ZIP_MAGIC = b"\x1f\x8b", b"PK\x03\x04"
_UNPACKED_BY_AND_BY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What zipfile unpacks in pieces: a few bytes of the others become gigabytes at once."""
_NAMED_AT_MOST = 5
"""Names of files that a message repeats."""


class FileUnreadable(ValueError):
    """The file cannot be read; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Content:
    """The ``unpacked`` bytes of a file, its ``name``, and the file on disk (``raw``)."""

    unpacked: IO[bytes]
    name: str
    raw: IO[bytes]


@contextmanager
def open_content(path: Path) -> Iterator[Content]:
    """Open a file; how it is packed is seen from its first bytes, not from its name.

    Raises FileUnreadable, within the block too: a packed file may be damaged further on.
    """
    try:
        with path.open("rb") as raw:
            start = raw.peek(len(_ZIP_MAGIC))[: len(_ZIP_MAGIC)]
            if start.startswith(_GZIP_MAGIC):
                unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
                yield Content(unpacked, path.name.removesuffix(".gz"), raw)
            elif start == _ZIP_MAGIC:
                with _archive(path, raw) as archive:
                    packed = _only_file_in(archive, path)
                    yield Content(packed, PurePosixPath(packed.name).name, raw)
            else:
                yield Content(raw, path.name, raw)
    except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise FileUnreadable(f"{path} is damaged: {error}") from error
    except FileNotFoundError as error:
        raise FileUnreadable(f"{path} does not exist.") from error
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}.") from error


def _archive(path: Path, raw: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(raw)
    except (NotImplementedError, LookupError, ValueError) as error:  # of damaged headers
        raise FileUnreadable(f"{path} is damaged, or packed in a newer way: {error}.") from error


def _only_file_in(archive: zipfile.ZipFile, path: Path) -> IO[bytes]:
    names = [name for name in archive.namelist() if _is_data(name)]
    if len(names) != 1:
        shown = ", ".join(names[:_NAMED_AT_MOST]) or "none"
        raise FileUnreadable(
            f"{path} holds {len(names)} files ({shown}), not one: unpack it, and give one of them."
        )
    if archive.getinfo(names[0]).compress_type not in _UNPACKED_BY_AND_BY:
        raise FileUnreadable(f"{path} is packed in an unusual way: unpack it.")
    try:
        return archive.open(names[0])
    except RuntimeError as error:  # what zipfile raises for a password, or an unknown packing
        raise FileUnreadable(f"{path} cannot be unpacked: {error}.") from error


def _is_data(name: str) -> bool:
    # macOS puts files of its own into archives.
    parts = PurePosixPath(name).parts
    return not (name.endswith("/") or "__MACOSX" in parts or parts[-1].startswith("."))


ENCODING_SEEN_IN = 16 * 1024 * 1024
"""Bytes that are looked at for one that is not ASCII."""
_LOOKED_AT_A_TIME = 1024 * 1024
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UTF_8 = "utf-8"


class EncodingUnknown(ValueError):
    """There is no encoding of this name; the text is one sentence."""


def require_encoding(name: str) -> str:
    """Return Python's name of an encoding. Raises EncodingUnknown."""
    try:
        "".encode(name)
    except LookupError as error:
        sentence = f"“{name}” is no encoding: use utf-8, utf-16, latin-1 or cp1252."
        raise EncodingUnknown(sentence) from error
    # With "-sig" a byte order mark is dropped where there is one.
    canonical = codecs.lookup(name).name
    return "utf-8-sig" if canonical == UTF_8 else canonical


def encoding_of(content: IO[bytes]) -> str:
    """Return the encoding of a text by its byte order mark, or else by its bytes.

    UTF-16 without a mark has a zero among its first two bytes. Windows-1252, which holds Latin-1,
    has bytes beyond ASCII of which none is a character of UTF-8. All else is UTF-8: a damaged byte
    among umlauts affects its row alone.
    """
    chunk = content.read(_LOOKED_AT_A_TIME)
    for mark, encoding in _MARKS:
        if chunk.startswith(mark):
            return encoding
    if chunk[1:2] == b"\0" and chunk[:1] != b"\0":
        return "utf-16-le"
    if chunk[:1] == b"\0" and chunk[1:2] != b"\0":
        return "utf-16-be"
    seen, is_other = 0, False
    decoder = codecs.getincrementaldecoder(UTF_8)("surrogateescape")
    while chunk and seen < ENCODING_SEEN_IN:
        text = decoder.decode(chunk)
        if not text.isascii():
            escaped = sum("\udc80" <= character <= "\udcff" for character in text)
            is_other |= escaped > 0
            if escaped < sum(not character.isascii() for character in text):
                return "utf-8-sig"
        seen += len(chunk)
        chunk = content.read(_LOOKED_AT_A_TIME)
    return "cp1252" if is_other else "utf-8-sig"


LONGEST_LINE = 1_000_000
"""Characters; a longer line is cut, and its row is then rejected as too long."""
_LOOKED_AT = 4_096
"""Characters from which the format of a file is seen."""


class Lines:
    """The lines of a text with their ends, one after the other.

    Only a line feed ends a line, as in editors and ``sed``: a carriage return alone does not.
    """

    def __init__(self, text: TextIO, raw: IO[bytes], *, name: str, encoding: str) -> None:
        self._text = text
        self.bytes_read = raw.tell
        """Returns the bytes of the file on disk, packed or not, that were read."""
        self._again: deque[str] = deque()
        self._ahead = ""
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

    def start(self) -> str:
        """Return the first characters of the text, which stay to be read; before anything is."""
        self._ahead = self._text.read(_LOOKED_AT)
        return self._ahead

    def read(self, characters: int) -> str:
        """Return the next characters, for a reader to which lines mean nothing."""
        ahead, self._ahead = self._ahead, ""
        return ahead or self._text.read(characters)

    def _read(self) -> str:
        line, end, self._ahead = self._ahead.partition("\n")
        line += end or self._text.readline(LONGEST_LINE)
        if len(line) >= LONGEST_LINE and not line.endswith("\n"):
            while (rest := self._text.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
        return line


@contextmanager
def open_lines(path: Path, encoding: str | None = None) -> Iterator[Lines]:
    """Open a text file; an ``encoding`` that is not given is found out (see `encoding_of`).

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
