"""Topics of products, put as they are stored, where making them is not what is tested."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from comments.models import TABLE
from comments.search.words import stems_of
from comments.topics.records import LanguageTopics, Topic, TopicsOfProduct, item_of
from dynapages.process import client
from tests.support.comments.options import comments_set

MADE_AT = datetime(2026, 11, 27, 8, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Word:
    """A word, in how many comments it is, and how many of them are good."""

    form: str
    comments: int
    good: int


@contextmanager
def with_topics() -> Iterator[None]:
    """Have the site show topics for the length of the block."""
    with comments_set(SEARCH=True, TOPICS=True):
        yield


def put_topics(product_id: str, words: Mapping[str, Sequence[Word]], *, version: int = 1) -> str:
    """Store topics by language; one with more words has more comments. Return the product's id."""
    languages = {}
    for language, of_language in words.items():
        topics = []
        for word in of_language:
            (stem,) = stems_of(word.form, language)
            topics.append(Topic(stem, word.form, word.comments, word.good))
        comments = 100 + len(topics)
        languages[language] = LanguageTopics(MADE_AT, comments, 4 * comments, tuple(topics))
    item = item_of(product_id, TopicsOfProduct(languages, version))
    client().put_item(TableName=TABLE, Item=item)
    return product_id
