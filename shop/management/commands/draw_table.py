"""``manage.py draw_table``: the picture of the table for the documentation."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from shop.table_picture import picture

BEGIN, END = "<!-- picture -->\n", "<!-- end of picture -->\n"


class Command(BaseCommand):
    """Draws the table from the code; reads no database."""

    help = "Draw the table 'shop' and its indexes with sample rows, as Markdown."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--write",
            type=Path,
            metavar="FILE",
            help="put it between the two marks in this file instead of printing it",
        )

    def handle(self, **options: Any) -> None:
        if options["write"] is None:
            self.stdout.write(picture(), ending="")
        else:
            _replace(options["write"], picture())


def _replace(path: Path, drawn: str) -> None:
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise CommandError(f"{path} has no place for the picture: {BEGIN.strip()} … {END.strip()}")
    path.write_text(before + begin + drawn + end + after, encoding="utf-8")
