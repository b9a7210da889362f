"""``manage.py remove_pickup_point``: removes a pickup point."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dynamo.management.failures import failures_in_one_line
from shop.pickup.writing import remove_point


class Command(BaseCommand):
    """Removes one pickup point by its id."""

    help = (
        "Remove a pickup point from the nearest ones and from the counts of its area. Removing it "
        "again is no error. Orders that go to it already keep its name, address and hours."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", metavar="ID", help="the point's id, as it was imported")

    def handle(self, **options: Any) -> None:
        point_id = options["id"]
        with failures_in_one_line():
            was_there = remove_point(point_id)
        outcome = "is removed" if was_there else "is not there (any more)"
        self.stdout.write(f"The pickup point “{point_id}” {outcome}.")
