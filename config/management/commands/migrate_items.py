"""``manage.py migrate_items``: brings stored items over to the shape that this version writes."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from comments.integrity.steps import STEPS as COMMENT_STEPS
from dynamo.calls.client import client, pool
from dynamo.management.failures import failures_in_one_line
from dynamo.management.options import at_least_one
from dynamo.progress import Progress
from dynamo.upkeep.migrations import Checkpoint, Migration, Step
from dynamo.upkeep.pace import Pace
from shop.integrity.steps import STEPS as SHOP_STEPS

STEPS = (*SHOP_STEPS, *COMMENT_STEPS)
INTERRUPTED = 130


class Command(BaseCommand):
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
            choices=[[], *(step.name for step in STEPS)],
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
        chosen = [step for step in STEPS if step.name in (options["steps"] or _names())]
        migration = Migration(
            client(), pool(), Pace(options["units_a_second"]), is_trial=options["dry_run"]
        )
        rows = []
        try:
            with failures_in_one_line():
                for step, reached in _carried_out(migration, chosen, options):
                    row = {"step": step.name, "does": step.sentence, **_figures(reached)}
                    rows.append(row)
                    if not options["json"]:
                        self.stdout.write(_line(row, lists=options["list"]))
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        if options["json"]:
            units = round(migration.pace.spent, 1)
            self.stdout.write(json.dumps({"steps": rows, "capacity_units": units}))


def _names() -> list[str]:
    return [step.name for step in STEPS]


def _carried_out(
    migration: Migration, steps: Sequence[Step], options: dict[str, Any]
) -> Iterator[tuple[Step, Checkpoint]]:
    """Carry out steps, or only look at them for --list; yield how far each has come."""
    progress = Progress(shown=not options["json"])
    for step in steps:
        if options["list"]:
            yield step, migration.load(step)
            continue
        total = client().describe_table(TableName=step.table)["Table"]["ItemCount"]
        with progress.step(step.name, total=total, unit=" items") as advance:
            reached = migration.carry_out(step, restart=options["restart"], advance=advance)
        yield step, reached


def _figures(reached: Checkpoint) -> dict[str, Any]:
    return {
        "state": reached.state,
        "read": reached.read,
        "changed": reached.changed,
        "started": reached.started,
        "finished": reached.finished,
    }


def _line(row: dict[str, Any], *, lists: bool) -> str:
    figures = "{state}, {read:,} items read, {changed:,} changed".format_map(row)
    if lists:
        return f"{row['step']}: {row['does']}\n    {figures}"
    return f"{row['step']}: {figures}"
