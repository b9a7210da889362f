"""Costs that a test holds, on clients of every kind."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import ModuleType

import botocore.session
import pytest
from botocore.client import BaseClient
from botocore.stub import Stubber

from dynapages import DynamoError, Feed, Index
from dynapages.calls.client import build_client
from dynapages.calls.costs import TooExpensive, cost
from dynapages.calls.meter import metered
from dynapages.calls.pool import Pool
from dynapages_testing.merged_lists import Thing

pytestmark = pytest.mark.real_engine

KEY = {"pk": {"S": "OWNER#"}, "sk": {"S": "THING#a"}}


@pytest.fixture(scope="module")
def table(new_table, client):
    name = new_table()
    for place in ("1Z#a", "2Z#b", "3Z#c"):
        client.put_item(TableName=name, Item=Thing("A", "", place).item())
    return name


@pytest.fixture
def get(plain, table):
    """Reads an item: half a unit."""
    return partial(plain.get_item, TableName=table, Key=KEY)


@pytest.fixture
def query(plain, table):
    """Reads the three items of a partition of the index: half a unit."""
    return partial(
        plain.query,
        TableName=table,
        IndexName="by_kind",
        KeyConditionExpression="#kind = :kind",
        ExpressionAttributeNames={"#kind": "p"},
        ExpressionAttributeValues={":kind": {"S": "A"}},
    )


def each(*calls):
    """Make calls one after another."""
    for call in calls:
        call()


class TestABlock:
    def test_may_take_what_is_allowed(self, get):
        with cost(at_most=1.0, rounds=2):
            get()
            get()

    def test_may_not_take_more_units(self, get):
        says = r"may take 0\.5 units at most; it took 1 unit "
        with pytest.raises(TooExpensive, match=says), cost(at_most=0.5):
            each(get, get)

    def test_may_not_take_more_rounds(self, get):
        says = r"may take 1 round at most; it took .* 2 rounds"
        with pytest.raises(TooExpensive, match=says), cost(rounds=1):
            each(get, get)

    def test_that_took_more_says_what_its_calls_were(self, get, query, table):
        with pytest.raises(TooExpensive) as refused, cost(at_most=0.5, rounds=1):
            each(query, get)
        assert str(refused.value) == (
            "This block may take 0.5 units and 1 round at most; "
            "it took 1 unit and 2 rounds, in 2 calls:\n"
            f"  round 1: Query of {table}/by_kind, partition A, 3 items read, 0.5 units\n"
            f"  round 2: GetItem of {table}, 0.5 units"
        )

    def test_fails_as_an_assertion_and_as_an_error_of_the_library(self):
        assert issubclass(TooExpensive, AssertionError)
        assert issubclass(TooExpensive, DynamoError)

    def test_passes_through_what_is_raised_in_it(self, get):
        def fail():
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"), cost(at_most=0.5):
            each(get, get, fail)

    def test_gives_its_meter(self, get):
        with cost(at_most=1.0) as meter:
            get()
        assert [call.operation for call in meter.log] == ["GetItem"]

    @pytest.mark.parametrize("limit", ["2", [2]])
    def test_is_a_number(self, limit):
        with pytest.raises(ValueError, match="a number of units or rounds"):
            cost(at_most=limit)

    def test_has_a_limit(self):
        with pytest.raises(ValueError, match="at_most so many capacity units, or so many rounds"):
            cost()


class TestABlockInWhichNothingIsCounted:
    def test_fails(self, plain):
        says = "No call to DynamoDB was counted"
        with pytest.raises(TooExpensive, match=says), cost(at_most=1.0):
            plain.list_tables()

    def test_fails_where_a_stub_answers(self, plain, get):
        with Stubber(plain) as stub:
            stub.add_response("get_item", {})
            with pytest.raises(TooExpensive, match="No call"), cost(rounds=1):
                get()

    @pytest.mark.parametrize("none", [{"at_most": 0}, {"rounds": 0}])
    def test_is_right_where_none_is_allowed(self, none):
        with cost(**none):
            pass

    def test_may_be_the_only_right_one(self, get):
        with pytest.raises(TooExpensive, match=r"it took 0\.5 units"), cost(at_most=0):
            get()


class TestABlockWithinABlock:
    def test_counts_its_own_calls_and_rounds(self, get):
        with cost(at_most=1.5, rounds=3):
            get()
            with cost(at_most=0.5, rounds=1):
                get()
            get()

    def test_is_counted_by_the_block_around_it(self, get):
        def read_in_a_block():
            with cost(at_most=1.0):
                each(get, get)

        says = r"it took 1\.5 units and 3 rounds, in 3 calls"
        with pytest.raises(TooExpensive, match=says), cost(at_most=1.0):
            each(get, read_in_a_block)

    def test_is_counted_by_a_meter_around_it_too(self, client, table):
        get = partial(client.get_item, TableName=table, Key=KEY)
        with metered() as outer:
            get()
            with cost(at_most=0.5, rounds=1):
                get()
            get()
        assert (outer.units, [call.round for call in outer.log]) == (1.5, [1, 2, 3])

    def test_that_is_metered_counts_with_the_block(self, get):
        with cost(at_most=0.5) as meter, metered() as inner:
            get()
        assert inner is meter


class TestClients:
    def test_of_botocore_count_whenever_they_were_made(self, get):
        get()
        with cost(at_most=0.5) as meter:
            get()
        assert meter.units == 0.5

    def test_of_this_library_count_once(self, connection, table):
        client = build_client(connection)
        with cost(at_most=0.5) as meter:
            client.get_item(TableName=table, Key=KEY)
        assert meter.calls == 1

    def test_of_pynamodb_count(self, connection, table):
        base = pytest.importorskip("pynamodb.connection.base")
        pynamodb = base.Connection(
            region=connection.region,
            host=connection.endpoint_url,
            aws_access_key_id=connection.access_key,
            aws_secret_access_key=connection.secret_key,
        )
        with cost(at_most=0.5) as meter:
            pynamodb.dispatch("GetItem", {"TableName": table, "Key": KEY})
        assert [call.operation for call in meter.log] == ["GetItem"]

    def test_of_other_services_are_left_alone(self, connection):
        sqs = botocore.session.get_session().create_client("sqs", connection.region)
        with Stubber(sqs) as stub, cost(at_most=0):
            stub.add_response("list_queues", {})
            sqs.list_queues()

    def test_of_a_module_that_is_awaited_count(self, plain, table, monkeypatch):
        class AioBaseClient:
            """Calls as aiobotocore's does: a class of its own, and a coroutine."""

            meta = plain.meta

            async def _make_api_call(self, name, parameters):
                return await asyncio.to_thread(plain._make_api_call, name, parameters)

        module = ModuleType("aiobotocore.client")
        module.AioBaseClient = AioBaseClient
        monkeypatch.setitem(sys.modules, "aiobotocore.client", module)

        async def read():
            with cost(at_most=0.5) as meter:
                await AioBaseClient()._make_api_call("GetItem", {"TableName": table, "Key": KEY})
            return meter.calls

        assert asyncio.run(read()) == 1

    def test_have_their_own_method_again_behind_the_block(self):
        method = BaseClient._make_api_call
        with cost(at_most=0), cost(at_most=0):
            assert BaseClient._make_api_call is not method
        assert BaseClient._make_api_call is method

    def test_keep_what_others_replaced_in_the_block(self, monkeypatch):
        def of_an_instrumentor(*_):
            return {}

        monkeypatch.setattr(BaseClient, "_make_api_call", BaseClient._make_api_call)
        with cost(at_most=0):
            BaseClient._make_api_call = of_an_instrumentor
        assert BaseClient._make_api_call is of_an_instrumentor


