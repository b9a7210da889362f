"""The meter on a real client of whatever engine the tests run on."""

from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest
from botocore.stub import Stubber

from dynapages.calls.batches import Batches
from dynapages.calls.meter import (
    Units,
    current_meter,
    instead_of_batches,
    labelled_calls,
    metered,
    units_of_process,
)
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

    def test_that_is_charged_by_bytes_is_answered_and_not_counted(self, client):
        if not hasattr(client, "search_vectors"):
            pytest.skip("this botocore knows no vector search")
        charged = {"VectorSearchRequestBytes": 41_714.0}
        found = {"SearchResults": [], "ConsumedCapacity": charged}
        with Stubber(client) as stubbed, metered() as meter:
            stubbed.add_response("search_vectors", found)
            answer = client.search_vectors(
                TableName="things", IndexName="by_meaning", SearchVector=[{"N": "1"}], TopK=1
            )
        assert (answer["ConsumedCapacity"], meter.log) == (charged, [])

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


@pytest.mark.real_engine
class TestTransactionsInsteadOfBatches:
    """They are what an engine is sent; Amazon DynamoDB takes what a batch would."""

    @pytest.mark.parametrize("size", [1, 900, 1_100, 5_000])
    def test_count_at_amazon_as_the_batches_do(self, client, new_table, size):
        one, other = new_table(), new_table()
        items = [
            {**Thing("A", "", f"{n}Z#a{n}").item(), "text": {"S": "x" * size * n}} for n in range(4)
        ]
        with metered() as batches:
            Batches(client, Pool(1)).put(one, items)
        with metered() as meter, instead_of_batches():
            puts = [{"Put": {"TableName": other, "Item": item}} for item in items]
            client.transact_write_items(TransactItems=puts)
        assert meter.amazon_units == batches.units == batches.amazon_units
        # Those of the items are doubled, and those of the index are not.
        assert batches.units < meter.units < 2 * batches.units

    def test_are_so_in_any_thread_of_a_pool(self, client, table):
        def put(number: int) -> None:
            item = Thing("V", "", f"{number}Z#v{number}").item()
            client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": item}}])

        with metered() as meter, instead_of_batches():
            Pool(3).gather([partial(put, number) for number in range(3)])
        assert (meter.units, meter.amazon_units) == (9, 6)

    def test_are_no_other_calls_and_none_behind_the_block(self, client, table, get):
        def put() -> None:
            item = Thing("U", "", "1Z#u").item()
            client.transact_write_items(TransactItems=[{"Put": {"TableName": table, "Item": item}}])

        with metered() as meter:
            with instead_of_batches():
                get()
                client.put_item(TableName=table, Item=Thing("U", "", "1Z#u").item())
            put()
        assert meter.amazon_units == meter.units


class TestUnits:
    @pytest.mark.parametrize(
        ("units", "words"),
        [
            (Units(), "0 units"),
            (Units(1, 1), "1 unit"),
            (Units(2.5, 2.5), "2.5 units"),
            (Units(1_234, 617.5), "1,234 units on this engine; 617.5 on Amazon DynamoDB"),
        ],
    )
    def test_are_one_number_where_they_are_equal_and_both_where_not(self, units, words):
        assert str(units) == words


@pytest.mark.real_engine
class TestTheUnitsOfAProcess:
    def test_are_those_of_all_its_threads(self, get, client, table):
        def put() -> None:
            item = Thing("T", "", "1Z#t").item()
            with instead_of_batches():
                client.transact_write_items(
                    TransactItems=[{"Put": {"TableName": table, "Item": item}}]
                )

        with units_of_process() as units:
            for call in (get, put):
                thread = Thread(target=call)  # which has no meter
                thread.start()
                thread.join()
        get()
        assert units == Units(0.5 + 3, 0.5 + 2, calls=2)

    def test_are_counted_beside_a_meter_and_in_each_block(self, get):
        with metered() as meter, units_of_process() as outer:
            get()
            with units_of_process() as inner:
                get()
        assert meter.units == outer.counted == 2 * inner.counted > 0


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
