"""``manage.py compare``: the designs of the articles, measured on the same data."""

import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.timezone import now

from dynapages.calls import sentence_about
from dynapages.django.options import Progress, failures_in_one_line
from dynapages.pynamodb import FAILURES
from lab.designs.run import compare, sections_of, text_of, write_documents
from lab.reports.page import store
from lab.reports.results import Results
from lab.reports.tables import require_matplotlib, save_plots

INTERRUPTED = 130
MOST_TURNS = 100
MOST_COMMENTS = 100_000


class Command(BaseCommand):
    """Loads the same data into each design, asks each the same questions, and reports the costs."""

    help = (
        "Compare designs: load the same comments and orders into each, ask all the same, and "
        "measure requests, capacity units, bytes and time. Uses an engine of its own (dynoxide) "
        "and, of the site, only what it is to compare on; the figures are kept for the page /lab/."
    )
    requires_system_checks = ()  # no secrets are used, and the site need not run

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--product", metavar="ID", help="a product of the site (without: the sample shop)"
        )
        parser.add_argument(
            "--comments",
            type=_bounded(MOST_COMMENTS),
            default=6_000,
            metavar="N",
            help="how many comments at the most, the newest of a product (6000)",
        )
        parser.add_argument(
            "--turns",
            type=_bounded(MOST_TURNS),
            default=5,
            metavar="N",
            help="how often each thing is timed, and written (5)",
        )
        parser.add_argument(
            "--here",
            action="store_true",
            help="on the site's own engine, in tables of the lab's that are removed; on Amazon "
            "DynamoDB that costs money",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON lines")
        parser.add_argument(
            "--plots", type=Path, metavar="DIR", help="draw the figures into DIR, as SVG"
        )
        parser.add_argument(
            "--write-docs",
            type=Path,
            metavar="DIR",
            nargs="?",
            const=settings.BASE_DIR / "docs",
            help="bring lab.md, its plots and figures up to date (in docs); 'make readme' "
            "then does so with the prices in designs/",
        )
        parser.add_argument(
            "--no-keep", action="store_true", help="do not keep the figures for the page /lab/"
        )

    def handle(self, **options: Any) -> None:
        try:
            with _sigterm_as_ctrl_c(), failures_in_one_line():
                if options["plots"] or options["write_docs"]:
                    require_matplotlib()  # before the measuring, which takes minutes
                figures = compare(
                    comments=options["comments"],
                    product_id=options["product"],
                    turns=options["turns"],
                    here=options["here"],
                    now=now(),
                    progress=Progress(shown=not options["json"]),
                )
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. What the lab had loaded is removed.")
            sys.exit(INTERRUPTED)
        for path in _write_files(figures, options["write_docs"], options["plots"]):
            self.stderr.write(f"wrote {path}")
        as_json = options["json"]
        self.stdout.write(figures.as_lines().rstrip() if as_json else text_of(figures))
        if not options["no_keep"]:
            self._store(figures)

    def _store(self, figures: Results) -> None:
        try:
            store(figures)
        except FAILURES as failure:  # the site's database may be out of reach
            self.stderr.write(f"The figures are not kept for /lab/: {sentence_about(failure)}")


def _write_files(figures: Results, docs: Path | None, plots: Path | None) -> Iterator[Path]:
    if docs:
        yield from write_documents(figures, docs)
    if plots:
        yield from save_plots(plots, sections_of(figures))


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM as well, so that the tables are removed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _bounded(most: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() else 0
        if not 0 < number <= most:
            raise ArgumentTypeError(f"{text!r} is not a number from 1 to {most}")
        return number

    return count
