"""Prices as people write them: ``€35.00`` in English, ``35,00 €`` in German."""

from decimal import Decimal
from functools import lru_cache

from babel.numbers import format_currency, get_currency_symbol
from django.utils.translation import get_language, to_locale

MOST_KEPT = 5_000
"""Prices whose texts a process keeps: a text takes longer than a tile."""


def price_text(amount: Decimal, currency: str) -> str:
    """Return an amount of a currency (ISO 4217) in the active language.

    It has as many decimal places as the currency. One that has no sign of its own is named by its
    code.
    """
    return _price_text(amount, currency, get_language())


@lru_cache(maxsize=MOST_KEPT)
def _price_text(amount: Decimal, currency: str, language: str | None) -> str:
    locale = to_locale(language or "en")
    text = format_currency(amount, currency, locale=locale)
    sign = get_currency_symbol(currency, locale)
    # CLDR puts a space between letters and digits (currencySpacing), which Babel leaves out.
    if sign[-1].isalpha() and text.startswith(sign):
        return f"{sign}\N{NO-BREAK SPACE}{text.removeprefix(sign)}"
    return text
