"""Snowball's stemmers, by the languages of comments."""

from functools import cache
from threading import Lock
from typing import Any

import snowballstemmer

_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Snowball's algorithms by ISO 639-1 codes."""
_STEMMING = Lock()
"""Stemmers keep what they are working on in themselves: one thread uses them at a time."""


def primary(language: str) -> str:
    """Return the code of a language without its region: ``pt`` of ``pt-br``."""
    return language.lower().partition("-")[0]


def stemmed(word: str, language: str) -> str:
    """Return the stem of a folded word; the word, where there is no algorithm or nothing is left.

    ``language`` is a primary code.
    """
    algorithm = _ALGORITHMS.get(language)
    if not algorithm:
        return word
    with _STEMMING:
        stem: str = _stemmer(algorithm).stemWord(word)
        return stem or word


@cache
def _stemmer(algorithm: str) -> Any:  # noqa: ANN401 - Snowball has no types
    """Return the stemmer of an algorithm, made once in a process."""
    return snowballstemmer.stemmer(algorithm)
