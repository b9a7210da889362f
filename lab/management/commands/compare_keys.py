"""``manage.py compare_keys``: keys of comments as they are, and keys of several attributes."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.timezone import now

from dynapages.django.options import Progress, failures_in_one_line
from lab.management.commands.compare import COMMENTS, number_of_comments
from lab.native_keys.run import compare_keys, report_of, write_figures


class Command(BaseCommand):
    """Loads the same comments with each design of keys, reads the same lists, and reports costs."""

    help = (
        "Compare the keys of comments with keys of several attributes. It takes what pages and "
        "writes cost, and what is stored, on the sample shop's comments. Uses a moto of its own, "
        "and counts capacity units from bytes; nothing of the site is used."
    )
    requires_system_checks = ()  # no secrets are used, and the site need not run

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--comments",
            type=number_of_comments,
            default=COMMENTS,
            metavar="N",
            help=f"how many comments ({COMMENTS})",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument(
            "--write-docs",
            type=Path,
            metavar="DIR",
            nargs="?",
            const=settings.BASE_DIR / "docs",
            help="bring the documents' figures (in docs) up to date; 'make readme' then does so "
            "with the tables in designs/",
        )

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            figures = compare_keys(
                comments=options["comments"],
                now=now(),
                progress=Progress(shown=not options["json"]),
            )
        if options["write_docs"]:
            path = write_figures(figures, options["write_docs"])
            self.stderr.write(f"wrote {path}")
        self.stdout.write(figures.as_json() if options["json"] else report_of(figures))
