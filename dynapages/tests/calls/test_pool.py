import signal
from contextvars import ContextVar
from functools import partial
from threading import Barrier, Event, Lock, current_thread, main_thread

import pytest

from dynapages.calls.pool import Pool

PATIENCE = 10.0
"""Seconds until a test that would hang fails instead."""

colour: ContextVar[str] = ContextVar("colour", default="none")


def fail() -> None:
    message = "the first failure"
    raise LookupError(message)


class TestGather:
    def test_gives_the_results_in_the_order_of_the_calls(self):
        second_is_done = Event()

        def first() -> str:
            assert second_is_done.wait(PATIENCE)
            return "first"

        def second() -> str:
            second_is_done.set()
            return "second"

        assert Pool(2).gather([first, second]) == ["first", "second"]

    def test_makes_the_calls_of_any_iterable(self):
        assert Pool(2).gather(call for call in [list, tuple]) == [[], ()]

    def test_gives_each_call_the_context_but_not_what_another_sets(self):
        def paint() -> str:
            before = colour.get()
            colour.set("red")
            return before

        token = colour.set("blue")
        try:
            assert Pool(1).gather([paint] * 3) == ["blue"] * 3
        finally:
            colour.reset(token)


class TestMap:
    def test_gives_what_the_function_returns_of_each_value_in_their_order(self):
        assert Pool(2).map(len, ["a", "bcd", ""]) == [1, 3, 0]


class TestParallelism:
    def test_is_as_wide_as_the_pool(self):
        both_are_here = Barrier(2)
        Pool(2).gather([partial(both_are_here.wait, PATIENCE)] * 6)

    def test_is_no_wider(self):
        lock, now, most = Lock(), 0, 0
        both_are_here = Barrier(2)

        def call() -> None:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            both_are_here.wait(PATIENCE)
            with lock:
                now -= 1

        Pool(2).gather([call] * 8)
        assert most == 2


class TestTogether:
    def test_drops_what_has_not_begun_when_the_block_ends(self):
        pool, release, begun = Pool(1), Event(), []
        with pool.together() as together:
            together.start(release.wait, timeout=PATIENCE)
            together.start(begun.append, "late")
        release.set()
        pool.gather([str, str])
        assert begun == []

    def test_gives_what_one_call_needs_of_another_to_both(self):
        both_are_started, shared = Event(), []

        def need() -> int:
            assert both_are_started.wait(PATIENCE)
            return shared[0].result()

        with Pool(1).together() as together:
            needing = together.start(need)
            shared.append(together.start(lambda: 7))
            both_are_started.set()
            assert (shared[0].result(), needing.result()) == (7, 7)

    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_lets_calls_gather_others_however_small_the_pool_is(self, size):
        pool = Pool(size)

        def of_three(depth: int) -> int:
            return sum(pool.gather([partial(of_three, depth - 1)] * 3)) if depth else 1

        assert pool.gather([partial(of_three, 2)] * 4) == [9] * 4


class TestTheFirstFailure:
    def test_is_raised_while_other_calls_are_under_way(self):
        release = Event()
        with pytest.raises(LookupError):
            Pool(2).gather([partial(release.wait, PATIENCE), fail])
        assert not release.is_set()
        release.set()

    def test_leaves_the_pool_fit_for_use(self):
        pool = Pool(2)
        with pytest.raises(LookupError):
            pool.gather([fail, fail])
        assert pool.gather([str, str]) == ["", ""]


@pytest.fixture
def interrupts():
    """Have SIGINT interrupt; a shell that starts Python in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class TestAnInterruption:
    @pytest.mark.skipif(
        current_thread() is not main_thread(), reason="signals go to the main thread"
    )
    @pytest.mark.usefixtures("interrupts")
    def test_drops_the_calls_that_have_not_begun(self):
        pool, release, begun = Pool(1), Event(), []

        def interrupt() -> None:
            signal.pthread_kill(main_thread().ident, signal.SIGINT)
            release.wait(PATIENCE)

        with pytest.raises(KeyboardInterrupt):
            pool.gather([interrupt, partial(begun.append, "late")])
        release.set()
        pool.gather([str, str])
        assert begun == []
