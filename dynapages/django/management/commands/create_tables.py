"""``manage.py create_tables``: creates what is missing and waits until it is active."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.module_loading import import_string

from dynapages.calls import clock
from dynapages.django.options import at_least_one, failures_in_one_line
from dynapages.process import slow_client
from dynapages.tables import Throughput, create_missing
from dynapages.writes.transactions import too_old


class Command(BaseCommand):
    """Creates the tables of the settings ``DYNAMODB_MODELS`` and ``DYNAMODB_TABLE_MAKERS``."""

    help = (
        "Create the tables that are missing, add missing indexes one at a time, and wait until "
        "all are active. Running it again changes nothing. Refuses a table whose keys or local "
        "indexes differ, and an engine that is too old. Billing is on demand unless --provisioned "
        "is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--provisioned",
            nargs=2,
            type=at_least_one,
            metavar=("READ", "WRITE"),
            help="bill provisioned capacity units a second instead, of tables and indexes created",
        )
        parser.add_argument(
            "--without-streams",
            action="store_true",
            help="switch no stream on yet: for tables that are to be filled first",
        )
        parser.add_argument("--json", action="store_true", help="print what was done as JSON")

    def handle(self, **options: Any) -> None:
        throughput = None
        if options["provisioned"]:
            throughput = Throughput(*options["provisioned"])
        lines: list[str] = []
        is_quiet = options["json"] or not options["verbosity"]
        report = lines.append if is_quiet else self.stdout.write
        client = slow_client()
        models = [import_string(name) for name in settings.DYNAMODB_MODELS]
        with failures_in_one_line():
            # Amazon DynamoDB is not tried: it would cost units.
            if settings.DYNAMODB_IS_AN_ENGINE:
                fault = too_old(client, models[0].Meta.table_name)
                if fault:
                    raise fault
            create_missing(
                models,
                client=client,
                provisioned=throughput,
                streams=not options["without_streams"],
                report=report,
            )
            for name in settings.DYNAMODB_TABLE_MAKERS:
                import_string(name)(client=client, now=clock.now(), report=report)
        if options["json"]:
            self.stdout.write(json.dumps({"done": lines}))
