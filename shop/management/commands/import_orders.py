"""``manage.py import_orders``: orders, with their customers and products."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.options import Progress
from dynapages.django.tables import TableCommand
from dynapages.files.columns import BadMapping, parse_columns, parse_constants, parse_pairs
from dynapages.files.import_command import STANDARD_INPUT, import_run
from dynapages.files.import_options import (
    add_file_options,
    add_html_option,
    add_value_options,
    date_formats,
    row_file,
    value_rules,
)
from dynapages.files.packing import FileUnreadable
from shop.data.amount_options import add_minor_units_option, amount_rules
from shop.data.imported_products import Update
from shop.data.olist import olist_files
from shop.data.reports import report_of
from shop.data.run import OpenFiles, Reject, import_orders
from shop.data.shape import LINE_FIELDS, ORDER_FIELDS, Shape, Statuses, columns_of, presets
from shop.data.survey import OrderFiles
from shop.order_status import Status

_ALL_FIELDS = (*ORDER_FIELDS, *LINE_FIELDS)
_OF_SHAPES = (
    *("preset", "columns", "line_columns", "lines_in", "currency", "id_prefix", "set"),
    *("decimal", "minor_units", "keep_html", "null", "skip"),
    *("encoding", "delimiter", "header_line", "footer_lines", "no_quotes", "rows", "limit"),
)
"""Options that mean nothing for a folder of Olist's files."""


