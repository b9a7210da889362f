"""How the benchmarks take times."""

from itertools import count

from lab.bench.context import time_in_turns


class TestTimingInTurns:
    def test_is_not_moved_by_one_slow_turn(self):
        now, calls = [0.0], count()

        def action() -> None:
            now[0] += 5.0 if next(calls) == 3 else 0.002

        timings = time_in_turns({"one": action}, turns=9, warm_up=0, clock=lambda: now[0])
        assert timings["one"].median_ms == 2.0
        assert timings["one"].p95_ms > 100

    def test_does_everything_once_a_turn_in_changing_order(self):
        done: list[str] = []
        actions = {name: lambda name=name: done.append(name) for name in "abcd"}
        time_in_turns(actions, turns=10, warm_up=0)
        turns = ["".join(done[start : start + 4]) for start in range(0, 40, 4)]
        assert {"".join(sorted(turn)) for turn in turns} == {"abcd"}
        assert len(set(turns)) > 3
