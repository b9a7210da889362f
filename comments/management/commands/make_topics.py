"""``manage.py make_topics``: makes the topics of products, "what buyers say"."""

import logging
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser

from comments.management.topic_options import (
    add_products_argument,
    chosen_products,
    require_topics,
)
from comments.rankings.queries import commented_products
from comments.topics.making import make_topics, read_standing
from comments.topics.records import TopicsOfProduct
from comments.topics.samples import LONGEST_USED, Vocabularies
from dynapages.calls import Unreachable, clock, fault_in, units_of_process
from dynapages.django.advice import sentence_with_advice
from dynapages.django.options import failures_in_one_line, interruptible
from dynapages.django.tables import TableCommand
from dynapages.pynamodb import FAILURES

NOTHING = timedelta(0)

logger = logging.getLogger(__name__)


class Command(TableCommand):
    """Makes what is due of products one after the other; exits with 1 when some failed."""

    help = (
        "Make topics, what buyers say, of products with 30 comments or more in a language, where "
        "they are due. They are where there are none yet, or the comments have become more or "
        "fewer by a fifth, or their average higher or lower by a twentieth. It reads all comments "
        "of such a language. The worker does the same within an hour or two, for languages of up "
        "to 30,000 comments of a product; larger ones are left to this command: run it by cron, "
        "once a day. It exits with 1 where a product failed; the same command makes what is left."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_products_argument(parser)
        parser.add_argument(
            "--anew",
            action="store_true",
            help="make all topics of these products, due or not, and the words of each language "
            "that they are compared with",
        )

    def handle(self, **options: Any) -> None:
        require_topics()
        is_anew = options["anew"]
        longest_used = NOTHING if is_anew else LONGEST_USED
        vocabularies = Vocabularies(commented_products, clock.now(), longest_used=longest_used)
        made, failed = 0, 0
        with units_of_process() as units, interruptible(self), failures_in_one_line():
            for product_id in chosen_products(options["products"]):
                try:
                    made += self._make(product_id, vocabularies, is_anew=is_anew)
                except FAILURES as failure:
                    # Each product would wait for it as long.
                    if isinstance(fault_in(failure), Unreachable):
                        raise
                    failed += 1
                    self.stderr.write(f"{product_id}: {sentence_with_advice(failure)}")
                except Exception as error:  # one that is wrong must not keep the others from theirs
                    logger.exception("Topics of product %s were not made.", product_id)
                    failed += 1
                    name = type(error).__name__
                    self.stderr.write(f"{product_id}: {name}: the log has the rest.")
        self.stdout.write(f"Products whose topics were made: {made:,}. {units}.")
        if failed:
            raise CommandError(f"Products whose topics failed: {failed:,}. Run the command again.")

    def _make(self, product_id: str, vocabularies: Vocabularies, *, is_anew: bool) -> bool:
        """Make the topics of a product, and say so; return whether any were to be made."""
        with units_of_process() as units:
            standing = read_standing(product_id)
            languages = standing.languages if is_anew else standing.due
            if not languages:
                return False
            topics = make_topics(product_id, languages, vocabularies, now=clock.now())
        self.stdout.write(f"{product_id}: {_made_of(topics, languages)}. {units}.")
        return True


def _made_of(topics: TopicsOfProduct, languages: Collection[str]) -> str:
    """Return what was made of some languages, such as “8 topics from 483 comments in en”."""
    parts: list[str] = []
    for language in sorted(languages):
        if language not in topics.languages:
            parts.append(f"too few comments in {language}")
            continue
        of_language = topics.languages[language]
        number = len(of_language.topics)
        noun = "topic" if number == 1 else "topics"
        parts.append(f"{number} {noun} from {of_language.comments:,} comments in {language}")
    return ", ".join(parts)
