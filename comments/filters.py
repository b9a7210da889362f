"""The filter of a list of comments, and its form in URLs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from django.utils.translation import gettext as _

from comments.languages import is_language, unknown_language

ANY = "~"
RATINGS = (1, 2, 3, 4, 5)
MOST_LANGUAGES = 8
"""Languages in one filter at the most: a page makes one query for each, times the ratings."""


class BadFilter(ValueError):
    """The URL has no filter; the text names what is allowed."""


@dataclass(frozen=True, slots=True)
class CommentFilter:
    """Sets of languages (ISO 639-1) and ratings (1 to 5), sorted; empty means any."""

    languages: tuple[str, ...] = ()
    ratings: tuple[int, ...] = ()

    @classmethod
    def of(cls, languages: Iterable[str] = (), ratings: Iterable[int] = ()) -> Self:
        """Build a filter; all five ratings become any. Raises BadFilter."""
        chosen_languages, chosen_ratings = sorted(set(languages)), sorted(set(ratings))
        for rating in chosen_ratings:
            if rating not in RATINGS:
                raise _bad_rating(rating)
        for language in chosen_languages:
            if not is_language(language):
                raise BadFilter(unknown_language(language))
        if len(chosen_languages) > MOST_LANGUAGES:
            sentence = _("Choose at most %d languages at once, or ~ for any.") % MOST_LANGUAGES
            raise BadFilter(sentence)
        narrows = chosen_ratings != list(RATINGS)
        return cls(tuple(chosen_languages), tuple(chosen_ratings) if narrows else ())

    @classmethod
    def parse(cls, languages: str, ratings: str) -> Self:
        """Read the two parts of a list's URL, such as ``de.en`` and ``1.2.5``, or ``~``.

        Raises BadFilter.
        """
        return cls.of(_parts(languages.lower()), map(_rating, _parts(ratings)))

    @property
    def languages_spelled(self) -> str:
        return ".".join(self.languages) or ANY

    @property
    def ratings_spelled(self) -> str:
        return ".".join(map(str, self.ratings)) or ANY

    @property
    def narrowed(self) -> frozenset[str]:
        """The parts of a comment that this filter restricts: ``language``, ``rating``."""
        parts = {"language": self.languages, "rating": self.ratings}
        return frozenset(part for part, chosen in parts.items() if chosen)

    def in_any_language(self) -> Self:
        return replace(self, languages=())

    def with_any_rating(self) -> Self:
        return replace(self, ratings=())

    def toggle_language(self, language: str) -> Self:
        """Add or remove a language; from any language, choose it alone."""
        return replace(self, languages=tuple(sorted({*self.languages} ^ {language})))

    def toggle_rating(self, rating: int) -> Self:
        """Add or remove a rating; from any rating, choose it alone."""
        return type(self).of(self.languages, {*self.ratings} ^ {rating})


def _parts(spelled: str) -> list[str]:
    return [] if spelled == ANY else spelled.split(".")


def _rating(text: str) -> int:
    if text not in {str(rating) for rating in RATINGS}:
        raise _bad_rating(text)
    return int(text)


def _bad_rating(rating: object) -> BadFilter:
    sentence = _("There is no rating “%(rating)s”: choose among 1, 2, 3, 4 and 5, or ~ for any.")
    return BadFilter(sentence % {"rating": rating})
