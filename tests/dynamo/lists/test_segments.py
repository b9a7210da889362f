"""Reading segment by segment is the same as merging everything at once, only cheaper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamo.lists.places import id_at, place_of
from dynamo.lists.reader import Order, Page, PageRequest, Toward, read_page
from dynamo.lists.runs import Position, Run
from dynamo.lists.segments import Segment, read_segments, steps
from dynamo.lists.sources import QuerySource
from tests.support.merged_lists import INDEX, POOL, Thing, cuts, orders, owner_at, places, sizes
from tests.support.query_model import QueryModel

PREVIOUS = Toward.PREVIOUS
MONTHS = [f"2026-{month:02}" for month in range(1, 12)]
SEGMENTS = [Segment(this, this, following) for this, following in pairwise(MONTHS)]
SHARDS = ("0", "1", "2")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Log:
    """Things in months and shards, as in a log with a table for each month."""

    things: list[Thing]
    cut: Any = lambda _request: None
    asked: list[str] = field(default_factory=list)

    def runs_of(self, segments: Sequence[Segment]) -> list[Run]:
        self.asked += [segment.name for segment in segments]
        return [Run(INDEX, f"{segment.name}#{shard}") for segment in segments for shard in SHARDS]

    def read(self, request: PageRequest, order: Order, **how: Any) -> Page:
        self.asked.clear()
        source = QuerySource(self.model())
        return read_segments(
            SEGMENTS[::-1], self.runs_of, request, source=source, pool=POOL, order=order, **how
        )

    def read_at_once(self, request: PageRequest, order: Order) -> Page:
        runs = self.runs_of(SEGMENTS)
        source = QuerySource(self.model())
        return read_page(runs, request, source=source, pool=POOL, order=order)

    def model(self) -> QueryModel:
        items = [thing.item() for thing in self.things]
        return QueryModel(indexes={"by_kind": ("p", "s")}, items=items, cut=self.cut)

    def places(self, order: Order) -> list[str]:
        found = (thing.place for thing in self.things)
        return sorted(found, reverse=order is Order.NEWEST_FIRST)

    def walk(self, request: PageRequest, order: Order, **how: Any) -> Iterator[Page]:
        onward = request.toward is Toward.NEXT
        for _ in range(len(self.things) + 2):
            page = self.read(request, order, **how)
            yield page
            if not (page.has_next if onward else page.has_previous):
                return
            edge = page.entries[-1 if onward else 0]
            request = PageRequest(request.size, edge.position, request.toward)
        message = "the walk does not end"
        raise AssertionError(message)


moments = st.builds(
    lambda month, hours: BEGIN.replace(month=month) + timedelta(hours=hours),
    st.integers(1, 10),
    st.sampled_from([0, 0, 1, 24 * 27 + 23]),
)
all_places = st.builds(place_of, moments, st.text("a#!é", min_size=1, max_size=3))
positions = all_places.map(lambda place: Position(place, owner_at(place)))


@st.composite
def logs(draw: st.DrawFn) -> Log:
    found = draw(st.lists(all_places, unique_by=id_at, max_size=25))
    shards = draw(st.lists(st.sampled_from(SHARDS), min_size=25, max_size=25))
    things = [
        Thing(f"{place[:7]}#{shard}", "", place, owner_at(place))
        for place, shard in zip(found, shards, strict=False)
    ]
    return Log(things, draw(cuts))


@st.composite
def requests(draw: st.DrawFn) -> PageRequest:
    position = draw(positions | st.none())
    toward = draw(st.sampled_from(Toward)) if position else Toward.NEXT
    return PageRequest(draw(sizes), position, toward)


class TestAPage:
    @given(log=logs(), order=orders, request=requests())
    def test_is_that_of_one_merge_of_everything(self, log, order, request):
        page, plain = log.read(request, order), log.read_at_once(request, order)
        assert page.entries == plain.entries
        assert (page.has_next, page.has_previous) == (plain.has_next, plain.has_previous)

    @given(log=logs(), order=orders, request=requests(), first=st.integers(1, 5))
    def test_does_not_depend_on_how_much_is_asked_for_first(self, log, order, request, first):
        page = log.read(request, order, first_reads=lambda runs, needed: [first] * len(runs))
        assert page.entries == log.read_at_once(request, order).entries

    def test_of_no_segments_is_empty(self):
        page = read_segments(
            [], lambda _segments: [], PageRequest(3), source=QuerySource(None), pool=POOL
        )
        assert (page.entries, page.has_next, page.rounds) == ((), False, 0)


class TestWalkingAList:
    @given(log=logs(), order=orders, size=sizes)
    def test_forward_gives_exactly_the_sorted_answer(self, log, order, size):
        pages = list(log.walk(PageRequest(size), order))
        assert [place for page in pages for place in places(page)] == log.places(order)
        assert all(len(page.entries) == size for page in pages[:-1])

    @given(log=logs(), order=orders, size=sizes)
    def test_back_from_the_end_gives_the_same(self, log, order, size):
        end = Position("9999" if order is Order.OLDEST_FIRST else "0000")
        pages = list(log.walk(PageRequest(size, end, PREVIOUS), order))
        assert [place for page in reversed(pages) for place in places(page)] == log.places(order)

    @given(log=logs(), order=orders, size=sizes)
    def test_back_numbers_the_items_as_forward(self, log, order, size):
        pages = list(log.walk(PageRequest(size), order))
        if not pages[-1].entries:
            return
        last = pages[-1].entries[0].position
        back = list(log.walk(PageRequest(size, last, PREVIOUS), order))
        forward = [entry.position for page in pages[:-1] for entry in page.entries]
        assert [entry.position for page in back[::-1] for entry in page.entries] == forward


class TestTheCostOfAPage:
    def test_is_one_segment_where_that_fills_it(self):
        log = Log([thing("2026-10", n) for n in range(5)])
        log.read(PageRequest(4), Order.NEWEST_FIRST)
        assert log.asked == ["2026-10"]

    def test_is_one_more_for_the_item_beyond_the_page(self):
        log = Log([thing("2026-10", n) for n in range(4)])
        log.read(PageRequest(4), Order.NEWEST_FIRST)
        assert log.asked[:2] == ["2026-10", "2026-09"]

    def test_is_nothing_for_segments_in_front_of_the_position(self):
        log = Log([thing(month, n) for month in MONTHS[:-1] for n in range(5)])
        request = PageRequest(3, thing("2026-05", 4).position())
        log.read(request, Order.NEWEST_FIRST)
        assert log.asked == ["2026-05"]
        log.read(PageRequest(3, thing("2026-05", 4).position(), PREVIOUS), Order.NEWEST_FIRST)
        assert log.asked[:2] == ["2026-05", "2026-06"]

    def test_is_few_rounds_where_there_is_nothing(self):
        log = Log([])
        page = log.read(PageRequest(3), Order.NEWEST_FIRST)
        assert log.asked == MONTHS[-2::-1]
        assert page.rounds == 5

    @pytest.mark.parametrize(
        ("number", "widths"), [(0, []), (1, [1]), (3, [1, 1, 1]), (13, [1, 1, 2, 4, 5])]
    )
    def test_grows_in_steps(self, number, widths):
        segments = [Segment(str(n), "", "") for n in range(number)]
        assert [len(step) for step in steps(segments)] == widths


def thing(month: str, number: int) -> Thing:
    place = f"{month}-1{number}T00:00:00.000000Z#{number}"
    return Thing(f"{month}#{number % 3}", "", place, owner_at(place))
