"""The time of a request, which bounds calls and pauses, and a pool of threads for parallel reads.

`time_budget` bounds the calls of a block, and `Backoff` the pauses between attempts. `Pool` makes
calls at the same time: `gather` returns all results, `together` starts calls one by one. `agather`
awaits coroutines so. Each call runs with the context variables of its caller: its time, and the
meter of its page.
"""

import random
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import inf, isinf
from threading import Lock
from time import monotonic
from typing import Any, Generic, ParamSpec, TypeVar

from dynapages.calls.meter import join_rounds
from dynapages.calls.patience import current_patience, operation_ends_at
from dynapages.errors import DynamoError

T = TypeVar("T")
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")

GRACE = 0.1
"""Seconds that a call gets to end by its own deadline."""
_MOST_DOUBLINGS = 20
"""Of a pause: by then it is longer than any."""
_JITTER = random.Random()  # noqa: S311 - no secret; a thread's pauses leave the program's numbers alone
_until: ContextVar[float] = ContextVar("until", default=inf)
"""When the budget is spent: a moment of `time.monotonic`."""
_in_a_thread: ContextVar[bool] = ContextVar("in_a_thread", default=False)


# The time of a request


class OutOfTime(DynamoError):
    """The time budget is spent; `dynapages.calls.faults` takes it as Unreachable."""

    def __init__(self) -> None:
        super().__init__("The database took too long.")


