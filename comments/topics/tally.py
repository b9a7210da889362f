"""How many comments have each word: a count of the comments of a product in one language.

What is counted of a comment are the stems that a search finds it by
(`comments.search.words.indexed_stems`), so each number can be checked by a search.
"""

from collections import Counter
from dataclasses import dataclass, field

from comments.search.words import spellings_of_stems
from comments.topics.records import GOOD_RATING


@dataclass(frozen=True, slots=True)
class ReadComment:
    """What topics are made from of a comment: its whole text, its stars, and its author's name."""

    title: str
    body: str
    rating: int
    author: str = ""


@dataclass(slots=True)
class WordCount:
    """How many comments have a word, how many of them are good, and how it is written."""

    comments: int = 0
    good: int = 0
    spellings: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Tally:
    """The counts of all words, by stem; ``authors`` counts the words in their names."""

    language: str
    comments: int = 0
    stars: int = 0
    good: int = 0
    words: dict[str, WordCount] = field(default_factory=dict)
    authors: Counter[str] = field(default_factory=Counter)

    def add(self, comment: ReadComment) -> None:
        """Count a comment."""
        is_good = comment.rating >= GOOD_RATING
        self.comments += 1
        self.stars += comment.rating
        self.good += is_good
        spellings_of = spellings_of_stems(comment.title, comment.body, self.language)
        for stem, spellings in spellings_of.items():
            word = self.words.setdefault(stem, WordCount())
            word.comments += 1
            word.good += is_good
            word.spellings.update(set(spellings))
        self.authors.update(spellings_of_stems("", comment.author, self.language).keys())
