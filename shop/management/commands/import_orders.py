"""``manage.py import_orders``: orders, with their customers and products."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dynamo.files.columns import BadMapping
from dynamo.files.content import FileUnreadable
from dynamo.files.rejects import RejectsFile
from dynamo.management.file_options import (
    BAD_OPTIONS,
    STANDARD_INPUT,
    add_file_options,
    add_value_options,
    readable,
)
from dynamo.management.imports import (
    add_report_options,
    import_failures,
    rejects_path,
    require_none_rejected,
)
from dynamo.management.options import at_least_one
from dynamo.progress import Progress
from shop.imports.loading import ORDERS_AT_A_TIME
from shop.imports.plain.options import add_shape_options, plain_files, require_no_shape
from shop.imports.plain.run import import_plain
from shop.imports.products import Update
from shop.imports.report import ImportReport, counts_of, prose_of, trial_of
from shop.imports.run import import_orders


class Command(BaseCommand):
    """Imports a folder or files; exits with 1 when rows were rejected, 2 when it cannot begin."""

    help = (
        "Import orders with their customers and products: from a folder with Olist's files "
        "(olist_orders_dataset.csv and so on), or from a file of orders with their lines, or from "
        "two files. Files are CSV, JSON lines, an array of JSON or Parquet, packed or not; - is "
        "standard input. Running it again changes nothing, and goes on after an interruption. "
        "Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH", help="a folder, or the orders")
        parser.add_argument(
            "lines", type=Path, nargs="?", metavar="LINES", help="the lines of the orders"
        )
        add_shape_options(parser)
        add_value_options(parser)
        add_file_options(parser)
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
        add_report_options(parser, rejects="<PATH's name>.rejected.csv in var/imports/")

    def handle(self, **options: Any) -> None:
        path = options["path"]
        source = path if path == STANDARD_INPUT else path.resolve()
        rejects = RejectsFile(
            rejects_path(options["rejects"], source=source, var=settings.VAR_DIR),
            of_several_files=True,
        )
        with import_failures(self, bad_usage=BAD_OPTIONS), _there(source, options["lines"]):
            report = _import(source, options, rejects)
        if options["json"]:
            listed = str(rejects.path) if rejects.count else None
            self.stdout.write(json.dumps(counts_of(report) | {"rejects": listed}))
        else:
            prose = trial_of(report, rejects) if options["dry_run"] else prose_of(report)
            self.stdout.write(prose)
        require_none_rejected(rejects)


def _import(source: Path, options: dict[str, Any], rejects: RejectsFile) -> ImportReport:
    how: dict[str, Any] = {
        "rejects": rejects,
        "progress": Progress(shown=not options["json"]),
        "orders_at_a_time": options["at_a_time"],
        "update": _update(options),
        "is_trial": options["dry_run"],
    }
    if source.is_dir():
        require_no_shape(options)
        return import_orders(source, **how)
    with readable(source, var=settings.VAR_DIR) as file:
        return import_plain(plain_files(file, options), **how)


@contextmanager
def _there(*paths: Path | None) -> Iterator[None]:
    """Require that all files exist, before any is read. Raises FileUnreadable."""
    missing = [str(p) for p in paths if p not in {None, STANDARD_INPUT} and not Path(p).exists()]
    if missing:
        does = "does" if len(missing) == 1 else "do"
        raise FileUnreadable(f"{' and '.join(missing)} {does} not exist.")
    if paths[0] is not None and paths[0].is_dir() and paths[1] is not None:
        raise BadMapping("A folder of Olist's files has the lines already: leave LINES out.")
    yield


def _update(options: dict[str, Any]) -> Update:
    if options["update_shop_products"]:
        return Update.ALL
    return Update.IMPORTED if options["update_products"] else Update.NONE
