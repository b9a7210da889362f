"""What a walk over a table finds is read again before it counts."""

from collections.abc import Sequence
from typing import Any

import pytest

from dynapages.upkeep import integrity
from dynapages.upkeep.integrity import Candidate, Difference, compare, confirmed, find_differences
from dynapages.writes.transactions import ConditionFailed

BUSY = Difference.busy("counts", "a product")


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr(integrity.time, "sleep", slept.append)
    return slept


def wrong(stored: int) -> Difference:
    return Difference("counts", "a product", str(stored), "1", repair=lambda: True)


class Reads:
    """What each read finds; the last one again and again."""

    def __init__(self, *reads: Sequence[Difference]) -> None:
        self.left = list(reads)

    def __call__(self) -> Sequence[Difference]:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def check(*reads: Sequence[Difference]) -> list[Difference]:
    return list(confirmed([Candidate(Reads(*reads), [wrong(2)])]))


class TestACandidate:
    @pytest.mark.parametrize(
        ("reads", "confirmed"),
        [
            ([[wrong(2)]], [wrong(2)]),
            ([[]], []),
            ([[wrong(3)], [wrong(4)], [wrong(4)]], [wrong(4)]),
            ([[wrong(3)], []], []),
            ([[wrong(number)] for number in range(3, 100)], [BUSY]),
            ([[BUSY]], [BUSY]),
            ([[BUSY], [BUSY], [wrong(2)]], [wrong(2)]),
        ],
        ids=[
            "that is still there is real",
            "that is gone was a write",
            "that has changed is read until it stands still",
            "that goes while it is read was a write",
            "that never stands still is busy",
            "that cannot be read is busy",
            "that could not be read at first is real all the same",
        ],
    )
    def test(self, reads, confirmed):
        assert check(*reads) == confirmed

    def test_of_a_single_item_is_decided_by_one_read(self, pauses):
        assert list(confirmed([Candidate(Reads([wrong(3)], []))])) == [wrong(3)]
        assert pauses == []

    def test_is_named_after_the_ones_before_it_were_repaired(self):
        happened: list[str] = []

        def candidates():
            yield Candidate(lambda: [wrong(2)])
            happened.append("the next is named")

        for _ in confirmed(candidates()):
            happened.append("repaired")
        assert happened == ["repaired", "the next is named"]


class TestThePauses:
    def test_are_one_for_all_that_is_as_it_was_found(self, pauses):
        assert len(list(confirmed([Candidate(Reads([wrong(2)]), [wrong(2)])] * 3))) == 3
        assert len(pauses) == 1


class Noting:
    """A kind that notes the sort keys it is passed."""

    def __init__(self, *starts: str) -> None:
        self.starts = starts
        self.noted: list[str] = []

    def handlers(self) -> Any:
        return {self.starts: lambda item: self.noted.append(item["sk"]["S"])}

    def candidates(self) -> Any:
        return iter([Candidate(lambda: [Difference("kind", sort, "", "") for sort in self.noted])])


def test_a_scan_passes_each_kind_the_items_whose_keys_begin_as_it_says(monkeypatch):
    items = [
        {"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in (("A#1", "X"), ("A#2", "Y"), ("B#1", "X"))
    ]
    monkeypatch.setattr(integrity, "every_item", lambda *_: iter(items))
    kinds = (kind for kind in [Noting("", "X"), Noting("B#", "Y")])
    checks = {"one": [Noting("A#", "")], "other": kinds}
    found = [(name, difference.subject) for name, difference in find_differences(None, "", checks)]
    assert found == [("one", "X"), ("one", "Y"), ("other", "X"), ("other", "X")]


class TestComparing:
    def test_shows_and_repairs_only_what_differs(self):
        repaired: list[dict[str, Any]] = []
        sides = {"a": 1, "b": 2, "d": 4}, {"a": 1, "b": 3, "c": 5}
        (found,) = compare("kind", "it", *sides, repair=repaired.append, missing=0)
        assert (found.stored, found.expected) == ("b 2, c 0, d 4", "b 3, c 5, d 0")
        assert found.repair is not None
        assert found.repair()
        assert repaired == [{"b": 3, "c": 5, "d": 0}]

    def test_repairs_nothing_that_has_changed_since(self):
        def repair(_expected: dict[str, Any]) -> None:
            raise ConditionFailed({})

        (found,) = compare("kind", "it", {"a": 1}, {"a": 2}, repair=repair)
        assert found.repair is not None
        assert not found.repair()
