"""Which calls a form waits for, seen from outside: each call takes a while, and begins and ends.

The meter counts rounds by what the code says it waited for. Here they are counted by the calls
themselves: of calls that wait for one another, none begins before the other has ended.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Lock, current_thread, get_ident
from typing import Any

from dynapages.process import background_client, client, slow_client
from dynapages_testing.hooks import hooked
from tests.support.comments.faulty import kind_of

MILLISECONDS = 50
"""How long each call takes longer: so long that calls at the same time are seen to be."""
ACTIVITY_LOG = "The activity log"
"""The thread that writes it, for whichever form: its calls are not observed."""


@dataclass(eq=False)
class Observed:
    """A call: what it was for, when it began and ended, and whether it was refused."""

    kind: str
    thread: int
    begun: float
    ended: float = float("inf")
    was_refused: bool = False


@dataclass
class Observation:
    """The calls of a request, and of what is done behind its answer."""

    calls: list[Observed] = field(default_factory=list)
    answered: float = float("inf")

    def is_answered(self) -> None:
        """Note that the answer is there: what ends later is behind it."""
        self.answered = time.monotonic()

    @property
    def awaited(self) -> list[Observed]:
        """The calls that ended before the answer."""
        return [call for call in self.calls if call.ended <= self.answered]

    @property
    def behind(self) -> list[Observed]:
        """The calls that did not."""
        return [call for call in self.calls if call.ended > self.answered]

    @property
    def rounds(self) -> int:
        """How many of the awaited calls came one after another."""
        return _one_after_another(self.awaited)


def _one_after_another(calls: Sequence[Observed]) -> int:
    """The most calls of which none begins before the other has ended."""
    count, free_at = 0, 0.0
    for call in sorted(calls, key=_end):
        if call.begun >= free_at:
            count, free_at = count + 1, call.ended
    return count


def _end(call: Observed) -> float:
    return call.ended


@contextmanager
def observed(milliseconds: int = MILLISECONDS) -> Iterator[Observation]:
    """Make each call take so much longer, and note all of them; the block says when it answers."""
    observation, lock = Observation(), Lock()
    open_calls: dict[int, Observed] = {}

    def begin(model: Any, context: dict[str, Any], **_: Any) -> None:
        if current_thread().name == ACTIVITY_LOG:
            return
        kind = kind_of(model.name, context.get("dynamo_request", {}))
        call = Observed(kind, get_ident(), time.monotonic())
        with lock:
            observation.calls.append(call)
            open_calls[get_ident()] = call
        time.sleep(milliseconds / 1_000)

    def end(parsed: Any, **_: Any) -> None:
        with lock:
            call = open_calls.pop(get_ident(), None)
        if call is not None:
            call.ended, call.was_refused = time.monotonic(), "Error" in parsed

    with ExitStack() as stack:
        for each in (client(), background_client(), slow_client()):
            stack.enter_context(hooked("before-call.dynamodb.*", begin, of=each))
            stack.enter_context(hooked("after-call.dynamodb.*", end, of=each))
        yield observation
