"""Buckets of partitions, by hand."""

import pytest

from lab.scale.limits import Buckets, Limits, Partition, ranges_after_splits

HOT, OTHER = Partition("shop", "", "PRODUCT#hot"), Partition("shop", "", "PRODUCT#other")


def buckets(**limits: float) -> Buckets:
    return Buckets(Limits(**limits))


class TestABucket:
    def test_has_the_units_of_a_second(self):
        mine = buckets()
        assert (mine.left(HOT), mine.left(HOT._replace(is_write=True))) == (3_000, 1_000)

    def test_is_charged_alone(self):
        mine = buckets()
        mine.charge(HOT, 3_000)
        assert (mine.left(HOT), mine.left(OTHER)) == (0, 3_000)

    def test_keeps_nothing_for_later_without_a_burst(self):
        mine = buckets()
        mine.charge(HOT, 1)
        mine.second = 100
        assert mine.left(HOT) == 3_000

    def test_keeps_the_units_of_a_burst(self):
        mine = buckets(reads=3, burst_seconds=300)
        mine.charge(HOT, 900)
        mine.second = 10
        assert mine.left(HOT) == 30
        mine.second = 1_000
        assert mine.left(HOT) == 900

    def test_pays_later_for_what_a_call_took_too_much(self):
        mine = buckets(reads=3)
        mine.charge(HOT, 8)
        mine.second = 1
        assert mine.left(HOT) == -2
        mine.second = 2
        assert mine.left(HOT) == 1


class TestASplit:
    @pytest.mark.parametrize(("times", "ranges"), [(0.9, 1), (1.5, 2), (2, 2), (5, 8)])
    def test_halves_a_hot_collection_until_it_is_not(self, times, ranges):
        found = ranges_after_splits(times, is_item=False, at_an_end=False, has_local_index=False)
        assert found == ranges

    @pytest.mark.parametrize("why", ["is_item", "at_an_end", "has_local_index"])
    def test_does_not_help(self, why):
        reasons = {"is_item": False, "at_an_end": False, "has_local_index": False, why: True}
        assert ranges_after_splits(5, **reasons) == 1
