"""Banned topics: words that staff do not want as topics, of one product or of all.

They are stored in an item for each product that has any, and in one for all products. How they are
written is in `comments.topics.banning`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from comments import keys
from comments.models import TABLE, BannedTopics
from comments.topics.records import NO_TOPICS, LanguageTopics, TopicsOfProduct, is_topics, topics_in
from dynapages.items import Item
from dynapages.process import page_batches

Word = tuple[str, str]
"""A language, and a stem in it: all forms of a word."""
Banned = frozenset[Word]
"""Words that are no topics."""
_STEMS = BannedTopics.stems.attr_name
_VERSION = BannedTopics.version.attr_name
_SEPARATOR = "/"


@dataclass(frozen=True, slots=True)
class BanList:
    """What is banned for a product, or for all; ``version`` is 0 where nothing ever was."""

    words: Banned = frozenset()
    version: int = 0


NOTHING_BANNED = BanList()


@dataclass(frozen=True, slots=True)
class Bans:
    """What is banned for a product, and what for all products; a word may be in both."""

    of_product: BanList = NOTHING_BANNED
    of_all: BanList = NOTHING_BANNED

    @property
    def words(self) -> Banned:
        """All that is no topic of the product."""
        return self.of_product.words | self.of_all.words


def stored_word(word: Word) -> str:
    """Return a word as it is stored, such as ``en/batteri``."""
    return _SEPARATOR.join(word)


def word_stored(text: str) -> Word:
    """Return the word that is stored as a text; its stem is empty where that is none."""
    # A code of a language has no such sign.
    language, _separator, stem = text.partition(_SEPARATOR)
    return language, stem


def read_banned(product_id: str) -> Banned:
    """Read what is banned for a product, or for all, strongly, for a unit each.

    Raises BatchIncomplete, and botocore's errors.
    """
    table_keys = [keys.banned_topics(product_id), keys.banned_topics()]
    return _bans_among(page_batches().get(TABLE, table_keys)).words


def read_banned_for_all() -> Banned:
    """Read what is banned for all products, strongly, for a unit.

    Raises BatchIncomplete, and botocore's errors.
    """
    return _bans_among(page_batches().get(TABLE, [keys.banned_topics()])).of_all.words


def read_topics_and_bans(product_id: str) -> tuple[TopicsOfProduct, Bans]:
    """Read the topics of a product and what is banned, strongly, by one call, for three units.

    Raises BatchIncomplete, and botocore's errors.
    """
    of_product = [keys.topics(product_id), keys.banned_topics(product_id)]
    items = page_batches().get(TABLE, [*of_product, keys.banned_topics()])
    topics = NO_TOPICS
    for item in items:
        if is_topics(item):
            topics = topics_in(item)
    return topics, _bans_among(items)


def without_banned(
    languages: Mapping[str, LanguageTopics], banned: Collection[Word]
) -> dict[str, LanguageTopics]:
    """Return topics by language, without those that are banned."""
    allowed: dict[str, LanguageTopics] = {}
    for language, of_language in languages.items():
        topics = [topic for topic in of_language.topics if (language, topic.stem) not in banned]
        allowed[language] = replace(of_language, topics=tuple(topics))
    return allowed


def _bans_among(items: Iterable[Item]) -> Bans:
    """Return what is banned by items of a product and of all."""
    of_product = of_all = NOTHING_BANNED
    for item in items:
        key = {"pk": item["pk"], "sk": item["sk"]}
        if key == keys.banned_topics():
            of_all = _list_in(item)
        elif key["sk"]["S"] == keys.BANNED_TOPICS:
            of_product = _list_in(item)
    return Bans(of_product, of_all)


def _list_in(item: Item) -> BanList:
    return BanList(banned_in(item), int(item[_VERSION]["N"]))


def banned_in(item: Item) -> Banned:
    """Return the words that an item bans: none, once the last one was allowed again."""
    return frozenset(map(word_stored, item.get(_STEMS, {"SS": []})["SS"]))
