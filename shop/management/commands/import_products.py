"""``manage.py import_products``: products from CSV, JSON or Google's feed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from dynapages.django.options import Progress
from dynapages.django.tables import TableCommand
from dynapages.files.columns import parse_columns, parse_constants
from dynapages.files.import_command import import_run
from dynapages.files.import_options import (
    add_columns_option,
    add_file_options,
    add_value_options,
    row_file,
)
from dynapages.files.reports import WITHOUT_DRY_RUN, ImportReport, in_brackets
from shop.data.amount_options import add_minor_units_option, amount_rules
from shop.data.amounts import Amounts
from shop.data.plain_files import PlainFile, Texts
from shop.data.products import (
    FIELDS,
    OPTIONAL,
    PRESETS,
    ProductRow,
    import_products,
    product_row,
)


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
        add_minor_units_option(parser)
        add_file_options(parser)

    def handle(self, **options: Any) -> None:
        with import_run(self, options["file"], options, of="products") as (path, rejects):
            source = _plain_file(path, options)
            progress = Progress(shown=not options["json"])
            counts = import_products(source, rejects=rejects, progress=progress)
        report = _report(counts, is_trial=options["dry_run"])
        report.print(self, rejects, as_json=options["json"])


def _plain_file(path: Path, options: dict[str, Any]) -> PlainFile[ProductRow]:
    """Return the file at a path, as the options describe it. Raises BadMapping."""
    named = parse_columns(options["columns"], fields=FIELDS)
    usual = parse_columns(PRESETS.get(options["preset"], ""), fields=FIELDS)
    columns = {name: [column] for name, column in {**usual, **named}.items()}
    file = row_file(path, options, columns)
    if options["preset"]:
        file = replace(file, element="item")
    constants = parse_constants(options["set"], fields=FIELDS)

    amounts = Amounts(amount_rules(options))

    def build(texts: Texts) -> ProductRow:
        return product_row(texts, constants=constants, amounts=amounts)

    return PlainFile(
        file, FIELDS, OPTIONAL, build, named=named, usual=usual, is_trial=options["dry_run"]
    )


def _report(counts: dict[str, Any], *, is_trial: bool) -> ImportReport:
    """Build the report of an import of products."""
    sentences = [
        "{rows:,} rows: {read:,} read, {rejected:,} rejected, {superseded:,} superseded by later "
        "rows".format_map(counts)
        + f"{in_brackets(counts['spelling'])}.",
        "Products: {products[new]:,} new, {products[changed]:,} changed, "
        "{products[unchanged]:,} unchanged.".format_map(counts),
    ]
    if is_trial:
        sentences.append("Nothing was written.")
        return ImportReport(counts, sentences, WITHOUT_DRY_RUN)
    return ImportReport(counts, sentences, f"Next: look at them at {reverse('products')}.")
