"""The options of commands that say how the amounts of a file are written."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from shop.data.amounts import AmountRules


def add_minor_units_option(parser: CommandParser) -> None:
    """Add ``--minor-units``, beside ``--decimal`` of `add_value_options`."""
    parser.add_argument(
        "--minor-units",
        action="store_true",
        help="amounts are whole numbers of the smallest unit of their currency: 1250 is 12.50 EUR, "
        "1,250 JPY, or 1.250 KWD",
    )


def amount_rules(options: Mapping[str, Any]) -> AmountRules:
    """Return how amounts are written."""
    return AmountRules(options["decimal"], in_minor_units=options["minor_units"])
