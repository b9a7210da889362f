"""Feeds of indexes of several partition and sort attributes, against a plain sort."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st

from dynapages import Feed, Index
from dynapages.items import Item, KeyValue, Value, key_value
from dynapages.lists import (
    ForeignToken,
    Order,
    Page,
    PageRequest,
    QuerySource,
    Run,
    every_entry,
    read_page,
)
from dynapages.lists.key_texts import Key
from dynapages_testing.chance import examples, unique
from dynapages_testing.merged_lists import POOL, sizes
from dynapages_testing.query_model import QueryModel
from dynapages_testing.several_lists import (
    MOST_EQUAL,
    PARTITION_NAMES,
    SORT_NAMES,
    SeveralList,
    fill,
    moto_client,
    several_lists,
    thing,
)
from dynapages_testing.tied_lists import KINDS, TOKENS, Awaited, items_of, walk, walk_back


class TestTheListOfAFeed:
    @given(several=several_lists(), size=sizes)
    def test_is_the_sorted_one_from_its_beginning(self, several, size):
        pages = walk(several.feed(), size)
        assert items_of(pages) == several.truth()
        assert all(len(page.items) == size for page in pages[:-1])

    @given(several=several_lists(), size=sizes)
    def test_is_the_sorted_one_from_its_end(self, several, size):
        pages = walk_back(several.feed(), size)
        assert items_of(pages) == several.truth()

    @given(several=several_lists(), size=sizes)
    def test_goes_on_behind_each_of_its_items_and_back(self, several, size):
        feed, truth = several.feed(), several.truth()
        for page in walk(feed, 11):
            for item in page.items:
                at = truth.index(item)
                following = feed.page(size, after=page.cursor(item))
                preceding = feed.page(size, before=page.cursor(item))
                assert list(following.items) == truth[at + 1 : at + 1 + size]
                assert list(preceding.items) == truth[max(0, at - size) : at]

    @given(several=several_lists(), size=sizes)
    def test_is_the_same_when_it_is_awaited(self, several, size):
        feed = several.feed(client=Awaited(several.model()))

        async def every_item():
            return [item async for item in feed]

        assert asyncio.run(awaited_pages(feed, size)) == several.truth()
        assert asyncio.run(every_item()) == several.truth()

    @given(several=several_lists(), size=sizes, data=st.data())
    def test_goes_on_where_the_item_of_its_cursor_was_deleted(self, several, size, data):
        truth, feed = several.truth(), several.feed()
        if not truth:
            return
        page = feed.page(len(truth))
        at = data.draw(st.integers(0, len(truth) - 1))
        cursor = page.cursor(page.items[at])
        several.items.remove(truth[at])
        assert list(feed.page(size, after=cursor).items) == truth[at + 1 : at + 1 + size]
        assert list(feed.page(size, before=cursor).items) == truth[max(0, at - size) : at]


class TestTheListOnMoto:
    @settings(max_examples=examples(40))
    @given(several=several_lists(cut_short=False), size=sizes)
    def test_is_the_sorted_one_in_both_directions(self, several, size):
        with moto_client() as client:
            fill(client, several)
            feed = several.feed(client=client)
            assert items_of(walk(feed, size)) == several.truth()
            assert items_of(walk_back(feed, size)) == several.truth()

    @settings(max_examples=examples(40))
    @given(several=several_lists(cut_short=False), size=sizes)
    def test_is_the_same_when_it_is_awaited(self, several, size):
        with moto_client() as client:
            fill(client, several)
            feed = several.feed(client=Awaited(client))
            assert asyncio.run(awaited_pages(feed, size)) == several.truth()


async def awaited_pages(feed: Feed, size: int) -> list[Item]:
    """Read every page by a client that is awaited; return their items."""
    pages = [await feed.apage(size)]
    while following := pages[-1].next:
        pages.append(await feed.apage(size, after=following))
    return items_of(pages)


BY_STATUS = Index(
    "events",
    "by_status",
    partition=("tenant", "status"),
    sort=("priority", "at"),
    table_key=("pk", "sk"),
)


def event(number: int, priority: str, at: int, status: str = "open") -> Item:
    key: dict[str, KeyValue] = {
        "tenant": "acme",
        "status": status,
        "priority": priority,
        "at": at,
    }
    return thing(number, key)


@pytest.fixture
def events():
    """Two hundred events: of each status the same priorities, at a moment of their own each."""
    items = [
        event(number, "low" if number < 50 else "high", number, ["open", "held"][number % 2])
        for number in range(200)
    ]
    return QueryModel({"by_status": (BY_STATUS.partition, BY_STATUS.sort)}, items)


def numbers_of(items: Iterable[Item]) -> list[str]:
    """Return what the items are told apart by: an engine may write a number in another form."""
    return [item["sk"]["N"] for item in items]


def is_within(value: Value, since: KeyValue | None, until: KeyValue | None) -> bool:
    at: Any = key_value(value)
    return (since is None or at >= since) and (until is None or at < until)


class TestAPage:
    def test_of_unequal_keys_costs_a_call_for_each_run_in_one_round(self, events):
        feed = Feed(BY_STATUS, [("acme", "open"), ("acme", "held")], client=events, tokens=TOKENS)
        page = feed.page(20)
        for _ in range(5):
            events.requests.clear()
            page = feed.page(20, after=page.next)
            assert len(events.requests) == 2
            assert page.page.rounds == 1
        events.requests.clear()
        page = feed.page(20, before=page.previous)
        assert (len(events.requests), page.page.rounds) == (2, 1)

    def test_reads_two_items_of_a_run_more_than_it_shows(self, events):
        feed = Feed(BY_STATUS, [("acme", "open")], client=events, tokens=TOKENS)
        page = feed.page(20, after=feed.page(20).next)
        assert page.explain().items_read == 23

    def test_names_the_values_of_its_partition_where_it_is_explained(self, events):
        feed = Feed(BY_STATUS, [("acme", "open")], client=events, begins_with=("high",))
        (line,) = feed.page(20).explain().queries
        assert (line.index, line.key) == ("by_status", "acme/open from high")

    def test_asks_for_what_is_fixed_by_equality_alone(self, events):
        feed = Feed(BY_STATUS, [("acme", "open")], client=events, begins_with=("high",))
        feed.page(1)
        (request,) = events.requests
        assert request["KeyConditionExpression"] == "#p0 = :p0 AND #p1 = :p1 AND #s0 = :s0"


class TestPartitions:
    @pytest.mark.parametrize(
        "given",
        [
            [[("acme", "open"), ("acme", "held")], []],
            ((("acme", "open"), ("acme", "held")), ()),
            [{("acme", "held"), ("acme", "open")}, set()],
        ],
        ids=["lists", "tuples", "sets"],
    )
    def test_are_in_sections_where_these_are_nested(self, events, given):
        first, second = Feed(BY_STATUS, given, client=events).sections
        assert sorted(first) == [("acme", "held"), ("acme", "open")]
        assert second == []

    @pytest.mark.parametrize(
        "given", [[["acme", "open"]], [("acme",)], [("acme", "open", 1)], ["acme"]], ids=str
    )
    def test_have_a_value_of_each_attribute(self, events, given):
        with pytest.raises(ValueError, match="is a tuple of 2 values, of tenant, status"):
            Feed(BY_STATUS, given, client=events)

    @pytest.mark.parametrize("given", [[[("acme", "open")]], [["acme", ("acme", "open")]]], ids=str)
    def test_of_one_attribute_are_no_tuples(self, events, given):
        index = replace(BY_STATUS, partition="tenant")
        with pytest.raises(ValueError, match="is a value of 'tenant', not the tuple"):
            Feed(index, given, client=events)


class TestAToken:
    """It has a value of each sort attribute that its list is ordered by."""

    def test_does_not_fit_a_list_of_one_name_that_fixes_more(self, events):
        options: Any = {"client": events, "tokens": TOKENS, "name": "events"}
        token = Feed(BY_STATUS, [("acme", "open")], **options).page(5).next
        urgent = Feed(BY_STATUS, [("acme", "open")], begins_with=("high",), **options)
        with pytest.raises(ForeignToken):
            urgent.page(5, after=token)

    def test_does_not_fit_a_list_of_one_name_and_one_attribute(self, events):
        events.indexes = {**events.indexes, "by_tenant": ("tenant", "at")}
        options: Any = {"client": events, "tokens": TOKENS, "name": "events"}
        by_tenant = replace(BY_STATUS, name="by_tenant", partition="tenant", sort="at")
        token = Feed(by_tenant, ["acme"], **options).page(5).next
        with pytest.raises(ForeignToken):
            Feed(BY_STATUS, [("acme", "open")], **options).page(5, after=token)


class TestManyOfEqualKeys:
    @pytest.fixture(params=["S", "N", "B"])
    def several(self, request):
        """Some hundred things of one key of four and four attributes, and some around it."""
        kind = request.param
        below, at, above = KINDS[kind][2:5]
        sorts = [[at] * 4] * MOST_EQUAL
        for changed, value in product(range(4), (below, above)):
            sorts.append([at] * changed + [value] * (4 - changed))
        partitions = [(at, above, at, value) for value in (below, above)]
        items = []
        for number, sort in enumerate(sorts):
            partition = partitions[number % 2]
            names = (*PARTITION_NAMES, *SORT_NAMES)
            items.append(thing(number, dict(zip(names, (*partition, *sort), strict=True))))
        kinds = dict.fromkeys((*PARTITION_NAMES, *SORT_NAMES), kind)
        return SeveralList(items, PARTITION_NAMES, SORT_NAMES, kinds, [partitions])

    def test_are_listed_once_each_in_both_directions(self, several):
        with moto_client() as client:
            fill(client, several)
            feed = several.feed(client=client)
            truth = numbers_of(several.truth())
            assert numbers_of(items_of(walk(feed, 130))) == truth
            assert numbers_of(items_of(walk_back(feed, 130))) == truth

    def test_cost_two_calls_of_each_run_where_a_page_is_among_them(self, several):
        feed = several.feed()
        page = feed.page(100)
        several.requests.clear()
        page = feed.page(7, after=page.next)
        assert (len(several.requests), page.page.rounds) == (4, 2)


class TestAStartKeyThatIsMadeUp:
    """It is of the partition, and next to the items of the position."""

    @pytest.mark.parametrize(
        ("partition", "values", "sort"),
        [
            (("pk", "status"), ("THING#1", "open"), ("priority", "at")),
            ("pk", "THING#1", ("priority", "at")),
            (("status",), ("open",), ("priority", "sk")),
            (("status",), ("open",), ("pk", "at")),
        ],
    )
    @pytest.mark.parametrize("newest_first", [True, False])
    def test_may_share_attributes_with_the_key_of_the_table(
        self, partition, values, sort, newest_first
    ):
        items = [event(number, "high", number // 20) for number in range(1, 80, 5)]
        index = replace(BY_STATUS, partition=partition, sort=sort)
        feed = feed_of(items, index, values, newest_first=newest_first)
        assert items_of(walk(feed, 3)) == in_order(items, index, newest_first=newest_first)
        assert items_of(walk_back(feed, 3)) == in_order(items, index, newest_first=newest_first)

    @pytest.mark.parametrize(
        ("below", "above"),
        [
            (b"a", b"a\0"),
            ("a", "a\0"),
            (Decimal(0), Decimal("1E-130")),
            (Decimal("-1E-130"), Decimal(0)),
            ("a" * 1019 + "a", "a" * 1019 + "b"),
        ],
        ids=["binaries", "strings", "above zero", "below zero", "the longest"],
    )
    @pytest.mark.parametrize("newest_first", [True, False])
    def test_may_be_the_key_of_many_items(self, below, above, newest_first):
        index = replace(BY_STATUS, sort=("priority", "level"))
        items = []
        for number in range(100):
            level = below if number < 50 else above
            key = {"tenant": "acme", "status": "open", "priority": "high", "level": level}
            items.append(thing(number, key))
        feed = feed_of(items, index, ("acme", "open"), newest_first=newest_first)
        assert items_of(walk(feed, 5)) == in_order(items, index, newest_first=newest_first)
        assert items_of(walk_back(feed, 5)) == in_order(items, index, newest_first=newest_first)


def feed_of(items: list[Item], index: Index, partition: Key, *, newest_first: bool) -> Feed:
    assert index.name is not None
    model = QueryModel({index.name: (index.partition, index.sort)}, items)
    order: Any = {"newest_first": newest_first, "wire": True}
    return Feed(index, [partition], client=model, tokens=TOKENS, **order)


def in_order(items: list[Item], index: Index, *, newest_first: bool) -> list[Item]:
    def place(item: Item) -> tuple[list[Any], str]:
        return [key_value(item[name]) for name in index.sort_names], index.tie(item)

    return sorted(items, key=place, reverse=newest_first)


@pytest.mark.real_engine
class TestAnEngineThatLacksSuchKeys:
    """dynoxide 1.2.1 makes the table all the same; `create_missing` does not ask it to."""

    @pytest.mark.parametrize("partition", [("tenant",), ("tenant", "status")])
    def test_shows_no_page_in_a_wrong_order(self, client, partition):
        name = unique("dynapages-several")
        items = [event(number, "high", number) for number in range(20)]
        kinds = {"tenant": "S", "status": "S", "priority": "S", "at": "N"}
        kinds = {each: kinds[each] for each in (*partition, *BY_STATUS.sort_names)}
        values = ("acme", "open")[: len(partition)]
        several = SeveralList(items, partition, BY_STATUS.sort_names, kinds, [[values]])
        fill(client, several, name)
        index = replace(several.index, table=name)
        feed = Feed(index, [values], client=client, tokens=TOKENS)
        try:
            with pytest.raises((ValueError, ClientError)):
                walk(feed, 5)
        finally:
            client.delete_table(TableName=name)


class TestARun:
    """A run may fix the first sort attributes, and bound the one behind these."""

    @given(several=several_lists(), size=sizes, data=st.data())
    def test_has_the_items_between_its_bounds(self, several, size, data):
        index, partition = several.index, several.sections[0][0] if several.sections[0] else None
        if partition is None or len(several.begins_with) == len(several.sort):
            return
        bounded = several.sort[len(several.begins_with)]
        bounds = st.none() | st.sampled_from(KINDS[several.kinds[bounded]])
        since, until = data.draw(bounds), data.draw(bounds)
        run = Run(index, partition, several.begins_with, since, until)
        source = QuerySource(several.model())
        order = Order.NEWEST_FIRST if several.newest_first else Order.OLDEST_FIRST

        def page(request: PageRequest) -> Page:
            return read_page([run], request, source=source, pool=POOL, order=order)

        several.sections, several.filters = [[partition]], False
        within = [item for item in several.truth() if is_within(item[bounded], since, until)]
        assert [entry.item for entry in every_entry(page, at_once=size)] == within

    def test_refuses_a_place_of_fewer_attributes(self, events):
        other = replace(BY_STATUS, sort=("priority",))
        position = Run(other, ("acme", "open")).position_of(events.items[0])
        run = Run(BY_STATUS, ("acme", "open"))
        with pytest.raises(ForeignToken):
            read_page([run], PageRequest(5, position), source=QuerySource(events), pool=POOL)

    @pytest.mark.parametrize("table_key", [("sk", "pk"), ("id",)])
    def test_is_in_one_list_with_those_of_its_table_key_alone(self, events, table_key):
        other = replace(BY_STATUS, table_key=table_key)
        runs = [Run(BY_STATUS, ("acme", "open")), Run(other, ("acme", "held"))]
        with pytest.raises(ValueError, match="the same table_key"):
            read_page(runs, PageRequest(5), source=QuerySource(events), pool=POOL)

    @pytest.mark.parametrize("order", Order)
    @pytest.mark.parametrize("bounds", [("high", None), ("high", "low"), ("low", "m"), (None, "")])
    def test_goes_on_among_items_of_its_bounds(self, events, order, bounds):
        since, until = bounds
        run = Run(BY_STATUS, ("acme", "open"), since=since, until=until)
        is_newest_first = order is Order.NEWEST_FIRST
        within = [item for item in events.items if is_within(item["priority"], since, until)]
        within = [item for item in within if item["status"] == {"S": "open"}]
        source = QuerySource(events)

        def page(request: PageRequest) -> Page:
            return read_page([run], request, source=source, pool=POOL, order=order)

        found = [entry.item for entry in every_entry(page, at_once=4)]
        assert found == in_order(within, BY_STATUS, newest_first=is_newest_first)
