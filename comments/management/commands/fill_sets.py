"""``manage.py fill_sets``: the copies of the comments that are there already."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.models import Comment
from comments.sets.filling import every_comment, fill_sets, has_stream
from comments.sets.following import SETS, is_followed
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, patient_client
from dynamo.calls.pool import Pool
from dynamo.management.failures import failures_in_one_line
from dynamo.progress import Progress

INTERRUPTED = 130
PARALLEL = 4
"""Batches under way at a time: an engine on this machine writes one after the other anyway."""


class Command(BaseCommand):
    """Fills the table ``comment_sets``; for a shop that changes over to it."""

    help = (
        "Put the copies of all comments into the table of the read model 'sets', in bulk. For a "
        "shop that changes over to that model, before the table's stream is switched on: "
        "create_tables --without-streams, fill_sets, create_tables. Running it again puts the "
        "same. Nobody should write comments meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--unless-streaming",
            action="store_true",
            help="do nothing when the stream is on: the table was filled then",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, **options: Any) -> None:
        if not is_followed():
            message = f"There is no such table here: COMMENTS_READ_MODEL is not {SETS}."
            raise CommandError(message)
        try:
            with failures_in_one_line():
                if options["unless_streaming"] and has_stream():
                    return
                written = self._fill(shown=not options["json"])
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        counts = {"items": written}
        self.stdout.write(
            json.dumps(counts) if options["json"] else f"Comment sets: {written:,} items put."
        )

    def _fill(self, *, shown: bool) -> int:
        about = client().describe_table(TableName=Comment.Meta.table_name)["Table"]["ItemCount"]
        with Progress(shown=shown).step("Sets", total=about, unit=" comments") as advance:
            batches = Batches(patient_client(), Pool(PARALLEL))
            return fill_sets(every_comment(), batches=batches, advance=advance)
