"""The options of commands that import files, and what they say of a file and its values."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.options import add_at_a_time_option, at_least_one
from dynapages.files.columns import BadMapping
from dynapages.files.csv_rows import CsvFormat
from dynapages.files.date_names import NO_NAMES, date_names
from dynapages.files.dates import DateFormats
from dynapages.files.encodings import require_encoding
from dynapages.files.row_files import RowFile
from dynapages.files.two_passes import WHOLE, Part
from dynapages.files.values import ValueRules, parse_rules

_DELIMITERS = {"tab": "\t", "\\t": "\t"}
_NO_COLUMNS: Mapping[str, Sequence[str]] = MappingProxyType({})


def add_columns_option(parser: CommandParser, fields: Iterable[str]) -> None:
    """Add ``--columns``, for columns that are not named like their field."""
    parser.add_argument(
        "--columns",
        default="",
        metavar="FIELD=COLUMN,…",
        help="columns that are not named like their field, such as author=name|email, of which "
        f"the first counts that has a value; fields: {', '.join(fields)}",
    )


def add_value_options(parser: CommandParser, *, has_dates: bool = True) -> None:
    """Add what says how any file writes its values, from ``--set`` to ``--skip``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="the value of a field where a row has none; may be given several times",
    )
    if has_dates:
        parser.add_argument(
            "--date-format",
            action="append",
            default=[],
            metavar="FORMAT",
            help="the format of dates, such as %%d/%%m/%%Y, or of months, which are dated to their "
            "first day, such as %%B %%Y; may be given several times",
        )
        parser.add_argument(
            "--date-locale",
            default="",
            metavar="LANGUAGE",
            help="the language of names of months, such as es",
        )
    parser.add_argument(
        "--decimal",
        choices=(".", ","),
        help="what is before the decimals of numbers; the other one separates thousands",
    )
    parser.add_argument(
        "--null",
        action="append",
        default=[],
        metavar="VALUE,…",
        help="values that mean nothing, such as NULL,-,shipped_at=0: NULL and - in every column, "
        "0 in that of one field alone; may be given several times",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="leave out rows in which a field, or another column, has this value, such as "
        "rating=0; may be given several times",
    )


def add_html_option(parser: CommandParser) -> None:
    """Add ``--keep-html``, for texts that are to stay as they are."""
    parser.add_argument(
        "--keep-html",
        action="store_true",
        help="keep texts that have tags of HTML, or references such as &amp;, as they are; without "
        "it they become plain text",
    )


def add_file_options(parser: CommandParser, *, of: str = "FILE") -> None:
    """Add options about a file, the list of rejected rows, and the report.

    They are ``--encoding``, ``--delimiter``, ``--header-line``, ``--footer-lines``,
    ``--no-quotes``, ``--rows``, ``--limit``, ``--dry-run``, ``--rejects``, ``--json``, and
    ``--at-a-time``.
    """
    parser.add_argument(
        "--encoding", metavar="NAME", help="such as latin-1; found out if it is not given"
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="what separates columns: a character, or tab; found out if it is not given",
    )
    parser.add_argument(
        "--header-line",
        type=at_least_one,
        metavar="N",
        help="the number of the line that names the columns, if there are others above it",
    )
    parser.add_argument(
        "--footer-lines",
        type=at_least_one,
        default=0,
        metavar="N",
        help="the last N lines with a text are no rows, such as totals",
    )
    parser.add_argument(
        "--no-quotes",
        action="store_true",
        help="a quote is text and never begins a field that goes on behind a delimiter",
    )
    parser.add_argument(
        "--rows",
        metavar="NAME",
        help=f"where {of} has its rows: the list in an object of JSON, such as data.reviews, or "
        "the elements of XML",
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
    parser.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help=f"where rejected rows are listed (var/imports/<{of}'s name>-….rejected.csv)",
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    add_at_a_time_option(parser)


def add_part_option(parser: CommandParser) -> None:
    """Add ``--part``, by which several processes import one file."""
    parser.add_argument(
        "--part",
        type=_part,
        default=WHOLE,
        metavar="N/M",
        help="import only this part of the file, such as 2/8, while other processes import the "
        "other parts",
    )


def _part(text: str) -> Part:
    try:
        return Part.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def row_file(
    path: Path,
    options: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]] = _NO_COLUMNS,
    *,
    concerns: Callable[[str], bool] | None = None,
) -> RowFile:
    """Return the file at a path, as the options describe it; ``columns`` are those of its fields.

    ``concerns`` as in `value_rules`. Raises BadMapping and EncodingUnknown.
    """
    encoding, delimiter = options["encoding"], options["delimiter"]
    if encoding is not None:
        encoding = require_encoding(encoding)
    if delimiter is not None:
        delimiter = _DELIMITERS.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            message = f"“{delimiter}” is no delimiter: use a character such as ; or the word tab."
            raise BadMapping(message)
    return RowFile(
        path,
        encoding=encoding,
        csv=CsvFormat(
            delimiter=delimiter,
            header_line=options["header_line"],
            footer_lines=options["footer_lines"],
            no_quotes=options["no_quotes"],
        ),
        limit=options["limit"],
        rows=options["rows"],
        rules=value_rules(options, columns, concerns=concerns),
    )


def value_rules(
    options: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]],
    *,
    concerns: Callable[[str], bool] | None = None,
) -> ValueRules | None:
    """Return what ``--null``, ``--skip`` and columns such as ``a|b`` say, None if nothing.

    With ``concerns``, names in options of which it is not true are of another file. Raises
    BadMapping.
    """
    rules = parse_rules(
        nulls=options.get("null", ()),
        skip=options.get("skip", ()),
        columns=columns,
        concerns=concerns,
    )
    if not (rules.nulls or rules.made or rules.skip):
        return None
    return rules


def date_formats(options: Mapping[str, Any]) -> DateFormats:
    """Return the formats of dates. Raises FormatUnknown."""
    language = options["date_locale"]
    names = date_names(language) if language else NO_NAMES
    return DateFormats(tuple(options["date_format"]), names)
