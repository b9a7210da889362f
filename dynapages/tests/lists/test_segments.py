"""Reading segment by segment is the same as merging everything at once, only cheaper."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages.items import id_at, sort_key_of
from dynapages.lists.key_texts import HIGHEST
from dynapages.lists.merging import LEAST_UNITS
from dynapages.lists.queries import QuerySource
from dynapages.lists.reader import (
    Order,
    Page,
    PageRequest,
    Segment,
    SegmentsPlan,
    Toward,
    read_segments,
    unread_page,
)
from dynapages.lists.runs import Position, Run
from dynapages_testing.chance import examples
from dynapages_testing.merged_lists import (
    INDEX,
    POOL,
    MergedList,
    Thing,
    cuts,
    orders,
    owner_at,
    places,
    sizes,
)

PREVIOUS = Toward.PREVIOUS
MONTHS = [f"2026-{month:02}" for month in range(1, 12)]
SEGMENTS = [Segment(this, this, following) for this, following in pairwise(MONTHS)]
SHARDS = ("0", "1", "2")
SECTIONS = {"0": "b/", "1": "c/", "2": "a/"}
"""Of the shards, where each is a section."""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Log(MergedList):
    """Things in months and shards, as in a log with a table for each month."""

    runs: list[Run] = field(init=False)
    asked: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=lambda: SEGMENTS)
    first_read: int | None = None
    most_empty: int = len(MONTHS) * len(SHARDS)

    def __post_init__(self) -> None:
        self.runs = self.runs_of(SEGMENTS)

    def plan_of(self, segments: Sequence[Segment], _needed: int) -> SegmentsPlan:
        self.asked += [segment.name for segment in segments]
        runs = self.runs_of(segments)
        return SegmentsPlan(runs, [self.first_read] * len(runs) if self.first_read else None)

    def runs_of(self, segments: Sequence[Segment]) -> list[Run]:
        return [Run(INDEX, f"{segment.name}#{shard}") for segment in segments for shard in SHARDS]

    def read(self, request: PageRequest, order: Order, **_how: Any) -> Page:
        self.asked.clear()
        source = QuerySource(self.model())
        return read_segments(
            self.segments[::-1], self.plan_of, request, source=source, pool=POOL, order=order
        )


moments = st.builds(
    lambda month, hours: BEGIN.replace(month=month) + timedelta(hours=hours),
    st.integers(1, 10),
    st.sampled_from([0, 0, 1, 24 * 27 + 23]),
)
all_places = st.builds(sort_key_of, moments, st.text("a#!é", min_size=1, max_size=3))
positions = st.builds(
    lambda place, inclusive: Position(place, owner_at(place), inclusive=inclusive),
    all_places,
    st.booleans(),
)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    found = draw(st.lists(all_places, unique_by=id_at, max_size=25))
    shards = draw(st.lists(st.sampled_from(SHARDS), min_size=25, max_size=25))
    things = [
        Thing(f"{place[:7]}#{shard}", "", place, owner_at(place))
        for place, shard in zip(found, shards, strict=False)
    ]
    return Log(things=things, cut=draw(cuts))


@st.composite
def expecting_logs(draw: st.DrawFn) -> Log:
    """Draw a log of whose months some number is expected, right or wrong."""
    log = draw(logs())
    numbers = st.integers(0, 9) | st.just(inf)
    log.segments = [replace(segment, expected=draw(numbers)) for segment in SEGMENTS]
    return log


def section_of(partition: str) -> str:
    return SECTIONS[partition[-1]]


def sectioned(runs: list[Run]) -> list[Run]:
    return [replace(run, section=section_of(run.partition)) for run in runs]


class SectionedLog(Log):
    """A log that is read shard by shard."""

    def runs_of(self, segments: Sequence[Segment]) -> list[Run]:
        names = [segment.name for segment in segments]
        return [run for run in sectioned(Log.runs_of(self, SEGMENTS)) if run.section in names]


@st.composite
def expecting_sections(draw: st.DrawFn) -> Log:
    """Draw a log that is read shard by shard, of which some number is expected."""
    log, numbers = draw(logs()), st.integers(0, 9) | st.just(inf)
    segments = [Segment(s, s, s + HIGHEST, draw(numbers)) for s in SECTIONS.values()]
    return SectionedLog(things=log.things, cut=log.cut, segments=segments)


@st.composite
def requests(draw: st.DrawFn) -> PageRequest:
    position = draw(positions | st.none())
    toward = draw(st.sampled_from(Toward))
    return PageRequest(draw(sizes), position, toward)


class TestAPage:
    """Whatever is expected of its segments, right or wrong, and however much is asked for first."""

    @given(
        log=expecting_logs() | logs(),
        order=orders,
        request=requests(),
        first=st.none() | st.integers(1, 5),
    )
    def test_is_that_of_one_merge_of_everything(self, log, order, request, first):
        log.first_read = first
        page, plain = log.read(request, order), MergedList.read(log, request, order)
        assert page.entries == plain.entries
        assert (page.has_next, page.has_previous) == (plain.has_next, plain.has_previous)

    def test_of_no_segments_is_empty(self):
        page = Log(segments=[]).read(PageRequest(3), Order.NEWEST_FIRST)
        assert (page.entries, page.has_next, page.rounds) == ((), False, 0)


class TestWalkingAList:
    """Of as many units as it takes, or of few: then pages are short, together they are the list."""

    @pytest.mark.parametrize("toward", Toward, ids=["onward", "back"])
    @given(
        log=expecting_logs() | logs(),
        order=orders,
        size=sizes,
        most=st.just(inf) | st.floats(0, 6),
    )
    def test_gives_exactly_the_sorted_answer(self, toward, log, order, size, most):
        pages = list(log.walk(PageRequest(size, None, toward, most), order))
        assert all(len(page.entries) == size or page.cut_at for page in pages[:-1])
        in_order = pages if toward is Toward.NEXT else pages[::-1]
        assert [place for page in in_order for place in places(page)] == log.places(order)

    @given(log=expecting_logs(), order=orders, request=requests(), most=st.floats(0, 6))
    def test_spends_no_more_on_further_segments(self, log, order, request, most):
        page = log.read(replace(request, most_units=most), order)
        of_one_segment = LEAST_UNITS * len(SHARDS)
        assert page.capacity_units <= max(most, of_one_segment)

    @pytest.mark.parametrize("toward", Toward, ids=["onward", "back"])
    @settings(max_examples=examples(60))
    @given(log=expecting_logs(), order=orders, size=sizes, most=st.just(inf) | st.floats(0, 6))
    def test_leads_back_from_each_page_to_all_in_front_of_it(self, toward, log, order, size, most):
        request = PageRequest(size, None, toward, most)
        log.require_ways_back(request, order, log.places(order))

    @pytest.mark.parametrize("order", Order)
    def test_leads_to_an_item_at_the_very_edge_of_a_segment_and_back(self, order):
        edge = Thing(f"{MONTHS[4]}#0", "", MONTHS[4], owner_at(MONTHS[4]))
        log = Log(things=[edge, thing(MONTHS[2], 1), thing(MONTHS[6], 1)])
        for toward, most in product(Toward, (0, 1.5, 3, 6, inf)):
            request = PageRequest(1, None, toward, most)
            log.require_ways_back(request, order, log.places(order))

    @given(log=logs(), order=orders, size=sizes)
    def test_back_numbers_the_items_as_forward(self, log, order, size):
        pages = list(log.walk(PageRequest(size), order))
        if not pages[-1].entries:
            return
        last = pages[-1].entries[0].position
        back = list(log.walk(PageRequest(size, last, PREVIOUS), order))
        forward = [entry.position for page in pages[:-1] for entry in page.entries]
        assert [entry.position for page in back[::-1] for entry in page.entries] == forward


class TestSections:
    """Runs whose places begin with their section: one section behind the other."""

    def in_order(self, log: Log, order: Order) -> list[str]:
        found = [section_of(thing.partition) + thing.place for thing in log.things]
        return sorted(found, reverse=order is Order.NEWEST_FIRST)

    @given(log=logs(), order=orders, size=sizes, toward=st.sampled_from(Toward))
    def test_are_merged_one_behind_the_other(self, log, order, size, toward):
        listing = MergedList(sectioned(log.runs), log.things, log.cut)
        pages = list(listing.walk(PageRequest(size, toward=toward), order))
        pages = pages if toward is Toward.NEXT else pages[::-1]
        assert [place for page in pages for place in places(page)] == self.in_order(log, order)

    @settings(max_examples=examples(40))
    @given(log=expecting_sections(), order=orders, size=sizes, most=st.none() | st.floats(0, 6))
    def test_are_read_no_further_than_needed(self, log, order, size, most):
        for toward in Toward:
            request = PageRequest(size, toward=toward, most_units=inf if most is None else most)
            pages = list(log.walk(request, order))
            pages = pages if toward is Toward.NEXT else pages[::-1]
            assert [place for page in pages for place in places(page)] == self.in_order(log, order)

    @settings(max_examples=examples(40))
    @given(log=expecting_sections(), order=orders, size=sizes, most=st.none() | st.floats(0, 6))
    def test_lead_back_from_each_page_to_all_in_front_of_it(self, log, order, size, most):
        for toward in Toward:
            request = PageRequest(size, None, toward, inf if most is None else most)
            log.require_ways_back(request, order, self.in_order(log, order))

    @given(log=expecting_sections(), order=orders, size=sizes, toward=st.sampled_from(Toward))
    def test_go_on_from_a_page_that_is_not_read(self, log, order, size, toward):
        request = PageRequest(size, toward=toward)
        page = unread_page(request, order=order)
        on = page.next_position if toward is Toward.NEXT else page.previous_position
        following = log.read(replace(request, position=on), order)
        assert following.entries == log.read(request, order).entries

    @settings(max_examples=examples(40))
    @given(log=expecting_sections(), order=orders, size=sizes, place=all_places)
    def test_are_read_from_any_position(self, log, order, size, place):
        for section in SECTIONS.values():
            at = section + place
            page = log.read(PageRequest(size, Position(at, owner_at(place))), order)
            behind = [
                one
                for one in self.in_order(log, order)
                if (one < at if order is Order.NEWEST_FIRST else one > at)
            ]
            assert places(page) == behind[:size]


class TestTheCostOfAPage:
    def test_is_one_segment_where_that_fills_it(self):
        log = Log(things=[thing("2026-10", n) for n in range(5)])
        log.read(PageRequest(4), Order.NEWEST_FIRST)
        assert log.asked == ["2026-10"]

    def test_is_one_more_for_the_item_beyond_the_page(self):
        log = Log(things=[thing("2026-10", n) for n in range(4)])
        log.read(PageRequest(4), Order.NEWEST_FIRST)
        assert log.asked[:2] == ["2026-10", "2026-09"]

    def test_is_nothing_for_segments_in_front_of_the_position(self):
        log = Log(things=[thing(month, n) for month in MONTHS[:-1] for n in range(5)])
        request = PageRequest(3, thing("2026-05", 4).position())
        log.read(request, Order.NEWEST_FIRST)
        assert log.asked == ["2026-05"]
        log.read(PageRequest(3, thing("2026-05", 4).position(), PREVIOUS), Order.NEWEST_FIRST)
        assert log.asked[:2] == ["2026-05", "2026-06"]

    def test_is_all_that_it_may_be_where_a_further_segment_just_fits(self):
        request = PageRequest(1, most_units=2 * LEAST_UNITS * len(SHARDS))
        page = Log().read(request, Order.OLDEST_FIRST)
        assert (page.rounds, page.capacity_units) == (2, request.most_units)
        assert page.cut_at is not None

    def test_is_expected_by_the_items_of_the_segments_before(self):
        log = Log(things=[thing(month, 0) for month in MONTHS[:2]], bytes_of=lambda _item: 8_000)
        page = log.read(PageRequest(2, most_units=4), Order.OLDEST_FIRST)
        assert (len(page.entries), page.capacity_units) == (1, 2)

    def test_is_few_rounds_where_there_is_nothing(self):
        log = Log()
        page = log.read(PageRequest(3), Order.NEWEST_FIRST)
        assert log.asked == MONTHS[-2::-1]
        assert page.rounds == 5

    def test_is_one_round_where_the_right_number_is_expected_of_each_segment(self):
        expected = {"2026-10": 1, "2026-09": 2, "2026-08": 4, "2026-07": 8}
        segments = [replace(one, expected=expected.get(one.name, 0)) for one in SEGMENTS]
        things = [thing(month, n) for month, number in expected.items() for n in range(number)]
        log = Log(things=things, segments=segments)
        assert log.read(PageRequest(6), Order.NEWEST_FIRST).rounds == 1
        assert log.asked == ["2026-10", "2026-09", "2026-08"]


def thing(month: str, number: int) -> Thing:
    place = f"{month}-1{number}T00:00:00.000000Z#{number}"
    return Thing(f"{month}#{number % 3}", "", place, owner_at(place))
