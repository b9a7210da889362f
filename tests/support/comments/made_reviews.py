"""Made comments of made words, in which words with a meaning are planted or not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from comments.topics.tally import ReadComment, Tally
from comments.topics.vocabulary import SAMPLE, CommonWord, Vocabulary

SYLLABLES = [consonant + vowel for consonant in "bdgkmnprtvz" for vowel in "aou"]
RATINGS = (1, 1, 2, 3, 4, 4, 5, 5, 5)
WORDS_OF_A_COMMENT = 15
PRODUCTS = {"a": 400, "b": 600, "c": 60, "d": 200, "e": 500, "f": 100}
"""How many comments each product has."""


@dataclass(frozen=True)
class Planted:
    """A word that a share of the comments on a product have, whose ratings are among these."""

    word: str
    share: float
    ratings: Sequence[int] = RATINGS


@dataclass
class MadeProducts:
    """Comments on products in a language, and their tallies."""

    language: str
    comments: dict[str, list[ReadComment]] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)

    def others_than(self, product_id: str) -> Vocabulary:
        """Return the words of the samples of all products but one."""
        number, comments, products = 0, Counter[str](), Counter[str]()
        others = [each for each in self.comments if each != product_id]
        for other in others:
            sample = tally_of(self.comments[other][:SAMPLE], self.language)
            number += sample.comments
            for stem, word in sample.words.items():
                comments[stem] += word.comments
                products[stem] += 1
        words = {stem: CommonWord(comments[stem], products[stem]) for stem in comments}
        return Vocabulary(self.language, number, frozenset(others), words)


def made_words(random: Random, number: int) -> list[str]:
    """Return different words of two to four syllables."""
    words: dict[str, None] = {}
    while len(words) < number:
        words["".join(random.choices(SYLLABLES, k=random.choice((2, 3, 3, 4))))] = None
    return list(words)


def made_products(
    seed: int, language: str = "en", planted: Mapping[str, Sequence[Planted]] | None = None
) -> MadeProducts:
    """Make the comments of `PRODUCTS`, with these words planted by product."""
    random = Random(seed)
    vocabulary = made_words(random, 1_500)
    made = MadeProducts(language)
    for product_id, number in PRODUCTS.items():
        of_product = (planted or {}).get(product_id, ())
        made.comments[product_id] = list(_comments(random, vocabulary, number, of_product))
        made.tallies[product_id] = tally_of(made.comments[product_id], language)
    return made


def _comments(
    random: Random, vocabulary: Sequence[str], number: int, planted: Sequence[Planted]
) -> Iterator[ReadComment]:
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    for _ in range(number):
        length = min(50, max(1, round(random.expovariate(1 / WORDS_OF_A_COMMENT))))
        words = random.choices(vocabulary, weights, k=length)
        rating = random.choice(RATINGS)
        for plant in planted:
            if random.random() < plant.share:
                words.insert(random.randrange(len(words) + 1), plant.word)
                rating = random.choice(plant.ratings)
        yield ReadComment("", " ".join(words), rating)


def tally_of(comments: Sequence[ReadComment], language: str = "en") -> Tally:
    """Return the counts of some comments."""
    tally = Tally(language)
    for comment in comments:
        tally.add(comment)
    return tally


def comments_with(product: Sequence[ReadComment], word: str) -> list[ReadComment]:
    """Return the comments that have a word, as it is written."""
    return [comment for comment in product if word in comment.body.split()]
