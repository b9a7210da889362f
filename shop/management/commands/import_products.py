"""``manage.py import_products``: products from CSV, JSON or Google's feed."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.options import Progress
from dynapages.django.tables import TableCommand
from dynapages.files.columns import parse_columns, parse_constants
from dynapages.files.import_command import import_run, print_report
from dynapages.files.import_options import (
    add_columns_option,
    add_file_options,
    add_value_options,
    row_file,
)
from shop.data.points import PlainFile
from shop.data.products import FIELDS, OPTIONAL, PRESETS, import_products, product_row


class Command(TableCommand):
    """Imports a file; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import products from CSV, JSON or Google's feed of products, packed or not; - is "
        "standard input. A row has id and name, and maybe description, price with currency, "
        "external_id, and category, a path such as “Kitchen > Pans” that makes what is missing. "
        "Products that are there are changed as far as the row tells. Running it again changes "
        "nothing, and goes on after an interruption. Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--preset", choices=PRESETS, help="google: its feed as XML, or as text with tabs"
        )
        add_columns_option(parser, FIELDS)
        add_value_options(parser, has_dates=False)
        add_file_options(parser)

    def handle(self, **options: Any) -> None:
        with import_run(self, options["file"], options, of="products") as (path, rejects):
            named = parse_columns(options["columns"], fields=FIELDS)
            usual = parse_columns(PRESETS.get(options["preset"], ""), fields=FIELDS)
            columns = {name: [column] for name, column in {**usual, **named}.items()}
            file = replace(row_file(path, options, columns), element="item" if usual else None)
            constants = parse_constants(options["set"], fields=FIELDS)
            build = partial(product_row, constants=constants, decimal=options["decimal"])
            is_trial, progress = options["dry_run"], Progress(shown=not options["json"])
            source = PlainFile(file, FIELDS, OPTIONAL, build, named, usual, is_trial=is_trial)
            counts = import_products(source, rejects=rejects, progress=progress)
        prose = (
            "{rows:,} rows: {read:,} read, {rejected:,} rejected, {superseded:,} superseded by "
            "later rows.\nProducts: {products[new]:,} new, {products[changed]:,} changed, "
            "{products[unchanged]:,} unchanged." + "\nNothing was written." * is_trial
        )
        print_report(self, options, rejects, counts=counts, prose=prose.format_map(counts))
