"""Numbers in the options of commands."""

from argparse import ArgumentTypeError


def at_least_one(text: str) -> int:
    """Parse a whole number of at least 1, as a ``type`` for ``add_argument``."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        message = f"“{text}” is not a whole number of at least 1"
        raise ArgumentTypeError(message)
    return number
