"""Words that are no topics whatever the comments say: stop words, judgements, and profanity.

Stop words are those of stopwords-iso, in 58 languages; profanity is that of glin-profanity, in 24.
What reviews say besides, such as "excellent" and "bought", is listed in no_topics.toml. All of them
are compared by their stems, so all inflections are left out.
"""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import stopwordsiso
from glin_profanity.data.dictionary import dictionary

from comments.search.snowball import primary
from comments.search.words import every_stem

SHORTEST = 3
"""Letters of a topic."""
_ENGLISH = "en"
_PROFANE: dict[str, Any] = {
    "ar": "arabic",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "it": "italian",
    "ja": "japanese",
    "ko": "korean",
    "nb": "norwegian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "th": "thai",
    "tr": "turkish",
    "zh": "chinese",
}
"""The lists of profanity by the codes of languages."""
_STRAY = ("ca", "de", "en", "es", "fr", "it", "nl", "pt")
"""Languages whose words are often met in comments in another one."""


def is_too_short(form: str) -> bool:
    """Return whether a word is too short for a topic, or has no letter."""
    letters = [sign for sign in form if sign.isalpha()]
    return len(letters) < SHORTEST


def has_stop_words(language: str) -> bool:
    """Return whether the stop words of a language are known."""
    known: bool = stopwordsiso.has_lang(primary(language))
    return known


@cache
def stems_of_no_topics(language: str) -> frozenset[str]:
    """Return the stems, in a language, of all words that are no topics in it."""
    code = primary(language)
    own = _lists().get(code, {})
    stems = _stems(_stop_words(code), code)
    for other in _STRAY:
        stems |= _stems(_stop_words(other), code)
    # A buyer may care for what is a stop word elsewhere.
    stems -= _stems([own.get("keep", "")], code)
    stems |= _stems([own.get("no_topics", "")], code)
    for profane in (code, _ENGLISH):
        stems |= _stems(_single_words(_profane_words(profane)), code)
    return frozenset(stems)


@cache
def _lists() -> dict[str, dict[str, str]]:
    text = Path(__file__).with_name("no_topics.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _stop_words(code: str) -> Iterable[str]:
    if not has_stop_words(code):
        return ()
    return stopwordsiso.stopwords(code)


def _profane_words(code: str) -> Iterable[str]:
    if code not in _PROFANE:
        return ()
    words: list[str] = dictionary.get_words(_PROFANE[code])
    return words


def _single_words(phrases: Iterable[str]) -> list[str]:
    """Return what is one word: the words of a phrase alone may mean anything."""
    return [phrase for phrase in phrases if phrase.isalpha()]


def _stems(texts: Iterable[str], code: str) -> set[str]:
    """Return the stems of all words of some texts."""
    return set(every_stem("\n".join(texts), code))
