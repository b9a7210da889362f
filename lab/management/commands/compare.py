"""``manage.py compare``: the designs of the articles, measured on the same data."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.timezone import now

from dynapages.calls import sentence_about
from dynapages.django.options import Progress, failures_in_one_line
from dynapages.pynamodb import FAILURES
from lab.designs.run import compare, report_of, write_documents
from lab.figures import Figures
from lab.stored_figures import store_figures

COMMENTS, MOST_COMMENTS = 6_000, 10_000
"""With all copies, the most take half a gigabyte of memory."""


class Command(BaseCommand):
    """Loads the same data into each design, asks each the same questions, and reports the costs."""

    help = (
        "Compare designs: load the same comments and orders into each, ask all the same, and "
        "measure requests, capacity units and bytes. Uses an engine of its own (dynoxide) and, of "
        "the site, only what it is to compare on; the figures are kept for the page /lab/."
    )
    requires_system_checks = ()  # no secrets are used, and the site need not run

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--product", metavar="ID", help="a product of the site (without: the sample shop)"
        )
        parser.add_argument(
            "--comments",
            type=number_of_comments,
            default=COMMENTS,
            metavar="N",
            help=f"how many comments at the most, the newest of a product ({COMMENTS})",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument(
            "--write-docs",
            type=Path,
            metavar="DIR",
            nargs="?",
            const=settings.BASE_DIR / "docs",
            help="bring the documents' figures (in docs) up to date; 'make readme' then does so "
            "with the prices in designs/",
        )
        parser.add_argument(
            "--no-keep", action="store_true", help="do not keep the figures for the page /lab/"
        )

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            figures = compare(
                comments=options["comments"],
                product_id=options["product"],
                now=now(),
                progress=Progress(shown=not options["json"]),
            )
        if options["write_docs"]:
            for path in write_documents(figures, options["write_docs"]):
                self.stderr.write(f"wrote {path}")
        self.stdout.write(figures.as_json() if options["json"] else report_of(figures))
        # Last: a site whose database is away must not lose what took minutes to measure.
        if not options["no_keep"]:
            self._store(figures)

    def _store(self, figures: Figures) -> None:
        try:
            store_figures(figures)
        except FAILURES as failure:  # the site's database may be out of reach
            self.stderr.write(f"The figures are not kept for /lab/: {sentence_about(failure)}")


def number_of_comments(text: str) -> int:
    """Parse how many comments to compare designs on. Raises ArgumentTypeError."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 0 < number <= MOST_COMMENTS:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_COMMENTS}")
    return number
