"""Feeds of random lists against a plain sort: keys of each type, equal ones, sections, filters."""

import asyncio
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import Item, key_value
from dynapages.lists.queries import QuerySource
from dynapages.lists.reader import Order, Page, PageRequest, every_entry, read_page
from dynapages.lists.runs import Run
from dynapages_testing.merged_lists import POOL, sizes
from dynapages_testing.tied_lists import (
    BY_SORT,
    Awaited,
    TiedList,
    items_of,
    tied_lists,
    walk,
    walk_back,
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


class TestTheMergeOfTies:
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


def read_all(tied: TiedList, runs: list[Run], size: int, **how: Any) -> list[Item]:
    """Read every page of some runs."""
    order = Order.NEWEST_FIRST if tied.newest_first else Order.OLDEST_FIRST
    source = QuerySource(tied.model())

    def page_of(request: PageRequest) -> Page:
        return read_page(runs, request, source=source, pool=POOL, order=order, **how)

    return [entry.item for entry in every_entry(page_of, at_once=size)]