class Command(TableCommand):
    """Imports a folder or files; exits with 1 when rows were rejected, 2 when it cannot begin."""

    help = (
        "Import orders with their customers and products: from a folder with Olist's files "
        "(olist_orders_dataset.csv and so on), or from a file of orders with their lines, or from "
        "two files. Files are CSV, JSON lines or an array of JSON, packed or not; - is "
        "standard input. Running it again changes nothing, and goes on after an interruption. "
        "Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="a folder, or the orders")
        parser.add_argument(
            "lines", type=Path, nargs="?", metavar="LINES", help="the lines of the orders"
        )
        parser.add_argument(
            "--preset",
            choices=presets(),
            help="PATH is a known export, which the other options may change: "
            + "; ".join(f"{name} is {known['about']}" for name, known in presets().items()),
        )
        parser.add_argument(
            "--columns",
            default="",
            metavar="FIELD=COLUMN,…",
            help="columns of PATH that are not named like their field, such as customer=email|name "
            "of which the first counts that has a value; and none for a field that is not there; "
            f"fields of orders: {', '.join(ORDER_FIELDS)}; fields of lines: "
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
            "--id-prefix",
            metavar="TEXT",
            help="what is put before each order's id, if another shop has orders with the same "
            "ids; staff find both by the id alone",
        )
        parser.add_argument(
            "--status-map",
            default="",
            metavar="FOUND=STATUS,…",
            help='what the file\'s statuses mean, such as "In Process"=PROCESSING; one of '
            f"{', '.join(Status)}, or nothing (paid=) where the dates of an order tell",
        )
        add_value_options(parser)
        add_minor_units_option(parser)
        add_html_option(parser)
        parser.add_argument(
            "--signals",
            action="store_true",
            help="send the signals of what is written, as the pages do (docs/installing.md)",
        )
        add_file_options(parser, of="PATH")
        parser.add_argument(
            "--update-products",
            action="store_true",
            help="change products of earlier imports that these orders sold at a later date",
        )
        parser.add_argument(
            "--update-shop-products",
            action="store_true",
            help="the same, and change those that the shop put itself, whatever the date",
        )

    def handle(self, **options: Any) -> None:
        path = options["path"]
        source = path if path == STANDARD_INPUT else path.resolve()
        with import_run(self, source, options, of="orders", several=True) as (file, rejects):
            _require_files(source, options["lines"])
            result = import_orders(
                _files(file, options),
                rejects=rejects,
                progress=Progress(shown=not options["json"]),
                update=_update(options),
                announces=options["signals"],
                is_trial=options["dry_run"],
            )
        report_of(result, rejects).print(self, rejects, as_json=options["json"])


def _require_files(path: Path, lines: Path | None) -> None:
    """Require that all files exist, before any is read. Raises FileUnreadable, BadMapping."""
    missing: list[str] = []
    for one in (path, lines):
        if one not in {None, STANDARD_INPUT} and not one.exists():
            missing.append(str(one))
    if missing:
        does = "does" if len(missing) == 1 else "do"
        raise FileUnreadable(f"{' and '.join(missing)} {does} not exist.")
    if path.is_dir() and lines is not None:
        raise BadMapping("A folder of Olist's files has the lines already: leave LINES out.")


def _update(options: Mapping[str, Any]) -> Update:
    """Return which stored products the options allow to change."""
    if options["update_shop_products"]:
        return Update.ALL
    if options["update_products"]:
        return Update.IMPORTED
    return Update.NONE


def _files(path: Path, options: Mapping[str, Any]) -> OpenFiles:
    """Return what opens a folder of Olist's, or one or two files. Raises as `import_run` knows."""
    status_names = parse_pairs(options["status_map"], example="shipped=SHIPPED", may_be_empty=True)
    statuses = _parse_statuses(status_names)
    if path.is_dir():
        return _folder(path, options, statuses)
    files = _plain_files(path, options, statuses)

    def open_files(_reject: Reject) -> OrderFiles:
        return files

    return open_files


def _folder(path: Path, options: Mapping[str, Any], statuses: Statuses) -> OpenFiles:
    """Return what opens a folder of Olist's files. Raises BadMapping for useless options."""
    useless = [f"--{name.replace('_', '-')}" for name in _OF_SHAPES if options[name]]
    if useless:
        raise BadMapping(f"A folder of Olist's files does not take {', '.join(useless)}.")
    dates = date_formats(options)

    def open_files(reject: Reject) -> OrderFiles:
        return olist_files(path, statuses, dates, reject=reject)

    return open_files


def _plain_files(orders: Path, options: Mapping[str, Any], statuses: Statuses) -> OrderFiles:
    """Return a file of orders, and the second one with their lines, if there is one."""
    shape = _shape(options, statuses)
    # The limit is one of orders, which may have rows anywhere.
    limit = options["limit"]
    without_limit = {**options, "limit": None}
    if not (shape.lines_in or options["lines"]):
        columns = columns_of(_ALL_FIELDS, shape.columns)
        return OrderFiles(row_file(orders, without_limit, columns), None, shape, limit)
    order_columns = columns_of(ORDER_FIELDS, shape.columns)
    file = row_file(orders, without_limit, order_columns, concerns=_is_of_orders)
    line_columns = columns_of(LINE_FIELDS, shape.line_columns)
    if shape.lines_in:
        rules = value_rules(options, line_columns, concerns=_is_of_lines)
        return OrderFiles(file, None, replace(shape, line_rules=rules), limit)
    # “--rows” says where the first file has its rows.
    lines_options = {**without_limit, "rows": None}
    lines = row_file(options["lines"], lines_options, line_columns, concerns=_is_of_lines)
    return OrderFiles(file, lines, shape, limit)


def _is_of_orders(name: str) -> bool:
    return name not in LINE_FIELDS


def _is_of_lines(name: str) -> bool:
    return name in LINE_FIELDS


def _shape(options: Mapping[str, Any], statuses: Statuses) -> Shape:
    """Return the shape that the preset and the options describe. Raises BadMapping."""
    if options["lines"] is not None and options["lines_in"]:
        raise BadMapping("Lines are in a second file or in a column: leave out one of the two.")
    columns, constants = {}, parse_constants(options["set"], fields=_ALL_FIELDS)
    if options["preset"]:
        preset = presets()[options["preset"]]
        columns = dict(preset["columns"])
        statuses = {**_parse_statuses(preset["statuses"]), **statuses}
    columns |= parse_columns(options["columns"], fields=_ALL_FIELDS)
    for name in ("currency", "id_prefix"):
        if options[name]:
            constants[name] = options[name]
    shape = Shape(
        columns=columns,
        line_columns=parse_columns(options["line_columns"], fields=("order_id", *LINE_FIELDS)),
        constants=constants,
        statuses=statuses,
        dates=date_formats(options),
        lines_in=options["lines_in"],
        amounts=amount_rules(options),
        keep_html=options["keep_html"],
    )
    if shape.line_columns and options["lines"] is None and not shape.lines_in:
        raise BadMapping("--line-columns is for LINES or --lines-in; of one file use --columns.")
    return shape


def _parse_statuses(names: Mapping[str, str]) -> Statuses:
    """Return what a file's statuses mean, in lower case; None for an empty name."""
    statuses: dict[str, Status | None] = {}
    for file_status, name in names.items():
        try:
            statuses[file_status.lower()] = Status(name.upper()) if name else None
        except ValueError as error:
            raise BadMapping(f"“{name}” is none of the statuses {', '.join(Status)}.") from error
    return statuses
