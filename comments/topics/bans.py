"""Banned topics: words that staff do not want as topics, of one product or of all."""

from collections.abc import Mapping
from dataclasses import replace

from comments import keys
from comments.models import TABLE, BannedTopics
from comments.topics.records import LanguageTopics
from dynapages.process import page_batches

Banned = frozenset[tuple[str, str]]
"""Words that are no topics, each as its language and its stem."""
_STEMS = BannedTopics.stems.attr_name


def read_banned(product_id: str) -> Banned:
    """Read what is banned for a product, or for all, strongly, for a unit each.

    Raises BatchIncomplete, and botocore's errors.
    """
    banned: set[tuple[str, str]] = set()
    table_keys = [keys.banned_topics(product_id), keys.banned_topics()]
    for item in page_batches().get(TABLE, table_keys):
        for word in item.get(_STEMS, {"SS": []})["SS"]:
            language, _separator, stem = word.partition("/")
            banned.add((language, stem))
    return frozenset(banned)


def without_banned(
    languages: Mapping[str, LanguageTopics], banned: Banned
) -> dict[str, LanguageTopics]:
    """Return topics by language, without those that are banned."""
    allowed: dict[str, LanguageTopics] = {}
    for language, of_language in languages.items():
        topics = [topic for topic in of_language.topics if (language, topic.stem) not in banned]
        allowed[language] = replace(of_language, topics=tuple(topics))
    return allowed
