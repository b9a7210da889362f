"""``manage.py import_pickup_points``: pickup points from a file of CSV, JSON or Parquet."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dynamo.files.columns import parse_columns
from dynamo.files.rejects import RejectsFile
from dynamo.management.file_options import BAD_OPTIONS, add_file_options, readable, row_file
from dynamo.management.imports import (
    add_columns_option,
    add_report_options,
    import_failures,
    rejects_path,
    require_none_rejected,
)
from dynamo.progress import Progress
from shop.pickup.imports.kinds import FIELDS, Kind
from shop.pickup.imports.run import PointFile, PointReport, import_points
from shop.pickup.writing import PointOutcome


class Command(BaseCommand):
    """Imports a file; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import pickup points from CSV, JSON or Parquet, or from two of Olist's files, packed or "
        "not. A row has id, name, latitude and longitude, and maybe address and hours; Olist's "
        "geolocation also "
        "says where zip prefixes are, and its sellers are placed by it. Which it is, its header "
        "tells. Running it again changes nothing, and goes on after an interruption. Exits with 1 "
        "when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        add_columns_option(parser, FIELDS)
        kind = parser.add_mutually_exclusive_group()
        for olist in (Kind.GEOLOCATION, Kind.SELLERS):
            kind.add_argument(
                f"--{olist.value}",
                action="store_true",
                help=f"the file is Olist's {olist.value.partition('-')[2]}, whatever its header",
            )
        parser.add_argument(
            "--only-zips",
            action="store_true",
            help="of Olist's geolocation take where zip prefixes are, and make no points of them",
        )
        add_file_options(parser)
        add_report_options(parser)

    def handle(self, **options: Any) -> None:
        as_json = options["json"]
        path = rejects_path(options["rejects"], source=options["file"], var=settings.VAR_DIR)
        rejects = RejectsFile(path)
        with (
            import_failures(self, bad_usage=BAD_OPTIONS),
            readable(options["file"], var=settings.VAR_DIR) as file,
        ):
            source = PointFile(
                file=row_file(file, options),
                asked=_asked(options),
                named=parse_columns(options["columns"], fields=FIELDS),
                only_zips=options["only_zips"],
                is_trial=options["dry_run"],
            )
            report = import_points(source, rejects=rejects, progress=Progress(shown=not as_json))
        counts = _counts(report)
        if as_json:
            listed = str(rejects.path) if report.rejected else None
            self.stdout.write(json.dumps(counts | {"rejects": listed}))
        else:
            self.stdout.write(_prose(counts))
            if options["dry_run"]:
                self.stdout.write("Nothing was written.")
        require_none_rejected(rejects)


def _asked(options: dict[str, Any]) -> Kind | None:
    for kind in (Kind.GEOLOCATION, Kind.SELLERS):
        if options[kind.value.replace("-", "_")]:
            return kind
    return None


def _counts(report: PointReport) -> dict[str, Any]:
    return {
        "kind": report.kind.value,
        "rows": report.rows,
        "read": report.read,
        "rejected": report.rejected,
        "superseded": report.superseded,
        "zips": report.zips,
        "zips_written": report.zips_written,
        "points": {outcome.value: report.points[outcome] for outcome in PointOutcome},
    }


def _prose(counts: dict[str, Any]) -> str:
    lines = [
        "{rows:,} rows of {kind}: {read:,} read, {rejected:,} rejected, "
        "{superseded:,} superseded by later rows.".format_map(counts)
    ]
    if counts["zips"]:
        lines.append(
            "Zip prefixes: {zips:,}, of which {zips_written:,} written.".format_map(counts)
        )
    lines.append(
        "Pickup points: {new:,} new, {replaced:,} replaced, {unchanged:,} unchanged.".format_map(
            counts["points"]
        )
    )
    return "\n".join(lines)
