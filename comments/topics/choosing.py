"""The choice of topics: which words say most about what buyers of a product care for.

A word is a topic where more of the comments on the product have it than of those on others, or
where the comments with it are much better or worse than the rest; both by more than chance. By
chance alone, at most one product in fifty without any topic would get one; of 160 made ones none
did.

See docs/topics.md for what this finds, and what it gets wrong.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import ceil, log, sqrt
from statistics import NormalDist

from comments.search.words import every_stem
from comments.topics.no_topics import has_stop_words, is_too_short, stems_of_no_topics
from comments.topics.records import MOST_TOPICS, Topic
from comments.topics.tally import Tally, WordCount
from comments.topics.vocabulary import CommonWord, Vocabulary

LEAST_COMMENTS = 5
LEAST_SHARE = 0.01
"""A topic is in so many comments, and in such a share of them, at the least."""
CHANCE = 0.01
"""Of finding a topic among all words of a product by each of the two tests, where there is none."""
LEAST_KEYNESS = 1.5
"""Deviations by which a word is more frequent than elsewhere, if only its ratings tell it apart."""
PRODUCTS = 3
"""Products that a word is known from, unless it is far more frequent here than elsewhere."""
FAR_ABOVE = 10
"""Times as frequent as elsewhere."""
NAMES_THE_PRODUCT = 0.25
"""The part of the comments that have what the product is called or made for, unlike other topics.

