"""Titles and texts of a product's comments, so that none repeats where one looks at once.

Reviews are put together from few phrases. Of the lists that people read, which are in one language
or in one language with some numbers of stars, no few comments in a row have the same words.
"""

import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import SampleProduct
from demo.sample.reviews import PARAGRAPH, TONES, Reviewer, Voice

TITLES_APART = 4
"""Of so many comments in a row of a language with one rating, no two have one title."""
TITLES_OF_A_LANGUAGE_APART = 3
TEXTS_APART = 20
SENTENCES_APART = 3
"""Of so many comments in a row of a language that are of one opinion, no two share a sentence."""
MOST_ATTEMPTS = 200
"""The most that a text is written anew."""
ATTEMPTS_AS_LONG = 40
"""So many times it is to have as many sentences as before."""
_END_OF_SENTENCE = re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s*")  # the last three are Japanese


def vary(
    comments: Sequence[NewComment],
    product: SampleProduct,
    voices: Mapping[str, Voice],
    rng: Random,
) -> list[NewComment]:
    """Return a product's comments in the same order, with other words where they would repeat.

    The voices are by their language. ``rng`` is drawn from for what is replaced alone.
    """
    recent = _Recent()
    varied: dict[str, NewComment] = {}
    for comment in sorted(comments, key=lambda one: (one.created_at, one.id)):
        voice = voices[comment.language]
        title, body = comment.title, comment.body
        if title and title in recent.titles_of(comment):
            titles = voice.titles[TONES[comment.rating]]
            title = rng.choice(
                [other for other in titles if other not in recent.titles_of(comment)]
            )
        reviewer = Reviewer(rng, voice, product)
        for attempt in range(MOST_ATTEMPTS):
            if not recent.has_words_of(comment, body):
                break
            _title, another = reviewer.write(rating=comment.rating)
            if PARAGRAPH in another:
                continue  # essays stay rare
            if attempt >= ATTEMPTS_AS_LONG or _are_as_long(another, comment.body):
                body = another
        varied[comment.id] = replace(comment, title=title, body=body)
        recent.add(varied[comment.id])
    return [varied[comment.id] for comment in comments]


class _Recent:
    """The words of the comments just before."""

    def __init__(self) -> None:
        self._bodies: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=TEXTS_APART - 1))
        self._sentences: dict[object, deque[set[str]]] = defaultdict(
            lambda: deque(maxlen=SENTENCES_APART - 1)
        )
        self._titles: dict[object, deque[str]] = {}

    def has_words_of(self, comment: NewComment, body: str) -> bool:
        """Return whether a text for the comment would repeat a text or a sentence."""
        if body in self._bodies[comment.language]:
            return True
        if PARAGRAPH in body:
            return False  # an essay is about everything, so it says what others say
        sentences = _sentences_of(body)
        return any(sentences & others for others in self._sentences[_opinion(comment)])

    def titles_of(self, comment: NewComment) -> set[str]:
        """Return the titles that a comment must not repeat."""
        titles: set[str] = set()
        for place in _places(comment):
            titles.update(self._titles.get(place, ()))
        return titles

    def add(self, comment: NewComment) -> None:
        self._bodies[comment.language].append(comment.body)
        if PARAGRAPH not in comment.body:
            self._sentences[_opinion(comment)].append(_sentences_of(comment.body))
        for place, apart in _places(comment).items():
            self._titles.setdefault(place, deque(maxlen=apart - 1)).append(comment.title)


def _places(comment: NewComment) -> dict[object, int]:
    """Return the lists of a comment, and how many comments in a row must have other titles."""
    return {
        (comment.language, comment.rating): TITLES_APART,
        comment.language: TITLES_OF_A_LANGUAGE_APART,
    }


def _opinion(comment: NewComment) -> tuple[str, str]:
    return comment.language, TONES[comment.rating]


def _are_as_long(one: str, other: str) -> bool:
    """Return whether two texts have, but for one, as many sentences."""
    return abs(len(_END_OF_SENTENCE.split(one)) - len(_END_OF_SENTENCE.split(other))) <= 1


def _sentences_of(body: str) -> set[str]:
    """Return the sentences of a text; an emoji is none."""
    sentences = set()
    for sentence in _END_OF_SENTENCE.split(body):
        if any(character.isalpha() for character in sentence):
            sentences.add(sentence)
    return sentences
