"""``manage.py import_orders``: orders, with their customers and products."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.options import Progress, at_least_one
from dynapages.django.tables import TableCommand
from dynapages.files.columns import BadMapping, parse_columns, parse_constants, parse_pairs
from dynapages.files.import_command import STANDARD_INPUT, import_run, print_report
from dynapages.files.import_options import (
    add_file_options,
    add_value_options,
    date_formats,
    row_file,
    value_rules,
)
from dynapages.files.lines import FileUnreadable
from shop.data.olist import olist_files
from shop.data.run import ORDERS_AT_A_TIME, OpenFiles, counts_of, import_orders, prose_of, trial_of
from shop.data.shape import LINE_FIELDS, ORDER_FIELDS, Shape, Statuses, columns_of, presets
from shop.data.survey import OrderFiles, Update
from shop.order_status import Status

_ALL_FIELDS = (*ORDER_FIELDS, *LINE_FIELDS)
_OF_SHAPES = (
    *("preset", "columns", "line_columns", "lines_in", "currency", "id_prefix", "set"),
    *("decimal", "null", "skip"),
    *("encoding", "delimiter", "rows", "limit"),
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
        parser.add_argument(
            "--at-a-time",
            type=at_least_one,
            default=ORDERS_AT_A_TIME,
            metavar="N",
            help=f"orders written in parallel ({ORDERS_AT_A_TIME}); your own moto bears 1",
        )

    def handle(self, **options: Any) -> None:
        path = options["path"]
        source = path if path == STANDARD_INPUT else path.resolve()
        with import_run(self, source, options, of="orders", several=True) as (file, rejects):
            _require_files(source, options["lines"])
            report = import_orders(
                _files(file, options),
                rejects=rejects,
                progress=Progress(shown=not options["json"]),
                orders_at_a_time=options["at_a_time"],
                update=_update(options),
                announces=options["signals"],
                is_trial=options["dry_run"],
            )
        prose = trial_of(report, rejects) if options["dry_run"] else prose_of(report)
        print_report(self, options, rejects, counts=counts_of(report), prose=prose)


def _require_files(path: Path, lines: Path | None) -> None:
    """Require that all files exist, before any is read. Raises FileUnreadable, BadMapping."""
    missing = [str(p) for p in (path, lines) if p not in {None, STANDARD_INPUT} and not p.exists()]
    if missing:
        does = "does" if len(missing) == 1 else "do"
        raise FileUnreadable(f"{' and '.join(missing)} {does} not exist.")
    if path.is_dir() and lines is not None:
        raise BadMapping("A folder of Olist's files has the lines already: leave LINES out.")


def _update(options: Mapping[str, Any]) -> Update:
    if options["update_shop_products"]:
        return Update.ALL
    return Update.IMPORTED if options["update_products"] else Update.NONE


def _files(path: Path, options: Mapping[str, Any]) -> OpenFiles:
    """Return what opens a folder of Olist's, or one or two files. Raises as `import_run` knows."""
    statuses = _parsed(
        parse_pairs(options["status_map"], example="shipped=SHIPPED", may_be_empty=True)
    )
    if not path.is_dir():
        files = _plain_files(path, options, statuses)
        return lambda _reject: files
    if given := [f"--{name.replace('_', '-')}" for name in _OF_SHAPES if options[name]]:
        raise BadMapping(f"A folder of Olist's files does not take {', '.join(given)}.")
    dates = date_formats(options)
    return lambda reject: olist_files(path, statuses, dates, reject=reject)


def _plain_files(orders: Path, options: Mapping[str, Any], statuses: Statuses) -> OrderFiles:
    if options["lines"] is not None and options["lines_in"]:
        raise BadMapping("Lines are in a second file or in a column: leave out one of the two.")
    given = {name: options[name] for name in ("currency", "id_prefix") if options[name]}
    known = presets()[options["preset"]] if options["preset"] else {"columns": {}, "statuses": {}}
    shape = Shape(
        columns=known["columns"] | parse_columns(options["columns"], fields=_ALL_FIELDS),
        line_columns=parse_columns(options["line_columns"], fields=("order_id", *LINE_FIELDS)),
        constants=parse_constants(options["set"], fields=_ALL_FIELDS) | given,
        statuses={**_parsed(known["statuses"]), **statuses},
        dates=date_formats(options),
        lines_in=options["lines_in"],
        decimal=options["decimal"],
    )
    if shape.line_columns and options["lines"] is None and not shape.lines_in:
        raise BadMapping("--line-columns is for LINES or --lines-in; of one file use --columns.")
    # The limit is one of orders, which may have rows anywhere.
    whole = {**options, "limit": None}
    if not (shape.lines_in or options["lines"]):
        file = row_file(orders, whole, columns_of(_ALL_FIELDS, shape.columns))
        return OrderFiles(file, None, shape, options["limit"])
    own = columns_of(ORDER_FIELDS, shape.columns)
    file = row_file(orders, whole, own, concerns=lambda name: name not in LINE_FIELDS)
    of_lines = columns_of(LINE_FIELDS, shape.line_columns)
    if shape.lines_in:
        rules = value_rules(options, of_lines, concerns=of_lines.__contains__)
        return OrderFiles(file, None, replace(shape, line_rules=rules), options["limit"])
    whole["rows"] = None
    lines = row_file(options["lines"], whole, of_lines, concerns=of_lines.__contains__)
    return OrderFiles(file, lines, shape, options["limit"])


def _parsed(statuses: Mapping[str, str]) -> Statuses:
    found: dict[str, Status | None] = {}
    for spelled, name in statuses.items():
        try:
            found[spelled.lower()] = Status(name.upper()) if name else None
        except ValueError as error:
            raise BadMapping(f"“{name}” is none of the statuses {', '.join(Status)}.") from error
    return found
