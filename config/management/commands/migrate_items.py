"""``manage.py migrate_items``: brings stored items over to the shape that this version writes."""

import json
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser

from dynapages.django.options import Progress, at_least_one, failures_in_one_line, interruptible
from dynapages.django.tables import TableCommand
from dynapages.process import client, pool
from dynapages.upkeep import Migration, MigrationStep, Pace

STEPS: tuple[MigrationStep, ...] = ()
"""All steps, in their order; docs/operations.md shows how one is written."""


class Command(TableCommand):
    """Carries out the steps that are not finished; for operators, after an upgrade."""

    help = (
        "Bring stored items over to the shape that this version of the shop writes, step by step. "
        "Steps that are finished are skipped. May be interrupted at any moment: run it again, on "
        "any machine, to go on. The site may run meanwhile. Each step reads its whole table."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "steps",
            nargs="*",
            metavar="STEP",
            type=_step_named,
            help="only these; --list names all (default: all that are not finished)",
        )
        parser.add_argument("--list", action="store_true", help="list the steps, and run none")
        parser.add_argument(
            "--units-a-second",
            type=at_least_one,
            metavar="N",
            help="use at most N capacity units a second, of reads and writes together",
        )
        parser.add_argument(
            "--restart", action="store_true", help="begin anew, also with steps that are finished"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="count what would be changed, and write nothing"
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        steps = options["steps"] or STEPS
        migration = Migration(
            client(), pool(), Pace(options["units_a_second"]), is_trial=options["dry_run"]
        )
        rows = []
        with interruptible(self), failures_in_one_line():
            for step in steps:
                row = _row_of(step, migration, options)
                if row:
                    rows.append(row)
                    self._print(_line(row, options), options)
        if options["json"]:
            units = round(migration.pace.spent, 1)
            self.stdout.write(json.dumps({"steps": rows, "capacity_units": units}))
        elif not steps:
            self._print("There are no steps: all items have the shape of this version.", options)
        elif not rows:
            self._print("These steps are finished; --restart runs them again.", options)

    def _print(self, line: str, options: dict[str, Any]) -> None:
        if options["verbosity"] > 0 and not options["json"]:
            self.stdout.write(line)


def _step_named(name: str) -> MigrationStep:
    for step in STEPS:
        if step.name == name:
            return step
    raise ArgumentTypeError(f"there is no step “{name}”; --list names them")


def _row_of(
    step: MigrationStep, migration: Migration, options: dict[str, Any]
) -> dict[str, Any] | None:
    """Carry out a step, or only read how far it is for --list; None if it was finished before."""
    reached = migration.load(step)
    if not options["list"]:
        if reached.finished and not options["restart"]:
            return None
        progress = Progress(shown=not options["json"])
        total = client().describe_table(TableName=step.table)["Table"]["ItemCount"]
        with progress.step(step.name, total=total, unit=" items") as advance:
            reached = migration.carry_out(step, restart=options["restart"], advance=advance)
    return {
        "step": step.name,
        "does": step.sentence,
        "state": reached.state,
        "read": reached.read,
        "changed": reached.changed,
        "started": reached.started,
        "finished": reached.finished,
    }


def _line(row: dict[str, Any], options: dict[str, Any]) -> str:
    if options["list"]:
        line = "{step}: {does}\n    {state}; items read: {read:,}, changed: {changed:,}"
        return line.format_map(row)
    changed = "to be changed" if options["dry_run"] else "changed"
    return f"{row['step']}: items read: {row['read']:,}, {changed}: {row['changed']:,}"