class TestThreads:
    def test_of_a_pool_count_as_one_round(self, get):
        with cost(at_most=1.5, rounds=1) as meter:
            Pool(3).gather([get, get, get])
        assert meter.calls == 3

    def test_of_a_pool_add_their_rounds(self, get):
        with cost(rounds=2) as meter:
            Pool(3).gather([get, get, get])
            get()
        assert meter.rounds == 2

    def test_with_a_block_each_do_not_mix(self, get):
        def read(times):
            with cost(at_most=times / 2, rounds=times) as meter:
                for _ in range(times):
                    get()
            return meter.calls

        assert Pool(3).map(read, [1, 2, 3]) == [1, 2, 3]

    def test_without_a_meter_count(self, get):
        with ThreadPoolExecutor(1) as executor, cost(at_most=1.0, rounds=2) as meter:
            executor.submit(get).result()
            executor.submit(get).result()
        assert [call.round for call in meter.log] == [1, 2]

    def test_without_a_meter_count_from_one_in_each_block(self, get):
        with ThreadPoolExecutor(1) as executor:
            with cost(rounds=1):
                executor.submit(get).result()
            with cost(rounds=1):
                executor.submit(get).result()

    def test_with_a_meter_of_their_own_count(self, get):
        def view():
            with metered() as meter:
                get()
            return meter.calls

        with ThreadPoolExecutor(1) as executor, cost(at_most=0.5) as meter:
            assert executor.submit(view).result() == 1
        assert meter.calls == 1


class TestTasks:
    def test_count(self, get):
        async def read():
            with cost(at_most=1.5, rounds=2) as meter:
                await asyncio.gather(asyncio.to_thread(get), asyncio.to_thread(get))
                get()
            return meter.calls

        assert asyncio.run(read()) == 3


class TestAFeed:
    def test_is_held_to_its_cost(self, plain, table):
        index = Index(table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))
        things = Feed(index, ["A", "B"], client=plain)
        with cost(at_most=1.0, rounds=1):
            things.page(2)
