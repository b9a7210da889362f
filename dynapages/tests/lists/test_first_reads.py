"""How much a page reads of each partition first, and what that costs at the most."""

from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages import Feed, FeedPage, Index, Tokens
from dynapages.items import Item, item_bytes
from dynapages.lists import MeanSizes, best_first_read, feed, first_reads_of
from dynapages.lists.first_reads import SPREAD, TYPICAL_BYTES, UNKNOWN
from dynapages_testing.chance import examples
from dynapages_testing.query_model import QueryModel

BY_SORT = Index("things", "by_sort", partition="p", sort="s", table_key=("pk", "sk"))
TOKENS = Tokens("a secret of the tests")
PARTITIONS = [f"partition-{number:02}" for number in range(16)]


class TestTheLimitsOfFirstReads:
    def test_are_the_whole_page_of_a_single_run(self):
        assert first_reads_of(21, [1.0]) == [21]

    def test_are_equal_for_equal_shares_and_above_the_even_part(self):
        limits = first_reads_of(51, [1.0] * 16, item_bytes=335)
        assert len(set(limits)) == 1
        assert 51 / 16 < limits[0] < 13

    def test_are_larger_for_larger_shares_and_at_most_a_page(self):
        limits = first_reads_of(51, [60, 20, 10, 6, 4], item_bytes=335)
        assert limits == sorted(limits, reverse=True)
        assert 31 <= limits[0] <= 51
        assert limits[-1] < 10

    def test_are_at_least_one_item_where_nothing_is_expected(self):
        assert first_reads_of(21, [5, 0])[1] >= 1

    def test_are_even_where_nothing_is_expected_anywhere(self):
        assert first_reads_of(21, [0, 0, 0]) == first_reads_of(21, [1, 1, 1])

    def test_of_no_runs_are_none(self):
        assert first_reads_of(21, []) == []

    @pytest.mark.parametrize("share", [-1, inf, float("nan")])
    def test_are_not_of_a_share_that_is_none(self, share):
        with pytest.raises(ValueError, match="a number of at least 0"):
            first_reads_of(21, [1, share])

    def test_leave_room_in_a_block_for_the_items_that_are_read_beyond(self):
        how = {"needed": 50, "share": 0.1, "most": 51, "item_bytes": 400, "spread": 0.0}
        assert best_first_read(**how).limit == 10
        assert best_first_read(**how, more=2).limit == 8

    def test_are_the_fewest_where_the_sizes_of_items_are_not_known(self):
        known, unknown = (
            first_reads_of(21, [1.0, 1.0], spread=spread)[0] for spread in (0.0, UNKNOWN)
        )
        assert unknown < known

    def test_are_fewer_where_the_sizes_of_items_differ(self):
        alike, mixed = (
            first_reads_of(51, [1.0] * 16, item_bytes=360, spread=spread)[0]
            for spread in (0.0, SPREAD)
        )
        assert mixed < alike


class TestTheMeanOfAnIndex:
    def test_is_a_typical_one_until_something_was_seen(self):
        sizes = MeanSizes()
        sizes.note("by_rating", [{"x": {"S": "a" * 99}}])
        sizes.note("all", [])
        assert sizes.mean("all") == TYPICAL_BYTES

    def test_moves_from_that_of_the_first_item_toward_what_is_seen_later(self):
        sizes, means = MeanSizes(), []
        for length in (99, 499):
            sizes.note("all", [{"x": {"S": "a" * length}}])
            means.append(sizes.mean("all"))
        assert means == [100, pytest.approx(300)]

    def test_has_a_spread_that_falls_while_all_items_are_alike(self):
        sizes, spreads = MeanSizes(), []
        for _ in range(50):
            sizes.note_bytes("all", 400)
            spreads.append(sizes.spread("all"))
        assert spreads == sorted(spreads, reverse=True)
        assert spreads[-1] < 0.1

    def test_has_a_spread_that_is_not_known_before_anything_was_seen(self):
        assert MeanSizes().spread("all") == UNKNOWN

    def test_has_the_spread_of_what_was_seen(self):
        sizes = MeanSizes()
        for number in range(200):
            sizes.note_bytes("all", 200 if number % 2 else 600)
        assert sizes.spread("all") == pytest.approx(0.5, abs=0.02)


