"""Toggles: links from a filtered list to those with one value more or less."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Toggle:
    """A link that adds a value to the filter, or takes it out if it is ``pressed``.

    ``count`` is the number of items with that value, None if it is not known.
    """

    value: str
    label: str
    url: str
    pressed: bool
    count: int | None = None
