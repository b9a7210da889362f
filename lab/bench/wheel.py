"""Picks values by their weights, much faster than `random.Random.choices`."""

from bisect import bisect
from collections.abc import Mapping
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class Wheel(Generic[T]):
    """A wheel of fortune with a field for each value, as wide as its weight."""

    def __init__(self, weights: Mapping[T, float]) -> None:
        self._values = list(weights)
        total = sum(weights.values())
        self._bounds = [bound / total for bound in accumulate(weights.values())][:-1]

    def spin(self, chance: float) -> T:
        """Give the value a number from 0 to 1 falls on."""
        return self._values[bisect(self._bounds, chance)]
