"""The options of import commands that say how a file is spelled, and how much of it is wanted."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dynamo.files.columns import BadMapping
from dynamo.files.encodings import EncodingUnknown, require_encoding
from dynamo.files.moments import DateFormats, FormatUnknown
from dynamo.files.row_files import RowFile
from dynamo.management.month_names import month_names
from dynamo.management.options import at_least_one

BAD_OPTIONS = (BadMapping, EncodingUnknown, FormatUnknown)
"""What the options and the columns of a file raise, besides FileUnreadable."""
STANDARD_INPUT = Path("-")
_DELIMITERS = {"tab": "\t", "\\t": "\t"}


def add_file_options(parser: CommandParser) -> None:
    """Add ``--encoding``, ``--delimiter``, ``--limit``, ``--dry-run``."""
    parser.add_argument(
        "--encoding", metavar="NAME", help="such as latin-1; found out if it is not given"
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="what separates columns: a character, or tab; found out if it is not given",
    )
    parser.add_argument(
        "--limit",
        type=at_least_one,
        metavar="N",
        help="read only the first N rows, or orders with all their rows",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="read all, write nothing, and print what was found"
    )


def add_value_options(parser: CommandParser) -> None:
    """Add ``--set``, ``--date-format`` and ``--date-locale``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="the value of a field where a row has none; may be given several times",
    )
    parser.add_argument(
        "--date-format",
        action="append",
        default=[],
        metavar="FORMAT",
        help="the format of dates, such as %%d/%%m/%%Y; may be given several times",
    )
    parser.add_argument(
        "--date-locale",
        default="",
        metavar="LANGUAGE",
        help="the language of names of months, such as es",
    )


def row_file(path: Path, options: Mapping[str, Any]) -> RowFile:
    """Return the file at a path, spelled as the options say. Raises one of `BAD_OPTIONS`."""
    encoding, delimiter = options["encoding"], options["delimiter"]
    if delimiter is not None:
        delimiter = _DELIMITERS.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            message = f"“{delimiter}” is no delimiter: use a character such as ; or the word tab."
            raise BadMapping(message)
    return RowFile(
        path,
        encoding=None if encoding is None else require_encoding(encoding),
        delimiter=delimiter,
        limit=options["limit"],
    )


def date_formats(options: Mapping[str, Any]) -> DateFormats:
    """Return the formats of dates. Raises FormatUnknown."""
    locale = options["date_locale"]
    return DateFormats(tuple(options["date_format"]), month_names(locale) if locale else {})


@contextmanager
def readable(path: Path, *, var: Path) -> Iterator[Path]:
    """Yield a path that can be read twice: of ``-`` that of a copy below ``var``, for a while."""
    if path != STANDARD_INPUT:
        yield path
        return
    folder = var / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        copy = Path(name) / "standard-input"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy
