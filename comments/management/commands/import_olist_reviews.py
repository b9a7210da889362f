"""``manage.py import_olist_reviews``: Olist's reviews, as comments on their orders' products."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from comments.imports.olist_reviews import ReviewImportReport, import_reviews
from comments.imports.writer import BulkWriter
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.clock import now
from dynamo.files.rejects import RejectsFile
from dynamo.management.imports import (
    add_report_options,
    import_failures,
    require_none_rejected,
)
from dynamo.progress import Progress
from shop.catalogue.services import ensure_products


class Command(BaseCommand):
    """Imports a folder; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import the reviews of a folder with Olist's files as comments, one on each product of "
        "the order. Import the orders first, which names the products. Running it again changes "
        "nothing, and goes on after an interruption. Exits with 1 when rows were rejected: of "
        "an order without items there is nothing to comment on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        add_report_options(parser, rejects="in var/imports/")

    def handle(self, **options: Any) -> None:
        folder, as_json = options["folder"].resolve(), options["json"]
        default = settings.VAR_DIR / "imports" / f"{folder.name}-reviews.rejected.csv"
        rejects = RejectsFile(options["rejects"] or default)
        with import_failures(self):
            report = import_reviews(
                folder,
                writer=BulkWriter(Batches(client(), pool())),
                ensure_products=ensure_products,
                rejects=rejects,
                progress=Progress(shown=not as_json),
                now=now(),
            )
        counts = _counts(report)
        if as_json:
            listed = str(rejects.path) if rejects.count else None
            self.stdout.write(json.dumps(counts | {"rejects": listed}))
        else:
            self.stdout.write(_prose(counts))
        require_none_rejected(rejects)


def _counts(report: ReviewImportReport) -> dict[str, Any]:
    return {
        "rows": report.rows,
        "read": report.read,
        "rejected": report.rejected,
        "comments": asdict(report.verdicts),
        "products_created": report.products_created,
    }


def _prose(counts: dict[str, Any]) -> str:
    return (
        "{rows:,} reviews: {read:,} read, {rejected:,} rejected.\n"
        "Comments: {comments[new]:,} new, {comments[replaced]:,} replaced, "
        "{comments[unchanged]:,} unchanged, {comments[superseded]:,} superseded by newer ones; "
        "{products_created:,} products created."
    ).format_map(counts)
