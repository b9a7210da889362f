"""A proxy that counts the calls of a client, their rounds and their capacity units.

Clients of all languages are seen alike. The proxy asks for the units itself. It also refuses what
Amazon refuses and dynoxide does not: a Query that begins at a key of another partition.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from dynapages.engine.proxy import Answer, Call, Proxy, refusal

INVALID = "The provided starting key is invalid"


@dataclass(frozen=True, slots=True)
class Seen:
    """A call: when it began and ended, and its capacity units."""

    begun: float
    ended: float
    units: float


def rounds_of(calls: list[Seen]) -> int:
    """Return how many of the calls waited for one another, one behind the other."""
    rounds: list[tuple[float, int]] = []
    for call in sorted(calls, key=lambda each: each.begun):
        before = [number for ended, number in rounds if ended <= call.begun]
        rounds.append((call.ended, 1 + max(before, default=0)))
    return max((number for _, number in rounds), default=0)


def begins_elsewhere(request: Mapping[str, Any]) -> bool:
    """Return whether a Query of the comparison begins at a key of another partition than it reads.

    Its only value is that of the partition.
    """
    start = request.get("ExclusiveStartKey")
    if start is None:
        return False
    return start["shelf"] not in request["ExpressionAttributeValues"].values()


@dataclass(slots=True)
class CountingProxy(Proxy):
    """Counts in ``seen``. Each answer waits for ``delay`` seconds.

    Without a delay an engine of this machine answers a call before the next one of the same round
    has begun, and parallel calls would seem to wait for one another.
    """

    seen: list[Seen] = field(init=False, default_factory=list)
    delay: float = field(init=False, default=0.0)
    _lock: Lock = field(init=False, default_factory=Lock)

    def answer(self, call: Call) -> Answer | None:
        """Pass the call on, and note it."""
        if call.operation != "Query":
            return call.send()
        if begins_elsewhere(call.request):
            return refusal(400, "ValidationException", INVALID)
        begun = time.monotonic()
        answer = call.ask(call.operation, {**call.request, "ReturnConsumedCapacity": "TOTAL"})
        time.sleep(self.delay)
        consumed = json.loads(answer.body).get("ConsumedCapacity", {})
        seen = Seen(begun, time.monotonic(), consumed.get("CapacityUnits", 0.0))
        with self._lock:
            self.seen.append(seen)
        return answer
