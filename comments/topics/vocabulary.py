"""How common the words of a language are in comments on other products of the site.

A product's word is a topic where it stands there more often than elsewhere. What it is compared
with is a sample: the newest `SAMPLE` comments of each of the products commented on last.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from comments.topics.tally import Tally

SAMPLE = 200
"""Comments of a product that are in the sample, the newest ones."""
MOST_PRODUCTS = 200
"""Products in the sample, those commented on last."""
MOST_WORDS = 20_000
"""Words in it, the most common ones."""
LEAST_COMMENTS_OF_WORD = 2
"""Comments with a word that is in it: misspelt words, for example, are in one."""


@dataclass(frozen=True, slots=True)
class CommonWord:
    """In how many comments of a sample a word is, and in those on how many products."""

    comments: int
    products: int


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a sample of comments in a language, by stem.

    ``product_ids`` are the products that it is from, ``comments`` is how many comments it has.
    """

    language: str
    comments: int = 0
    product_ids: frozenset[str] = frozenset()
    words: Mapping[str, CommonWord] = field(default_factory=dict)
    made_at: datetime | None = None

    def without(self, product_id: str, sample: Tally) -> "Vocabulary":
        """Return the words of other products: without those that a product has in this one.

        ``sample`` are the newest `SAMPLE` comments of the product. They may be others than those
        that were counted here, so what is left is never below zero, and near the truth.
        """
        if product_id not in self.product_ids:
            return self
        words = dict(self.words)
        for stem, counted in sample.words.items():
            if stem in words:
                common = words[stem]
                comments = max(common.comments - counted.comments, 0)
                words[stem] = CommonWord(comments, max(common.products - 1, 0))
        return replace(
            self,
            comments=max(self.comments - sample.comments, 0),
            product_ids=self.product_ids - {product_id},
            words=words,
        )


class SampleCounts:
    """The counts that a vocabulary is built from, of one product after the other."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._comments = 0
        self._product_ids: set[str] = set()
        self._comments_of: Counter[str] = Counter()
        self._products_of: Counter[str] = Counter()

    def add(self, product_id: str, sample: Tally) -> None:
        """Count the newest comments of a product."""
        self._comments += sample.comments
        self._product_ids.add(product_id)
        self._products_of.update(sample.words.keys())
        for stem, word in sample.words.items():
            self._comments_of[stem] += word.comments

    def vocabulary(self, made_at: datetime | None = None) -> Vocabulary:
        """Return the words that were counted, the most common ones first."""
        words: dict[str, CommonWord] = {}
        for stem, number in self._comments_of.most_common(MOST_WORDS):
            if number >= LEAST_COMMENTS_OF_WORD:
                words[stem] = CommonWord(number, self._products_of[stem])
        product_ids = frozenset(self._product_ids)
        return Vocabulary(self._language, self._comments, product_ids, words, made_at)
