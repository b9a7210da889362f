"""How fast a long command works."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dynapages.calls.meter import metered

PAGE = 500
"""Items read at a time, at the most."""


@dataclass(slots=True)
class Pace:
    """Pauses so that no more than ``units`` capacity units a second are used; None for no limit.

    ``spent`` are all units used. ``sleep`` and ``now`` are in seconds.
    """

    units: float | None = None
    spent: float = 0.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic
    _free_at: float = 0.0

    @property
    def page(self) -> int:
        """The number of items to read at a time: for about a second's units at the most."""
        return PAGE if self.units is None else max(1, min(PAGE, int(self.units)))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Meter the calls made inside the block, and pause behind it."""
        with metered() as meter:
            before = meter.units
            yield
            used = meter.units - before
        self.spent += used
        if self.units is not None:
            now = self.now()
            self._free_at = max(self._free_at, now) + used / self.units
            self.sleep(self._free_at - now)
