"""``manage.py bench``: speed and cost of the site's pages, with tables and plots."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.lists.read_models import INDEXES
from dynamo.management.failures import failures_in_one_line
from dynamo.management.options import at_least_one
from dynamo.progress import Progress
from lab.bench.report import Report
from lab.bench.run import PARTS, Asked, run_benchmarks

PAGES = (1, 10, 100, 1_000)


class Command(BaseCommand):
    """Loads data made for it into an engine of its own, measures, and writes what it found."""

    help = (
        "Measure the site's pages on data made for it, in an engine of its own (dynoxide). "
        "The data is kept in var/bench. Let nothing else run meanwhile: it distorts the times."
    )
    requires_system_checks = ()  # neither the site's engine nor its secrets are used

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what to measure, how much of it, and where to write."""
        parser.add_argument("parts", nargs="*", metavar="PART", help=f"all of {', '.join(PARTS)}")
        parser.add_argument(
            "--comments", type=at_least_one, default=300_000, metavar="N", help="300000"
        )
        parser.add_argument(
            "--orders", type=at_least_one, default=10_000, metavar="N", help="10000"
        )
        parser.add_argument(
            "--queued", type=at_least_one, default=100_000, metavar="N", help="100000"
        )
        parser.add_argument("--turns", type=at_least_one, default=60, metavar="N", help="60")
        parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="4")
        parser.add_argument(
            "--imported", type=at_least_one, default=3_000, metavar="N", help="3000"
        )
        parser.add_argument("--pages", type=_counts, default=PAGES, help="1,10,100,1000")
        parser.add_argument("--fresh", action="store_true", help="make and load the data anew")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument(
            "--output",
            type=Path,
            default=settings.BASE_DIR / "docs",
            metavar="DIR",
            help="where benchmarks.md and benchmarks/*.svg are brought up to date (docs)",
        )

    def handle(self, **options: Any) -> None:
        """Measure, then write."""
        if settings.COMMENTS_READ_MODEL != INDEXES:
            sentence = "This measures the read model indexes: set COMMENTS_READ_MODEL=indexes."
            raise CommandError(f"{sentence} 'manage.py compare' measures other designs.")
        asked = Asked(
            parts=_parts(options["parts"]),
            comments=options["comments"],
            orders=options["orders"],
            queued=options["queued"],
            pages=options["pages"],
            turns=options["turns"],
            seconds=options["seconds"],
            imported=options["imported"],
            fresh=options["fresh"],
        )
        written_by = _renderer()  # before the measuring, which takes minutes
        with failures_in_one_line():
            report = run_benchmarks(asked, progress=Progress(shown=not options["json"]))
        text, written = written_by(report, options["output"])
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=2))
        else:
            self.stdout.write("\n".join([text, "", *(f"wrote {path}" for path in written)]))


def _renderer() -> Callable[[Report, Path], tuple[str, list[Path]]]:
    """Give the function that writes a report. Raises CommandError where matplotlib is missing."""
    os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "cache" / "matplotlib"))
    try:
        from lab.bench.rendering import write
    except ModuleNotFoundError as error:
        message = f"The benchmarks need {error.name}: 'make install' installs it."
        raise CommandError(message) from error
    return write


def _parts(names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in PARTS:
            message = f"There is no part “{name}”: choose among {', '.join(PARTS)}."
            raise CommandError(message)
    return tuple(names) or PARTS


def _counts(text: str) -> tuple[int, ...]:
    return tuple(sorted({at_least_one(part) for part in text.split(",")}))
