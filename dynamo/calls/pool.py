"""A bounded pool of threads for parallel reads.

Calls wait on the network, so threads are enough. Each call runs with the context variables of its
caller, so that the meter of a page counts what its threads read.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


class Pool:
    """Runs calls in parallel, at most ``size`` at a time; a single call runs in its caller.

    Threads start with the first use, so that a pool made before a server forks is safe.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = Lock()
        self._executor: ThreadPoolExecutor | None = None

    def gather(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """Return the results in the order of ``calls``.

        The first failure is raised at once: calls that have not begun are dropped, running ones
        finish and their results are discarded. A call must not use the same pool.
        """
        if len(calls) <= 1:
            return [call() for call in calls]
        executor = self._started()
        futures = [executor.submit(copy_context().run, call) for call in calls]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            _raise_first_failure(done, futures)
            return [future.result() for future in futures]
        finally:  # also when Ctrl-C ends the wait: what has not begun must not begin
            for future in futures:
                future.cancel()

    def _started(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.size, thread_name_prefix="dynamo")
            return self._executor


def _raise_first_failure(done: set[Future[T]], futures: Sequence[Future[T]]) -> None:
    failures = [future.exception() for future in futures if future in done]
    failure = next((failure for failure in failures if failure is not None), None)
    if failure is not None:
        raise failure
