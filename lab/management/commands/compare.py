"""``manage.py compare``: the designs the articles argue about, on the same data, each measured."""

import json
import os
import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.management.failures import failures_in_one_line
from dynamo.progress import Progress
from lab.designs.figures import LabFigures
from lab.designs.keeping import keep
from lab.designs.rendering import text_of, write_documents
from lab.designs.run import Asked, compare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERRUPTED = 130
MOST_TURNS = 100
MOST_COMMENTS = 100_000


class Command(BaseCommand):
    """Loads the same data into each design, asks each the same, and tells what that took."""

    help = (
        "Compare designs: load the same comments and orders into each, ask all the same, and "
        "measure requests, capacity units, bytes and time. Uses an engine of its own (dynoxide) "
        "and, of the site, only what it is to compare on; the figures are kept for the page /lab/."
    )
    requires_system_checks = ()  # no secrets are used, and the site need not run

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what to compare on, where, and what to do with the figures."""
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
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")
        parser.add_argument(
            "--plots", type=Path, metavar="DIR", help="draw the figures into DIR, as SVG"
        )
        parser.add_argument(
            "--write-docs",
            type=Path,
            metavar="DIR",
            nargs="?",
            const=settings.BASE_DIR / "docs",
            help="bring lab.md, its plots and designs/*.md up to date (in docs)",
        )
        parser.add_argument(
            "--no-keep", action="store_true", help="do not keep the figures for the page /lab/"
        )

    def handle(self, **options: Any) -> None:
        """Compare, then tell and keep."""
        asked = Asked(
            comments=options["comments"],
            product_id=options["product"],
            turns=options["turns"],
            here=options["here"],
        )
        wants_plots = options["plots"] or options["write_docs"]
        drawn_by = _drawer() if wants_plots else None  # before the measuring, which takes minutes
        try:
            with _ended_cleanly_by_sigterm(), failures_in_one_line():
                figures = compare(asked, now=now(), progress=Progress(shown=not options["json"]))
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. What the lab had loaded is removed.")
            sys.exit(INTERRUPTED)
        if drawn_by:
            self._draw(figures, drawn_by, options)
        told = json.dumps(figures.as_dict(), indent=2) if options["json"] else text_of(figures)
        self.stdout.write(told)
        if not options["no_keep"]:
            self._keep(figures)

    def _draw(
        self,
        figures: LabFigures,
        drawn_by: "Callable[[LabFigures], dict[str, Figure]]",
        options: dict[str, Any],
    ) -> None:
        written: list[Path] = []
        drawn = drawn_by(figures)
        if options["write_docs"]:
            written += write_documents(figures, options["write_docs"], drawn=drawn)
        if options["plots"]:
            options["plots"].mkdir(parents=True, exist_ok=True)
            for name, figure in drawn.items():
                path = options["plots"] / f"{name.replace(' ', '-')}.svg"
                figure.savefig(path, metadata={"Date": None, "Creator": None})
                written.append(path)
        for path in written:
            self.stderr.write(f"wrote {path}")

    def _keep(self, figures: LabFigures) -> None:
        """Keep the figures with the site's data; that it cannot be reached spoils no run."""
        try:
            keep(figures)
        except FAILURES as failure:
            self.stderr.write(f"The figures are not kept for /lab/: {sentence_about(failure)}")


@contextmanager
def _ended_cleanly_by_sigterm() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does: what was loaded must not stay behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _drawer() -> "Callable[[LabFigures], dict[str, Figure]]":
    """Give the function that draws. Raises CommandError where matplotlib is missing."""
    os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "cache" / "matplotlib"))
    try:
        from lab.designs.plots import draw
    except ModuleNotFoundError as error:
        message = f"Plots need {error.name}: 'make install' installs it."
        raise CommandError(message) from error
    return draw


def _bounded(most: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() else 0
        if not 0 < number <= most:
            message = f"{text!r} is not a number from 1 to {most}"
            raise ArgumentTypeError(message)
        return number

    return count
