"""The worker of a process: a thread that looks for what is due, and does it.

It looks once a minute, in all queues it was started with. What this very process could not do, or
does not want a page to wait for, it is woken for: that comes before the next thing that a look has
found. Nothing depends on one thread: what is owed is stored, and each process that looks finds it.
"""

import atexit
import logging
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from threading import Condition, Thread, current_thread

from dynapages.calls import clock
from dynapages.calls.faults import FAILURES, fault_in, sentence_about
from dynapages.calls.meter import metered
from dynapages.calls.patience import current_patience, patient
from dynapages.work.queues import Outcome, Owed, Queue

INTERVAL = 60.0
"""Seconds from one look to the next, a quarter more or less: so processes do not look together."""
FIRST_LOOK = 5.0
"""Seconds within which a process that has just started looks."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds between attempts while DynamoDB is away; then it is left to the looks."""
EXIT_SECONDS = 5.0
"""Seconds that the end of a process waits for what its thread was woken for."""
MOST_WAITING = 10_000
"""Calls; what is more than that is left to the looks."""

_RANDOM = random.Random()  # noqa: S311 - no secret

logger: logging.Logger = logging.getLogger(__name__)

Call = Callable[[], object]


@dataclass(slots=True)
class Figures:
    """How much was done, failed and will be tried again, and died; and the capacity units of it.

    ``amazon_units`` are those that Amazon DynamoDB takes for it, see `dynapages.calls.Units`.
    """

    done: int = 0
    failed: int = 0
    dead: int = 0
    units: float = 0.0
    amazon_units: float = 0.0

    def count(self, outcome: Outcome) -> None:
        """Count one attempt; what was left to others does not count."""
        if outcome is Outcome.DONE:
            self.done += 1
        elif outcome is Outcome.FAILED:
            self.failed += 1
        elif outcome is Outcome.DEAD:
            self.dead += 1

    def add(self, others: "Figures") -> None:
        """Add the figures of something else."""
        self.done += others.done
        self.failed += others.failed
        self.dead += others.dead
        self.units += others.units
        self.amazon_units += others.amazon_units


@dataclass(order=True, frozen=True, slots=True)
class _PutOff:
    """A call, and when it is due by `time.monotonic`; of two at one time the older is first."""

    due_at: float
    number: int
    call: Call = field(compare=False)


