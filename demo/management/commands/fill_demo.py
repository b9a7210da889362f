"""``manage.py fill_demo``: what ``demo`` runs before its site, in one process."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    """Creates the tables and fills them: one start of Django for several commands."""

    help = "Create the tables of the demo and fill those that are empty, as 'demo' does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sample", action="store_true", help="load the sample data")
        parser.add_argument("--in-parts", action="store_true", help="as of load_sample")
        parser.add_argument("--sign-in", action="store_true", help="as of load_sample")
        parser.add_argument("--words", action="store_true", help="fill the table of the search")
        parser.add_argument("--sets", action="store_true", help="fill the copies of comments")

    def handle(self, **options: Any) -> None:
        # Existing comments are copied before the stream is on that copies new ones.
        call_command("create_tables", verbosity=0, without_streams=options["sets"])
        if options["sample"]:
            call_command(
                "load_sample",
                if_empty=True,
                in_parts=options["in_parts"],
                sign_in=options["sign_in"],
                verbosity=0,
            )
        if options["words"]:  # what an older checkout left has no words
            fill = ("--repair", "--unless-filled")
            call_command("check_integrity", *fill, model="words", verbosity=0)
        if options["sets"]:
            fill = ("--repair", "--unless-streaming")
            call_command("check_integrity", *fill, model="sets", verbosity=0)
            call_command("create_tables", verbosity=0)
