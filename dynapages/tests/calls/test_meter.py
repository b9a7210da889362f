"""The meter on a real client of whatever engine the tests run on."""

from collections.abc import Callable
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from dynapages.calls.meter import current_meter, labelled_calls, metered
from dynapages.calls.pool import Pool
from dynapages.lists.queries import query_request
from dynapages.lists.runs import Run
from dynapages_testing.merged_lists import INDEX, Thing


@pytest.fixture(scope="module")
def table(new_table, client):
    name = new_table()
    for place in ("1Z#a", "2Z#b", "3Z#c"):
        client.put_item(TableName=name, Item=Thing("A", "", place).item())
    return name


@pytest.fixture
def query(table, client):
    request = query_request(Run(INDEX, "A"), behind=None, limit=2, ascending=True)
    return partial(client.query, **{**(request or {}), "TableName": table})


@pytest.fixture
def get(table, client):
    key = {"pk": {"S": "OWNER#"}, "sk": {"S": "THING#a"}}
    return partial(client.get_item, TableName=table, Key=key)


class TestACall:
    def test_is_counted_with_what_was_asked(self, query, get, table, client):
        with metered() as meter:
            query()
            get()
            with pytest.raises(client.exceptions.ClientError):
                client.get_item(TableName="no-such-table", Key={"pk": {"S": "x"}})
        assert [
            (call.operation, call.table, call.index, call.partition, call.items_read, call.round)
            for call in meter.log
        ] == [("Query", table, "by_kind", "A", 2, 1), ("GetItem", table, None, None, 0, 2)]

    @pytest.mark.real_engine
    def test_is_counted_with_its_capacity(self, query, get, table, client):
        with metered() as meter:
            query()
            get()
            client.put_item(TableName=table, Item=Thing("Z", "", "9Z#z").item())
        assert [call.capacity_units for call in meter.log] == [0.5, 0.5, 2.0]
        assert meter.units == 3.0


class TestCallsOnManyItems:
    def test_are_counted_once_for_each_table(self, client, table, new_table):
        other = new_table()
        one, two = (
            [{"PutRequest": {"Item": Thing("Y", "", place).item()}}] for place in ("8Z#y", "8Z#z")
        )
        with metered() as meter:
            client.batch_write_item(RequestItems={table: one, other: two})
        assert {call.table for call in meter.log} == {table, other}

    @pytest.mark.real_engine
    def test_of_a_transaction_are_counted(self, client, table):
        puts = [
            {"Put": {"TableName": table, "Item": Thing("X", "", f"{n}Z#x{n}").item()}}
            for n in range(2)
        ]
        with metered() as meter:
            client.transact_write_items(TransactItems=puts)
        assert [call.operation for call in meter.log] == ["TransactWriteItems"]
        assert meter.units > 0


class TestLabels:
    def test_part_the_calls(self, query, get):
        with metered() as meter:
            query()
            with labelled_calls("product"):
                get()
                get()
            query()
        assert meter.labels() == ["list", "product"]
        assert (len(meter.labelled("product")), len(meter.labelled("list"))) == (2, 2)
        total = meter.units
        assert total == meter.units_of("list") + meter.units_of("product") > 0


class TestThreads:
    def test_of_a_pool_count_into_the_callers_meter_and_label(self, query):
        with metered() as meter, labelled_calls("rounds"):
            Pool(3).gather([query] * 6)
        assert len(meter.labelled("rounds")) == 6

    def test_with_meters_of_their_own_do_not_mix(self, query, get):
        both_count = Barrier(2)

        def page(call: Callable[[], Any]) -> list[str]:
            with metered() as meter:
                both_count.wait(10)
                call()
                both_count.wait(10)
            return [counted.operation for counted in meter.log]

        found = Pool(2).gather([partial(page, query), partial(page, get)])
        assert found == [["Query"], ["GetItem"]]


class TestAMeterWithinAMeter:
    def test_is_the_same_one(self, get):
        with metered() as outer:
            get()
            with metered() as inner:
                get()
            assert inner is outer is current_meter()
        assert len(outer.log) == 2


class TestRounds:
    def test_of_calls_at_once_are_one(self, query, get):
        with metered() as meter:
            Pool(3).gather([query, get, query])
        assert meter.rounds == 1

    def test_are_those_of_the_longest_chain(self, query, get):
        def chain() -> None:
            for _ in range(3):
                get()

        with metered() as meter:
            with Pool(2).together() as together:
                started = together.start(chain)
                query()
                started.result()
            query()
        assert meter.rounds == 4
