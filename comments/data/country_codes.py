"""Codes of languages in a file that are probably codes of countries, such as ``jp`` or ``us``."""

import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path

import pycountry

from comments.data.languages import iso_639_1
from comments.filters import is_language, language_name

_TABLE = tomllib.loads(Path(__file__).with_name("countries.toml").read_text("utf-8"))
SPOKEN: dict[str, str] = dict(pair.split(":") for pair in _TABLE["spoken"].split())
"""What is spoken in each country whose code is that of a language of elsewhere."""
SELDOM: frozenset[str] = frozenset(_TABLE["seldom"].split())
"""Those of them whose language is seldom written in reviews."""


def probable_countries(file_codes: Iterable[str]) -> list[str]:
    """Return those of a file's codes of languages that are probably countries, as it has them.

    If any of the codes can only be a country, all that can be are suspected; else those alone whose
    language is seldom written.
    """
    codes = sorted(set(file_codes))
    are_countries = any(_is_country(code) for code in codes)
    suspects: Collection[str] = SELDOM
    # A file writes all of its codes in one way.
    if are_countries:
        suspects = SPOKEN
    return [code for code in codes if code.lower() in suspects]


def _is_country(code: str) -> bool:
    """Return whether a code is written like a country's, or is that of no language."""
    if code.isupper():
        return True
    if is_language(iso_639_1(code)):
        return False
    return pycountry.countries.get(alpha_2=code.upper()) is not None


def warning_about_countries(file_codes: Iterable[str]) -> str:
    """Return a sentence about the codes that are probably countries; empty where there are none."""
    codes = probable_countries(file_codes)
    if not codes:
        return ""
    named: list[str] = []
    mapped: list[str] = []
    for code in codes:
        language = code.lower()
        named.append(f"{code} ({language_name(iso_639_1(language))})")
        mapped.append(f"{language}={SPOKEN[language]}")
    return (
        f"These languages look like codes of countries: {', '.join(named)}. If they are, import "
        f"again with --language-map {','.join(mapped)}, or what is spoken there."
    )
