"""The reader by example; test_reader_properties.py tries it on everything else."""

from dataclasses import replace

import pytest

from dynapages.lists.merging import LARGEST_ITEM, refuse_overlaps
from dynapages.lists.reader import Order, Page, PageRequest, Toward
from dynapages.lists.runs import LIST_EDGE, Index, Ordinal, Position, Run
from dynapages_testing.merged_lists import INDEX, MergedList, Thing, only, places

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


def back(size: int, place: str, ordinal: int) -> PageRequest:
    return PageRequest(size, Position(place, ordinal=Ordinal(ordinal)), Toward.PREVIOUS)


def numbers_of(page: Page) -> list[int | None]:
    """Return the ordinals of a page as tokens store them: below 0 from the end."""
    ordinals = [entry.position.ordinal for entry in page.entries]
    return [ordinal and ordinal.signed for ordinal in ordinals]


def places_of(page: Page) -> list[str]:
    return [entry.position.place for entry in page.entries]


class TestNumbering:
    @pytest.mark.parametrize(
        ("request_", "numbers"),
        [
            pytest.param(PageRequest(2, Position("b", ordinal=Ordinal(40))), [41, 42], id="onward"),
            pytest.param(back(2, "d", 43), [41, 42], id="back"),
            pytest.param(back(5, "d", 43), [1, 2, 3], id="back to the beginning"),
            pytest.param(back(2, "d", 2), [1, 2], id="never below one"),
            pytest.param(
                PageRequest(3, Position("a", ordinal=Ordinal(3, from_front=False))),
                [-3, -2, -1],
                id="to the end",
            ),
            pytest.param(
                PageRequest(2, Position("a", ordinal=Ordinal(2, from_front=False))),
                [-2, -1],
                id="never beyond the end",
            ),
        ],
    )
    def test_goes_on_from_the_position(self, request_, numbers):
        page = merged(A="abcd").read(request_, OLDEST)
        assert numbers_of(page) == numbers

    def test_is_zero_at_an_edge_of_the_list(self):
        assert Ordinal.from_signed(0) == LIST_EDGE == LIST_EDGE.back(0)

    def test_begins_at_one_only_where_nothing_is_left_to_read(self):
        page = merged(A="abcd").read(back(2, "d", 4), OLDEST, look_ahead=False)
        assert numbers_of(page) == [2, 3]

    def test_counts_from_the_end_behind_the_last_page(self):
        listing = merged(A="abcde")
        last = listing.read(PageRequest(2, toward=Toward.PREVIOUS), OLDEST)
        assert numbers_of(last) == [-2, -1]
        before = PageRequest(2, last.previous_position, Toward.PREVIOUS)
        page = listing.read(before, OLDEST)
        assert numbers_of(page) == [-4, -3]
        page = listing.read(PageRequest(2, page.next_position), OLDEST)
        assert numbers_of(page) == [-2, -1]

    def test_is_not_known_behind_a_position_without_a_number(self):
        listing = merged(A="abcdef")
        page = listing.read(PageRequest(2, Position("b", ordinal=None)), OLDEST)
        assert numbers_of(page) == [None, None]
        page = listing.read(PageRequest(2, page.next_position), OLDEST)
        assert numbers_of(page) == [-2, -1]
        page = listing.read(PageRequest(2, Position("c", ordinal=None), Toward.PREVIOUS), OLDEST)
        assert numbers_of(page) == [1, 2]

    def test_does_not_take_the_last_item_that_was_read_for_the_first_of_the_list(self):
        listing = merged(A="a", B="b")
        page = listing.read(PageRequest(1, Position("z", ordinal=None), Toward.PREVIOUS), OLDEST)
        assert (places_of(page), numbers_of(page)) == (["b"], [None])


