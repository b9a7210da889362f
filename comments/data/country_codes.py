"""Codes of languages in a file that are probably codes of countries, such as ``jp`` or ``us``."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pycountry

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
    suspects = SPOKEN.keys() if are_countries else SELDOM
    return [code for code in codes if code.lower() in suspects]


def _is_country(code: str) -> bool:
    """Return whether a code is written like a country's, or is that of no language."""
    if code.isupper():
        return True
    if is_language(code.lower()):
        return False
    return pycountry.countries.get(alpha_2=code.upper()) is not None


def warning_about_countries(file_codes: Iterable[str]) -> str:
    """Return a sentence about the codes that are probably countries; empty where there are none."""
    codes = probable_countries(file_codes)
    if not codes:
        return ""
    named = ", ".join(f"{code} ({language_name(code.lower())})" for code in codes)
    mapped = ",".join(f"{code.lower()}={SPOKEN[code.lower()]}" for code in codes)
    return (
        f"These languages look like codes of countries: {named}. If they are, import again with "
        f"--language-map {mapped}, or what is spoken there."
    )
