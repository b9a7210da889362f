"""Whatever the runs, the sizes and the cuts: the pages are the sorted answer, cut in pages."""

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.items import BLOCK, id_at
from dynapages.lists.merging import LARGEST_ITEM, LEAST_UNITS
from dynapages.lists.reader import Order, PageRequest, Toward, unread_page
from dynapages.lists.runs import Ordinal, Position, Run
from dynapages_testing.chance import examples
from dynapages_testing.merged_lists import (
    INDEX,
    MergedList,
    Thing,
    bounds,
    cuts,
    hostile_lists,
    merged_lists,
    only,
    orders,
    places,
    positions,
    sizes,
    sizes_up_to,
    split,
    things,
    way_back,
)

PREVIOUS = Toward.PREVIOUS
OLDEST = Order.OLDEST_FIRST


def first_reads_of(listing: MergedList) -> st.SearchStrategy[list[int] | None]:
    count = len(listing.runs)
    return st.none() | st.lists(st.integers(1, 9), min_size=count, max_size=count)


def behind(position: Position, whole: list[str], order: Order) -> list[str]:
    if order is Order.NEWEST_FIRST:
        found = [place for place in whole if place < position.place]
    else:
        found = [place for place in whole if place > position.place]
    return [position.place, *found] if is_shown(position, whole) else found


def in_front(position: Position, whole: list[str], order: Order) -> list[str]:
    if order is Order.NEWEST_FIRST:
        found = [place for place in whole if place > position.place]
    else:
        found = [place for place in whole if place < position.place]
    return [*found, position.place] if is_shown(position, whole) else found


def is_shown(position: Position, whole: list[str]) -> bool:
    return position.inclusive and position.place in whole


@pytest.fixture(scope="module", params=Toward, ids=["onward", "back"])
def toward(request):
    found: Toward = request.param
    return found


class TestWalkingAList:
    """Of as many units as it takes, or of few: half a unit for each 4 KB that a read starts."""

    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes, at=bounds)
    def test_gives_exactly_the_sorted_answer(self, toward, data, listing, order, size, at):
        how = {
            "first_reads": data.draw(first_reads_of(listing)),
            "fallback": data.draw(st.sampled_from([None, lambda run, _most: split(run, at)])),
        }
        most = data.draw(st.just(inf) | st.floats(0, 6))
        pages = list(listing.walk(PageRequest(size, None, toward, most), order, **how))
        assert all(len(page.entries) == size or page.cut_at for page in pages[:-1])
        assert all(len(page.entries) < size for page in pages if page.cut_at)
        assert not (pages[0].has_next if toward is PREVIOUS else pages[0].has_previous)
        in_order = pages[::-1] if toward is PREVIOUS else pages
        assert [place for page in in_order for place in places(page)] == listing.places(order)

    @given(listing=hostile_lists(), order=orders, size=sizes)
    def test_numbers_the_items_from_one(self, listing, order, size):
        pages = list(listing.walk(PageRequest(size), order))
        ordinals = [entry.position.ordinal for page in pages for entry in page.entries]
        assert ordinals == [Ordinal(number) for number in range(1, len(ordinals) + 1)]

    @given(listing=merged_lists(), order=orders, size=sizes)
    def test_back_numbers_them_the_same(self, listing, order, size):
        *_, last = listing.walk(PageRequest(size), order)
        if not last.entries:
            return
        start = last.entries[0].position
        pages = list(listing.walk(PageRequest(size, start, PREVIOUS), order))
        ordinals = [entry.position.ordinal for page in reversed(pages) for entry in page.entries]
        assert ordinals == [Ordinal(number) for number in range(1, start.ordinal.number)]


class TestAPageFromAnyPosition:
    """Of an item of any run, of one that is gone, or of none there ever was."""

    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes)
    def test_is_what_lies_next_to_it(self, toward, data, listing, order, size):
        of_items = [
            thing.position(inclusive=inclusive)
            for thing in listing.things
            for inclusive in (False, True)
        ]
        position = data.draw(st.sampled_from(of_items) | positions if of_items else positions)
        page = listing.read(PageRequest(size, position, toward), order)
        if toward is PREVIOUS:
            rest = in_front(position, listing.places(order), order)
            assert (page.has_previous, page.has_next) == (len(rest) > size, True)
            assert places(page) == rest[-size:]
        else:
            rest = behind(position, listing.places(order), order)
            assert (page.has_next, page.has_previous) == (len(rest) > size, True)
            assert places(page) == rest[:size]

    @given(listing=hostile_lists(), order=orders, size=sizes, position=positions | st.none())
    def test_without_look_ahead_has_the_same_items_and_never_invents_a_next_page(
        self, listing, order, size, position
    ):
        request = PageRequest(size, position and replace(position, ordinal=Ordinal(7)))
        page = listing.read(request, order, look_ahead=False)
        looked = listing.read(request, order)
        assert page.entries == looked.entries
        assert looked.has_next or not page.has_next

    @given(listing=merged_lists(), order=orders, size=sizes)
    def test_without_look_ahead_numbers_items_the_same_going_back(self, listing, order, size):
        whole = listing.places(order)
        if not whole:
            return
        last = next(t.position(Ordinal(len(whole))) for t in listing.things if t.place == whole[-1])
        request = PageRequest(size, last, PREVIOUS)
        page = listing.read(request, order, look_ahead=False)
        assert page.entries == listing.read(request, order).entries


