"""Currencies: how many decimals they have, and the signs that stand for them in prices."""

import re
from types import MappingProxyType

# From ISO 4217: all other currencies have two.
_ZERO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DECIMALS = "CLF UYW"
_USUAL_DECIMALS = 2
_DECIMALS = MappingProxyType(
    dict.fromkeys(_ZERO_DECIMALS.split(), 0)
    | dict.fromkeys(_THREE_DECIMALS.split(), 3)
    | dict.fromkeys(_FOUR_DECIMALS.split(), 4)
)
_DOLLARS_AND_PESOS = (
    "ARS AUD BBD BMD BND BRL BSD BZD CAD CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MOP MXN NAD "
    "NIO NZD SBD SGD SRD TOP TTD TWD USD UYU XCD"
)
_CODE = re.compile(r"[A-Za-z]{3}")
SIGNS = MappingProxyType(
    {
        "€": "EUR",
        "£": "GBP",
        "₹": "INR",
        "₽": "RUB",
        "₩": "KRW",
        "₪": "ILS",
        "₺": "TRY",
        "₴": "UAH",
        "₫": "VND",
        "₱": "PHP",
        "₦": "NGN",
        "₸": "KZT",
        "₡": "CRC",
        "₲": "PYG",
        "₵": "GHS",
        "₾": "GEL",
        "₼": "AZN",
        "zł": "PLN",
        "Kč": "CZK",
        "US$": "USD",
        "AU$": "AUD",
        "A$": "AUD",
        "CA$": "CAD",
        "C$": "CAD",
        "NZ$": "NZD",
        "HK$": "HKD",
        "MX$": "MXN",
        "NT$": "TWD",
        "R$": "BRL",
        "CN¥": "CNY",
        "JP¥": "JPY",
    }
)
"""The currency of each sign that has only one."""
SHARED_SIGNS = MappingProxyType(
    {
        "$": frozenset(_DOLLARS_AND_PESOS.split()),
        "¥": frozenset(("CNY", "JPY")),
        "kr": frozenset(("DKK", "ISK", "NOK", "SEK")),
    }
)
"""The currencies of each sign that has several."""


def decimals_of(currency: str) -> int:
    """Return how many decimals the amounts of a currency have, such as 2 for ``EUR``.

    It is the number of most currencies where the code is empty or unknown.
    """
    return _DECIMALS.get(currency.upper(), _USUAL_DECIMALS)


def currencies_of(word: str) -> frozenset[str]:
    """Return the codes that a word beside an amount may stand for: none if it is no currency.

    The word is a code of ISO 4217 in any case, or a sign such as ``€`` or ``US$``.
    """
    if word in SIGNS:
        return frozenset((SIGNS[word],))
    if word in SHARED_SIGNS:
        return SHARED_SIGNS[word]
    if _CODE.fullmatch(word):
        return frozenset((word.upper(),))
    return frozenset()
