"""Filters of comments by languages and ratings: `CommentFilter`, and its form in URLs.

The languages are those of ISO 639-1, with their names in the active language.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import translation
from operator import itemgetter
from typing import Self

import pycountry
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header

ANY = "~"
"""What stands in a URL for any language, or any rating."""
RATINGS = (1, 2, 3, 4, 5)
MOST_LANGUAGES = 8
"""Languages in one filter at the most: a page makes one query for each, times the ratings."""


class BadFilter(ValueError):
    """The URL has no filter; the text names what is allowed."""


# Languages.


def unknown_language(code: str) -> str:
    """Return the sentence about what is not an ISO 639-1 code."""
    sentence = _(
        "Unknown language “%(code)s”: use two-letter ISO 639-1 codes such as en, de or pt."
    )
    return sentence % {"code": code}


def is_language(code: str) -> bool:
    """Return whether ``code`` is a lower-case ISO 639-1 code."""
    return code in _names("en")


def language_name(code: str) -> str:
    """Return a language's name in the active one, such as ``Portuguese`` for ``pt``."""
    return language_names().get(code, code)


def language_names() -> Mapping[str, str]:
    """Return the name of every language in the active one, by code."""
    return _names(get_language())


def all_languages() -> list[tuple[str, str]]:
    """Return the code and name of every language, sorted by name."""
    return sorted(language_names().items(), key=itemgetter(1))


def preferred_language(accept_language: str, *, among: Container[str]) -> str | None:
    """Return the first language of an Accept-Language header that is in ``among``.

    None when there is none, or it accepts any (``*``) before one.
    """
    for tag, quality in parse_accept_lang_header(accept_language):
        if not quality:
            continue
        if tag == "*":
            return None
        language = tag.split("-")[0]
        if is_language(language) and language in among:
            return language
    return None


@cache
def _names(spoken: str | None) -> Mapping[str, str]:
    """Return the names by code; ``spoken`` is the language they are in."""
    catalogue = translation("iso639-3", pycountry.LOCALES_DIR, [spoken or "en"], fallback=True)
    names = {}
    for code, english_name in _english_names().items():
        # Without what is added in brackets, and without other names: "Spanish; Castilian".
        names[code] = catalogue.gettext(english_name).split(" (")[0].split(";")[0]
    return names


@cache
def _english_names() -> Mapping[str, str]:
    # Not `pycountry.languages`, which keeps all 7,900 languages of ISO 639-3: they take 8 MB.
    languages = pycountry.Languages(pycountry.languages.filename)
    return {each.alpha_2: each.name for each in languages if hasattr(each, "alpha_2")}


# Filters.


@dataclass(frozen=True, slots=True)
class CommentFilter:
    """Sets of languages (ISO 639-1) and ratings (1 to 5), sorted; empty means any."""

    languages: tuple[str, ...] = ()
    ratings: tuple[int, ...] = ()

    @classmethod
    def of(cls, languages: Iterable[str] = (), ratings: Iterable[int] = ()) -> Self:
        """Build a filter; all five ratings become any. Raises BadFilter."""
        chosen_languages = tuple(sorted(set(languages)))
        chosen_ratings = tuple(sorted(set(ratings)))
        for rating in chosen_ratings:
            if rating not in RATINGS:
                raise _bad_rating(rating)
        for language in chosen_languages:
            if not is_language(language):
                raise BadFilter(unknown_language(language))
        if len(chosen_languages) > MOST_LANGUAGES:
            sentence = _("Choose at most %d languages at once, or ~ for any.") % MOST_LANGUAGES
            raise BadFilter(sentence)
        if chosen_ratings == RATINGS:
            chosen_ratings = ()
        return cls(chosen_languages, chosen_ratings)

    @classmethod
    def parse(cls, languages: str, ratings: str) -> Self:
        """Read the two parts of a list's URL, such as ``de.en`` and ``1.2.5``, or ``~``.

        Raises BadFilter.
        """
        return cls.of(_parts(languages.lower()), map(_rating, _parts(ratings)))

    @property
    def languages_in_url(self) -> str:
        return ".".join(self.languages) or ANY

    @property
    def ratings_in_url(self) -> str:
        return ".".join(map(str, self.ratings)) or ANY

    @property
    def narrowed(self) -> frozenset[str]:
        """The parts of a comment that this filter restricts: ``language``, ``rating``."""
        parts = set()
        if self.languages:
            parts.add("language")
        if self.ratings:
            parts.add("rating")
        return frozenset(parts)

    def in_any_language(self) -> Self:
        return type(self)(ratings=self.ratings)

    def with_any_rating(self) -> Self:
        return type(self)(languages=self.languages)

    def toggle_language(self, language: str) -> Self:
        """Add or remove a language; from any language, choose it alone."""
        return type(self)(tuple(sorted({*self.languages} ^ {language})), self.ratings)

    def toggle_rating(self, rating: int) -> Self:
        """Add or remove a rating; from any rating, choose it alone."""
        ratings = tuple(sorted({*self.ratings} ^ {rating}))
        if ratings == RATINGS:
            ratings = ()
        return type(self)(self.languages, ratings)


def _parts(text: str) -> list[str]:
    """Return the values of a part of a URL, none for any."""
    return [] if text == ANY else text.split(".")


def _rating(text: str) -> int:
    """Parse a rating. Raises BadFilter."""
    # `int` would accept other digits, blanks and signs as well.
    if text not in {str(rating) for rating in RATINGS}:
        raise _bad_rating(text)
    return int(text)


def _bad_rating(rating: object) -> BadFilter:
    sentence = _("There is no rating “%(rating)s”: choose among 1, 2, 3, 4 and 5, or ~ for any.")
    return BadFilter(sentence % {"rating": rating})