class TestFallingBackInMidPage:
    """To other runs of the same items, where a run with a filter holds less than expected."""

    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes, at=bounds)
    def test_changes_nothing_but_the_cost(self, data, listing, order, size, at):
        how = {
            "fallback": lambda run, _most: split(run, at),
            "first_reads": data.draw(first_reads_of(listing)),
            "look_ahead": data.draw(st.booleans()),
        }
        position = data.draw(positions | st.none())
        toward = data.draw(st.sampled_from(Toward)) if position else Toward.NEXT
        request = PageRequest(size, position, toward)
        page, plain = listing.read(request, order, **how), listing.read(request, order)
        assert places(page) == places(plain)
        assert [entry.item for entry in page.entries] == [entry.item for entry in plain.entries]
        if how["look_ahead"]:
            assert [e.position for e in page.entries] == [e.position for e in plain.entries]
            assert (page.has_next, page.has_previous) == (plain.has_next, plain.has_previous)

    @given(listing=hostile_lists(), order=orders, size=sizes, at=bounds)
    def test_is_told_and_its_runs_are_among_the_reads(self, listing, order, size, at):
        page = listing.read(PageRequest(size), order, fallback=lambda run, _most: split(run, at))
        runs = [read.run for read in page.reads]
        assert runs[: len(listing.runs)] == listing.runs
        assert page.fell_back is (len(runs) > len(listing.runs))
        assert sum(read.rounds for read in page.reads) == len(listing.requests)
        assert sum(read.items_returned for read in page.reads) == len(page.entries)
        assert sum(read.capacity_units for read in page.reads) == 0.5 * len(listing.requests)


class TestAListThatChangesBetweenPages:
    @settings(max_examples=examples(60))
    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes)
    def test_shows_each_untouched_item_once_and_in_order(self, toward, data, listing, order, size):
        whole, untouched = listing.places(order), set(listing.places(order))
        seen: list[str] = []
        for page in listing.walk(PageRequest(size, toward=toward), order):
            seen = places(page) + seen if toward is PREVIOUS else seen + places(page)
            untouched -= _change(data, listing)
        assert [place for place in seen if place in untouched] == [
            place for place in whole if place in untouched
        ]
        assert len(seen) == len(set(seen))


class TestTheCostOfAPage:
    @given(listing=merged_lists(), order=orders, size=sizes, position=positions | st.none())
    def test_is_one_round_of_one_query_a_run_when_nothing_is_cut(
        self, listing, order, size, position
    ):
        page = listing.read(PageRequest(size, position), order)
        assert page.rounds == bool(listing.requests)  # none where all runs end before the position
        assert len(listing.requests) == sum(read.rounds for read in page.reads)
        assert len(listing.requests) <= len(listing.runs)

    @given(
        data=st.data(),
        listing=merged_lists(),
        order=orders,
        size=sizes,
        cut=cuts | st.just(lambda _request: None),
    )
    def test_is_never_more_of_a_run_than_a_page_and_one_item(self, data, listing, order, size, cut):
        listing.cut = cut
        first_reads = data.draw(st.none() | st.just([min(2, size)] * len(listing.runs)))
        page = listing.read(PageRequest(size), order, first_reads=first_reads)
        assert all(read.items_read <= size + 1 for read in page.reads)


def _change(data: st.DataObject, listing: MergedList) -> set[str]:
    """Delete some things and add others; name the places of those that are gone."""
    gone = data.draw(st.sets(st.sampled_from(listing.things), max_size=3)) if listing.things else ()
    taken = {id_at(thing.place) for thing in listing.things}
    new = [t for t in data.draw(things(at_most=3)) if id_at(t.place) not in taken]
    listing.things = [thing for thing in listing.things if thing not in gone] + new
    return {thing.place for thing in gone}


class TestAPageOfSoManyUnits:
    @settings(max_examples=examples(60))
    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes, at=bounds)
    def test_spends_no_more_than_that_or_an_item_of_each_run(self, data, listing, order, size, at):
        largest = data.draw(st.sampled_from([300, LARGEST_ITEM, BLOCK]))
        listing.bytes_of = data.draw(sizes_up_to(largest))
        most = data.draw(st.floats(0, 6))
        how = {
            "first_reads": data.draw(first_reads_of(listing)),
            "fallback": data.draw(st.sampled_from([None, lambda run, _most: split(run, at)])),
        }
        request = PageRequest(size, most_units=most, largest_item=largest)
        page = listing.read(request, order, **how)
        assert page.capacity_units <= max(most, LEAST_UNITS * len(listing.runs))

    @settings(max_examples=examples(60))
    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes)
    def test_expects_items_as_large_as_those_that_it_has_read(self, data, listing, order, size):
        listing.bytes_of = lambda _item: 9_000
        request = PageRequest(size, most_units=data.draw(st.floats(0, 20)))
        page = listing.read(request, order)
        again = listing.read(replace(request, largest_item=page.largest_item), order)
        assert (page.largest_item >= 9_000) is any(read.items_read for read in page.reads)
        assert again.capacity_units <= max(request.most_units, 1.5 * len(listing.runs))


