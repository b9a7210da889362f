"""``manage.py count_words``: the common words of a file of comments."""

from collections import Counter, defaultdict
from typing import Any

from django.core.management.base import CommandParser

from comments.data.rows import Findings
from comments.items import NewComment
from comments.management.commands import import_comments
from comments.search.words import every_stem
from dynapages.django.options import Progress, at_least_one, failures_in_one_line
from dynapages.files.row_files import open_rows

COMMON = 0.1
"""The share of comments above which a word is common."""
ENOUGH = 500
"""Comments of a language from which its words can be counted."""


class Command(import_comments.Command):
    """Reads a file as ``import_comments`` does, and writes nothing."""

    requires_system_checks = ()  # it only reads a file
    compares_tables = False
    help = (
        "Print the stems that stand in over a tenth of the comments of a file, by language, as "
        "comments/search/common.toml lists them. The file is read as import_comments reads it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--keep", default="", metavar="STEM,…", help="what is searched for however common it is"
        )
        parser.add_argument(
            "--enough",
            type=at_least_one,
            default=ENOUGH,
            metavar="N",
            help=f"leave out languages of fewer comments ({ENOUGH})",
        )

    def handle(self, **options: Any) -> None:
        keep = options["keep"].split(",")
        comments, having = Counter[str](), defaultdict[str, Counter[str]](Counter)
        with failures_in_one_line():
            source = self.source(options["file"], options, Progress(shown=False))
            with open_rows(source.file) as rows:
                for one in source.parse(rows, Findings()):
                    if isinstance(one, NewComment):
                        comments[one.language] += 1
                        stems = every_stem(f"{one.title}\n{one.body}", one.language)
                        having[one.language].update(stems)
        for language, number in sorted(comments.items()):
            if number < options["enough"]:
                continue
            common = []
            for stem, comments_with_it in sorted(having[language].items()):
                if comments_with_it > number * COMMON and stem not in keep:
                    common.append(f'"{stem}"')
            # A line of TOML, to be copied into common.toml.
            self.stdout.write(f"{language} = [{', '.join(common)}]  # of {number:,} comments")
