"""How the benchmarks take times."""

from functools import partial
from itertools import count

from lab.bench.timing import WARM_UP_TURNS, time_in_turns
from tests.support.lab.labs import QUIET


class TestTimingInTurns:
    def test_is_not_moved_by_one_slow_turn(self):
        now, calls = [0.0], count()

        def action() -> None:
            now[0] += 5.0 if next(calls) == WARM_UP_TURNS + 3 else 0.002

        times = time_in_turns({"one": action}, turns=9, progress=QUIET, clock=lambda: now[0])
        assert round(times["one"], 3) == 2.0

    def test_does_everything_once_a_turn_in_changing_order(self):
        done: list[str] = []
        actions = {name: partial(done.append, name) for name in "abcd"}
        time_in_turns(actions, turns=10, progress=QUIET)
        turns = ["".join(done[start : start + 4]) for start in range(0, len(done), 4)]
        assert {"".join(sorted(turn)) for turn in turns} == {"abcd"}
        assert len(turns) == 10 + WARM_UP_TURNS
        assert len(set(turns)) > 3
