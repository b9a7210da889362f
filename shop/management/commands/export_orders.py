"""``manage.py export_orders``: orders to a file of CSV or JSON lines."""

from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.tables import TableCommand
from dynapages.files.export_command import add_export_options, run_export
from dynapages.files.exports import Layout
from shop.data.exports import COLUMNS, walk_through


class Command(TableCommand):
    """Exports to a file or to standard output; exits with 1 when the database failed."""

    help = (
        "Export orders to CSV or JSON lines, a row for each line of an order, as import_orders "
        "reads them. With --customer, newest first, by queries; without it the whole table is "
        "read by a Scan, which costs half a capacity unit for each 4 KB of everything in it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--customer", metavar="USER", help="only the orders of this customer")
        add_export_options(parser)

    def handle(self, **options: Any) -> None:
        customer = options["customer"]
        layout = Layout(options["format"], COLUMNS)
        run_export(self, options, layout, walk_through(customer), about={"orders_of": customer})