class TestTheWayBack:
    """From any page of a walk, short and empty ones among them, to the page that led there."""

    @settings(max_examples=examples(60))
    @given(data=st.data(), listing=hostile_lists(), order=orders, size=sizes, at=bounds)
    def test_shows_all_that_is_in_front_of_a_page_once(
        self, toward, data, listing, order, size, at
    ):
        how = {
            "first_reads": data.draw(first_reads_of(listing)),
            "fallback": data.draw(st.sampled_from([None, lambda run, _most: split(run, at)])),
        }
        request = PageRequest(size, None, toward, data.draw(st.just(inf) | st.floats(0, 6)))
        listing.require_ways_back(request, order, listing.places(order), **how)

    @settings(max_examples=examples(60))
    @given(
        data=st.data(),
        listing=hostile_lists(),
        order=orders,
        size=sizes,
        position=positions,
        most=st.just(inf) | st.floats(0, 6),
    )
    def test_from_a_page_at_any_position_shows_all_that_the_page_left_in_front(
        self, toward, data, listing, order, size, position, most
    ):
        request = PageRequest(size, position, toward, most)
        page = listing.read(request, order)
        _change(data, listing)
        left = in_front if toward is Toward.NEXT else behind
        opposite = replace(position, inclusive=not position.inclusive)
        expected = left(opposite, listing.places(order), order)
        assert listing.places_from(way_back(page, request), order) == expected

    def test_does_not_read_again_what_was_found_to_hold_nothing(self):
        listing = between_blue_things()
        page = listing.read(PageRequest(1, listing.things[0].position(Ordinal(1))), OLDEST)
        assert (places(page), page.reads[0].items_read) == (["31"], 31)
        back = PageRequest(1, page.previous_position, PREVIOUS)
        assert_reads_one_thing(listing, back)
        last = listing.things[-1].position(Ordinal(2))
        page = listing.read(PageRequest(1, last, PREVIOUS), OLDEST)
        assert places(page) == ["00"]
        assert_reads_one_thing(listing, PageRequest(1, page.next_position), "31")

    def test_of_an_empty_page_is_in_front_of_it(self):
        listing = between_blue_things()
        request = PageRequest(1, listing.things[0].position(Ordinal(1)), most_units=0)
        page = listing.read(request, OLDEST)
        assert (page.entries, page.has_next) == ((), True)
        assert_reads_one_thing(listing, PageRequest(1, page.previous_position, PREVIOUS))

    def test_is_not_there_behind_pages_in_which_nothing_was_found(self):
        listing = between_blue_things()
        del listing.things[0]
        pages = list(listing.walk(PageRequest(1, most_units=2), OLDEST))
        assert len(pages) > 2
        assert not any(page.has_previous for page in pages)


def between_blue_things() -> MergedList:
    """Two red things, and thirty blue ones between them, which the list does not show."""
    kinds = ["red", *["blue"] * 30, "red"]
    found = [Thing("A", "", f"{n:02}", "alex", kind) for n, kind in enumerate(kinds)]
    return MergedList([Run(INDEX, "A", keep=only("red"))], found)


def assert_reads_one_thing(listing: MergedList, request: PageRequest, place: str = "00") -> None:
    page = listing.read(request, OLDEST, look_ahead=False)
    assert (places(page), page.reads[0].items_read) == ([place], 1)


class TestAPageThatIsNotRead:
    @given(listing=hostile_lists(), order=orders, size=sizes, position=positions | st.none())
    def test_goes_on_with_what_it_would_have_shown(self, toward, listing, order, size, position):
        request = PageRequest(size, position, toward)
        unread, page = unread_page(request, order=order), listing.read(request, order)
        assert (unread.entries, unread.reads, unread.rounds) == ((), (), 0)
        on = unread.next_position if toward is Toward.NEXT else unread.previous_position
        following = listing.read(replace(request, position=on), order)
        assert following.entries == page.entries
        assert (following.has_next, following.has_previous) == (page.has_next, page.has_previous)

    @given(listing=hostile_lists(), order=orders, size=sizes, position=positions | st.none())
    def test_leads_back_as_one_that_is_read(self, toward, listing, order, size, position):
        request = PageRequest(size, position, toward)
        unread, page = unread_page(request, order=order), listing.read(request, order)
        back, of_page = way_back(unread, request), way_back(page, request)
        assert (back is None) is (of_page is None) is (position is None)
        if back and of_page:
            assert listing.places_from(back, order) == listing.places_from(of_page, order)
