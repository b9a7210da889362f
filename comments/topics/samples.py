"""Vocabularies as they are made from a sample of comments, stored, and made anew when they are old.

One item for each language holds what `comments.topics.vocabulary` describes, compressed.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from comments import keys
from comments.filters import CommentFilter
from comments.models import TABLE, LanguageWords
from comments.search.words import VERSION
from comments.store.counts import counters, counts_in
from comments.topics.reading import newest_comments
from comments.topics.tally import Tally
from comments.topics.vocabulary import (
    MOST_PRODUCTS,
    SAMPLE,
    CommonWord,
    SampleCounts,
    Vocabulary,
)
from dynapages.calls import in_chunks, labelled_calls
from dynapages.items import Item
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import client
from dynapages.work import worker
from dynapages.writes import put, write_item

LEAST_COMMENTS = 10
"""Comments in the language that a product in the sample has."""
MOST_LOOKED_AT = 5_000
"""Products whose counts are read for a sample, in a language that few have comments in."""
MOST_BYTES = 300_000
"""Of the words as they are stored: an item of DynamoDB's has 400 KB at most."""
LONGEST_USED = timedelta(days=7)
"""After which a sample is made anew, when topics are made."""
PRODUCTS_AT_ONCE = 100
"""Products whose counts are read together."""
Products = Callable[[], Iterable[str]]
"""Returns the ids of products with comments, the one commented on last first."""

_MADE_AT = LanguageWords.made_at.attr_name
_COMMENTS = LanguageWords.comments.attr_name
_WORDS = LanguageWords.words.attr_name
# What is in the compressed text.
_VERSION = "version"
_PRODUCTS = "products"
_STEMS = "stems"


class Vocabularies:
    """The vocabularies of languages, each of which is read, or made, when it is first needed.

    Samples are taken from ``products``. For one making, or for one command: what was read is
    remembered, and one that is older than ``longest_used`` by ``now`` (aware) is made anew.
    """

    def __init__(
        self, products: Products, now: datetime, *, longest_used: timedelta = LONGEST_USED
    ) -> None:
        self._products = products
        self._now = now
        self._longest_used = longest_used
        self._by_language: dict[str, Vocabulary] = {}

    def of(self, language: str) -> Vocabulary:
        """Return the vocabulary of a language. Raises BatchIncomplete, and botocore's errors."""
        if language not in self._by_language:
            with labelled_calls("words of a language"):
                self._by_language[language] = self._read_or_make(language)
        return self._by_language[language]

    def _read_or_make(self, language: str) -> Vocabulary:
        stored = read_vocabulary(language)
        if stored is not None and self._is_fresh(stored):
            return stored
        made = make_vocabulary(language, self._products(), self._now)
        write_item(client(), put(TABLE, _item_of(made)))
        return made

    def _is_fresh(self, vocabulary: Vocabulary) -> bool:
        made_at = vocabulary.made_at
        return made_at is not None and made_at > self._now - self._longest_used


def make_vocabulary(language: str, products: Iterable[str], now: datetime) -> Vocabulary:
    """Count the words of a sample: of the first products that have enough comments in a language.

    It reads half a unit for 4 KB of the comments in the sample, and half a unit for the counts of
    each product that is looked at. Raises BatchIncomplete, and botocore's errors.
    """
    counts = SampleCounts(language)
    with_comments = _with_comments(islice(products, MOST_LOOKED_AT), language)
    for product_id in islice(with_comments, MOST_PRODUCTS):
        sample = Tally(language)
        for comment in newest_comments(product_id, language, SAMPLE):
            sample.add(comment)
        counts.add(product_id, sample)
    return counts.vocabulary(now)


def _with_comments(products: Iterable[str], language: str) -> Iterator[str]:
    """Yield those products that have enough comments in a language to be in its sample."""
    chosen = CommentFilter.of([language])
    for product_ids in in_chunks(products, PRODUCTS_AT_ONCE):
        counted = counters().read_many(product_ids)
        for product_id in product_ids:
            if counts_in(counted[product_id]).of(chosen) >= LEAST_COMMENTS:
                yield product_id
        worker().make_due_calls()


# The item in the table


def read_vocabulary(language: str) -> Vocabulary | None:
    """Read the stored vocabulary of a language, half a unit for each 4 KB of it; None without one.

    One whose stems are of another version counts as none.
    """
    answer = client().get_item(TableName=TABLE, Key=keys.words_of(language))
    item = answer.get("Item")
    if item is None:
        return None
    stored: dict[str, Any] = json.loads(zlib.decompress(item[_WORDS]["B"]))
    if stored[_VERSION] != VERSION:
        return None
    words: dict[str, CommonWord] = {}
    for stem, (comments, products) in stored[_STEMS].items():
        words[stem] = CommonWord(comments, products)
    return Vocabulary(
        language,
        comments=int(item[_COMMENTS]["N"]),
        product_ids=frozenset(stored[_PRODUCTS]),
        words=words,
        made_at=parse_timestamp(item[_MADE_AT]["S"]),
    )


def _item_of(vocabulary: Vocabulary) -> Item:
    """Build the item of a vocabulary that was made."""
    assert vocabulary.made_at is not None  # noqa: S101 - what is stored was made
    return {
        **keys.words_of(vocabulary.language),
        _MADE_AT: {"S": timestamp(vocabulary.made_at)},
        _COMMENTS: {"N": str(vocabulary.comments)},
        _WORDS: {"B": _compressed(vocabulary)},
    }


def _compressed(vocabulary: Vocabulary) -> bytes:
    """Return the words of a vocabulary in at most `MOST_BYTES`, the most common ones first."""
    number = len(vocabulary.words)
    while True:
        stems: dict[str, tuple[int, int]] = {}
        for stem, word in islice(vocabulary.words.items(), number):
            stems[stem] = word.comments, word.products
        stored = {
            _VERSION: VERSION,
            _PRODUCTS: sorted(vocabulary.product_ids),
            _STEMS: stems,
        }
        text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
        compressed = zlib.compress(text.encode())
        if len(compressed) <= MOST_BYTES or not number:
            return compressed
        # Somebody has written comments of words that do not repeat, as long as words can be.
        number //= 2
