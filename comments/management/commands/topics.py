"""``manage.py topics``: shows the topics of products as they are stored, and checks them."""

import sys
from typing import Any

from django.core.management.base import CommandParser

from comments.management.topic_options import (
    add_products_argument,
    chosen_products,
    require_topics,
)
from comments.topics.checking import TopicDifference, topic_differences
from comments.topics.records import LanguageTopics, Topic, TopicsOfProduct
from comments.topics.stored import read_topics
from dynapages.django.options import failures_in_one_line, interruptible
from dynapages.django.tables import TableCommand


class Command(TableCommand):
    """Reads topics, and with --check all comments they are from."""

    help = (
        "Print the topics of products: each word with the number of comments that have it, and how "
        "many of these have four or five stars, when it was made. With --check, count the words of "
        "all comments again, and print what differs. Exits with 1 where a language has the number "
        "of comments and of stars that it had then, and a topic differs all the same."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_products_argument(parser)
        parser.add_argument(
            "--check", action="store_true", help="compare them with the comments as they are now"
        )

    def handle(self, **options: Any) -> None:
        require_topics()
        wrong, changed = 0, 0
        # What is read changes nothing: there is nothing to go on with.
        with interruptible(self, then=""), failures_in_one_line():
            for product_id in chosen_products(options["products"]):
                topics = read_topics(product_id)
                self._show(product_id, topics)
                if not options["check"]:
                    continue
                for difference in topic_differences(product_id, topics):
                    self.stdout.write(_sentence(difference))
                    wrong += difference.is_wrong
                    changed += not difference.is_wrong
        if options["check"]:
            self.stdout.write(f"Wrong: {wrong:,}. Changed since, with their comments: {changed:,}.")
        if wrong:
            sys.exit(1)

    def _show(self, product_id: str, topics: TopicsOfProduct) -> None:
        for language, of_language in sorted(topics.languages.items()):
            self.stdout.write(f"{product_id}, {language}, {_heading(of_language)}")
            for topic in of_language.topics:
                self.stdout.write(f"  {_line(topic)}")


def _heading(topics: LanguageTopics) -> str:
    made_at = topics.made_at.strftime("%Y-%m-%d %H:%M UTC")
    if not topics.topics:
        return f"{topics.comments:,} comments on {made_at}: no topics"
    return f"{topics.comments:,} comments on {made_at}:"


def _line(topic: Topic) -> str:
    return f"{topic.form} · {topic.comments:,} · {topic.percent_happy} % happy"


def _sentence(difference: TopicDifference) -> str:
    why = "WRONG" if difference.is_wrong else "changed since"
    topic = difference.topic
    sentence = (
        f"  {why}: {topic.form} in {difference.language} is in {difference.comments:,} comments "
        f"now, {difference.good:,} of them good; stored are {topic.comments:,} and {topic.good:,}"
    )
    if not difference.is_written:
        sentence += "; nobody writes it so"
    return sentence
