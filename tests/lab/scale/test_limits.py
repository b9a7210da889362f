"""Buckets of partitions, by hand."""

from lab.scale.limits import Buckets, Limits, Partition

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
