"""How common the words of a language are in comments on other products of the site.

A product's word is a topic where it stands there more often than elsewhere. What it is compared
with is a sample: the newest `SAMPLE` comments of each of the products commented on last.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

SAMPLE = 200
"""Comments of a product that are in the sample, the newest ones."""
MOST_PRODUCTS = 200
"""Products in the sample, those commented on last."""


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
