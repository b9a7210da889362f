"""``manage.py find_topics``: the topics of products in a file of comments, without a database."""

from collections import defaultdict
from datetime import datetime
from random import Random
from typing import Any

from django.core.management.base import CommandParser

from comments.data.rows import Findings
from comments.items import NewComment
from comments.management.commands import import_comments
from comments.topics.choosing import choose_topics
from comments.topics.records import ENOUGH_COMMENTS, Topic
from comments.topics.tally import ReadComment, Tally
from comments.topics.vocabulary import SAMPLE, SampleCounts
from dynapages.django.options import Progress, at_least_one, failures_in_one_line
from dynapages.files.row_files import open_rows

Dated = tuple[datetime, ReadComment]
"""A comment, and when it was written."""


class Command(import_comments.Command):
    """Reads a file as ``import_comments`` does, and writes nothing."""

    requires_system_checks = ()  # it only reads a file
    compares_tables = False
    help = (
        "Print the topics of each product in a file of comments, by language, as they would be "
        "made after its import. The file is read as import_comments reads it. "
        "docs/topics.md shows how they were judged."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--sample", type=at_least_one, metavar="N", help="only N products, drawn by --seed"
        )
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N", help="which products are drawn (0)"
        )

    def handle(self, **options: Any) -> None:
        comments = self._read(options)
        tallies: dict[tuple[str, str], Tally] = {}
        samples: dict[tuple[str, str], Tally] = {}
        counts: dict[str, SampleCounts] = {}
        for (language, product_id), dated in comments.items():
            dated.sort(key=_moment, reverse=True)
            newest_first = [comment for _moment_of_it, comment in dated]
            tallies[language, product_id] = _tally_of(newest_first, language)
            sample = _tally_of(newest_first[:SAMPLE], language)
            samples[language, product_id] = sample
            counts.setdefault(language, SampleCounts(language)).add(product_id, sample)
        with_enough = [key for key, tally in tallies.items() if tally.comments >= ENOUGH_COMMENTS]
        for language, product_id in _drawn(sorted(with_enough), options):
            tally = tallies[language, product_id]
            vocabulary = counts[language].vocabulary()
            others = vocabulary.without(product_id, samples[language, product_id])
            topics = choose_topics(tally, others, names=[product_id.replace(".", " ")])
            self._print(product_id, tally, topics)

    def _read(self, options: dict[str, Any]) -> dict[tuple[str, str], list[Dated]]:
        """Return the comments of a file by language and product."""
        comments: dict[tuple[str, str], list[Dated]] = defaultdict(list)
        with failures_in_one_line():
            source = self.source(options["file"], options, Progress(shown=False))
            with open_rows(source.file) as rows:
                for row in source.parse(rows, Findings()):
                    if isinstance(row, NewComment):
                        read = ReadComment(row.title, row.body, row.rating, row.author)
                        comments[row.language, row.product_id].append((row.created_at, read))
        return comments

    def _print(self, product_id: str, tally: Tally, topics: list[Topic]) -> None:
        percent = round(100 * tally.good / tally.comments)
        self.stdout.write(
            f"{product_id} ({tally.language}): {tally.comments:,} comments, {percent} % happy"
        )
        for topic in topics:
            self.stdout.write(f"  {topic.form} · {topic.comments:,} · {topic.percent_happy} %")
        if not topics:
            self.stdout.write("  no topics")


def _moment(dated: Dated) -> datetime:
    return dated[0]


def _tally_of(comments: list[ReadComment], language: str) -> Tally:
    tally = Tally(language)
    for comment in comments:
        tally.add(comment)
    return tally


def _drawn(keys: list[tuple[str, str]], options: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the keys that are drawn by the options, all without them."""
    number = options["sample"]
    if number is None or number >= len(keys):
        return keys
    return Random(options["seed"]).sample(keys, number)  # noqa: S311 - no secret
