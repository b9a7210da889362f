"""Hundreds of items with equal sort keys, on a real engine."""

import asyncio
from decimal import Decimal
from itertools import pairwise, product

import pytest

from dynapages import Feed, Index, metered
from dynapages.items import Item
from dynapages_testing.chance import unique
from dynapages_testing.tied_lists import (
    KINDS,
    ONLY_RED,
    TOKENS,
    Awaited,
    TiedList,
    items_of,
    thing,
    walk,
    walk_back,
)

SORTS = {"S": ["a", "a\0", "ab", "b"], "N": KINDS["N"], "B": KINDS["B"]}


@pytest.fixture(scope="module", params=["S", "N", "B"])
def stored(request, client):
    """Some hundred things of two partitions, most of which have one sort key, and a neighbour's."""
    table, kind = unique("dynapages-ties"), request.param
    types = {"pk": "S", "sk": "S", "p": "S", "s": kind}
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": each} for name, each in types.items()
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_sort",
                "KeySchema": [
                    {"AttributeName": "p", "KeyType": "HASH"},
                    {"AttributeName": "s", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    sorts = [*SORTS[kind], *[SORTS[kind][2]] * 300]
    things = [
        thing(number, "ABC"[number % 3], sort, ["red", "red", "blue"][number % 7 % 3])
        for number, sort in enumerate(sorts)
    ]
    put(client, table, things)
    yield table, TiedList(things, [["A", "B"]])
    client.delete_table(TableName=table)


def put(client, table: str, items: list[Item]) -> None:
    for some in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[some : some + 25]]
        client.batch_write_item(RequestItems={table: puts})


def feed_of(client, stored, **other) -> Feed:
    table, tied = stored
    by_sort = Index(table, "by_sort", partition="p", sort="s", table_key=("pk", "sk"))
    return Feed(by_sort, **{**tied.arguments, "client": client, **other})


def names(items) -> list[str]:
    """Return what the items are told apart by: an engine may write a number in another form."""
    return [item["sk"]["S"] for item in items]


def truth(stored, **other) -> list[str]:
    _, tied = stored
    return names(TiedList(tied.items, tied.sections, **other).truth())


@pytest.mark.real_engine
class TestHundredsOfEqualSortKeys:
    @pytest.mark.parametrize(("newest_first", "filters"), list(product([True, False], repeat=2)))
    def test_are_listed_once_each_in_both_directions(self, client, stored, newest_first, filters):
        query = ONLY_RED if filters else None
        feed = feed_of(client, stored, newest_first=newest_first, query=query)
        whole = truth(stored, newest_first=newest_first, filters=filters)
        assert names(items_of(walk(feed, 7))) == whole
        assert names(items_of(walk_back(feed, 7))) == whole
        assert names(feed) == whole

    def test_are_the_same_on_the_way_back(self, client, stored):
        feed = feed_of(client, stored)
        pages = walk(feed, 7)
        for page, following in pairwise(pages):
            assert feed.page(7, before=following.previous).items == page.items

    def test_are_the_same_when_they_are_awaited(self, client, stored):
        feed = feed_of(Awaited(client), stored)

        async def everything():
            return names([item async for item in feed])

        assert asyncio.run(everything()) == truth(stored)

    def test_are_read_on_where_the_item_of_the_cursor_was_deleted_meanwhile(self, client, stored):
        (table, _), feed, whole = stored, feed_of(client, stored), truth(stored)
        page = feed.page(40)
        last = page.items[-1]
        client.delete_item(TableName=table, Key={name: last[name] for name in ("pk", "sk")})
        try:
            assert names(feed.page(7, after=page.next).items) == whole[40:47]
            assert names(feed.page(7, before=page.cursor(last)).items) == whole[32:39]
        finally:
            client.put_item(TableName=table, Item=last)

    def test_cost_one_more_call_for_each_run_and_their_reading(self, client, stored):
        feed = feed_of(client, stored)
        page = feed.page(100)
        with metered() as cost:
            feed.page(7, after=page.next)
        assert (cost.calls, cost.rounds) == (4, 2)


@pytest.mark.real_engine
class TestUniqueSortKeys:
    @pytest.fixture
    def unique_keys(self, client, new_table):
        table = new_table()
        put(client, table, [thing(n, "AB"[n % 2], f"{n:03d}") for n in range(60)])
        index = Index(table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))
        return Feed(index, ["A", "B"], client=client, tokens=TOKENS)

    def test_cost_one_call_for_each_run(self, unique_keys):
        page = unique_keys.page(20)
        with metered() as cost:
            unique_keys.page(20, after=page.next)
        assert (cost.calls, cost.rounds) == (2, 1)


@pytest.mark.real_engine
class TestNumbers:
    @pytest.mark.parametrize("number", [*KINDS["N"], Decimal("1.5E-7"), 10**37, -(10**38) + 1])
    @pytest.mark.parametrize("stored", ["N"], indirect=True)
    def test_of_a_cursor_are_found_again(self, client, stored, number):
        (table, _), feed = stored, feed_of(client, stored, partitions=["Z"])
        items = [thing(n, "Z", number) for n in range(3)]
        put(client, table, items)
        pages = walk(feed, 1)
        assert sorted(names(items_of(pages))) == names(items)
        for item in items:
            client.delete_item(TableName=table, Key={name: item[name] for name in ("pk", "sk")})
