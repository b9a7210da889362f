"""The codes of languages that files have: of ISO 639-1, older ones, of three letters, locales."""

import re
from collections.abc import Mapping
from functools import cache

import pycountry

OLD_CODES = {"in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro"}
"""Codes that ISO 639-1 had for languages; Java's and WordPress's files still have some of them."""
_LOCALE = re.compile(r"([A-Za-z]{2,3})(?:[-_.@].*)?")
"""A code by itself, or with what is behind it in ``pt-BR``, ``en_US.UTF-8`` and ``ca@valencia``."""


def code_before_region(text: str) -> str:
    """Return the code of a language without the region or the encoding of a locale."""
    return _LOCALE.sub(r"\1", text, count=1)


def iso_639_1(code: str) -> str:
    """Return the code of two letters for an older code, or one of three, in lower case.

    Any other code is returned as it is, also what is no code.
    """
    code = code.lower()
    return OLD_CODES.get(code) or _of_three_letters().get(code, code)


@cache
def _of_three_letters() -> Mapping[str, str]:
    """Return the codes of two letters by those of ISO 639-2 and 639-3, such as deu and ger."""
    codes: dict[str, str] = {}
    # Not `pycountry.languages`, which keeps all 7,900 languages of ISO 639-3: they take 8 MB.
    for each in pycountry.Languages(pycountry.languages.filename):
        if hasattr(each, "alpha_2"):
            codes[each.alpha_3] = each.alpha_2
            codes[getattr(each, "bibliographic", each.alpha_3)] = each.alpha_2
    return codes
