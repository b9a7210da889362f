"""Prices as people write them, in the language of the page."""

from decimal import Decimal

import pytest
from django.utils.translation import override

from shop.prices import price_text


@pytest.mark.parametrize(
    ("language", "amount", "currency", "text"),
    [
        ("en", "35", "EUR", "€35.00"),
        ("en", "1234.5", "EUR", "€1,234.50"),
        ("en", "0.05", "USD", "$0.05"),
        ("en", "1250", "JPY", "¥1,250"),
        ("en", "35", "XTS", "XTS\N{NO-BREAK SPACE}35.00"),
        ("de", "35", "EUR", "35,00\N{NO-BREAK SPACE}€"),
        ("de", "1234.5", "USD", "1.234,50\N{NO-BREAK SPACE}$"),
        ("de", "35", "CHF", "35,00\N{NO-BREAK SPACE}CHF"),
    ],
)
def test_a_price_is_as_the_language_writes_it(language, amount, currency, text):
    with override(language):
        assert price_text(Decimal(amount), currency) == text
