"""Pauses between attempts: exponential, with full jitter, within the time budget.

Follows "Error retries and exponential backoff in DynamoDB" of the Developer Guide.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from dynamo.calls.budget import seconds_left


@dataclass(frozen=True, slots=True)
class Backoff:
    """The number of attempts, and the first and the longest pause in seconds."""

    attempts: int = 10
    first: float = 0.05
    longest: float = 5.0

    def pauses(self) -> Iterator[float]:
        """Yield the pause in seconds before each attempt but the first, while there is time."""
        for attempt in range(1, self.attempts):
            pause = self.pause(attempt)
            if pause >= seconds_left():
                return
            yield pause

    def pause(self, attempt: int) -> float:
        """Return the pause in seconds after an attempt, counted from 1."""
        return random.uniform(0, min(self.longest, self.first * 2 ** (attempt - 1)))  # noqa: S311 - jitter