@contextmanager
def time_budget(seconds: float) -> Iterator[None]:
    """Bound the seconds of all calls made inside the block, whichever thread of a pool makes them.

    When they are spent, OutOfTime is raised instead of the next call of a `Feed`, or of a client of
    `build_client`. A block within another one can only shorten its time.
    """
    token = _until.set(min(_until.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


@contextmanager
def budget_paused() -> Iterator[None]:
    """Take no time from the budget within the block, which must make no calls."""
    begun = monotonic()
    try:
        yield
    finally:
        _until.set(_until.get() + monotonic() - begun)


def seconds_left() -> float:
    """Return what is left of the budget, not below 0; infinite where there is none."""
    return max(_until.get() - monotonic(), 0.0)


@contextmanager
def one_operation() -> Iterator[None]:
    """Count the seconds of patience from the beginning of the block on, for all of its calls.

    So a transaction is over before DynamoDB forgets its token, however its attempts failed.
    """
    # Here, as pages enter no module of what they have none of.
    patience = current_patience.get()
    if patience is None:
        yield
        return
    token = operation_ends_at.set(patience.ends_at())
    try:
        yield
    finally:
        operation_ends_at.reset(token)


def patience_is_over() -> bool:
    """Return whether the operation that is under way may not be repeated: in a page, never."""
    patience = current_patience.get()
    return patience is None or patience.clock() >= patience.ends_at()


@dataclass(frozen=True, slots=True)
class Backoff:
    """The number of attempts, and the first and the longest pause in seconds."""

    attempts: int = 10
    first: float = 0.05
    longest: float = 5.0

    def pauses(self) -> Iterator[float]:
        """Yield the pause in seconds before each attempt but the first, while there is time.

        In a patient job (`dynapages.calls.patience`) there are as many as its seconds allow.
        """
        for attempt in self._attempts():
            pause = self.pause(attempt)
            if pause >= seconds_left():
                return
            yield pause

    def pause(self, attempt: int) -> float:
        """Return the pause in seconds after an attempt, counted from 1."""
        doublings = min(attempt - 1, _MOST_DOUBLINGS)
        return _JITTER.uniform(0, min(self.longest, self.first * 2**doublings))

    def _attempts(self) -> Iterator[int]:
        """Yield the numbers of attempts that may be followed by another."""
        patience = current_patience.get()
        if patience is None:
            yield from range(1, self.attempts)
            return
        ends_at = patience.ends_at()
        for attempt in count(1):
            if patience.clock() >= ends_at:
                return
            yield attempt


# Calls at the same time


@dataclass(frozen=True, slots=True)
class Started(Generic[T]):
    """A call that was submitted to a pool."""

    call: Callable[[], T]
    context: Context
    future: Future[T] = field(default_factory=Future)
    _begun: Lock = field(default_factory=Lock)
    """Taken by the thread that makes the call, and never given back."""
    _results: list[T] = field(default_factory=list)

    def begin(self) -> None:
        """Make the call in this thread, unless it was begun in another or dropped."""
        if self._begun.acquire(blocking=False) and self.future.set_running_or_notify_cancel():
            try:
                returned = self.context.run(self.call)
            except BaseException as problem:  # noqa: BLE001 - `result` raises it
                self.future.set_exception(problem)
            else:
                self.future.set_result(returned)

    def result(self) -> T:
        """Wait for the call; return what it returned, or raise what it raised, or OutOfTime.

        A thread of the pool makes the call itself if no other has begun it: if threads waited for
        calls that wait for threads, none would ever end.
        """
        if not self._results:
            if _in_a_thread.get():
                self.begin()
            self._results.append(self._wait())
            join_rounds(self.context)
        return self._results[0]

    def _wait(self) -> T:
        """Wait within the time budget. Raises OutOfTime, and what the call raised."""
        left = seconds_left()
        if not isinf(left):
            with suppress(TimeoutError):  # which the call itself may have raised
                return self.future.result(left + GRACE)
            if not self.future.done():
                raise OutOfTime
        return self.future.result()


@dataclass(frozen=True, slots=True)
class Together:
    """Calls that run at the same time; see `Pool.together`."""

    executor: ThreadPoolExecutor
    started: list[Started[Any]] = field(default_factory=list)

    def start(
        self, call: Callable[Arguments, T], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Started[T]:
        """Submit a call of a function with arguments, in the context variables of the caller."""
        context = copy_context()
        context.run(_in_a_thread.set, True)  # noqa: FBT003 - ContextVar.set takes no keyword
        started = Started(partial(call, *args, **kwargs), context)
        self.executor.submit(started.begin)
        self.started.append(started)
        return started


class Pool:
    """Runs calls in parallel, at most ``size`` at a time; a single call runs in its caller.

    Threads start with the first use, so that a pool made before a server forks is safe.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = Lock()
        self._executor: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        return f"Pool({self.size})"

    @contextmanager
    def together(self) -> Iterator[Together]:
        """Start calls of any types in the block, and go on while they run.

        When the block ends, also by Ctrl-C, the calls that have not begun are dropped.
        """
        together = Together(self._running())
        try:
            yield together
        finally:
            for started in together.started:
                started.future.cancel()

    def gather(self, calls: Iterable[Callable[[], T]]) -> list[T]:
        """Return the results in the order of ``calls``.

        The first failure is raised at once: calls that have not begun are dropped, running ones
        finish and their results are discarded.
        """
        listed = list(calls)
        if len(listed) <= 1:
            return [call() for call in listed]
        with self.together() as together:
            started = [together.start(call) for call in listed]
            if not _in_a_thread.get():
                _raise_first_failure([one.future for one in started])
            return [one.result() for one in started]

    def map(self, function: Callable[[Value], T], values: Iterable[Value]) -> list[T]:
        """Return what a function returns for each value, called for all at once: see `gather`."""
        return self.gather([partial(function, value) for value in values])

    def _running(self) -> ThreadPoolExecutor:
        """Return the threads, started if they are not yet."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.size, thread_name_prefix="dynapages")
            return self._executor


def _raise_first_failure(futures: Sequence[Future[T]]) -> None:
    """Wait until all calls have ended or one has failed; raise its failure."""
    left = seconds_left()
    timeout = None if isinf(left) else left + GRACE
    done, _ = wait(futures, timeout=timeout, return_when=FIRST_EXCEPTION)
    for future in futures:
        failure = future.exception() if future in done else None
        if failure is not None:
            raise failure


# The same for coroutines


async def agather(*coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
    """Await coroutines at the same time, within the time budget; return what they return.

    Each is a task that counts the rounds of its own calls. The first failure is raised at once, and
    the others are cancelled. Raises OutOfTime.
    """
    import asyncio  # noqa: PLC0415 - programs without it need not wait for it

    left = seconds_left()
    if not left:
        for coroutine in coroutines:
            coroutine.close()
        raise OutOfTime
    loop = asyncio.get_running_loop()
    contexts, tasks = [], []
    for coroutine in coroutines:
        context = copy_context()
        contexts.append(context)
        tasks.append(loop.create_task(coroutine, context=context))
    try:
        async with asyncio.timeout(None if isinf(left) else left) as limit:
            results = await asyncio.gather(*tasks)
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise
    finally:
        for task in tasks:
            task.cancel()
    for context in contexts:
        join_rounds(context)
    return results
