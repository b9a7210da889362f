"""``manage.py import_products``: products from CSV, JSON or Google's feed."""

from collections.abc import Iterable, Iterator
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
    add_html_option,
    add_value_options,
    row_file,
)
from dynapages.files.reports import WITHOUT_DRY_RUN, ImportReport, in_brackets
from shop.data.amount_options import add_minor_units_option, amount_rules
from shop.data.amounts import Amounts
from shop.data.plain_files import PlainFile
from shop.data.product_presets import ProductPreset, Row, presets
from shop.data.products import (
    FIELDS,
    OPTIONAL,
    ProductReader,
    ProductRow,
    import_products,
)
from shop.data.reports import sentence_of_html, sentence_of_rounding


class Command(TableCommand):
    """Imports a file; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import products from CSV, JSON or Google's feed of products, packed or not; - is "
        "standard input. A row has id and name, and maybe description, price with currency, "
        "external_id, and category, a list of paths such as “Kitchen > Pans, Sale” that makes what "
        "is missing. "
        "Products that are there are changed as far as the row tells. Running it again changes "
        "nothing, and goes on after an interruption. Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--preset",
            choices=presets(),
            help="FILE is a known one, which the other options may change: "
            + "; ".join(f"{name} is {known.about}" for name, known in presets().items()),
        )
        add_columns_option(parser, FIELDS)
        add_value_options(parser, has_dates=False)
        add_minor_units_option(parser)
        add_html_option(parser)
        add_file_options(parser)

    def handle(self, **options: Any) -> None:
        with import_run(self, options["file"], options, of="products") as (path, rejects):
            reader = ProductReader(
                constants=parse_constants(options["set"], fields=FIELDS),
                amounts=Amounts(amount_rules(options)),
                keep_html=options["keep_html"],
            )
            source = _plain_file(path, options, reader)
            progress = Progress(shown=not options["json"])
            counts = import_products(source, reader, rejects=rejects, progress=progress)
        report = _report(counts, is_trial=options["dry_run"])
        report.print(self, rejects, as_json=options["json"])


def _plain_file(
    path: Path, options: dict[str, Any], reader: ProductReader
) -> PlainFile[ProductRow]:
    """Return the file at a path, as the options describe it. Raises BadMapping."""
    preset = presets().get(options["preset"], ProductPreset())
    named = parse_columns(options["columns"], fields=FIELDS)
    usual = {name: "|".join(columns) for name, columns in preset.columns.items()}
    columns: dict[str, list[str]] = {}
    for name, column in {**usual, **named}.items():
        columns[name] = [column] if column else []
    file = row_file(path, options, columns)
    if preset.element:
        file = replace(file, element=preset.element)
    id_column = {**usual, **named}.get("id", "id")

    def pick(rows: Iterable[Row]) -> Iterator[Row]:
        return preset.pick(rows, id_column)

    return PlainFile(
        file,
        FIELDS,
        OPTIONAL,
        reader.read,
        named=named,
        usual=usual,
        pick=pick,
        is_trial=options["dry_run"],
    )


def _report(counts: dict[str, Any], *, is_trial: bool) -> ImportReport:
    """Build the report of an import of products."""
    sentences = [
        "{rows:,} rows: {read:,} read, {rejected:,} rejected, {skipped:,} skipped, "
        "{superseded:,} superseded by later rows".format_map(counts)
        + f"{in_brackets(counts['spelling'])}.",
        "Products: {products[new]:,} new, {products[changed]:,} changed, "
        "{products[unchanged]:,} unchanged.".format_map(counts),
    ]
    if counts["rounded_amounts"]:
        sentences.append(sentence_of_rounding(counts["rounded_amounts"]))
    if counts["html_rows"]:
        sentences.append(sentence_of_html(counts["html_rows"]))
    if counts["hint"]:
        sentences.append(counts["hint"])
    if is_trial:
        sentences.append("Nothing was written.")
        return ImportReport(counts, sentences, WITHOUT_DRY_RUN)
    return ImportReport(counts, sentences, f"Next: look at them at {reverse('products')}.")
