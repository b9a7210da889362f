"""Pauses between attempts: exponential, with full jitter, bounded.

Follows "Error retries and exponential backoff in DynamoDB" of the Developer Guide.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """The number of attempts, and the first and the longest pause in seconds."""

    attempts: int = 10
    first: float = 0.05
    longest: float = 5.0

    def pauses(self) -> Iterator[float]:
        """Yield the pause in seconds before each attempt but the first."""
        for attempt in range(self.attempts - 1):
            yield random.uniform(0, min(self.longest, self.first * 2**attempt))  # noqa: S311 - jitter
