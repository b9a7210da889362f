"""A circuit breaker: after some failures in a row, calls fail at once for a moment.

While the database is away, each call that waits for it holds a thread. So after `FAILURES`
failures in a row only one call in `PAUSE` seconds is let through, until one is answered.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from dynamo.calls.faults import Unreachable

FAILURES = 8
PAUSE = 0.5

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Breaker:
    """Counts the failures in a row of one client; ``clock`` returns seconds."""

    clock: Callable[[], float] = monotonic
    _failures: int = 0
    _next_try: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def enter(self) -> None:
        """Let a call through. Raises Unreachable where it should not be made."""
        with self._lock:
            if self._failures < FAILURES:
                return
            now = self.clock()
            if now < self._next_try:
                raise Unreachable
            self._next_try = now + PAUSE

    def note(self, *, answered: bool) -> None:
        """Note whether the database answered a call, be it with an error."""
        with self._lock:
            was_open = self._failures >= FAILURES
            self._failures = 0 if answered else self._failures + 1
            is_open = self._failures >= FAILURES
            if is_open:
                self._next_try = self.clock() + PAUSE
        if was_open != is_open:
            logger.warning("DynamoDB %s.", "does not answer" if is_open else "answers again")
