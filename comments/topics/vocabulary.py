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


def vocabulary_of(
    language: str, samples: Mapping[str, Tally], made_at: datetime | None = None
) -> Vocabulary:
    """Return the words of samples of comments in a language, by product."""
    comments_of: Counter[str] = Counter()
    products_of: Counter[str] = Counter()
    for tally in samples.values():
        products_of.update(tally.words.keys())
        for stem, counted in tally.words.items():
            comments_of[stem] += counted.comments
    words: dict[str, CommonWord] = {}
    for stem, number in comments_of.most_common(MOST_WORDS):
        if number >= LEAST_COMMENTS_OF_WORD:
            words[stem] = CommonWord(number, products_of[stem])
    comments = sum(tally.comments for tally in samples.values())
    return Vocabulary(language, comments, frozenset(samples), words, made_at)
