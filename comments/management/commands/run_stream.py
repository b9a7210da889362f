"""``manage.py run_stream``: keeps the copies of comments up to date with the table's stream."""

import json
import sys
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from comments.host import SETS, uses_sets
from comments.sets.copies import Consumer
from dynapages.calls import fault_in
from dynapages.django.advice import sentence_with_advice
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.pynamodb import FAILURES

INTERRUPTED = 130
LONGEST_PAUSE = 30.0
"""Seconds between two attempts while the database is away."""


class Command(TableCommand):
    """Reads the stream of the table comment_sets and writes the copies it asks for."""

    is_patient = False
    help = (
        "Read the stream of the table comment_sets from where it was left, and write, replace and "
        "delete the copies of the comments it tells of. Runs until it is interrupted, or with "
        "--once until the stream holds nothing more. May be stopped, killed and started again at "
        "any moment, and run more than once at a time. On AWS a Lambda does the same."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="stop at the end of the stream")
        parser.add_argument(
            "--pause",
            type=float,
            default=1.0,
            metavar="SECONDS",
            help="time between two looks at a stream that gave nothing (default: 1)",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, **options: Any) -> None:
        if not uses_sets():
            raise CommandError(f"Nothing is copied here: COMMENTS_READ_MODEL is not {SETS}.")
        if not 0 <= options["pause"] <= LONGEST_PAUSE:
            raise CommandError(f"--pause is a time in seconds, from 0 to {LONGEST_PAUSE:g}.")
        consumer = Consumer(pause=options["pause"], report=self.stderr.write)
        interrupted = False
        try:
            with failures_in_one_line():
                if options["once"]:
                    consumer.walk().drain()
                else:
                    shows_counts = options["verbosity"] > 0 and not options["json"]
                    self._run_for_ever(consumer, shows_counts=shows_counts)
        except KeyboardInterrupt:  # whatever was not applied yet is found again by the next one
            interrupted = True
        counts = asdict(consumer.applied)
        self.stdout.write(json.dumps(counts) if options["json"] else _prose(counts))
        if interrupted and options["once"]:
            sys.exit(INTERRUPTED)

    def _run_for_ever(self, consumer: Consumer, *, shows_counts: bool) -> None:
        """Apply the records of the stream, with longer pauses while the database is away."""
        pause = consumer.pause
        while True:
            try:
                for read in consumer.walk().follow():
                    pause = consumer.pause
                    if read and shows_counts:
                        self.stdout.write(_prose(asdict(consumer.applied)))
            except FAILURES as failure:
                if fault_in(failure) is None:
                    raise
                self.stderr.write(sentence_with_advice(failure))
            time.sleep(pause)
            pause = min(max(pause, 1.0) * 2, LONGEST_PAUSE)


def _prose(counts: dict[str, int]) -> str:
    return (
        "{records:,} records, {comments:,} of them changes of comments: "
        "{copies_put:,} copies put, {copies_deleted:,} deleted"
    ).format_map(counts)
