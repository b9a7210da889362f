"""Topics of a product as they are stored: stems, shown forms and numbers, never a sentence.

One item holds the topics of all languages of a product that have enough comments, and what was true
of each language when they were made. A language in which nothing was found is in it, too: it is
known not to have any.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from comments import keys
from comments.models import ProductTopics
from dynapages.items import Item, Value, item_bytes
from dynapages.lists import parse_timestamp, timestamp

MOST_TOPICS = 8
"""Topics of a product in a language."""
ENOUGH_COMMENTS = 30
"""Comments of a product in a language from which topics are looked for."""
LARGEST_ITEM = 4_096
"""Bytes that are read for half a unit: topics of the languages with the fewest comments must do
without where there are too many.
"""
GOOD_RATING = 4
"""Stars from which a comment counts as that of a happy buyer."""
VERSION = ProductTopics.version.attr_name
LANGUAGES = ProductTopics.languages.attr_name
# Attributes of a language. A topic is a list: form, stem, number of comments, number of good ones.
_MADE_AT = "m"
_COMMENTS = "n"
_STARS = "s"
_TOPICS = "t"


@dataclass(frozen=True, slots=True)
class Topic:
    """A word that buyers use, in its most written form.

    ``comments`` are those that a search for the form finds, ``good`` those of them with at least
    `GOOD_RATING` stars, both when topics were made.
    """

    stem: str
    form: str
    comments: int
    good: int

    @property
    def percent_happy(self) -> int:
        """How many of a hundred comments with the word are good, from 0 to 100."""
        return round(100 * self.good / self.comments)


@dataclass(frozen=True, slots=True)
class LanguageTopics:
    """The topics of a product in a language, the first one first.

    ``comments`` and ``stars`` are the numbers of all comments in the language, and of their stars,
    at ``made_at`` (aware).
    """

    made_at: datetime
    comments: int
    stars: int
    topics: tuple[Topic, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicsOfProduct:
    """The topics of a product by language; ``version`` is 0 of what was never stored."""

    languages: Mapping[str, LanguageTopics] = field(default_factory=dict)
    version: int = 0


NO_TOPICS = TopicsOfProduct()


def is_topics(item: Item) -> bool:
    """Return whether an item of the table holds the topics of a product."""
    partition: str = item["pk"]["S"]
    return partition.startswith(keys.TOPICS_PREFIX) and item["sk"]["S"] == keys.TOPICS


def topics_in(item: Item) -> TopicsOfProduct:
    """Build the topics of a product from their item; of an empty one there are none."""
    if not item:
        return NO_TOPICS
    languages: dict[str, LanguageTopics] = {}
    for language, stored in item[LANGUAGES]["M"].items():
        languages[language] = _language_in(stored["M"])
    return TopicsOfProduct(languages, int(item[VERSION]["N"]))


def item_of(product_id: str, topics: TopicsOfProduct) -> Item:
    """Build the item of a product's topics, of at most `LARGEST_ITEM` bytes."""
    item = {**keys.topics(product_id), VERSION: {"N": str(topics.version)}}
    # All languages are in it: one that is missing would be taken for one that was never looked at.
    stored: dict[str, Item] = {}
    for language, of_language in topics.languages.items():
        stored[language] = {"M": _without_topics(of_language)}
    by_comments = sorted(topics.languages.items(), key=most_comments_first)
    for language, of_language in by_comments:
        with_topics = {**stored, language: {"M": _with_topics(of_language)}}
        if item_bytes({**item, LANGUAGES: {"M": with_topics}}) <= LARGEST_ITEM:
            stored = with_topics
    return {**item, LANGUAGES: {"M": stored}}


def most_comments_first(of_language: tuple[str, LanguageTopics]) -> tuple[int, str]:
    """Return by what languages are sorted: the one with the most comments is the first."""
    language, topics = of_language
    return -topics.comments, language


def _without_topics(topics: LanguageTopics) -> Item:
    return {
        _MADE_AT: {"S": timestamp(topics.made_at)},
        _COMMENTS: {"N": str(topics.comments)},
        _STARS: {"N": str(topics.stars)},
    }


def _with_topics(topics: LanguageTopics) -> Item:
    stored: list[Value] = []
    for topic in topics.topics:
        texts = [{"S": topic.form}, {"S": topic.stem}]
        numbers = [{"N": str(topic.comments)}, {"N": str(topic.good)}]
        stored.append({"L": [*texts, *numbers]})
    return {**_without_topics(topics), _TOPICS: {"L": stored}}


def _language_in(stored: Item) -> LanguageTopics:
    topics: list[Topic] = []
    for one in stored.get(_TOPICS, {"L": []})["L"]:
        form, stem, comments, good = one["L"]
        topics.append(Topic(stem["S"], form["S"], int(comments["N"]), int(good["N"])))
    return LanguageTopics(
        made_at=parse_timestamp(stored[_MADE_AT]["S"]),
        comments=int(stored[_COMMENTS]["N"]),
        stars=int(stored[_STARS]["N"]),
        topics=tuple(topics),
    )
