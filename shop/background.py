"""Background writes: a queue in memory, and a thread that writes its values to the database.

A request only puts a value into the queue. The thread sends one after the other, in order; one that
could not be sent stays in front and is retried with exponential backoff, as long as the process
lives. On an orderly shutdown the rest is sent within a few seconds, or kept in a file that a later
process reads (`shop.spool`). Lost are the unsent values of a killed process, values put while the
queue is full, and those that cannot be kept; the latter two are counted and logged. A value may be
sent twice, so sending must be idempotent.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from threading import Condition, Thread
from typing import Generic, TypeVar

from dynapages.calls import fault_in, sentence_about
from dynapages.pynamodb import FAILURES
from shop.spool import Spool

T = TypeVar("T")

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 0.2
"""Between two attempts; each pause is twice the one before."""
LONGEST_PAUSE_SECONDS = 30.0
MOST_DOUBLINGS = 16
"""Of the pause, which is the longest by then."""
CHECK_SECONDS = 0.005
"""Between two checks whether another thread is done sending."""
LOG_EVERY_SECONDS = 60.0
"""Between two log lines about a failure that lasts."""


class BackgroundWrites(Generic[T]):
    """A queue of at most ``most`` values, and the thread that passes them to ``send``.

    A value is retried when ``send`` raises a fault (see `dynapages.calls.faults`), and dropped
    on any other error. ``name`` and ``hint``, which says what to do, are for the log. The thread
    starts with the first value; a forked process begins with an empty queue. What is left at the
    end is kept in ``spool``, without which it is lost.
    """

    def __init__(
        self,
        send: Callable[[T], None],
        *,
        name: str,
        hint: str = "",
        most: int = 10_000,
        spool: Spool[T] | None = None,
    ) -> None:
        self.runs_by_itself = True
        self._send = send
        self._name = name
        self._hint = hint
        self._most = most
        self._spool = spool
        self._begin()
        # A fork copies the queue and the lock, but no thread.
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Set the state of an empty queue without a thread; also in a forked process."""
        self.lost = 0
        self._waiting: deque[T] = deque()
        self._state = Condition()
        self._is_sending = False
        self._failures = 0
        self._logged_at = -inf
        self._thread: Thread | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, value: T) -> None:
        """Queue a value. Never waits or raises; a value is lost when the queue is full."""
        with self._state:
            # Else memory would fill up while the database is away.
            if len(self._waiting) >= self._most:
                self._lose(1, f"{self._most:,} wait to be sent already.")
                return
            self._queue([value])

    def resume(self) -> None:
        """Queue what earlier processes have kept, more than ``most`` if need be.

        Raises nothing: a file that cannot be read is logged.
        """
        if self._spool is None:
            return
        try:
            for values in self._spool.load_all():
                with self._state:
                    self._queue(values)
        except (OSError, ValueError) as error:
            self._warn(f"What was kept cannot be read. {error}")

    def flush(self, *, seconds: float) -> bool:
        """Send the queue, for at most ``seconds``; return whether it is empty."""
        until = time.monotonic() + seconds
        # Another thread may be sending: then this one waits for it.
        while not self._send_some():
            seconds_left = until - time.monotonic()
            if seconds_left <= 0:
                return False
            pause = FIRST_PAUSE_SECONDS if self._failures else CHECK_SECONDS
            time.sleep(min(seconds_left, pause))
        return True

    def close(self, *, seconds: float) -> None:
        """Send the queue, for at most ``seconds``; keep what is left, or log how much is lost.

        The file is written first, because the process may be killed before the time is over.
        """
        # Kept first: what is sent meanwhile is sent twice, which does no harm.
        file, problem = self._save()
        if self.flush(seconds=seconds):
            if file is not None:
                with suppress(OSError):
                    file.unlink()
            return
        self._logged_at = -inf  # also when a line was logged a moment ago
        with self._state:
            if file is not None:
                self._warn(f"{len(self._waiting):,} are kept in {file} for the next start.")
            else:
                self._lose(len(self._waiting), f"The process ends. {problem}".rstrip())

    def _save(self) -> tuple[Path | None, str]:
        """Return the file that the queue was written to, or None and what went wrong."""
        values = list(self._waiting)
        if not values or self._spool is None:
            return None, ""
        try:
            return self._spool.save(values), ""
        except OSError as error:
            return None, f"They cannot be kept: {error}."

    def _queue(self, values: Sequence[T]) -> None:
        """Add values, and start the thread if there is none; the caller holds the lock."""
        self._waiting.extend(values)
        if self._thread is None and self.runs_by_itself:
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._state.notify_all()

    def _run(self) -> None:
        """Send values as long as the process lives: the body of the thread."""
        try:
            while True:
                with self._state:
                    self._state.wait_for(self._has_values)
                if not self.runs_by_itself:
                    return
                if not self._send_some():
                    time.sleep(self._pause())
        finally:
            self._thread = None  # the next value starts another one

    def _has_values(self) -> bool:
        return len(self._waiting) > 0

    def _send_some(self) -> bool:
        """Send the queue unless another thread does; return whether it is empty."""
        while True:
            with self._state:
                if self._is_sending:
                    return False
                if not self._waiting:
                    return True
                # It stays in front until it is sent, for a process that ends now to keep it.
                value = self._waiting[0]
                self._is_sending = True
            try:
                is_done = self._send_one(value)
            finally:
                with self._state:
                    self._is_sending = False
            if not is_done:
                return False

    def _send_one(self, value: T) -> bool:
        """Send a value and remove it from the queue; return False to retry it."""
        must_retry = False
        try:
            self._send(value)
        except FAILURES as failure:
            must_retry = fault_in(failure) is not None
            if must_retry:
                self._failures += 1
                self._warn(f"{len(self._waiting):,} wait to be sent. {sentence_about(failure)}")
            else:
                self._lose(1, sentence_about(failure))
        finally:  # a bug in ``send`` must not hold up the values behind this one
            if not must_retry:
                self._failures = 0
                self._waiting.popleft()
        return not must_retry

    def _pause(self) -> float:
        """Return the seconds until the next attempt, longer with each failure in a row."""
        if not self._failures:
            return CHECK_SECONDS
        doublings = min(self._failures - 1, MOST_DOUBLINGS)
        return float(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**doublings))

    def _lose(self, number: int, sentence: str) -> None:
        """Count values that will never be sent, and log the sentence."""
        self.lost += number
        self._warn(f"{self.lost:,} lost by now. {sentence}")

    def _warn(self, sentence: str) -> None:
        """Log a sentence, unless one was logged less than `LOG_EVERY_SECONDS` ago."""
        now = time.monotonic()
        if now - self._logged_at < LOG_EVERY_SECONDS:
            return
        self._logged_at = now
        logger.warning("%s: %s %s", self._name, sentence, self._hint)
