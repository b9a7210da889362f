"""Toggles: links from a filtered list to its neighbours."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Toggle:
    """A link to the neighbouring list that has one value more or less chosen.

    ``count`` is how many items have that value, None where that is not known.
    """

    value: str
    label: str
    url: str
    pressed: bool
    count: int | None = None
