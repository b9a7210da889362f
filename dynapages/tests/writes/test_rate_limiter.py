"""Limits on how often something may be done."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.writes import rate_limiter
from dynapages.writes.rate_limiter import EXPIRES_AT, Limit, Limiter, Spent
from dynapages_testing.chance import examples, unique

NOW = datetime(2026, 11, 20, 9, 30, 0, tzinfo=UTC)
FIVE_A_MINUTE = Limit(5, timedelta(minutes=1))


def key_of(name: str) -> dict[str, str]:
    return {"pk": f"LIMIT#{name}", "sk": "LIMIT"}


@pytest.fixture(scope="module")
def limiter(client, new_table):
    return Limiter(client, new_table(), key_of)


@pytest.fixture
def take(limiter, fresh):
    """Takes one of five a minute, so many seconds after `NOW`."""
    name = fresh("limit")

    def take_at(seconds: float = 0) -> float:
        return limiter.take(name, FIVE_A_MINUTE, now=NOW + timedelta(seconds=seconds))

    return take_at


class TestALimit:
    def test_lets_so_many_through_at_once(self, take):
        assert [take() for _ in range(6)] == [0.0] * 5 + [12.0]

    def test_has_room_again_when_it_said_so(self, take):
        for _ in range(5):
            take()
        wait = take(3)
        assert wait == 9.0
        assert take(3 + wait - 0.001) > 0
        assert take(3 + wait) == 0.0

    def test_rests_as_long_as_it_is_told_to(self, limiter, fresh):
        name = fresh("limit")
        limiter.rest(name, FIVE_A_MINUTE, lasts=timedelta(hours=1), now=NOW)
        later = NOW + timedelta(minutes=59)
        assert limiter.take(name, FIVE_A_MINUTE, now=later) == 60.0
        assert limiter.take(name, FIVE_A_MINUTE, now=later + timedelta(minutes=1)) == 0.0

    def test_has_room_for_all_after_it_was_cleared(self, limiter, fresh):
        name = fresh("limit")
        for _ in range(5):
            limiter.take(name, FIVE_A_MINUTE, now=NOW)
        limiter.clear(name)
        assert [limiter.take(name, FIVE_A_MINUTE, now=NOW) for _ in range(5)] == [0.0] * 5

    def test_lets_one_at_a_time_through_when_others_never_stop_asking(self, take):
        passed = [second for second in range(60) if take(second) == 0.0]
        assert passed == [0, 1, 2, 3, 4, 12, 24, 36, 48]

    def test_gives_back(self, limiter, take, fresh):
        name = fresh("limit")
        once = Limit(1, timedelta(minutes=1))
        assert limiter.take(name, once, now=NOW) == 0.0
        limiter.give_back(name, once)
        assert [limiter.take(name, once, now=NOW) for _ in range(2)] == [0.0, 60.0]

    def test_leaves_an_item_that_expires(self, limiter, client, fresh):
        name = fresh("limit")
        limiter.take(name, FIVE_A_MINUTE, now=NOW)
        key = {part: {"S": value} for part, value in key_of(name).items()}
        item = client.get_item(TableName=limiter.table, Key=key, ConsistentRead=True)["Item"]
        assert int(item[EXPIRES_AT]["N"]) == NOW.timestamp() + 61


class TestWhatAProcessRemembers:
    def test_may_be_wrong_about_what_others_have_taken(self, limiter, fresh, monkeypatch):
        name = fresh("limit")
        for _ in range(3):
            limiter.take(name, FIVE_A_MINUTE, now=NOW)
        # Another process knows nothing of them.
        monkeypatch.setattr(rate_limiter, "_remembered", rate_limiter._Remembered())
        assert limiter.spend(name, FIVE_A_MINUTE, now=NOW) == Spent(0.0, 1)

    def test_may_be_wrong_about_what_others_have_given_back(self, limiter, fresh, monkeypatch):
        name = fresh("limit")
        for _ in range(5):
            limiter.take(name, FIVE_A_MINUTE, now=NOW)
        ours = rate_limiter._remembered
        monkeypatch.setattr(rate_limiter, "_remembered", rate_limiter._Remembered())
        limiter.clear(name)
        monkeypatch.setattr(rate_limiter, "_remembered", ours)
        assert limiter.seems_used_up(name, FIVE_A_MINUTE, now=NOW)
        assert limiter.spend(name, FIVE_A_MINUTE, now=NOW) == Spent(0.0, 4)

    def test_is_of_the_latest_names_alone(self, limiter, fresh, monkeypatch):
        monkeypatch.setattr(rate_limiter, "REMEMBERED", 2)
        monkeypatch.setattr(rate_limiter, "_remembered", rate_limiter._Remembered())
        once = Limit(1, timedelta(minutes=1))
        names = [fresh("limit") for _ in range(3)]
        for name in names:
            limiter.take(name, once, now=NOW)
        seem_used_up = [limiter.seems_used_up(name, once, now=NOW) for name in names]
        assert seem_used_up == [False, True, True]


@dataclass
class Model:
    """The generic cell rate algorithm, by trying: what is left is what would pass right now."""

    limit: Limit
    taken_until: int = 0

    def spend(self, moment: int) -> Spent:
        if wait := self._wait(moment, self.taken_until):
            return Spent(wait / 1_000, 0)
        self.taken_until = self._after(moment, self.taken_until)
        left, taken_until = 0, self.taken_until
        while not self._wait(moment, taken_until):
            left, taken_until = left + 1, self._after(moment, taken_until)
        return Spent(0.0, left)

    def _wait(self, moment: int, taken_until: int) -> int:
        window = self.limit.share * self.limit.times
        return max(0, self._after(moment, taken_until) - moment - window)

    def _after(self, moment: int, taken_until: int) -> int:
        return max(moment, taken_until) + self.limit.share


class TestASpentUse:
    @settings(max_examples=examples(200))
    @given(
        limit=st.builds(
            Limit,
            times=st.integers(1, 8),
            window=st.integers(1, 60_000).map(lambda ms: timedelta(milliseconds=ms)),
        ),
        pauses=st.lists(st.sampled_from([0, 0, 1, 7, 500, 7_001, 12_000, 61_000]), max_size=20),
    )
    def test_says_how_long_to_wait_and_how_many_are_left(self, limiter, limit, pauses):
        name, model, moment = unique("limit"), Model(limit), int(NOW.timestamp() * 1_000)
        for pause in pauses:
            moment += pause
            now = datetime.fromtimestamp(moment // 1_000, UTC)
            now += timedelta(milliseconds=moment % 1_000)
            assert limiter.spend(name, limit, now=now) == model.spend(moment)

    def test_counts_down(self, limiter, fresh):
        name = fresh("limit")
        spent = [limiter.spend(name, FIVE_A_MINUTE, now=NOW) for _ in range(6)]
        assert [each.left for each in spent] == [4, 3, 2, 1, 0, 0]
        assert [each.wait for each in spent] == [0.0] * 5 + [12.0]

    def test_of_more_than_one_a_millisecond_is_counted_by_the_millisecond(self, limiter, fresh):
        often = Limit(5, timedelta(milliseconds=2))
        name = fresh("limit")
        assert [limiter.spend(name, often, now=NOW).left for _ in range(3)] == [4, 3, 2]


@pytest.mark.real_engine
class TestALimitUnderLoad:
    def test_is_exact(self, limiter, fresh):
        name = fresh("limit")
        with ThreadPoolExecutor(8) as pool:
            waits = list(pool.map(lambda _: limiter.take(name, FIVE_A_MINUTE, now=NOW), range(40)))
        assert sum(wait == 0.0 for wait in waits) == 5
        assert {wait for wait in waits if wait} == {12.0}
