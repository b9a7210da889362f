"""``manage.py rotate_activity_tables``: the activity log's tables, month by month."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from dynapages.calls import clock
from dynapages.django.options import failures_in_one_line, interruptible
from dynapages.django.tables import TableCommand
from dynapages.process import slow_client
from shop.activity.months import Month
from shop.activity.rotation import rotate


class Command(TableCommand):
    """Creates, lowers and drops month tables; for cron."""

    help = (
        "Create this month's and next month's table of the activity log, lower the capacity of "
        "those before to the least, and drop those past ACTIVITY_RETENTION_MONTHS with what is in "
        "them. Running it again, or twice at once, does no more. Run it every day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only print what would be done")
        parser.add_argument("--json", action="store_true", help="print what was done as JSON")

    def handle(self, **options: Any) -> None:
        now = clock.now()
        lines: list[str] = []
        report = lines.append if options["json"] else self.stdout.write
        with interruptible(self), failures_in_one_line():
            steps = rotate(
                client=slow_client(),
                now=now,
                dry_run=options["dry_run"],
                report=report,
            )
        if options["json"]:
            figures = {
                "month": str(Month.of(now)),
                "retention_months": settings.ACTIVITY_RETENTION_MONTHS,
                "dry_run": options["dry_run"],
                "steps": [
                    {"task": step.task.value, "table": step.month.table, "said": line}
                    for step, line in zip(steps, lines, strict=True)
                ],
            }
            self.stdout.write(json.dumps(figures))
        elif not steps:
            self.stdout.write("There is nothing to do.")
