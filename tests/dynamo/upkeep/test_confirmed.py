"""What a walk over a table finds is looked at again before it counts."""

from collections.abc import Sequence

import pytest

from dynamo.upkeep import differences
from dynamo.upkeep.differences import Suspect, confirmed, suspected
from dynamo.upkeep.integrity import Difference

BUSY = Difference.busy("counts", "a product")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(differences.time, "sleep", slept.append)
    return slept


def wrong(stored: int) -> Difference:
    return Difference("counts", "a product", str(stored), "1", mend=lambda: True)


class Looks:
    """What each look finds; the last one again and again."""

    def __init__(self, *looks: Sequence[Difference]) -> None:
        self.left = list(looks)
        self.number = 0

    def __call__(self) -> Sequence[Difference]:
        self.number += 1
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def check(looks: Looks) -> list[Difference]:
    return list(confirmed([Suspect([wrong(2)], looks)]))


class TestADifference:
    def test_that_is_still_there_is_real(self):
        looks = Looks([wrong(2)])
        assert check(looks) == [wrong(2)]
        assert looks.number == 1

    def test_is_mended_as_it_was_looked_at_last(self):
        (found,) = check(Looks([Difference("counts", "a product", "2", "1", mend=lambda: False)]))
        assert found.mend is not None
        assert not found.mend()

    def test_that_is_gone_was_a_write(self):
        assert check(Looks([])) == []

    def test_that_has_changed_is_looked_at_until_it_stands_still(self):
        assert check(Looks([wrong(3)], [wrong(4)], [wrong(4)])) == [wrong(4)]

    def test_that_goes_while_it_is_looked_at_was_a_write(self):
        assert check(Looks([wrong(3)], [])) == []

    def test_that_never_stands_still_is_busy(self):
        assert check(Looks(*([wrong(number)] for number in range(3, 100)))) == [BUSY]

    def test_that_cannot_be_looked_at_is_busy(self):
        assert check(Looks([BUSY])) == [BUSY]

    def test_that_could_not_be_looked_at_at_first_is_real_all_the_same(self):
        assert check(Looks([BUSY], [BUSY], [wrong(2)])) == [wrong(2)]


class TestThePauses:
    def test_are_none_where_nothing_looks_wrong(self, pauses):
        assert list(confirmed([])) == pauses == []

    def test_are_one_for_all_that_is_as_it_was_found(self, pauses):
        assert len(list(confirmed([Suspect([wrong(2)], Looks([wrong(2)]))] * 3))) == 3
        assert len(pauses) == 1


def test_a_part_without_differences_is_not_suspected():
    assert list(suspected([], Looks([]))) == []
