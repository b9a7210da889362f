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
from shop.imports.loading import ORDERS_AT_A_TIME
from shop.imports.products import Outcome, Update
from shop.imports.run import ImportReport, import_orders
from shop.orders.bulk import OrderOutcome


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
                update=_update(options),
            )
        counts = _counts(report)
        if as_json:
            listed = str(rejects.path) if rejects.count else None
            self.stdout.write(json.dumps(counts | {"rejects": listed}))
        else:
            self.stdout.write(_prose(counts))
        require_none_rejected(rejects)


def _update(options: dict[str, Any]) -> Update:
    if options["update_shop_products"]:
        return Update.ALL
    return Update.IMPORTED if options["update_products"] else Update.NONE


def _counts(report: ImportReport) -> dict[str, Any]:
    loaded = report.loaded
    return {
        "files": {
            stem: {"rows": counts.rows, "read": counts.read, "rejected": counts.rejected}
            for stem, counts in report.files.items()
        },
        "orders": {
            "created": loaded.orders[OrderOutcome.CREATED],
            "updated": loaded.orders[OrderOutcome.UPDATED],
            "unchanged": loaded.orders[OrderOutcome.KEPT],
            "without_items": loaded.without_items,
        },
        "users": {"named": loaded.users, "created": loaded.users_created},
        "products": loaded.products.total(),
        "products_created": loaded.products[Outcome.CREATED],
        "products_updated": loaded.products[Outcome.UPDATED],
        "mapped": loaded.mapped,
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
            "Products: {products:,}; {products_created:,} of them are new, "
            "{products_updated:,} updated.".format_map(counts),
            *(["Names and ids mapped: {mapped:,}.".format_map(counts)] if counts["mapped"] else []),
        ]
    )
