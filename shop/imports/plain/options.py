"""The options of ``import_orders`` that say how files spell orders."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dynamo.files.columns import BadMapping, parse_columns, parse_constants, parse_pairs
from dynamo.management.file_options import date_formats, row_file
from shop.imports.plain.shape import LINE_FIELDS, ORDER_FIELDS, Shape
from shop.imports.plain.survey import PlainFiles
from shop.order_status import Status

_ALL_FIELDS = (*ORDER_FIELDS, *LINE_FIELDS)
_OF_SHAPES = (
    *("columns", "line_columns", "lines_in", "currency", "status_map", "set"),
    *("date_format", "date_locale", "encoding", "delimiter", "limit"),
)
"""Options that mean nothing for a folder of Olist's files."""


def add_shape_options(parser: ArgumentParser) -> None:
    """Add the options that say which columns hold what."""
    parser.add_argument(
        "--columns",
        default="",
        metavar="FIELD=COLUMN,…",
        help="columns of PATH that are not named like their field, and none for a field that is "
        f"not there; fields of orders: {', '.join(ORDER_FIELDS)}; fields of lines: "
        f"{', '.join(LINE_FIELDS)}",
    )
    parser.add_argument(
        "--line-columns", default="", metavar="FIELD=COLUMN,…", help="the same for the lines"
    )
    parser.add_argument(
        "--lines-in", metavar="COLUMN", help="the column of JSON that has the list of lines"
    )
    parser.add_argument("--currency", metavar="CODE", help="the currency where a row has none")
    parser.add_argument(
        "--status-map",
        default="",
        metavar="FOUND=STATUS,…",
        help='what the file\'s statuses mean, such as "In Process"=PROCESSING; one of '
        f"{', '.join(Status)}",
    )


def plain_files(orders: Path, options: Mapping[str, Any]) -> PlainFiles:
    """Return the files, spelled as the options say. Raises one of `BAD_OPTIONS`."""
    if options["lines"] is not None and options["lines_in"]:
        raise BadMapping("Lines are in a second file or in a column: leave out one of the two.")
    shape = Shape(
        columns=parse_columns(options["columns"], fields=_ALL_FIELDS),
        line_columns=parse_columns(options["line_columns"], fields=("order_id", *LINE_FIELDS)),
        constants=_constants(options),
        statuses=dict(_statuses(options["status_map"])),
        dates=date_formats(options),
        lines_in=options["lines_in"],
    )
    if shape.line_columns and options["lines"] is None and not shape.lines_in:
        raise BadMapping("--line-columns is for LINES or --lines-in; of one file use --columns.")
    # The limit is one of orders, which may have rows anywhere.
    whole = {**options, "limit": None}
    lines = None if options["lines"] is None else row_file(options["lines"], whole)
    return PlainFiles(row_file(orders, whole), lines, shape, options["limit"])


def require_no_shape(options: Mapping[str, Any]) -> None:
    """Raise BadMapping if options are given that mean nothing for a folder of Olist's files."""
    given = [f"--{name.replace('_', '-')}" for name in _OF_SHAPES if options[name]]
    if given:
        raise BadMapping(f"A folder of Olist's files does not take {', '.join(given)}.")


def _constants(options: Mapping[str, Any]) -> dict[str, str]:
    currency = {} if options["currency"] is None else {"currency": options["currency"]}
    return parse_constants(options["set"], fields=_ALL_FIELDS) | currency


def _statuses(text: str) -> Iterator[tuple[str, Status]]:
    for spelled, name in parse_pairs(text, example="shipped=SHIPPED").items():
        try:
            yield spelled.lower(), Status(name.upper())
        except ValueError as error:
            raise BadMapping(f"“{name}” is none of the statuses {', '.join(Status)}.") from error