class TestAPageWhoseUnitsAreSpent:
    def test_is_not_cut_where_it_is_full(self):
        page = merged(A="abcdef").read(PageRequest(4, most_units=0.5), OLDEST)
        assert (places_of(page), page.cut_at, page.has_next) == (list("abcd"), None, True)

    def test_is_cut_where_its_reading_stopped(self):
        page = merged(A="abcdef").read(PageRequest(5, most_units=0.5), OLDEST)
        assert page.cut_at is not None
        assert (places_of(page), page.cut_at.place, page.has_next) == (list("abcd"), "d", True)


class TestAPageOfARunThatWasCutShort:
    def test_has_what_was_not_read_in_front_of_another_runs_items(self):
        listing = merged(A="abd", B="cef")
        of_a = {"S": "A"}
        listing.cut = lambda request: (
            1 if request["ExpressionAttributeValues"][":p"] == of_a else None
        )
        assert places_of(listing.read(PageRequest(2), OLDEST)) == ["a", "b"]


class TestWhetherThereIsMore:
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
        assert listing.requests[1]["ExclusiveStartKey"]["s"] == {"S": "02"}

    def test_does_not_pay_more_than_going_on(self, listing):
        others = [B, *(Run(INDEX, f"empty {n}") for n in range(20))]
        page = read(listing, 2, fallback=lambda _run, _most: others)
        assert (places(page), page.fell_back) == (["98", "99"], False)

    def test_is_not_needed_where_the_first_read_was_enough(self, listing):
        page = read(listing, 2, first_reads=[23], fallback=lambda _run, _most: [B])
        assert (places(page), page.fell_back) == (["98", "99"], False)

    def test_replaces_no_run_that_filters_nothing(self, listing):
        listing.runs.append(C)
        listing.things += [Thing("C", "", place) for place in ("000", "001")]
        replaced = []
        read(
            listing, 4, first_reads=[1, 1], fallback=lambda run, _most: replaced.append(run) or [B]
        )
        assert [run.partition for run in replaced] == ["A"]


class TestAlternatives:
    """Red things in A and in B: between them many others in A, few in B."""

    @pytest.fixture
    def listing(self):
        red = [Thing(name, "", f"{n:03}") for name in "AB" for n in range(0, 200, 10)]
        others = [Thing("A", "", f"{n:03}", kind="blue") for n in range(200) if n % 10]
        others.append(Thing("B", "", "001", kind="blue"))
        runs = [replace(run, keep=only("red"), alternative="red") for run in (A, B)]
        return MergedList(runs, red + others)

    @pytest.mark.parametrize("order", Order)
    def test_hold_the_same_list_once(self, listing, order):
        expected = sorted({f"{n:03}" for n in range(0, 200, 10)}, reverse=order is NEWEST)
        pages = [*listing.walk(PageRequest(3), order, first_reads=[4, 4])]
        assert [place for page in pages for place in places(page)] == expected
        back = [*listing.walk(PageRequest(3, toward=Toward.PREVIOUS), order, first_reads=[4, 4])]
        assert [place for page in back[::-1] for place in places(page)] == expected

    def test_are_read_on_where_the_first_read_reached_furthest(self, listing):
        page = read(listing, 8, first_reads=[4, 4])
        assert [name for name, _ in limits(listing)[2:]] == ["B"]
        assert [each.items_returned for each in page.reads] == [0, 8]

    def test_are_all_read_where_one_is_at_its_end(self, listing):
        listing.things = [each for each in listing.things if each.partition == "A"]
        page = read(listing, 8, first_reads=[4, 4])
        assert (places(page), page.rounds) == ([], 1)

    def test_may_find_an_item_in_two_lists_that_moves_between_them(self):
        things = [Thing(name, "", place) for name in "AB" for place in "ab"]
        runs = [replace(A, alternative="old"), replace(B, alternative="new")]
        page = read(MergedList(runs, things), 5)
        assert places(page) == ["a", "b"]

    def test_cost_no_more_where_larger_items_follow_small_ones(self, listing):
        green = [f"{n:03}" for n in range(2, 200, 2) if n % 10]
        listing.things += [Thing("B", "", place, kind="green") for place in green]
        listing.bytes_of = lambda item: 50 if item["s"]["S"] < "040" else LARGEST_ITEM
        page = listing.read(PageRequest(18, most_units=4), OLDEST, first_reads=[16, 16])
        assert 3 < page.capacity_units <= 4

    def test_end_the_page_where_too_little_is_left_for_another_round(self, listing):
        listing.bytes_of = lambda _item: 1_000
        request = PageRequest(18, most_units=4)
        pages = [*listing.walk(request, OLDEST, first_reads=[4, 4])]
        assert all(sum(each.capacity_units for each in page.reads) <= 4 for page in pages)
        assert len({place for page in pages for place in places(page)}) == 20


