"""``manage.py import_orders``: Olist's orders, with their customers and products."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dynamo.files.rejects import RejectsFile
from dynamo.management.imports import (
    add_report_options,
    import_failures,
    rejects_path,
    require_none_rejected,
)
from dynamo.management.options import at_least_one
from dynamo.progress import Progress
from shop.imports.run import ORDERS_AT_A_TIME, ImportReport, import_orders


class Command(BaseCommand):
    """Imports a folder; exits with 1 when rows were rejected, with 2 when it cannot begin."""

    help = (
        "Import the orders of a folder with Olist's files (olist_orders_dataset.csv and so on, "
        "gzip or not), with their customers and products. Running it again changes nothing, "
        "and goes on after an interruption. Exits with 1 when rows were rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument(
            "--at-a-time",
            type=at_least_one,
            default=ORDERS_AT_A_TIME,
            metavar="N",
            help=f"orders written in parallel ({ORDERS_AT_A_TIME}); your own moto bears 1",
        )
        add_report_options(parser, rejects="<DIR's name>.rejected.csv in var/imports/")

    def handle(self, **options: Any) -> None:
        folder, as_json = options["folder"].resolve(), options["json"]
        path = rejects_path(options["rejects"], source=folder, var=settings.VAR_DIR)
        rejects = RejectsFile(path, of_several_files=True)
        with import_failures(self):
            report = import_orders(
                folder,
                rejects=rejects,
                progress=Progress(shown=not as_json),
                orders_at_a_time=options["at_a_time"],
            )
        counts = _counts(report)
        if as_json:
            listed = str(rejects.path) if rejects.count else None
            self.stdout.write(json.dumps(counts | {"rejects": listed}))
        else:
            self.stdout.write(_prose(counts))
        require_none_rejected(rejects)


def _counts(report: ImportReport) -> dict[str, Any]:
    return {
        "files": {
            stem: {"rows": counts.rows, "read": counts.read, "rejected": counts.rejected}
            for stem, counts in report.files.items()
        },
        "orders": {
            name: getattr(report, name)
            for name in ("created", "updated", "unchanged", "without_items")
        },
        "users": {"named": report.users, "created": report.users_created},
        "products": report.products,
    }


def _prose(counts: dict[str, Any]) -> str:
    lines = [
        "{}: {rows:,} rows, {read:,} read, {rejected:,} rejected.".format(stem, **file)
        for stem, file in counts["files"].items()
    ]
    orders, users = counts["orders"], counts["users"]
    return "\n".join(
        [
            *lines,
            "Orders: {created:,} created, {updated:,} updated, {unchanged:,} unchanged; "
            "{without_items:,} of them without items.".format_map(orders),
            "Customers: {named:,}, of whom {created:,} are new.".format_map(users),
            f"Products: {counts['products']:,}.",
        ]
    )
