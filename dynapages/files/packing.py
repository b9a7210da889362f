"""The content of a file that may be packed: by gzip, or alone in a zip archive."""

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"
_UNPACKED_IN_PIECES = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways of packing that zipfile unpacks so: a few bytes of the others become gigabytes at once."""
_MOST_NAMES_SHOWN = 5
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
    """Open a file; how it is packed is detected from its first bytes, not from its name.

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
    """Open a zip archive. Raises FileUnreadable for one that is damaged."""
    try:
        return zipfile.ZipFile(raw)
    except (NotImplementedError, LookupError, ValueError) as error:  # of damaged headers
        raise FileUnreadable(f"{path} is damaged, or packed in a newer way: {error}.") from error


def _only_file_in(archive: zipfile.ZipFile, path: Path) -> IO[bytes]:
    """Open the one file of an archive. Raises FileUnreadable if there are more or none."""
    names = [name for name in archive.namelist() if _is_data(name)]
    if len(names) != 1:
        shown = ", ".join(names[:_MOST_NAMES_SHOWN]) or "none"
        raise FileUnreadable(
            f"{path} holds {len(names)} files ({shown}), not one: unpack it, and give one of them."
        )
    if archive.getinfo(names[0]).compress_type not in _UNPACKED_IN_PIECES:
        raise FileUnreadable(f"{path} is packed in an unusual way: unpack it.")
    try:
        return archive.open(names[0])
    except RuntimeError as error:  # what zipfile raises for a password, or an unknown packing
        raise FileUnreadable(f"{path} cannot be unpacked: {error}.") from error


def _is_data(name: str) -> bool:
    """Return whether a name in an archive is a file that somebody has put there."""
    if name.endswith("/"):
        return False
    # macOS puts files of its own into archives.
    parts = PurePosixPath(name).parts
    return "__MACOSX" not in parts and not parts[-1].startswith(".")