It is left out if hardly any other product's comments have it, and theirs are as good as all.
"""
AUTHORS_TO_COMMENTS = 0.1
"""The part of a word's comments that as many authors may be called by it, if it is no name."""
MOSTLY_CAPITALISED = 0.75
"""The part of a word's spellings from which it is shown with a capital letter."""
_PRIOR = 200
"""Comments as frequent as on all products, by which the frequencies of rare words are drawn in."""
_LEAST_VARIANCE = 0.02
"""Of being good, where nearly all comments on a product are, or none is."""
_NEVER = CommonWord(0, 0)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A word that may be a topic, and by how many deviations it differs from what chance does.

    ``keyness`` compares how frequent it is with other products, ``happiness`` how good the comments
    with it are with all of this product.
    """

    stem: str
    word: WordCount
    keyness: float
    happiness: float

    @property
    def weight(self) -> float:
        return max(self.keyness, 0.0) + abs(self.happiness)


def choose_topics(
    tally: Tally,
    others: Vocabulary,
    *,
    names: Collection[str] = (),
    banned: Collection[str] = (),
) -> list[Topic]:
    """Return the topics of a product in a language, at most `MOST_TOPICS`, the first one first.

    ``others`` are the words of comments on other products, ``names`` what the product is called,
    ``banned`` are stems.
    """
    # Nothing would tell its auxiliaries from topics.
    if not has_stop_words(tally.language) and not others.comments:
        return []
    left_out = {*stems_of_no_topics(tally.language), *banned}
    for name in names:
        left_out.update(every_stem(name, tally.language))
    words = dict(_possible_words(tally, others, left_out))
    if not words:
        return []
    # The more words are looked at, the more of them differ by chance. Both ends of a distribution.
    threshold = NormalDist().inv_cdf(1 - CHANCE / (2 * len(words)))
    chosen: list[_Candidate] = []
    for stem, word in words.items():
        candidate = _Candidate(
            stem, word, _keyness(stem, word, tally, others), _happiness(word, tally)
        )
        if _is_topic(candidate, tally, others, threshold):
            chosen.append(candidate)
    chosen.sort(key=_best_first)
    topics: list[Topic] = []
    for candidate in chosen[:MOST_TOPICS]:
        word = candidate.word
        topics.append(Topic(candidate.stem, shown_form(word), word.comments, word.good))
    return topics


def shown_form(word: WordCount) -> str:
    """Return how a word is written most, in lower case unless nearly all write it otherwise."""
    forms: dict[str, dict[str, int]] = {}
    for spelling, number in sorted(word.spellings.items()):
        forms.setdefault(spelling.casefold(), {})[spelling] = number
    most_written = max(forms.values(), key=_total)
    lower = min(most_written).lower()
    # A word is also written with a capital letter where it begins a sentence.
    others = _total(most_written) - most_written.get(lower, 0)
    if others < MOSTLY_CAPITALISED * _total(most_written):
        return lower
    without_lower = {form: number for form, number in most_written.items() if form != lower}
    return max(without_lower, key=without_lower.__getitem__)


def _total(spellings: Mapping[str, int]) -> int:
    return sum(spellings.values())


def _best_first(candidate: _Candidate) -> tuple[float, str]:
    return -candidate.weight, candidate.stem


# Which words may be topics


def _possible_words(
    tally: Tally, others: Vocabulary, left_out: Collection[str]
) -> Iterator[tuple[str, WordCount]]:
    """Yield the words that are frequent enough, and no stop words, numbers or names."""
    least = max(LEAST_COMMENTS, ceil(LEAST_SHARE * tally.comments))
    for stem, word in tally.words.items():
        if word.comments < least or stem in left_out or not word.spellings:
            continue
        if is_too_short(stem) or _is_name(stem, word, tally, others):
            continue
        if _is_known(stem, word, tally, others):
            yield stem, word


def _is_name(stem: str, word: WordCount, tally: Tally, others: Vocabulary) -> bool:
    """Return whether a word is rather the name of an author of these comments."""
    authors = tally.authors[stem]
    if not authors:
        return False
    is_word = _products(stem, others) >= PRODUCTS
    return not is_word or authors >= AUTHORS_TO_COMMENTS * word.comments


def _is_known(stem: str, word: WordCount, tally: Tally, others: Vocabulary) -> bool:
    """Return whether a word stands in comments on several products, or far more often here.

    Else it may be an error of writing, or what is called so here alone.
    """
    if not others.comments:
        return True
    if _products(stem, others) >= PRODUCTS:
        return True
    share_here = word.comments / tally.comments
    elsewhere = others.words.get(stem, _NEVER).comments
    share_elsewhere = (elsewhere + 1) / (others.comments + 1)
    return share_here >= FAR_ABOVE * share_elsewhere


def _products(stem: str, others: Vocabulary) -> int:
    """Return from how many products a word is known, this one included."""
    return others.words.get(stem, _NEVER).products + 1


# By how much a word differs


def _is_topic(candidate: _Candidate, tally: Tally, others: Vocabulary, threshold: float) -> bool:
    if abs(candidate.happiness) >= threshold:
        # A word that all products' buyers use to praise or to blame is no topic of this one.
        return candidate.keyness >= LEAST_KEYNESS or not others.comments
    if candidate.keyness < threshold:
        return False
    share = candidate.word.comments / tally.comments
    return share < NAMES_THE_PRODUCT or _products(candidate.stem, others) >= PRODUCTS


def _keyness(stem: str, word: WordCount, tally: Tally, others: Vocabulary) -> float:
    """Return by how many deviations a word is more frequent here than on other products.

    It is the log odds ratio with an informative Dirichlet prior, over its deviation (Monroe,
    Colaresi and Quinn, "Fightin' Words", 2008), of comments with the word. 0 without others.
    """
    if not others.comments:
        return 0.0
    elsewhere = others.words.get(stem, _NEVER).comments
    in_all = tally.comments + others.comments
    prior = _PRIOR * (word.comments + elsewhere + 1) / (in_all + 2)
    here = log((word.comments + prior) / (tally.comments + _PRIOR - word.comments - prior))
    there = log((elsewhere + prior) / (others.comments + _PRIOR - elsewhere - prior))
    return (here - there) / sqrt(1 / (word.comments + prior) + 1 / (elsewhere + prior))


def _happiness(word: WordCount, tally: Tally) -> float:
    """Return by how many deviations the comments with a word are better than all; below 0, worse.

    What is drawn are the comments with the word out of all of them, without putting any back.
    """
    good = tally.good / tally.comments
    variance = max(good * (1 - good), _LEAST_VARIANCE)
    not_drawn = (tally.comments - word.comments) / max(tally.comments - 1, 1)
    if not not_drawn:
        return 0.0
    return (word.good / word.comments - good) / sqrt(variance * not_drawn / word.comments)
