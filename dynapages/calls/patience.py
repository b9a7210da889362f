"""The patience of a batch job: how long it waits for a slow database, and with how few calls.

A page gives up after seconds, as a visitor waits for it. A command that reads or writes many items
goes on for minutes instead. Within `patient` every call that had no answer, or was throttled, is
repeated until the patience is spent, and `Patience` bounds how many are in flight: their number is
halved when the database is slow, and rises again by one after so many quick answers (additive
increase, multiplicative decrease, as TCP does). Batches become smaller in proportion.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import ceil, inf, isinf
from threading import Condition, Lock
from time import monotonic

PATIENCE_SECONDS = 480.0
"""How long a call is repeated: less than the ten minutes for which DynamoDB knows its token."""
ANSWER_SECONDS = 60.0
"""How long an answer may take."""
SLOW_SECONDS = 1.0
"""An answer that takes longer says that the database has too much to do."""
SETTLING_SECONDS = 1.0
"""After a cut, answers to calls from before it say nothing new."""
SILENT_SECONDS = 60.0
"""After a line about a slow database, no other is said for so long."""

current_patience: ContextVar["Patience | None"] = ContextVar("patience", default=None)
"""The patience of the enclosing block; None outside of any, as in a page."""
operation_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)
"""Until when the operation that is under way is repeated, by the clock of its patience."""


def _say_nothing(_line: str) -> None:
    """Do nothing with a line."""


@dataclass(slots=True)
class _Gate:
    """Lets as many in at a time as a limit says, which may change meanwhile."""

    limit: Callable[[], int]
    inside: int = 0
    changed: Condition = field(default_factory=Condition)

    @contextmanager
    def entered(self, seconds: float = inf) -> Iterator[None]:
        """Enter once there is room, or after so many seconds."""
        timeout = None if isinf(seconds) else seconds
        with self.changed:
            self.changed.wait_for(self._has_room, timeout)
            self.inside += 1
        try:
            yield
        finally:
            with self.changed:
                self.inside -= 1
                # More than one may fit in where the limit has risen.
                self.changed.notify_all()

    def _has_room(self) -> bool:
        return self.inside < self.limit()


class Patience:
    """How a batch job waits: at most ``at_a_time`` calls in flight, each repeated for ``seconds``.

    ``say`` is called with a line when the job slows down, and when it waits for an answer; not more
    than once in `SILENT_SECONDS`. A database that has never answered is not waited for.
    """

    def __init__(
        self,
        *,
        at_a_time: int,
        say: Callable[[str], None] = _say_nothing,
        seconds: float = PATIENCE_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.at_a_time = at_a_time
        self.seconds = seconds
        self.clock = clock
        self.has_answered: bool = False
        self._say = say
        self._limit = at_a_time
        self._quick = 0
        self._cut_at = float("-inf")
        self._said_at = float("-inf")
        self._lock = Lock()
        self._calls = _Gate(self._limit_now)
        self._tasks = _Gate(self._limit_now)

    @property
    def limit(self) -> int:
        """The number of calls that may be in flight now, from 1 to ``at_a_time``."""
        return self._limit

    def ends_at(self) -> float:
        """Return until when the operation that is under way is repeated, by ``clock``."""
        ends_at = operation_ends_at.get()
        if ends_at is None:
            return self.clock() + self.seconds
        return ends_at

    def one_call(self, seconds: float = inf) -> AbstractContextManager[None]:
        """Return a block in which a call is made; it is entered once there is room.

        It is entered after so many seconds in any case: there may be no time left for the call.
        """
        return self._calls.entered(seconds)

    def one_task(self) -> AbstractContextManager[None]:
        """Return a block of several calls of one task; it is entered once there is room."""
        return self._tasks.entered()

    def size_of_batch(self, most: int) -> int:
        """Return how many items to put into a batch that takes ``most``: fewer when it is slow."""
        return max(1, ceil(most * self._limit / self.at_a_time))

    def note_answer(self, seconds: float) -> None:
        """Note an answer, and how long it took."""
        self.has_answered = True
        if seconds > SLOW_SECONDS:
            self._slow_down(began=self.clock() - seconds)
            return
        with self._lock:
            self._quick += 1
            if self._quick >= self._limit and self._limit < self.at_a_time:
                self._quick = 0
                self._limit += 1

    def note_throttled(self) -> None:
        """Note that the database has refused something for being too busy."""
        self.has_answered = True
        self._slow_down(began=self.clock())

    def note_no_answer(self) -> None:
        """Note that a call had no answer."""
        self._slow_down(began=self.clock())

    def _limit_now(self) -> int:
        return self._limit

    def _slow_down(self, *, began: float) -> None:
        """Halve the calls in flight, unless the call began before this was done last."""
        now = self.clock()
        with self._lock:
            self._quick = 0
            if began < self._cut_at + SETTLING_SECONDS:
                return
            self._cut_at = now
            self._limit = max(1, self._limit // 2)
            if now < self._said_at + SILENT_SECONDS:
                return
            self._said_at = now
            line = (
                f"The database is slow: {self._limit} of {self.at_a_time} calls at a time from now "
                f"on, and fewer if need be. This goes on for as long as there are answers."
            )
        self._say(line)


@contextmanager
def patient(patience: Patience) -> Iterator[None]:
    """Make all calls inside the block with patience, whichever thread of a pool makes them."""
    token = current_patience.set(patience)
    # An operation around this block is timed by another clock.
    outer = operation_ends_at.set(None)
    try:
        yield
    finally:
        operation_ends_at.reset(outer)
        current_patience.reset(token)


@contextmanager
def one_task() -> Iterator[None]:
    """Enter a block of several calls that belong together, once a patient job has room for it."""
    patience = current_patience.get()
    if patience is None:
        yield
        return
    with patience.one_task():
        yield
