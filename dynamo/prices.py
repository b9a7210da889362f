"""What capacity costs: the prices of ``prices.toml``, in US dollars.

A capacity unit is one of reading (4 KB strongly consistent, 8 KB eventually) or of writing (1 KB).
Prices are those of DynamoDB's on-demand mode.
"""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

MILLION = 1_000_000
CENT = 0.01
HALF_UP = 1e-9
"""Added before rounding, which would make $0.62 of $0.625."""
CENTS_BELOW = 10
"""Dollars: larger amounts are shown without cents."""
_FILE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million units, and for a gigabyte stored for a month."""

    region: str
    since: date
    source: str
    million_read_units: float
    million_write_units: float
    gigabyte_month: float

    def reads(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for reading so many units so many times."""
        return units * times * self.million_read_units / MILLION

    def writes(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for writing so many units so many times."""
        return units * times * self.million_write_units / MILLION


@lru_cache(maxsize=1)
def prices() -> Prices:
    """Return the prices of the file."""
    return Prices(**tomllib.loads(_FILE.read_text()))


def dollars(amount: float) -> str:
    """Format an amount in English, such as ``$0.25``, ``$12``, ``$1,250`` and ``under $0.01``."""
    if is_under_a_cent(amount):
        return "under $0.01"
    return f"${amount + HALF_UP:,.{decimal_places(amount)}f}"


def is_under_a_cent(amount: float) -> bool:
    """Return whether an amount is more than nothing, and less than a cent."""
    return 0 < amount < CENT


def decimal_places(amount: float) -> int:
    """Return how many decimal places of an amount are shown: cents only below ten dollars."""
    return 2 if amount < CENTS_BELOW else 0
