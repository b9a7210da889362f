"""``manage.py import_pickup_points``: pickup points and postcodes from CSV or JSON."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dynapages.django.options import Progress, failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.files.columns import parse_columns
from dynapages.files.import_command import BAD_USAGE, import_run
from dynapages.files.import_options import add_columns_option, add_file_options, row_file
from dynapages.files.reports import WITHOUT_DRY_RUN, ImportReport, in_brackets
from dynapages.files.row_files import RowFile
from shop.data.points import ALL_FIELDS, import_points, point_file
from shop.pickup.bulk_writes import remove_point


class Command(TableCommand):
    """Imports a file; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import pickup points from CSV or JSON, packed or not; - is standard input. A row "
        "has id, name, latitude and longitude, and maybe address and hours; with --postcodes it "
        "has zip, latitude and longitude, and maybe city. Running it again changes nothing, and "
        "goes on after an interruption. Exits with 1 when rows were rejected. --remove removes a "
        "point; orders that go to it already keep its name, address and hours."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", metavar="FILE")
        parser.add_argument("--remove", metavar="ID", help="remove this point, and read no file")
        parser.add_argument(
            "--postcodes", action="store_true", help="the rows say where postcodes are"
        )
        add_columns_option(parser, ALL_FIELDS)
        add_file_options(parser)

    def handle(self, **options: Any) -> None:
        if bool(options["file"]) == bool(options["remove"]):
            message = "Give a file of points, or --remove and the id of one."
            raise CommandError(message, returncode=BAD_USAGE)
        if point_id := options["remove"]:
            with failures_in_one_line():
                was_there = remove_point(point_id)
            outcome = "is removed" if was_there else "is not there (any more)"
            self.stdout.write(f"The pickup point “{point_id}” {outcome}.")
            return
        with import_run(self, options["file"], options, of="pickup") as (path, rejects):
            source = point_file(RowFile(path), of_postcodes=options["postcodes"])
            named = parse_columns(options["columns"], fields=source.fields)
            file = row_file(path, options, {name: [column] for name, column in named.items()})
            source = replace(source, file=file, named=named, is_trial=options["dry_run"])
            progress = Progress(shown=not options["json"])
            counts = import_points(source, rejects=rejects, progress=progress)
        report = _report(counts, options)
        report.print(self, rejects, as_json=options["json"])


def _report(counts: dict[str, Any], options: dict[str, Any]) -> ImportReport:
    """Build the report of an import of pickup points or postcodes."""
    rows = (
        "{rows:,} rows of {kind}: {read:,} read, {rejected:,} rejected, "
        "{superseded:,} superseded by later rows"
    ).format_map(counts)
    if options["postcodes"]:
        written = "Postcodes: {zips:,}, of which {zips_written:,} written."
    else:
        written = (
            "Pickup points: {points[new]:,} new, {points[replaced]:,} replaced, "
            "{points[unchanged]:,} unchanged."
        )
    sentences = [f"{rows}{in_brackets(counts['spelling'])}.", written.format_map(counts)]
    then = ""
    if options["dry_run"]:
        sentences.append("Nothing was written.")
        then = WITHOUT_DRY_RUN
    return ImportReport(counts, sentences, then)
