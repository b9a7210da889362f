"""``manage.py simulate_scale``: what throttles a large shop first, and what helps."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.host import COMMENTS
from comments.lists.queries import INDEXES
from dynapages.django.options import Progress, at_least_one, failures_in_one_line
from lab.reports.tables import require_matplotlib, write_sections

SECONDS = 40


class Command(BaseCommand):
    """Measures the site's requests, checks the simulation, forecasts, and writes a report."""

    help = (
        "Simulate a large shop against the limits of DynamoDB's partitions: measure what requests "
        "take, check the simulation on an engine behind a throttling proxy, and say what throttles "
        "first, what helps, and what that costs"
    )
    requires_system_checks = ()  # neither the site's engine nor its secrets are used

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seconds", type=at_least_one, default=SECONDS, metavar="S", help="of the check: 40"
        )
        parser.add_argument("--seed", type=int, default=1, help="1")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON lines")
        parser.add_argument(
            "--output",
            type=Path,
            default=settings.BASE_DIR / "docs",
            metavar="DIR",
            help="where scale.md and scale/*.svg are brought up to date (docs)",
        )

    def handle(self, **options: Any) -> None:
        if COMMENTS["READ_MODEL"] != INDEXES:
            raise CommandError("This simulates the read model indexes: COMMENTS_READ_MODEL=indexes")
        require_matplotlib()  # it brings NumPy along
        from lab.scale.run import (  # noqa: PLC0415 - needs NumPy, which the site does not
            ScaleOptions,
            run_scale,
            sections_of,
        )

        wanted = ScaleOptions(seconds=options["seconds"], seed=options["seed"])
        with failures_in_one_line():
            found = run_scale(wanted, progress=Progress(shown=not options["json"]))
        sections = sections_of(found)
        page = options["output"] / "scale.md"
        write_sections(page, sections, command="simulate_scale")
        if options["json"]:
            self.stdout.write(found.as_lines().rstrip())
        else:
            text = "\n\n".join(section.text() for section in sections)
            self.stdout.write(f"{text}\n\nwrote {page}")
        if not all(section.holds for section in sections):
            raise CommandError("The simulation and the proxy disagree.")
