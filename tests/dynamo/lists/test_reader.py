"""The reader by example; test_reader_properties.py tries it on everything else."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest

from dynamo.lists.reader import Order, Page, PageRequest, Toward
from dynamo.lists.runs import Position, Run
from tests.support.merged_lists import INDEX, MergedList, Thing, only, places

NEWEST, OLDEST = Order
A, B, C = Run(INDEX, "A"), Run(INDEX, "B"), Run(INDEX, "C")


def merged(**partitions: str) -> MergedList:
    """Make a list of runs whose things stand at one letter each: ``merged(A="adf", B="bc")``."""
    things = [Thing(name, "", place) for name, row in partitions.items() for place in row]
    return MergedList([Run(INDEX, name) for name in partitions], things)


def read(listing: MergedList, size: int, order: Order = OLDEST, **how: object) -> Page:
    return listing.read(PageRequest(size), order, **how)


def limits(listing: MergedList) -> list[tuple[str, int]]:
    """Name the partitions that were queried and for how many items, in order."""
    return [
        (request["ExpressionAttributeValues"][":p"]["S"], request["Limit"])
        for request in listing.requests
    ]


class TestAPage:
    def test_merges_its_runs_oldest_first(self):
        assert places(read(merged(A="adf", B="bce"), 4)) == ["a", "b", "c", "d"]

    def test_merges_its_runs_newest_first(self):
        assert places(read(merged(A="adf", B="bce"), 4, NEWEST)) == ["f", "e", "d", "c"]

    def test_begins_behind_the_last_item_of_the_page_before(self):
        listing = merged(A="adf", B="bce")
        last = read(listing, 2).entries[-1].position
        assert places(listing.read(PageRequest(2, last), OLDEST)) == ["c", "d"]

    def test_back_is_in_the_order_of_the_list(self):
        listing = merged(A="adf", B="bce")
        request = PageRequest(2, Position("e"), Toward.PREVIOUS)
        assert places(listing.read(request, OLDEST)) == ["c", "d"]

    def test_tells_which_run_each_item_came_from(self):
        page = read(merged(A="ac", B="b"), 3)
        assert [entry.run.partition for entry in page.entries] == ["A", "B", "A"]

    def test_of_no_runs_is_empty_and_reads_nothing(self):
        page = read(MergedList([]), 5)
        assert (page.entries, page.rounds, page.reads) == ((), 0, ())
        assert not page.has_next
        assert not page.has_previous

    def test_of_empty_runs_is_empty(self):
        page = read(merged(A="", B=""), 5)
        assert (page.entries, page.has_next, page.rounds) == ((), False, 1)


class TestNumbering:
    def test_goes_on_from_the_position(self):
        page = merged(A="abcd").read(PageRequest(2, Position("b", ordinal=40)), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [41, 42]

    def test_goes_back_from_the_position(self):
        request = PageRequest(2, Position("d", ordinal=43), Toward.PREVIOUS)
        page = merged(A="abcd").read(request, OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [41, 42]

    def test_begins_at_one_where_the_way_back_reaches_the_beginning(self):
        request = PageRequest(5, Position("d", ordinal=43), Toward.PREVIOUS)
        page = merged(A="abcd").read(request, OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [1, 2, 3]

    def test_never_falls_below_one(self):
        request = PageRequest(2, Position("d", ordinal=2), Toward.PREVIOUS)
        page = merged(A="abcd").read(request, OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [1, 2]

    def test_counts_from_the_end_behind_the_last_page(self):
        listing = merged(A="abcde")
        last = listing.read(PageRequest(2, toward=Toward.PREVIOUS), OLDEST)
        assert [entry.position.ordinal for entry in last.entries] == [-2, -1]
        before = PageRequest(2, last.previous_position, Toward.PREVIOUS)
        page = listing.read(before, OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [-4, -3]
        page = listing.read(PageRequest(2, page.next_position), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [-2, -1]

    def test_from_the_end_never_rises_above_the_last(self):
        page = merged(A="abcd").read(PageRequest(3, Position("a", ordinal=-3)), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [-3, -2, -1]

    def test_is_not_known_behind_a_position_without_a_number(self):
        listing = merged(A="abcdef")
        page = listing.read(PageRequest(2, Position("b", ordinal=None)), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [None, None]
        page = listing.read(PageRequest(2, page.next_position), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [-2, -1]
        page = listing.read(PageRequest(2, Position("c", ordinal=None), Toward.PREVIOUS), OLDEST)
        assert [entry.position.ordinal for entry in page.entries] == [1, 2]


class TestTheLastPage:
    LAST = PageRequest(2, toward=Toward.PREVIOUS)

    @pytest.mark.parametrize(("order", "answer"), [(NEWEST, ["b", "a"]), (OLDEST, ["d", "e"])])
    def test_has_the_last_items_in_the_order_of_the_list(self, order, answer):
        page = merged(A="abd", B="ce").read(self.LAST, order)
        assert places(page) == answer
        assert (page.has_next, page.has_previous) == (False, True)

    @pytest.mark.parametrize("row", ["", "a", "ab"])
    def test_of_a_list_of_one_page_has_nothing_in_front(self, row):
        page = merged(A=row).read(self.LAST, OLDEST)
        assert (places(page), page.has_previous) == (list(row), False)


class TestWhetherThereIsMore:
    @pytest.mark.parametrize(("size", "more"), [(1, True), (2, True), (3, False), (4, False)])
    def test_is_looked_for_beyond_the_page(self, size, more):
        assert read(merged(A="ac", B="b"), size).has_next is more

    def test_in_front_is_known_from_having_come_from_there(self):
        listing = merged(A="ab")
        assert not read(listing, 1).has_previous
        assert listing.read(PageRequest(1, Position("a")), OLDEST).has_previous

    def test_in_front_is_looked_for_going_back(self):
        listing = merged(A="abc")
        back = PageRequest(1, Position("c"), Toward.PREVIOUS)
        assert listing.read(back, OLDEST).has_previous
        back = PageRequest(1, Position("b"), Toward.PREVIOUS)
        assert not listing.read(back, OLDEST).has_previous

    def test_is_told_without_look_ahead_when_it_was_read_anyway(self):
        assert read(merged(A="ac", B="b"), 2, look_ahead=False).has_next
        assert not read(merged(A="abc"), 2, look_ahead=False).has_next


class TestReadingOn:
    def test_reads_a_page_and_one_item_of_each_run_at_first(self):
        listing = merged(A="ace", B="bdf")
        assert read(listing, 2).rounds == 1
        assert sorted(limits(listing)) == [("A", 3), ("B", 3)]

    def test_asks_first_for_what_it_is_told_to(self):
        listing = merged(A="ace", B="bdf")
        assert read(listing, 2, first_reads=[2, 1], look_ahead=False).rounds == 1
        assert sorted(limits(listing)) == [("A", 2), ("B", 1)]

    def test_reads_on_only_in_the_run_that_holds_the_page_up(self):
        listing = merged(A="abcde", B="wxyz")
        page = read(listing, 4, first_reads=[2, 3])
        assert sorted(limits(listing)[:2]) == [("A", 2), ("B", 3)]
        assert limits(listing)[2:] == [("A", 3)]
        assert (places(page), page.rounds) == (["a", "b", "c", "d"], 2)

    def test_asks_for_no_more_than_can_still_stand_on_the_page(self):
        listing = merged(A="acegik", B="bdfhjl")
        read(listing, 5, first_reads=[2, 3])
        assert sorted(limits(listing)[2:]) == [("A", 3), ("B", 1)]

    def test_goes_on_where_a_read_gave_nothing_but_did_not_end(self):
        listing = merged(A="abcx", B="y")
        listing.things[:3] = [Thing("A", "", place, kind="blue") for place in "abc"]
        listing.runs[0] = replace(A, keep=only("red"))
        page = read(listing, 1)
        assert (places(page), page.has_next) == (["x"], True)

    def test_does_not_count_a_run_that_ended_before_the_position(self):
        listing = merged(A="abc")
        listing.runs.append(Run(INDEX, "B", until="b"))
        page = listing.read(PageRequest(2, Position("b")), OLDEST)
        assert [read.rounds for read in page.reads] == [1, 0]

    def test_ends_at_a_bound_that_is_an_items_place(self):
        listing = merged(A="abcd")
        listing.runs = [Run(INDEX, "A", since="b", until="d")]
        for order, answer in ((NEWEST, ["c", "b"]), (OLDEST, ["b", "c"])):
            pages = listing.walk(PageRequest(1), order, look_ahead=True)
            assert list(chain.from_iterable(map(places, pages))) == answer
        assert places(read(listing, 1, NEWEST, look_ahead=False)) == ["c"]


class TestFallingBack:
    """Two red things behind twenty blue ones: dear to find in A, cheap to find in B."""

    @pytest.fixture
    def listing(self):
        blue = [Thing("A", "", f"{n:02}", kind="blue") for n in range(20)]
        red = [Thing(name, "", place) for name in "AB" for place in ("98", "99")]
        return MergedList([replace(A, keep=only("red"))], blue + red)

    def test_finds_the_same_for_less(self, listing):
        page = read(listing, 2, fallback=lambda _run, _most: [B])
        assert (places(page), page.fell_back, page.has_next) == (["98", "99"], True, False)
        assert limits(listing) == [("A", 3), ("B", 3)]

    def test_does_not_pay_more_than_going_on(self, listing):
        others = [B, *(Run(INDEX, f"empty {n}") for n in range(20))]
        page = read(listing, 2, fallback=lambda _run, _most: others)
        assert (places(page), page.fell_back) == (["98", "99"], False)

    def test_is_not_needed_where_the_first_read_was_enough(self, listing):
        page = read(listing, 2, first_reads=[23], fallback=lambda _run, _most: [B])
        assert (places(page), page.fell_back) == (["98", "99"], False)

    def test_begins_where_the_first_reading_stopped(self, listing):
        read(listing, 2, fallback=lambda _run, _most: [B])
        assert listing.requests[1]["ExclusiveStartKey"]["s"] == {"S": "02"}

    def test_begins_there_going_down_too(self, listing):
        listing.things += [Thing("A", "", f"99{n}", kind="blue") for n in range(9)]
        page = read(listing, 2, NEWEST, fallback=lambda _run, _most: [B])
        assert (places(page), page.fell_back) == (["99", "98"], True)
        assert listing.requests[1]["ExclusiveStartKey"]["s"] == {"S": "996"}

    def test_keeps_what_was_found_before(self, listing):
        listing.things += [Thing(name, "", "00-", kind="red") for name in "AB"]
        page = read(listing, 2, fallback=lambda _run, _most: [B, C])
        assert (places(page), page.has_next) == (["00-", "98"], True)
        assert [(r.run.partition, r.items_returned) for r in page.reads] == [
            ("A", 1),
            ("B", 1),
            ("C", 0),
        ]

    def test_replaces_no_run_that_filters_nothing(self, listing):
        listing.runs.append(C)
        listing.things += [Thing("C", "", place) for place in ("000", "001")]
        replaced = []
        read(
            listing, 4, first_reads=[1, 1], fallback=lambda run, _most: replaced.append(run) or [B]
        )
        assert [run.partition for run in replaced] == ["A"]


class TestWhatTheSourceRaises:
    def test_passes_through(self):
        listing = merged(A="abc", B="def")
        listing.cut = _fail_on("B")
        with pytest.raises(ConnectionError, match="B is away"):
            read(listing, 2)


class TestAPageRequest:
    @pytest.mark.parametrize("size", [0, -1])
    def test_is_for_at_least_one_item(self, size):
        with pytest.raises(ValueError, match="at least one item"):
            PageRequest(size)


class TestFirstReads:
    def test_are_at_least_one_item_each(self):
        with pytest.raises(ValueError, match="at least one item"):
            read(merged(A="a", B="b"), 2, first_reads=[1, 0])

    @pytest.mark.parametrize("first_reads", [[1], [1, 1, 1]])
    def test_are_one_for_each_run(self, first_reads):
        with pytest.raises(ValueError, match="argument"):
            read(merged(A="a", B="b"), 2, first_reads=first_reads)


def _fail_on(partition: str) -> Callable[[dict], None]:
    def fail(request: dict) -> None:
        if request["ExpressionAttributeValues"][":p"] == {"S": partition}:
            message = f"{partition} is away"
            raise ConnectionError(message)

    return fail
