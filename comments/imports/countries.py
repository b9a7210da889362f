"""Codes of countries that pass as those of languages, by the table ``countries.toml``."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pycountry

from comments.languages import is_language, language_name

_TABLE = tomllib.loads(Path(__file__).with_name("countries.toml").read_text("utf-8"))
SPOKEN: dict[str, str] = dict(pair.split(":") for pair in _TABLE["spoken"].split())
"""What is spoken in each country whose code is that of a language of elsewhere."""
SELDOM: frozenset[str] = frozenset(_TABLE["seldom"].split())
"""Those of them whose language is seldom written in reviews."""


def taken_for_languages(spelled: Iterable[str]) -> list[str]:
    """Return the codes of a file's languages that are probably countries, as the file spells them.

    They are where the language is seldom written; and all of `SPOKEN` where the file has codes in
    upper case, or of countries whose code is no language.
    """
    found = sorted(set(spelled))
    are_countries = any(code.isupper() or _is_only_a_country(code) for code in found)
    suspects = SPOKEN.keys() if are_countries else SELDOM
    return [code for code in found if code.lower() in suspects]


def warning_about(spelled: Iterable[str]) -> str:
    """Return a sentence about the codes that are probably countries; empty where there are none."""
    codes = taken_for_languages(spelled)
    if not codes:
        return ""
    named = ", ".join(f"{code} ({language_name(code.lower())})" for code in codes)
    mapped = ",".join(f"{code.lower()}={SPOKEN[code.lower()]}" for code in codes)
    return (
        f"These languages look like codes of countries: {named}. If they are, import again with "
        f"--language-map {mapped}, or what is spoken there."
    )


def _is_only_a_country(code: str) -> bool:
    return not is_language(code.lower()) and bool(pycountry.countries.get(alpha_2=code.upper()))
