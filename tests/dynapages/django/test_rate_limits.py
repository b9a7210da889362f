"""Uses of several limits, which are counted at once, or not at all."""

from datetime import UTC, datetime, timedelta

import pytest

from dynapages.calls import clock, metered
from dynapages.django.rate_limits import Use, count_uses, counted_meanwhile, limiter
from dynapages.django.refusals import TooManyRequests
from dynapages.items import wire_key
from dynapages.writes import Limit, rate_limiter
from tests.support.comments.spying import spied

pytestmark = pytest.mark.usefixtures("tables")

NOW = datetime(2026, 11, 27, 10, 0, tzinfo=UTC)
TWICE = Limit(2, timedelta(minutes=1))
OFTEN = Limit(60, timedelta(minutes=1))
SENTENCE = "Try again in %(wait)s."


@pytest.fixture
def rare(fresh):
    """A use of a limit of two a minute."""
    return Use(fresh("rare"), TWICE)


@pytest.fixture
def frequent(fresh):
    """A use of a limit of sixty a minute."""
    return Use(fresh("frequent"), OFTEN)


def left_of(use: Use, *, now: datetime = NOW) -> int:
    """Return how many uses are left, by one more that is given back."""
    spent = limiter().spend(use.name, use.limit, now=now)
    if spent.wait:
        return 0
    limiter().give_back(use.name, use.limit)
    return spent.left + 1


class TestUsesOfSeveralLimits:
    def test_are_all_counted(self, rare, frequent):
        assert count_uses(rare, frequent, now=NOW) == 0.0
        assert (left_of(rare), left_of(frequent)) == (1, 59)

    def test_are_none_of_them_used_up_where_one_is_refused(self, rare, frequent):
        for _ in range(2):
            count_uses(rare, now=NOW)
        assert count_uses(frequent, rare, now=NOW) == 30.0
        assert left_of(frequent) == 60

    def test_are_given_back_where_another_process_has_used_one_up(
        self, rare, frequent, monkeypatch
    ):
        for _ in range(2):
            count_uses(rare, now=NOW)
        monkeypatch.setattr(rate_limiter, "_remembered", rate_limiter._Remembered())
        assert count_uses(frequent, rare, now=NOW) == 30.0
        assert left_of(frequent) == 60

    def test_are_not_counted_beside_one_that_is_known_to_be_used_up(self, rare, frequent):
        for _ in range(2):
            count_uses(rare, now=NOW)
        with spied() as requests:
            count_uses(frequent, rare, now=NOW)
        key = wire_key(limiter().key_of(rare.name))
        assert [one.parameters["Key"] for one in requests] == [key]

    def test_have_room_again_where_one_that_seemed_used_up_was_given_back(self, rare, frequent):
        for _ in range(3):
            count_uses(rare, now=NOW)
        limiter().give_back(rare.name, rare.limit)
        assert count_uses(frequent, rare, now=NOW) == 0.0
        assert (left_of(rare), left_of(frequent)) == (0, 59)

    @pytest.mark.real_engine
    def test_take_one_round_and_a_write_each_also_the_second_time(self, rare, frequent):
        for _ in range(2):
            with metered() as meter:
                count_uses(rare, frequent, now=NOW)
            assert (meter.calls, meter.rounds) == (2, 1)


class TestAUseThatIsCountedMeanwhile:
    def test_is_counted_once(self, rare):
        now = clock.now()
        with counted_meanwhile(rare, sentence=SENTENCE):
            pass
        assert left_of(rare, now=now) == 1

    def test_is_refused_when_the_block_has_ended(self, rare):
        for _ in range(2):
            count_uses(rare, now=clock.now())
        done = []
        with (
            pytest.raises(TooManyRequests, match="Try again in"),
            counted_meanwhile(rare, sentence=SENTENCE),
        ):
            done.append("read")
        assert done == ["read"]

    def test_is_refused_before_the_block_s_own_failure(self, rare):
        for _ in range(2):
            count_uses(rare, now=clock.now())
        with pytest.raises(TooManyRequests), counted_meanwhile(rare, sentence=SENTENCE):
            raise LookupError

    def test_lets_the_block_s_failure_pass_else(self, rare):
        with pytest.raises(LookupError), counted_meanwhile(rare, sentence=SENTENCE):
            raise LookupError
