"""Feeds of random lists against a plain sort: keys of each type, equal ones, sections, filters."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.items import Item, key_value
from dynapages.lists.queries import QuerySource
from dynapages.lists.reader import (
    Order,
    Page,
    PageRequest,
    Toward,
    every_entry,
    read_page,
    unread_page,
)
from dynapages.lists.runs import Index, OneOf, Run
from dynapages_testing.chance import examples
from dynapages_testing.merged_lists import POOL, sizes, way_back
from dynapages_testing.tied_lists import (
    BY_SORT,
    Awaited,
    TiedList,
    items_of,
    thing,
    tied_lists,
    walk,
    walk_back,
    walk_back_from,
    walk_from,
)


class TestTheListOfAFeed:
    @given(tied=tied_lists(), size=sizes)
    def test_is_the_sorted_one_from_its_beginning(self, tied, size):
        pages = walk(tied.feed(), size)
        assert items_of(pages) == tied.truth()
        assert all(len(page.items) == size for page in pages[:-1])
        assert [page.has_next for page in pages] == [True] * (len(pages) - 1) + [False]

    @given(tied=tied_lists(), size=sizes)
    def test_is_the_sorted_one_from_its_end(self, tied, size):
        pages = walk_back(tied.feed(), size)
        assert items_of(pages) == tied.truth()
        assert [page.has_previous for page in pages] == [False] + [True] * (len(pages) - 1)

    @given(tied=tied_lists(), size=sizes)
    def test_goes_on_behind_each_of_its_items_and_back(self, tied, size):
        feed, truth = tied.feed(), tied.truth()
        for page in walk(feed, 11):
            for item in page.items:
                at = truth.index(item)
                following = feed.page(size, after=page.cursor(item))
                preceding = feed.page(size, before=page.cursor(item))
                assert list(following.items) == truth[at + 1 : at + 1 + size]
                assert list(preceding.items) == truth[max(0, at - size) : at]

    @given(tied=tied_lists(), size=sizes)
    def test_is_walked_item_by_item(self, tied, size):
        assert list(tied.feed()) == tied.truth()

    @given(tied=tied_lists(), size=sizes)
    def test_is_the_same_when_it_is_awaited(self, tied, size):
        feed = tied.feed(client=Awaited(tied.model()))

        async def awaited():
            pages = [await feed.apage(size)]
            while following := pages[-1].next:
                pages.append(await feed.apage(size, after=following))
            return items_of(pages), [item async for item in feed]

        assert asyncio.run(awaited()) == (tied.truth(), tied.truth())

    @given(tied=tied_lists(), size=sizes, data=st.data())
    def test_goes_on_where_the_item_of_its_cursor_was_deleted(self, tied, size, data):
        truth, feed = tied.truth(), tied.feed()
        if not truth:
            return
        page = feed.page(len(truth))
        at = data.draw(st.integers(0, len(truth) - 1))
        cursor = page.cursor(page.items[at])
        tied.items.remove(truth[at])
        assert list(feed.page(size, after=cursor).items) == truth[at + 1 : at + 1 + size]
        assert list(feed.page(size, before=cursor).items) == truth[max(0, at - size) : at]


class TestTheWayBackOfAFeed:
    @settings(max_examples=examples(60))
    @given(tied=tied_lists(), size=sizes)
    def test_from_each_page_shows_all_in_front_of_it_once(self, tied, size):
        feed = tied.feed()
        shown: list[Item] = []
        for page in walk(feed, size):
            assert items_of(walk_back_from(feed, size, page.previous)) == shown
            shown += page.items
        shown.clear()
        for page in reversed(walk_back(feed, size)):
            assert items_of(walk_from(feed, size, page.next)) == shown
            shown = [*page.items, *shown]

    @settings(max_examples=examples(60))
    @given(tied=tied_lists(), size=sizes, toward=st.sampled_from(Toward), data=st.data())
    def test_shows_all_that_is_left_where_items_of_any_page_were_deleted(
        self, tied, size, toward, data
    ):
        feed, truth = tied.feed(), tied.truth()
        pages = walk(feed, size) if toward is Toward.NEXT else walk_back(feed, size)[::-1]
        if len(pages) == 1:
            return
        at = data.draw(st.integers(1, len(pages) - 1))
        walked = pages[:at] if toward is Toward.NEXT else pages[:at][::-1]
        gone = data.draw(st.lists(st.sampled_from(truth), max_size=10))
        left = [item for item in items_of(walked) if item not in gone]
        tied.items[:] = [item for item in tied.items if item not in gone]
        if toward is Toward.NEXT:
            page = feed.page(size, after=pages[at - 1].next)
            assert items_of(walk_back_from(feed, size, page.previous)) == left
        else:
            page = feed.page(size, before=pages[at - 1].previous)
            assert items_of(walk_from(feed, size, page.next)) == left

    def test_from_a_page_whose_items_are_all_gone_is_the_page_before(self):
        items = [thing(number, "A", f"{number:02}") for number in range(9)]
        tied = TiedList(items, [["A"]], newest_first=False)
        feed = tied.feed()
        first = feed.page(3)
        del tied.items[3:]
        page = feed.page(3, after=first.next)
        assert (page.items, page.next) == ((), None)
        assert feed.page(3, before=page.previous).items == first.items

    def test_takes_two_items_more_than_its_page_as_the_item_at_the_position_is_one_of_them(self):
        items = [thing(number, "A", f"{number:02}") for number in range(30)]
        feed = TiedList(items, [["A"]]).feed()
        third = walk(feed, 5)[2]
        back = feed.page(5, before=third.previous)
        again = feed.page(5, before=third.cursor(third.items[0]))
        assert back.items == again.items
        assert [page.page.reads[0].items_read for page in (back, again)] == [7, 8]

    @given(tied=tied_lists(), size=sizes)
    def test_is_exact_in_the_table_itself(self, tied, size):
        tied = replace(tied, sections=[[f"THING#{n}" for n in range(5)]], begins_with="")
        feed = tied.feed(Index("things", partition="pk", sort="sk"))
        shown: list[Item] = []
        for page in walk(feed, size):
            assert items_of(walk_back_from(feed, size, page.previous)) == shown
            shown += page.items


class TestTheMergeOfTies:
    @settings(max_examples=examples(60))
    @given(tied=tied_lists(), size=sizes, most=st.floats(0, 6), toward=st.sampled_from(Toward))
    def test_leads_back_to_all_in_front_where_units_end_the_pages(self, tied, size, most, toward):
        request = PageRequest(size, None, toward, most)
        shown: list[Item] = []
        for page in walk_merged(tied, request):
            back = way_back(page, request)
            assert (back is not None) is bool(shown)
            tied.requests.clear()
            if back is not None:
                assert shown_by(walk_merged(tied, back), back.toward) == shown
            found = [entry.item for entry in page.entries]
            shown = shown + found if toward is Toward.NEXT else found + shown
        assert shown == tied.truth()

    @given(tied=tied_lists(), size=sizes, toward=st.sampled_from(Toward))
    def test_goes_on_from_a_page_that_is_not_read(self, tied, size, toward):
        request = PageRequest(size, toward=toward)
        page = unread_page(request, order=order_of(tied))
        on = page.next_position if toward is Toward.NEXT else page.previous_position
        following = read_merged(tied, replace(request, position=on))
        assert following.entries == read_merged(tied, request).entries

    @given(
        tied=tied_lists(), size=sizes, weights=st.lists(st.integers(1, 9), min_size=4, max_size=4)
    )
    def test_is_exact_whatever_the_first_reads(self, tied, size, weights):
        tied = replace(tied, sections=[tied.sections[-1]], filters=False)
        runs = [Run(BY_SORT, each, tied.begins_with) for each in tied.sections[0]]
        assert read_all(tied, runs, size, first_reads=weights[: len(runs)]) == tied.truth()

    @given(tied=tied_lists(), size=sizes, bounds=st.data())
    def test_is_exact_within_bounds(self, tied, size, bounds):
        tied = replace(tied, sections=[tied.sections[-1]], filters=False, begins_with="")
        values = sorted({key_value(item["s"]) for item in tied.items})
        if not values:
            return
        since, until = (bounds.draw(st.sampled_from([None, *values])) for _ in range(2))
        within = [
            item
            for item in tied.truth()
            if (since is None or key_value(item["s"]) >= since)
            and (until is None or key_value(item["s"]) < until)
        ]
        runs = [Run(BY_SORT, each, since=since, until=until) for each in tied.sections[0]]
        assert read_all(tied, runs, size) == within


def order_of(tied: TiedList) -> Order:
    return Order.NEWEST_FIRST if tied.newest_first else Order.OLDEST_FIRST


def read_merged(tied: TiedList, request: PageRequest) -> Page:
    """Read a page of what a feed lists, of all sections at once."""
    kept = (OneOf("kind", ({"S": "red"},)),) if tied.filters else ()
    in_order = tied.sections[::-1] if tied.newest_first else tied.sections
    has_sections = len(in_order) > 1
    runs = [
        Run(BY_SORT, each, tied.begins_with, keep=kept, section=f"{rank}/" * has_sections)
        for rank, section in enumerate(in_order)
        for each in section
    ]
    source = QuerySource(tied.model())
    return read_page(runs, request, source=source, pool=POOL, order=order_of(tied))


def walk_merged(tied: TiedList, request: PageRequest) -> list[Page]:
    """Read every page from a request on."""
    pages = [read_merged(tied, request)]
    onward = request.toward is Toward.NEXT
    while position := pages[-1].next_position if onward else pages[-1].previous_position:
        pages.append(read_merged(tied, replace(request, position=position)))
    return pages


def shown_by(pages: list[Page], toward: Toward) -> list[Item]:
    in_order = pages if toward is Toward.NEXT else pages[::-1]
    return [entry.item for page in in_order for entry in page.entries]


def read_all(tied: TiedList, runs: list[Run], size: int, **how: Any) -> list[Item]:
    """Read every page of some runs."""
    source = QuerySource(tied.model())

    def page_of(request: PageRequest) -> Page:
        return read_page(runs, request, source=source, pool=POOL, order=order_of(tied), **how)

    return [entry.item for entry in every_entry(page_of, at_once=size)]


class TestARunWithAnUpperBound:
    """BETWEEN includes its upper end, where there may be more items than a read brings."""

    @pytest.mark.parametrize("order", list(Order))
    def test_is_read_where_many_items_are_at_the_bound(self, order):
        sorts = ["a", "b", *["c"] * 50]
        tied = TiedList([thing(n, "A", sort) for n, sort in enumerate(sorts)], [["A"]])
        run, source = Run(BY_SORT, "A", since="a", until="c"), QuerySource(tied.model())
        page = read_page([run], PageRequest(5), source=source, pool=POOL, order=order)
        shown = [entry.item["s"]["S"] for entry in page.entries]
        assert sorted(shown) == ["a", "b"]
        assert not page.has_next


class TestARunWithALowerBound:
    @pytest.mark.parametrize("order", list(Order))
    def test_reads_a_group_at_the_bound_at_once_where_a_filter_drops_of_it(self, order):
        sorts = ["b"] * 50
        kinds = ["red", "blue"]
        items = [thing(n, "A", sort, kinds[n % 2]) for n, sort in enumerate(sorts)]
        tied = TiedList(items, [["A"]])
        run = Run(BY_SORT, "A", since="b", keep=(OneOf("kind", ({"S": "red"},)),))
        source = QuerySource(tied.model())

        page = read_page([run], PageRequest(5), source=source, pool=POOL, order=order)
        assert len(page.entries) == 5
        assert page.rounds == 3
