"""``manage.py import_comments``: comments from a file of CSV or JSON lines."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.imports.columns import FIELDS, Columns, parse_columns
from comments.imports.rows import parse_product_id
from comments.imports.run import CommentFile, ImportReport, import_file
from comments.imports.writer import BulkWriter
from comments.languages import LanguageUnknown, is_language
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.clock import now
from dynamo.files.columns import BadMapping, parse_pairs
from dynamo.files.records import RowRefused
from dynamo.files.rejects import RejectsFile
from dynamo.management.imports import (
    BAD_USAGE,
    add_columns_option,
    add_report_options,
    import_failures,
    rejects_path,
    require_none_rejected,
)
from dynamo.progress import Progress
from shop.catalogue.services import ensure_products


class Command(BaseCommand):
    """Imports a file; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import comments from CSV or JSON lines, gzip or not. Comments keep their ids; of two "
        "versions of one, the newer created_at wins. Running it again changes nothing, and "
        "goes on after an interruption. Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        add_columns_option(parser, FIELDS)
        parser.add_argument(
            "--language-map",
            default="",
            metavar="FOUND=CODE,…",
            help="what the file's spellings of languages mean in ISO 639-1, such as us=en,jp=ja",
        )
        parser.add_argument(
            "--product-id", metavar="ID", help="put all comments under this product"
        )
        add_report_options(parser)

    def handle(self, **options: Any) -> None:
        path = rejects_path(options["rejects"], source=options["file"], var=settings.VAR_DIR)
        rejects = RejectsFile(path)
        with import_failures(self, bad_usage=(BadMapping,)):
            report = import_file(
                _source(options),
                writer=BulkWriter(Batches(client(), pool())),
                ensure_products=lambda ids: ensure_products(product_ids=ids),
                rejects=rejects,
                progress=Progress(shown=not options["json"]),
            )
        self._tell(report, rejects, as_json=options["json"])

    def _tell(self, report: ImportReport, rejects: RejectsFile, *, as_json: bool) -> None:
        counts = _counts(report)
        if as_json:
            listed = str(rejects.path) if report.rejected else None
            self.stdout.write(json.dumps(counts | {"rejects": listed}))
        else:
            self.stdout.write(_prose(counts))
        require_none_rejected(rejects)


def _source(options: dict[str, Any]) -> CommentFile:
    product_id = options["product_id"]
    if product_id is not None:
        try:
            parse_product_id(product_id)
        except RowRefused as refused:
            raise CommandError(str(refused), returncode=BAD_USAGE) from refused
    return CommentFile(
        path=options["file"],
        columns=Columns(parse_columns(options["columns"]), product_id),
        languages=_language_map(options["language_map"]),
        now=now(),
    )


def _language_map(text: str) -> dict[str, str]:
    pairs = parse_pairs(text, example="us=en")
    languages = {found.lower(): code.lower() for found, code in pairs.items()}
    for code in languages.values():
        if not is_language(code):
            raise BadMapping(str(LanguageUnknown(code)))
    return languages


def _counts(report: ImportReport) -> dict[str, Any]:
    return {
        "rows": report.rows,
        "read": report.read,
        "rejected": report.rejected,
        "written": report.written,
        **asdict(report.verdicts),
        "products_created": report.products_created,
    }


def _prose(counts: dict[str, Any]) -> str:
    return (
        "{rows:,} rows: {read:,} read, {rejected:,} rejected.\n"
        "{written:,} written ({new:,} new, {replaced:,} replaced), {unchanged:,} unchanged, "
        "{superseded:,} superseded by newer versions. Products created: {products_created:,}."
    ).format_map(counts)
