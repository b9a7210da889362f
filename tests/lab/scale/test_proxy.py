"""The throttling proxy, before an engine."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from dynapages.calls import build_client, metered
from dynapages.process import current_connection
from lab.scale.limits import Limits, Partition
from lab.scale.proxy import ThrottlingProxy
from tests.support.chance import unique

pytestmark = pytest.mark.real_engine

NARROW = Limits(reads=2, writes=2)
THROTTLED = "ProvisionedThroughputExceededException"


@pytest.fixture
def proxy(tables) -> Iterator[ThrottlingProxy]:
    with ThrottlingProxy(current_connection().endpoint_url) as proxy:
        yield proxy


@pytest.fixture
def engine(proxy):
    return build_client(replace(current_connection(), endpoint_url=proxy.endpoint_url, attempts=1))


@pytest.fixture
def table(engine) -> str:
    name = unique("throttled")
    engine.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "group")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_group",
                "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )
    return name


def item(key: str, **more: str) -> dict[str, dict[str, str]]:
    return {name: {"S": text} for name, text in {"pk": key, **more}.items()}


def refusal(call, **request: object) -> str:
    """The code that a call is refused with; empty if it is let through."""
    try:
        call(**request)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


class TestAPartition:
    def test_is_throttled_alone_until_the_clock_goes_on(self, proxy, engine, table):
        proxy.restart(NARROW)
        hot, cold = ({"TableName": table, "Key": item(key)} for key in ("hot", "cold"))
        codes = [refusal(engine.get_item, **hot, ConsistentRead=True) for _ in range(3)]
        assert codes == ["", "", THROTTLED]
        assert refusal(engine.get_item, **cold) == ""
        proxy.advance(1)
        proxy.begin_page()
        assert refusal(engine.get_item, **hot) == ""
        assert list(proxy.refused) == [Partition(table, "", "hot")]

    def test_of_an_index_throttles_the_writes_of_its_table(self, proxy, engine, table):
        proxy.restart(NARROW)
        for key in ("a", "b"):
            assert refusal(engine.put_item, TableName=table, Item=item(key, group="one")) == ""
        for key, group, code in (("c", "one", THROTTLED), ("d", "two", ""), ("e", "", "")):
            written = item(key, group=group) if group else item(key)
            assert refusal(engine.put_item, TableName=table, Item=written) == code
        assert list(proxy.refused) == [Partition(table, "by_group", "one", is_write=True)]

    def test_of_an_index_is_found_by_the_item_that_is_deleted(self, proxy, engine, table):
        engine.put_item(TableName=table, Item=item("a", group="one"))
        proxy.begin_page()
        engine.delete_item(TableName=table, Key=item("a"))
        (call,) = proxy.log
        assert {use.partition.key for use in call.uses} == {"a", "one"}

    def test_is_found_in_the_condition_of_a_query(self, proxy, engine, table):
        proxy.begin_page()
        engine.query(
            TableName=table,
            IndexName="by_group",
            KeyConditionExpression="#g = :v",
            ExpressionAttributeNames={"#g": "group"},
            ExpressionAttributeValues={":v": {"S": "one"}},
        )
        assert [use.partition for use in proxy.log[0].uses] == [Partition(table, "by_group", "one")]


class TestATransaction:
    def test_is_cancelled_whole_and_writes_nothing(self, proxy, engine, table):
        proxy.restart(Limits(reads=9, writes=1))
        engine.put_item(TableName=table, Item=item("hot"))
        puts = [{"Put": {"TableName": table, "Item": item(key)}} for key in ("hot", "cold")]
        with pytest.raises(ClientError) as raised:
            engine.transact_write_items(TransactItems=puts)
        reasons = raised.value.response["CancellationReasons"]
        assert {reason["Code"] for reason in reasons} == {"ThrottlingError"}
        assert "Item" not in engine.get_item(TableName=table, Key=item("cold"))


class TestACall:
    def test_that_is_repeated_on_a_page_counts_once(self, proxy, engine, table):
        proxy.restart(Limits(writes=1))
        puts = {"TableName": table, "Item": item("hot")}
        codes = [refusal(engine.put_item, **puts) for _ in range(3)]
        assert codes == ["", THROTTLED, THROTTLED]
        assert (proxy.seen, proxy.throttled) == (2, 1)

    def test_is_charged_what_the_meter_says(self, proxy, engine, table):
        keys = [item("a"), item("b"), item("c")]
        proxy.begin_page()
        with metered() as meter:
            engine.put_item(TableName=table, Item=item("a", group="one"))
            engine.batch_get_item(RequestItems={table: {"Keys": keys, "ConsistentRead": True}})
        assert sum(call.units for call in proxy.log) == meter.units > 0

    def test_is_let_through_and_not_counted_while_the_proxy_is_paused(self, proxy, engine, table):
        proxy.restart(Limits(writes=0.5))
        proxy.paused = True
        for _ in range(3):
            engine.put_item(TableName=table, Item=item("hot"))
        assert proxy.seen == 0
