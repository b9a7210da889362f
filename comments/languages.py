"""Languages of comments: ISO 639-1 codes, their names, and the visitor's preference."""

from collections.abc import Container, Mapping
from functools import cache
from gettext import translation

import pycountry
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header


def unknown_language(code: str) -> str:
    """Return the sentence about what is not an ISO 639-1 code."""
    sentence = _("“%(code)s” is no language: use two-letter ISO 639-1 codes such as en, de or pt.")
    return sentence % {"code": code}


def is_language(code: str) -> bool:
    """Return whether ``code`` is a lower-case ISO 639-1 code."""
    return code in _names("en")


def language_name(code: str) -> str:
    """Return a language's name in the active one, such as ``Portuguese`` for ``pt``."""
    return _names(get_language()).get(code, code)


def all_languages() -> list[tuple[str, str]]:
    """Return the code and name of every language, sorted by name."""
    return sorted(_names(get_language()).items(), key=lambda language: language[1])


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
    known = translation("iso639-3", pycountry.LOCALES_DIR, [spoken or "en"], fallback=True)
    return {
        code: known.gettext(name).split(" (")[0].split(";")[0]
        for code, name in _english_names().items()
    }


@cache
def _english_names() -> Mapping[str, str]:
    # Not `pycountry.languages`, which keeps all 7,900 languages of ISO 639-3: they take 8 MB.
    every = pycountry.Languages(pycountry.languages.filename)
    return {each.alpha_2: each.name for each in every if hasattr(each, "alpha_2")}