class Worker:
    """Looks in queues by a thread of its own, from `start` on, and makes calls that were put off.

    A forked process begins with nothing, and looks only once it was started itself. Where
    ``runs_by_itself`` is False no thread is started: `look` and `flush` do all. ``interval`` is in
    seconds. ``figures`` are of all its attempts.
    """

    def __init__(self, *, interval: float = INTERVAL) -> None:
        self.runs_by_itself = True
        self.interval = interval
        self._begin()
        # Threads do not survive a fork, and locks may be held in it for ever.
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Set all to nothing, as in a new process."""
        self.figures: Figures = Figures()
        self._queues: Sequence[Queue] = ()
        self._state = Condition()
        self._waiting: list[_PutOff] = []
        self._number = 0
        self._look_at = inf
        self._is_busy = False
        self._is_closing = False
        self._thread: Thread | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    # What a process calls

    def start(self, queues: Iterable[Queue]) -> None:
        """Look in these queues from now on, every minute."""
        with self._state:
            self._queues = tuple(queues)
            self._is_closing = False
            self._look_at = time.monotonic() + _RANDOM.uniform(0, min(FIRST_LOOK, self.interval))
            self._start_thread()
            self._state.notify_all()

    def wake(self, owed: Owed) -> None:
        """Attempt what is owed at once, by the thread of this process, whenever it is due.

        Where the worker was not started nothing is done: another process will look. Never waits or
        raises.
        """
        if self._queues:
            self._attempt_later(0, owed, PAUSES)

    def later(self, seconds: float, call: Call) -> None:
        """Make a call by the thread of this process after so many seconds.

        It should be one that others make as well if this process dies. An error it raises is
        logged. A batch job's is made with the job's patience. In a process that was not started, a
        thread is started for this alone.
        """
        with self._state:
            # What is stored is found by a look anyway; memory must not grow without bound.
            if len(self._waiting) >= MOST_WAITING:
                return
            self._number += 1
            put_off = _PutOff(time.monotonic() + seconds, self._number, _with_patience(call))
            heappush(self._waiting, put_off)
            self._start_thread()
            self._state.notify_all()

    def flush(self, seconds: float) -> bool:
        """Make the calls that wait, sleeping until each is due; return whether none is left.

        It takes at most so many seconds, and the time of the last call; the first is always made.
        """
        until = time.monotonic() + seconds
        has_made_one = False
        while True:
            with self._state:
                if not self._waiting and not self._is_busy:
                    return True
                now = time.monotonic()
                is_over = now >= until
                if is_over and has_made_one:
                    return False
                put_off = self._pop_due(now)
                if put_off is None and is_over:
                    return False
                if put_off is None:
                    # Another thread's call, or one that is not due, is waited for.
                    due_at = until if self._is_busy else self._waiting[0].due_at
                    self._state.wait(min(due_at, until) - now)
                    continue
            self._make(put_off.call)
            has_made_one = True

    def forget(self) -> None:
        """Make none of the calls that wait, as if the process had ended: for tests.

        What is owed stays stored, and whoever looks does it.
        """
        with self._state:
            self._waiting.clear()

    def stop_looking(self) -> None:
        """Look no more, once the item in hand is done. May be called by the handler of a signal."""
        # The lock of a Condition may be taken again by the thread that a signal interrupts.
        with self._state:
            self._look_at = inf
            self._is_closing = True
            self._state.notify_all()

    def close(self, seconds: float) -> None:
        """Look no more; finish what is in hand, and make the calls that wait if there is time."""
        self.stop_looking()
        self.flush(seconds)
        self._queues = ()

    # What a handler calls

    def make_due_calls(self) -> None:
        """Make the calls that are due by now: a handler that takes long does so between its steps.

        Else what this process is woken for, such as an e-mail that somebody waits for, would wait
        for its end. In another thread than the worker's own it does nothing: there is nothing that
        the handler keeps this thread from.
        """
        if current_thread() is self._thread:
            self._make_due_calls()

    # Looking

    def look(self, queues: Sequence[Queue] = ()) -> Figures:
        """Do all that is due in these queues, or in those it was started with.

        A look that finds nothing is one Query for each shard of each queue, of half a unit. Where a
        shard cannot be read, the others are looked in first, and the first failure is raised then.
        Calls that were put off are not made meanwhile, but in a look of the thread.
        """
        return self._look(queues or self._queues, before_each=_do_nothing)

    def _look(self, queues: Sequence[Queue], *, before_each: Call) -> Figures:
        """Do all that is due in these queues; ``before_each`` is called before each item."""
        looked = Figures()
        failures: list[Exception] = []
        with _measured(looked):
            for queue in queues:
                # In another order each time: processes that look together would claim the same.
                for shard in _RANDOM.sample(queue.shards, len(queue.shards)):
                    try:
                        self._look_in(queue, shard, looked, before_each)
                    except FAILURES as failure:
                        failures.append(failure)
        self.figures.add(looked)
        if failures:
            raise failures[0]
        return looked

    def _look_in(self, queue: Queue, shard: str, looked: Figures, before_each: Call) -> None:
        """Attempt all that is due in a shard of a queue, and count what became of it."""
        for owed in queue.due(shard, now=clock.now()):
            before_each()
            if self._is_closing:
                return
            looked.count(queue.attempt(owed))

    def _attempt_later(self, seconds: float, owed: Owed, pauses: Sequence[float]) -> None:
        """Have the thread attempt what is owed after so many seconds."""

        def attempt() -> None:
            self._attempt(owed, pauses)

        self.later(seconds, attempt)

    def _attempt(self, owed: Owed, pauses: Sequence[float]) -> None:
        """Attempt what this process was woken for, again after these pauses while it cannot."""
        attempted = Figures()
        try:
            with _measured(attempted):
                attempted.count(owed.queue.attempt(owed))
        except FAILURES as failure:
            if fault_in(failure) is None or not pauses or self._is_closing:
                raise
            self._attempt_later(pauses[0], owed, pauses[1:])
        finally:
            self.figures.add(attempted)

    # The thread

    def _start_thread(self) -> None:
        if self._thread is None and self.runs_by_itself and not self._is_closing:
            self._thread = Thread(target=self._run, name="work", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """Make calls when they are due, until none is to come: the body of the thread."""
        while True:
            with self._state:
                call = self._wait_for_call()
                if call is None:
                    self._thread = None  # the next call starts another one
                    return
            self._make(call)

    def _wait_for_call(self) -> Call | None:
        """Wait for the next call that is due, and return it; None when none is to come."""
        while self.runs_by_itself and not self._is_closing:
            now = time.monotonic()
            put_off = self._pop_due(now)
            if put_off is not None:
                return put_off.call
            if self._look_at <= now and not self._is_busy:
                self._is_busy = True
                return self._look_and_wait
            if self._is_busy:
                self._state.wait()  # whoever is busy notifies
                continue
            due_at = self._look_at
            if self._waiting:
                due_at = min(due_at, self._waiting[0].due_at)
            if due_at == inf:
                return None
            self._state.wait(due_at - now)
        return None

    def _pop_due(self, now: float) -> _PutOff | None:
        """Return the first call that is due, for it to be made; None while another one is made."""
        if self._is_busy or not self._waiting or self._waiting[0].due_at > now:
            return None
        self._is_busy = True
        return heappop(self._waiting)

    def _make(self, call: Call) -> None:
        """Make a call, and let others make the next one."""
        try:
            _make_or_log(call)
        finally:
            with self._state:
                self._is_busy = False
                self._state.notify_all()

    def _make_due_calls(self) -> None:
        """Make the calls that are due by now, in the thread, which has a look or a call in hand."""
        # Calls that these put off wait for the next item: else a look might never go on.
        now = time.monotonic()
        while not self._is_closing:
            with self._state:
                if not self._waiting or self._waiting[0].due_at > now:
                    return
                put_off = heappop(self._waiting)
            # Their units are not those of the look.
            Context().run(_make_or_log, put_off.call)

    def _look_and_wait(self) -> None:
        """Look, and again at once where something was done: it may owe something else."""
        seconds = self.interval * _RANDOM.uniform(0.75, 1.25)
        try:
            if self._look(self._queues, before_each=self._make_due_calls).done:
                seconds = 0.0
        finally:
            with self._state:
                if not self._is_closing:
                    self._look_at = time.monotonic() + seconds


def _do_nothing() -> None:
    """Do nothing before an item: another thread makes the calls that were put off, if any does."""


def _make_or_log(call: Call) -> None:
    """Make a call, and log what it raises."""
    try:
        call()
    except FAILURES as failure:
        logger.warning("What is owed was left to others: %s", sentence_about(failure))
    except Exception:  # a mistake in one call must not keep the others from being made
        logger.exception("What is owed was left to others.")


def _with_patience(call: Call) -> Call:
    """Return a call that waits as long as the block does in which it is put off."""
    patience = current_patience.get()
    if patience is None:
        return call

    def made_patiently() -> object:
        with patient(patience):
            return call()

    return made_patiently


@contextmanager
def _measured(figures: Figures) -> Iterator[None]:
    """Add the capacity units of the block to ``figures``."""
    with metered() as meter:
        # Within another block the meter is that one's, and has counted before.
        units_before, amazon_units_before = meter.units, meter.amazon_units
        try:
            yield
        finally:
            figures.units += meter.units - units_before
            figures.amazon_units += meter.amazon_units - amazon_units_before


_of_process = Worker()
atexit.register(_of_process.close, seconds=EXIT_SECONDS)


def worker() -> Worker:
    """Return the worker of this process; at the process's end it is closed within 5 seconds."""
    return _of_process
