"""``manage.py export_model``: the tables and what belongs to them, for other programs."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.infrastructure.stack import table_requests, tables, template
from config.infrastructure.workbench import workbench_model
from dynapages.calls import clock
from dynapages.django.options import at_least_one
from dynapages.tables import Throughput

CLOUDFORMATION = "cloudformation"
AWS_JSON = "aws-json"
WORKBENCH = "workbench"


class Command(BaseCommand):
    """Derives all from the models and the settings; reads no database."""

    help = (
        "Print the tables, roles, functions and alarms of these settings as a template for "
        "CloudFormation, the tables as requests for the AWS CLI, or a model with sample rows for "
        "NoSQL Workbench. It makes no call to DynamoDB and needs no credentials. See "
        "docs/deploying.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--format",
            required=True,
            choices=[AWS_JSON, CLOUDFORMATION, WORKBENCH],
            help="what it is printed for",
        )
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="write it there instead of printing it"
        )
        parser.add_argument(
            "--provisioned",
            nargs=2,
            type=at_least_one,
            metavar=("READ", "WRITE"),
            help="bill provisioned capacity units a second, of tables and indexes, not on demand",
        )
        parser.add_argument(
            "--without-months",
            action="store_true",
            help="leave out the tables of the activity log, which rotate_activity_tables makes",
        )
        parser.add_argument(
            "--table",
            metavar="NAME",
            help=f"with {AWS_JSON}: only the request that creates this table, its prefix included",
        )

    def handle(self, **options: Any) -> None:
        _refuse_options_of_other_formats(options)
        model = _model(options)
        text = json.dumps(model, indent=2, sort_keys=True) + "\n"
        output: Path | None = options["output"]
        if output is None:
            self.stdout.write(text, ending="")
            return
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}.") from error


def _refuse_options_of_other_formats(options: dict[str, Any]) -> None:
    if options["table"] and options["format"] != AWS_JSON:
        raise CommandError(f"--table goes with --format {AWS_JSON} alone.")
    if options["format"] == WORKBENCH and (options["provisioned"] or options["without_months"]):
        raise CommandError(
            f"--provisioned and --without-months do not go with --format {WORKBENCH}."
        )


def _model(options: dict[str, Any]) -> dict[str, Any]:
    """Return what is printed, as values of JSON."""
    # Workbench draws tables, and has no place for months and capacity.
    if options["format"] == WORKBENCH:
        try:
            return workbench_model()
        except ValueError as error:
            raise CommandError(str(error)) from error
    throughput = None
    if options["provisioned"]:
        throughput = Throughput(*options["provisioned"])
    exported = tables(
        now=clock.now(), provisioned=throughput, with_months=not options["without_months"]
    )
    if options["format"] == CLOUDFORMATION:
        return template(exported)
    requests = table_requests(exported)
    name = options["table"]
    if not name:
        return requests
    if name not in requests:
        known = ", ".join(sorted(requests))
        raise CommandError(f"There is no table “{name}” in the model, only {known}.")
    create_request: dict[str, Any] = requests[name]["CreateTable"]
    return create_request
