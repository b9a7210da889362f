"""Titles and texts of a product's comments, so that none repeats where one looks at once.

Reviews are put together from few phrases. Of the lists that people read, which are in one language
or in one language with one number of stars, no few comments in a row have the same words.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import SampleProduct
from demo.sample.reviews import TONES, Reviewer, Voice

TITLES_APART = 4
"""Of so many comments in a row of a language with one rating, no two have one title."""
TITLES_OF_A_LANGUAGE_APART = 3
TEXTS_APART = 20
MOST_ATTEMPTS = 50
"""The most that a text is written anew."""


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
        for _attempt in range(MOST_ATTEMPTS):
            if body not in recent.bodies[comment.language]:
                break
            _title, body = reviewer.write(rating=comment.rating)
        varied[comment.id] = replace(comment, title=title, body=body)
        recent.add(varied[comment.id])
    return [varied[comment.id] for comment in comments]


class _Recent:
    """The words of the comments just before."""

    def __init__(self) -> None:
        self.bodies: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=TEXTS_APART - 1))
        self._titles: dict[object, deque[str]] = {}

    def titles_of(self, comment: NewComment) -> set[str]:
        """Return the titles that a comment must not repeat."""
        titles: set[str] = set()
        for place in _places(comment):
            titles.update(self._titles.get(place, ()))
        return titles

    def add(self, comment: NewComment) -> None:
        self.bodies[comment.language].append(comment.body)
        for place, apart in _places(comment).items():
            self._titles.setdefault(place, deque(maxlen=apart - 1)).append(comment.title)


def _places(comment: NewComment) -> dict[object, int]:
    """Return the lists of a comment, and how many comments in a row must have other titles."""
    return {
        (comment.language, comment.rating): TITLES_APART,
        comment.language: TITLES_OF_A_LANGUAGE_APART,
    }
