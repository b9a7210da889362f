"""The simulation and the proxy agree, on a little traffic of each kind."""

from math import sqrt

import pytest

pytest.importorskip("numpy")

from dynapages.engine.server import find_dynoxide
from lab.scale.check import open_shop
from lab.scale.run import check
from lab.scale.simulation import small_traffics
from lab.scale.visits import measure
from tests.support.project import PROJECT

pytestmark = [pytest.mark.real_engine, pytest.mark.slow]

TENTH = 1.1


@pytest.fixture(scope="module")
def agreements():
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")

    def advance(_number: int) -> None:
        pass

    with open_shop(comments=1_000) as shop:
        measured = measure(shop, shop.products[:2], times=4, advance=advance)
        found = check(shop, measured, small_traffics(25), seed=1, advance=advance)
    return {one.traffic.name: one for one in found}


@pytest.mark.parametrize("name", [one.name for one in small_traffics(1)])
class TestTrafficOfEachKind:
    def test_meets_the_same_bottleneck_first(self, agreements, name):
        assert agreements[name].has_one_bottleneck, agreements[name]

    def test_is_throttled_in_shares_within_a_tenth_and_what_chance_adds(self, agreements, name):
        found = agreements[name]
        # Of some fifty throttled calls chance alone moves one run in twenty by more than this.
        chance = 2 / sqrt(found.proxied.throttled)
        assert 1 / (TENTH + chance) <= found.ratio <= TENTH + chance, found

    def test_is_throttled_at_all(self, agreements, name):
        assert agreements[name].proxied.throttled > 10