class TestWhatIsWrong:
    @pytest.mark.parametrize("size", [0, -1])
    def test_is_a_page_of_no_item(self, size):
        with pytest.raises(ValueError, match="at least one item"):
            PageRequest(size)

    @pytest.mark.parametrize(
        ("run", "other"),
        [
            (A, Run(INDEX, "A")),
            (A, Run(INDEX, "A", "SHIPPED#")),
            (A, Run(INDEX, "A", section="1/")),
            (Run(INDEX, "A", "S"), Run(INDEX, "A", "SHIPPED#")),
            (Run(INDEX, "A", until="03"), Run(INDEX, "A", since="02")),
            (Run(INDEX, "A", "S", until="03"), Run(INDEX, "A", since="S02")),
            (Run(INDEX, "A", keep=only("red")), Run(INDEX, "A", keep=only("red", "blue"))),
            (Run(INDEX, "A", keep=only("red")), A),
        ],
    )
    def test_is_a_list_of_runs_that_overlap(self, run, other):
        for runs in ([run, C, other], [other, C, run]):
            with pytest.raises(ValueError, match="overlap: an item could be in both"):
                read(MergedList(runs), 5)

    @pytest.mark.parametrize(
        "other",
        [
            B,
            Run(replace(INDEX, name="by_size"), "A"),
            Run(replace(INDEX, table="others"), "A"),
            Run(INDEX, "A", since="05", until="04"),
        ],
    )
    def test_is_none_of_runs_beside_one_another(self, other):
        refuse_overlaps([A, other])

    def test_is_none_of_ranges_that_touch(self):
        refuse_overlaps([Run(INDEX, "A", "S", until="03"), Run(INDEX, "A", "S", since="03")])
        refuse_overlaps([Run(INDEX, "A", "S#"), Run(INDEX, "A", "S$")])

    def test_is_none_of_filters_that_keep_others(self):
        refuse_overlaps([Run(INDEX, "A", keep=only(kind)) for kind in ("red", "blue", "green")])
        with pytest.raises(ValueError, match="overlap"):
            refuse_overlaps([Run(INDEX, "A", keep=only(k)) for k in ("red", "blue", "red")])

    def test_is_an_order_that_is_none(self):
        with pytest.raises(ValueError, match="'newest first' is not an Order"):
            MergedList([A]).read(PageRequest(5), "newest first")  # type: ignore[arg-type] # on purpose

    @pytest.mark.parametrize("size", [1, 2, 3, 8])
    def test_is_a_page_of_two_items_at_one_place(self, size):
        tied = MergedList(
            [A, B], [Thing("A", "", "02"), Thing("B", "", "02"), Thing("A", "", "03")]
        )
        with pytest.raises(ValueError, match=r"at '02'.*table_key=\("):
            for _ in tied.walk(PageRequest(size), Order.OLDEST_FIRST):
                pass

    def test_is_a_list_of_which_some_indexes_only_have_unique_places(self):
        tied = Index("others", "by_kind", partition="p", sort="s", table_key=("pk", "sk"))
        with pytest.raises(ValueError, match="of the same kind"):
            read(MergedList([A, Run(tied, "A")]), 5)
