"""What a process remembers of the searches that it made last: their rarest stems.

The next page of the same search reads the postings of the rarest stem alone.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

MOST_REMEMBERED = 4_000
"""Searches of which a process remembers the rarest stem, some 300 bytes each."""


@dataclass(frozen=True, slots=True)
class Rarest:
    """The partition of a search's rarest stem, and how many of its postings one result took."""

    partition: str
    postings_a_result: float


class RarestStems:
    """What a process remembers of the searches that it made last."""

    def __init__(self) -> None:
        self._known: OrderedDict[object, Rarest] = OrderedDict()
        self._lock = Lock()

    def find(self, key: object) -> Rarest | None:
        with self._lock:
            return self._known.get(key)

    def note(self, key: object, rarest: Rarest) -> None:
        with self._lock:
            self._known[key] = rarest
            self._known.move_to_end(key)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)

    def forget(self, key: object) -> None:
        with self._lock:
            self._known.pop(key, None)

    def forget_all(self) -> None:
        with self._lock:
            self._known.clear()


RAREST = RarestStems()