@dataclass
class ListOfParts:
    """Items of some partitions: the one of each is its number, of an order that never repeats."""

    owners: list[int]
    size_of_items: int
    group: int = 1
    """How many items one after another have one sort key."""

    def items(self) -> list[Item]:
        made = []
        for number, owner in enumerate(self.owners):
            item = {
                "pk": {"S": f"thing-{number}"},
                "sk": {"S": "-"},
                "p": {"S": PARTITIONS[owner]},
                "s": {"S": f"{number // self.group:06}"},
            }
            made.append(item | {"text": {"S": "x" * (self.size_of_items - item_bytes(item) - 4)}})
        return made

    def feed(self, *, shares: Any = None) -> Feed[dict[str, Any]]:
        model = Forgetful({"by_sort": ("p", "s")}, self.items(), bytes_of=item_bytes)
        return Feed(BY_SORT, PARTITIONS, client=model, tokens=TOKENS, name="parts", shares=shares)


class Forgetful(QueryModel):
    """A model for walks of many pages, which keeps no request."""

    def query(self, **request: Any) -> dict[str, Any]:
        self.requests.clear()
        return super().query(**request)


@st.composite
def lists_of_parts(draw: st.DrawFn) -> ListOfParts:
    """Lists of even, uneven and changing parts: stretches, each with weights of its own."""
    owners: list[int] = []
    for _ in range(draw(st.integers(1, 4))):
        weights = draw(
            st.lists(st.sampled_from([0, 0, 1, 1, 2, 20, 300]), min_size=16, max_size=16)
        )
        owned = [number for number, weight in enumerate(weights) for _ in range(weight)]
        stretch = draw(st.integers(1, 60))
        chance = draw(st.randoms(use_true_random=False))
        owners += [chance.choice(owned or [0]) for _ in range(stretch)]
    sizes = st.sampled_from([60, 150, 340, 400, 1_000, 3_000])
    return ListOfParts(owners, draw(sizes), draw(st.sampled_from([1, 1, 2, 5, 30])))


def walk(read: Feed[Any], size: int) -> list[FeedPage[Any]]:
    pages = [read.page(size)]
    while pages[-1].next is not None:
        pages.append(read.page(size, after=pages[-1].next))
    return pages


def whole_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a whole page of each partition, as is always enough."""
    monkeypatch.setattr(feed, "first_reads_of", lambda needed, shares, **_: [needed] * len(shares))


weights_of_parts = st.none() | st.fixed_dictionaries(
    {}, optional={name: st.sampled_from([0, 0.5, 1, 7, 1_000]) for name in PARTITIONS}
)


class TestAPageOfSixteenPartitions:
    @settings(max_examples=examples(60))
    @given(parts=lists_of_parts(), size=st.sampled_from([1, 5, 20, 50]), shares=weights_of_parts)
    def test_is_read_in_two_rounds_at_the_most(self, parts, size, shares):
        # What is left of a group of equal sort keys is read in a call of its own, in each round.
        calls_of_a_round = 1 if parts.group == 1 else 2
        pages = walk(parts.feed(shares=shares), size)
        assert max(page.page.rounds for page in pages) <= 2 * calls_of_a_round

    @settings(max_examples=examples(60))
    @given(parts=lists_of_parts(), size=st.sampled_from([1, 5, 20, 50]), shares=weights_of_parts)
    def test_costs_little_more_than_whole_pages_of_all_in_the_worst_case(self, parts, size, shares):
        # A group of equal sort keys that a read ends in is read again.
        times = 1.1 if parts.group == 1 else 1.3
        pages = walk(parts.feed(shares=shares), size)
        with pytest.MonkeyPatch.context() as patch:
            whole_pages(patch)
            whole = walk(parts.feed(), size)
        for page, most in zip(pages, whole, strict=True):
            assert page.items == most.items
            bound = times * most.page.capacity_units + 0.5 * len(PARTITIONS)
            assert page.page.capacity_units <= bound


class TestTheSharesOfAFeed:
    parts = ListOfParts([0, 1, 1, 1] * 30, 340)

    @pytest.mark.parametrize("counted", [int, float, Decimal])
    def test_are_numbers_of_any_kind(self, counted):
        shares = {PARTITIONS[0]: counted(1), PARTITIONS[1]: counted(3)}
        even, known = (self.parts.feed(shares=each).page(50) for each in (None, shares))
        assert known.items == even.items
        assert known.page.rounds < even.page.rounds

    @pytest.mark.parametrize("shares", [[60, 40], 5, "60"])
    def test_are_by_partition(self, shares):
        with pytest.raises(ValueError, match="Shares are numbers by partition"):
            self.parts.feed(shares=shares).page(5)

    @pytest.mark.parametrize("share", ["60", None, True, -1])
    def test_are_no_other_values(self, share):
        with pytest.raises(ValueError, match="a number of at least 0"):
            self.parts.feed(shares={PARTITIONS[0]: share}).page(5)
