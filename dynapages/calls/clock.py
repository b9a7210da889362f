"""The time by DynamoDB's clock, which is the same for all servers.

Every answer tells the time in its header ``Date``, in whole seconds. That moment lies between the
sending of the call and the receipt of its answer, so each answer bounds the difference of the two
clocks to little more than a second, and several answers together to much less. This machine's own
clock is right as long as the difference may be below `TOLERATED` seconds: it is then read alone.

`now` returns the time, `learn` takes it from an answer; both are of the process's own `Clock`.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from math import inf
from threading import Lock

TOLERATED = 1.5
"""Seconds by which this machine's clock may be off and still be read alone."""
WARNED_OF = 2.0
"""Seconds by which this machine's clock is off when the log gets a warning."""
DRIFT = 0.001
"""Seconds by which two clocks may drift apart in each second."""
MOST_HELD = 2.0
"""Seconds that the time stands still rather than runs backwards."""

logger: logging.Logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Clock:
    """DynamoDB's clock is ``least`` to ``most`` seconds ahead of this machine's, ``local``."""

    local: Callable[[], float] = time.time
    least: float = -inf
    most: float = inf
    _learned_at: float = 0.0
    _latest: float = 0.0
    _has_warned: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def off(self) -> float:
        """How many seconds this machine's clock is off at least."""
        return max(self.least, -self.most, 0.0)

    def learn(self, whole_second: float, *, sent: float, received: float) -> None:
        """Learn from an answer of that second, by the local times at which its call was made."""
        # The answer was given at the second's beginning at the earliest, and before its end.
        least = whole_second - received
        most = whole_second + 1 - sent
        with self._lock:
            drift = DRIFT * abs(received - self._learned_at)
            self.least = max(self.least - drift, least)
            self.most = min(self.most + drift, most)
            if self.least > self.most:  # a clock was set
                self.least = least
                self.most = most
            self._learned_at = received

    def now(self) -> datetime:
        """Return the time, aware; it runs backwards only by more than `MOST_HELD` seconds."""
        with self._lock:
            must_warn = self.off > WARNED_OF and not self._has_warned
            self._has_warned = self.off > WARNED_OF
            moment = self.local()
            if self.off >= TOLERATED:
                moment += (self.least + self.most) / 2
            if moment < self._latest < moment + MOST_HELD:
                moment = self._latest
            self._latest = moment
        if must_warn:
            logger.warning("%s DynamoDB's time is used instead.", self.sentence())
        return datetime.fromtimestamp(moment, UTC)

    def sentence(self) -> str:
        """Format how far this machine's clock is off."""
        which = "behind" if self.least > 0 else "ahead of"
        return f"This machine's clock is {self.off:.0f} seconds {which} DynamoDB's."


process_clock: Clock = Clock()
"""The clock of this process, which learns from all its clients."""


def now() -> datetime:
    """Return the time by DynamoDB's clock, aware and in UTC."""
    return process_clock.now()


def learn(date: str, *, sent: float) -> None:
    """Learn from the header ``Date`` of an answer; ``sent`` is when its request was, locally."""
    whole_second = _parsed(date)
    if whole_second is not None:
        process_clock.learn(whole_second, sent=sent, received=process_clock.local())


# Many answers are of one second.
@lru_cache(maxsize=4)
def _parsed(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
