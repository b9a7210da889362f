"""What Korean, Hebrew and Arabic write together with a noun: particles behind it, articles before.

They are taken off folded words, those of texts and those of searches alike. A noun that happens to
begin or end like that loses the same letters everywhere, and is still found by itself.
"""

import re
from collections.abc import Callable

_KOREAN = (
    *("에게서", "한테서", "으로서", "으로써"),
    *("에게", "에서", "한테", "께서", "으로", "로서", "로써", "부터", "까지", "처럼", "보다"),
    *("마다", "조차", "마저", "밖에", "하고", "라고", "라도", "라는"),
    *"은는이가을를에의도만와과로란랑나",
)
"""The particles of Korean, those of most characters first."""
# An alternative of a pattern wins by its place: so longer particles stand before their ends.
_JOSA = re.compile(rf"(?<=..)(?:{'|'.join(_KOREAN)})$")
"""A particle behind two characters or more, the longest that fits."""
_HEBREW_ARTICLE = re.compile("^(?:\u05d5?ש?ה)+(?=.{3})")
"""The article, maybe behind "and" or "that", and in front of three letters or more."""
_ARABIC_ARTICLE = re.compile(r"^[وف]?(?:[بك]?ال|لل)(?=.{3})")
"""The article, maybe behind "and", "then", "with", "like" or "for"."""
_ARABIC_PLURAL = re.compile(r"(?<=.{3})ات$")


def without_particles(word: str, language: str) -> str:
    """Return a folded word without particles and articles; ``language`` is a primary code."""
    remove = _REMOVERS.get(language)
    if remove is None:
        return word
    return remove(word)


def _without_josa(word: str) -> str:
    """Return a word of Korean without its particles: several may follow one another."""
    while True:
        shorter = _JOSA.sub("", word)
        if shorter == word:
            return word
        word = shorter


def _without_hebrew_article(word: str) -> str:
    return _HEBREW_ARTICLE.sub("", word)


def _without_arabic_article(word: str) -> str:
    """Return a noun as it is without its article, a feminine plural as the singular.

    Snowball's algorithm takes other endings, and a first letter, from nouns without an article.
    """
    return _ARABIC_PLURAL.sub("ة", _ARABIC_ARTICLE.sub("", word))


_REMOVERS: dict[str, Callable[[str], str]] = {
    "ar": _without_arabic_article,
    "he": _without_hebrew_article,
    "iw": _without_hebrew_article,  # as Hebrew was called
    "ko": _without_josa,
}
