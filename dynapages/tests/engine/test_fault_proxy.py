"""The proxy that behaves like Amazon's, before an engine: its faults, its rules and its lag."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from threading import Event
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from dynapages.calls.client import build_client
from dynapages.calls.faults import Unreachable, fault_in
from dynapages.calls.transport import Damaged
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.engine.faults import Fault
from dynapages.engine.lag import Lag
from dynapages_testing.chance import unique
from dynapages_testing.processes import PATIENCE, until

pytestmark = pytest.mark.real_engine

TABLE, OTHER = unique("dynapages-test"), unique("dynapages-test")


@pytest.fixture(scope="module", autouse=True)
def tables(new_table):
    new_table(TABLE)
    new_table(OTHER)


@pytest.fixture
def proxy(connection) -> Iterator[FaultProxy]:
    with FaultProxy(connection.endpoint_url) as proxy:
        yield proxy


@pytest.fixture
def client_of(connection) -> Callable[..., Any]:
    """Makes a client of a proxy, which makes one attempt of each call."""

    def client_of(proxy: FaultProxy, *, read_seconds: float = PATIENCE) -> Any:
        url = proxy.endpoint_url
        return build_client(
            replace(connection, endpoint_url=url, attempts=1, read_seconds=read_seconds)
        )

    return client_of


@pytest.fixture
def called(proxy, client_of):
    """A client of the proxy."""
    return client_of(proxy)


@pytest.fixture
def key(fresh) -> dict[str, Any]:
    return {"pk": {"S": fresh("item")}, "sk": {"S": "1"}}


def get(client: Any, key: dict[str, Any], *, table: str = TABLE, **how: Any) -> Any:
    """The item with a key, None where there is none."""
    return client.get_item(TableName=table, Key=key, **how).get("Item")


def put(client: Any, key: dict[str, Any], *, table: str = TABLE, **attributes: str) -> None:
    others = {name: {"S": text} for name, text in attributes.items()}
    client.put_item(TableName=table, Item={**key, **others})


def transact(client: Any, *keys: dict[str, Any], token: str = "") -> None:
    """Put all these items, or none."""
    puts = [{"Put": {"TableName": TABLE, "Item": key}} for key in keys]
    client.transact_write_items(TransactItems=puts, ClientRequestToken=token or unique("token"))


def code_of(error: ClientError) -> str:
    code: str = error.response["Error"]["Code"]
    return code


class TestAFault:
    @pytest.mark.parametrize(
        ("kind", "code"),
        [
            ("throttled", "ProvisionedThroughputExceededException"),
            ("rate exceeded", "ThrottlingException"),
            ("server error", "InternalServerError"),
            ("expired token", "ExpiredTokenException"),
            ("conflict", "TransactionConflictException"),
        ],
    )
    def test_refuses_a_write_which_then_was_not_made(self, proxy, called, client, key, kind, code):
        proxy.rules.append(Rule(kind, operation="PutItem"))
        with pytest.raises(ClientError) as raised:
            put(called, key)
        assert code_of(raised.value) == code
        assert get(client, key) is None

    @pytest.mark.parametrize(
        ("kind", "fault", "is_written"),
        [
            ("front end", Unreachable, False),
            ("reset before", Unreachable, False),
            ("reset after", Unreachable, True),
            ("cut", Unreachable, True),
            ("truncated", Damaged, True),
            ("wrong checksum", Damaged, True),
            ("damaged", Damaged, True),
        ],
    )
    def test_leaves_open_whether_a_write_was_made(
        self, proxy, called, client, key, kind, fault, is_written
    ):
        proxy.rules.append(Rule(kind, operation="PutItem"))
        with pytest.raises(Exception) as raised:  # noqa: PT011 - its fault is looked at
            called.put_item(TableName=TABLE, Item=key, ReturnConsumedCapacity="TOTAL")
        assert isinstance(fault_in(raised.value), fault)
        assert (get(client, key) is not None) is is_written

    @pytest.mark.parametrize(("kind", "is_written"), [("stalled", False), ("dripping", True)])
    def test_outlasts_the_patience_of_a_client(
        self, proxy, client_of, client, key, kind, is_written
    ):
        proxy.drip_seconds = 60.0
        proxy.rules.append(Rule(kind, operation="PutItem"))
        with pytest.raises(Exception) as raised:  # noqa: PT011 - its fault is looked at
            put(client_of(proxy, read_seconds=0.3), key)
        assert isinstance(fault_in(raised.value), Unreachable)
        assert until(lambda: (get(client, key) is not None) is is_written)

    def test_of_tables_throttles_as_tables_are(self, proxy, called):
        proxy.rules.append(Rule("throttled"))
        with pytest.raises(ClientError, match="ThrottlingException"):
            called.list_tables()

    @pytest.mark.parametrize("kind", ["conflict", "unprocessed", "partly unprocessed"])
    def test_of_some_operations_meets_no_others(self, proxy, called, key, kind):
        proxy.rules.append(Rule(kind))
        assert get(called, key) is None
        assert proxy.met.total() == 0


class TestATransaction:
    @pytest.mark.parametrize(
        ("kind", "code"), [("conflict", "TransactionConflict"), ("throttled", "ThrottlingError")]
    )
    def test_is_cancelled_because_of_some_of_its_actions(self, proxy, called, client, kind, code):
        keys = [{"pk": {"S": unique("item")}, "sk": {"S": "1"}} for _ in range(3)]
        proxy.rules.append(Rule(kind, actions=(0, -1)))
        with pytest.raises(ClientError, match="TransactionCanceledException") as raised:
            transact(called, *keys)
        reasons = raised.value.response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == [code, "None", code]
        assert [get(client, key) for key in keys] == [None] * 3

    def test_that_reads_is_cancelled_as_well(self, proxy, called, key):
        proxy.rules.append(Rule("conflict"))
        with pytest.raises(ClientError, match="TransactionCanceledException"):
            called.transact_get_items(TransactItems=[{"Get": {"TableName": TABLE, "Key": key}}])

    def test_has_its_items_to_itself_while_it_lasts(self, proxy, client_of, client, key):
        arrived, goes_on = Event(), Event()

        def wait(_: object) -> bool:
            arrived.set()
            return not goes_on.wait(PATIENCE)

        proxy.rules.append(Rule("server error", operation="TransactWriteItems", when=wait))
        with (
            FaultProxy(proxy.endpoint_url, lock_seconds=0.001) as locking,
            ThreadPoolExecutor() as threads,
        ):
            called = client_of(locking)
            ongoing = threads.submit(transact, called, key, token="first")
            assert arrived.wait(PATIENCE)
            with pytest.raises(ClientError, match="TransactionInProgressException"):
                transact(called, key, token="first")
            with pytest.raises(ClientError, match="TransactionConflictException"):
                put(called, key)
            with pytest.raises(ClientError) as raised:
                transact(called, {**key, "sk": {"S": "2"}}, key)
            goes_on.set()
            ongoing.result()
            put(called, key)
        reasons = raised.value.response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == ["None", "TransactionConflict"]


class TestABatch:
    @pytest.mark.parametrize(("kind", "done"), [("unprocessed", 0), ("partly unprocessed", 2)])
    def test_of_writes_leaves_some(self, proxy, called, client, fresh, kind, done):
        keys = [{"pk": {"S": fresh("item")}, "sk": {"S": f"{n}"}} for n in range(4)]
        proxy.rules.append(Rule(kind))
        puts = [{"PutRequest": {"Item": key}} for key in keys]
        left = called.batch_write_item(RequestItems={TABLE: puts[:1], OTHER: puts[1:]})
        unprocessed = {TABLE: puts[:1], OTHER: puts[1:]} if not done else {OTHER: puts[2:]}
        assert left["UnprocessedItems"] == unprocessed
        stored = [get(client, keys[0])] + [get(client, one, table=OTHER) for one in keys[1:]]
        assert [item is not None for item in stored] == [True] * done + [False] * (4 - done)

    @pytest.mark.parametrize(("kind", "done"), [("unprocessed", 0), ("partly unprocessed", 1)])
    def test_of_reads_leaves_some(self, proxy, called, key, kind, done):
        keys = [key, {**key, "sk": {"S": "2"}}, {**key, "sk": {"S": "3"}}]
        for one in keys:
            put(called, one)
        proxy.rules.append(Rule(kind))
        request = {"Keys": keys, "ProjectionExpression": "sk"}
        answer = called.batch_get_item(RequestItems={TABLE: request})
        assert answer["Responses"].get(TABLE, []) == [{"sk": one["sk"]} for one in keys[:done]]
        assert answer["UnprocessedKeys"] == {TABLE: {**request, "Keys": keys[done:]}}


class TestARule:
    def test_spares_the_first_and_is_over_after_so_many(self, proxy, called):
        rule = Rule("server error", operation="ListTables", skip=1, times=2)
        proxy.rules.append(rule)
        assert [fails(called.list_tables) for _ in range(5)] == [False, True, True, False, False]
        assert rule.fired == 2
        assert proxy.met == {("server error", "ListTables"): 2}

    def test_chooses_by_operation_table_and_parameters(self, proxy, called, key):
        def is_second(request: dict[str, Any]) -> bool:
            return bool(request["Item"]["sk"] == {"S": "2"})

        rule = Rule("server error", operation="PutItem", table=TABLE, when=is_second)
        proxy.rules.append(rule)
        put(called, key)
        put(called, {**key, "sk": {"S": "2"}}, table=OTHER)
        get(called, {**key, "sk": {"S": "2"}})
        assert rule.matched == 0
        assert fails(lambda: put(called, {**key, "sk": {"S": "2"}}))

    @pytest.mark.parametrize("of_batch", [True, False])
    def test_of_a_table_knows_it_in_batches_and_transactions(self, proxy, called, key, of_batch):
        proxy.rules.append(Rule("server error", table=TABLE))
        call = (
            (
                lambda: called.batch_get_item(
                    RequestItems={OTHER: {"Keys": [key]}, TABLE: {"Keys": [key]}}
                )
            )
            if of_batch
            else (lambda: transact(called, key))
        )
        assert fails(call)

    def test_that_fires_hides_those_behind_it(self, proxy, called):
        first, second = Rule("server error", times=1), Rule("rate exceeded")
        proxy.rules += [first, second]
        assert fails(called.list_tables)
        assert second.matched == 0
        with pytest.raises(ClientError, match="ThrottlingException"):
            called.list_tables()

    def test_fires_so_often_however_many_call_at_once(self, proxy, called):
        rule = Rule("server error", times=7)
        proxy.rules.append(rule)
        with ThreadPoolExecutor(8) as threads:
            failed = list(threads.map(lambda _: fails(called.list_tables), range(40)))
        assert sum(failed) == rule.fired == 7

    def test_whose_condition_fails_is_told_at_the_end(self, connection, client_of):
        rules = [Rule("server error", when=lambda request: request["nothing"])]
        with (
            pytest.raises(KeyError, match="nothing"),
            FaultProxy(connection.endpoint_url, rules=rules) as proxy,
        ):
            assert fails(client_of(proxy).list_tables)


def fails(call: Callable[[], object]) -> bool:
    try:
        call()
    except Exception:  # noqa: BLE001 - whichever
        return True
    return False


class TestFaultsAtRandom:
    def outcomes(self, connection, client_of, **how: Any) -> list[str]:
        with FaultProxy(connection.endpoint_url, **how) as proxy:
            called = client_of(proxy)
            return ["" if not fails(called.list_tables) else "failed" for _ in range(40)]

    def test_are_the_same_of_the_same_seed(self, connection, client_of):
        kinds = ("server error", "throttled")
        one, same, other = (
            self.outcomes(connection, client_of, rate=0.3, kinds=kinds, seed=seed)
            for seed in (1, 1, 2)
        )
        assert one == same != other
        assert 0 < one.count("failed") < 40

    def test_are_of_the_kinds_that_an_operation_can_meet(self, connection, client_of):
        kinds = ("unprocessed", "conflict")
        assert "failed" not in self.outcomes(connection, client_of, rate=1.0, kinds=kinds)

    def test_meet_no_call_when_there_are_none(self, proxy, called):
        for _ in range(10):
            called.list_tables()
        assert proxy.met.total() == 0


class TestTheFaults:
    def test_are_documented(self):
        page = (Path(__file__).parents[2] / "docs" / "engine.md").read_text()
        assert [kind for kind in get_args(Fault) if f"`{kind}`" not in page] == []


class TestAProxy:
    def test_answers_nobody_when_its_block_is_over(self, connection, client_of):
        with FaultProxy(connection.endpoint_url) as proxy:
            called = client_of(proxy)
            called.list_tables()
        assert fails(called.list_tables)

    def test_passes_no_call_on_that_did_not_arrive_whole(self, connection):
        with FaultProxy(connection.endpoint_url, rules=[Rule("server error")]) as proxy:
            address = urlsplit(proxy.endpoint_url)
            with socket.create_connection((address.hostname, address.port)) as dying:
                target = b"X-Amz-Target: DynamoDB_20120810.ListTables"
                dying.sendall(b"POST / HTTP/1.1\r\n%s\r\nContent-Length: 2\r\n\r\n{" % target)
                dying.shutdown(socket.SHUT_WR)
                assert dying.recv(1) == b""
            assert proxy.met.total() == 0


@pytest.fixture
def held(proxy):
    """The lag of a proxy whose eventual reads stay as they are until it is released."""
    proxy.lag.seconds = inf
    return proxy.lag


@contextmanager
def lagging(connection, **how: Any) -> Iterator[FaultProxy]:
    with FaultProxy(connection.endpoint_url, lag=Lag(**how)) as proxy:
        yield proxy


def of_kind(client: Any, kind: str, **how: Any) -> Any:
    """The answer of a Query of the index."""
    return client.query(
        TableName=TABLE,
        IndexName="by_kind",
        KeyConditionExpression="p = :kind",
        ExpressionAttributeValues={":kind": {"S": kind}},
        **how,
    )


def places(answer: Any) -> list[str]:
    return [item["s"]["S"] for item in answer["Items"]]


class TestALag:
    def test_hides_a_write_from_all_eventual_reads_until_it_is_over(self, held, called, key):
        kind, pk = key["pk"]["S"], {":pk": key["pk"]}
        query = {
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": pk,
        }
        scan = {
            "TableName": TABLE,
            "FilterExpression": "pk = :pk",
            "ExpressionAttributeValues": pk,
        }

        def seen(**how: bool) -> list[bool]:
            batch = called.batch_get_item(RequestItems={TABLE: {"Keys": [key], **how}})
            return [
                get(called, key, **how) is not None,
                batch["Responses"][TABLE] != [],
                called.query(**query, **how)["Count"] == 1,
                called.scan(**scan, **how)["Count"] == 1,
            ]

        put(called, key, p=kind, s="1")
        assert seen() == [False] * 4
        assert places(of_kind(called, kind)) == []
        assert seen(ConsistentRead=True) == [True] * 4
        held.release()
        assert seen() == [True] * 4
        assert places(of_kind(called, kind)) == ["1"]

    def test_shows_an_item_as_it_was(self, held, called, key):
        put(called, key, title="old")
        held.release()
        update = {
            "UpdateExpression": "SET title = :t",
            "ExpressionAttributeValues": {":t": {"S": "new"}},
        }
        called.update_item(TableName=TABLE, Key=key, **update)
        assert get(called, key)["title"] == {"S": "old"}
        held.release()
        assert get(called, key)["title"] == {"S": "new"}

    def test_shows_what_was_deleted(self, held, called, key):
        put(called, key, p=key["pk"]["S"], s="1")
        held.release()
        called.delete_item(TableName=TABLE, Key=key)
        assert get(called, key) is not None
        assert get(called, key, ConsistentRead=True) is None
        assert places(of_kind(called, key["pk"]["S"])) == ["1"]
        held.release()
        assert get(called, key) is None
        assert places(of_kind(called, key["pk"]["S"])) == []

    def test_leaves_pages_as_exact_as_the_engines(self, held, called, fresh):
        kind = fresh("kind")
        for n in range(6):
            put(called, {"pk": {"S": kind}, "sk": {"S": f"{n}"}}, p=kind, s=f"{n}")
        held.release()
        first = of_kind(called, kind, Limit=3)
        for n in range(1, 6):
            called.delete_item(TableName=TABLE, Key={"pk": {"S": kind}, "sk": {"S": f"{n}"}})
        second = of_kind(called, kind, Limit=3, ExclusiveStartKey=first["LastEvaluatedKey"])
        assert places(first) + places(second) == [f"{n}" for n in range(6)]

    def test_is_of_transactions_and_batches_too(self, held, called, key):
        keys = [{**key, "sk": {"S": f"{n}"}} for n in range(4)]
        transact(called, *keys[:2])
        puts = [{"PutRequest": {"Item": one}} for one in keys[2:]]
        called.batch_write_item(RequestItems={TABLE: puts})
        assert [get(called, one) for one in keys] == [None] * 4
        held.release()
        assert [get(called, one) for one in keys] == keys

    def test_is_not_of_the_consistent_reads_of_a_batch(self, held, called, key):
        for table in (TABLE, OTHER):
            put(called, key, table=table)
        answer = called.batch_get_item(
            RequestItems={TABLE: {"Keys": [key], "ConsistentRead": True}, OTHER: {"Keys": [key]}},
            ReturnConsumedCapacity="TOTAL",
        )
        assert answer["Responses"] == {TABLE: [key], OTHER: []}
        units = {each["TableName"]: each["CapacityUnits"] for each in answer["ConsumedCapacity"]}
        assert units == {TABLE: 1.0, OTHER: 0.5}

    def test_is_over_by_itself(self, proxy, called, key):
        proxy.lag.seconds = 0.05
        put(called, key)
        proxy.lag.caught_up()
        assert get(called, key) == key

    def test_that_is_infinite_is_not_waited_for(self, held, called, key):
        put(called, key)
        with pytest.raises(ValueError, match="release"):
            held.caught_up()

    def test_may_end_while_writes_wait(self, held, called, key):
        put(called, key)
        held.seconds = 0.0
        held.caught_up()
        assert get(called, key) == key

    def test_begins_anew_with_what_others_have_written(self, held, called, client, key):
        assert get(called, key) is None
        held.seconds = 0.0
        put(client, key, title="by another")
        assert get(called, key)["title"] == {"S": "by another"}
        held.seconds = inf
        put(called, key, title="new")
        assert get(called, key)["title"] == {"S": "by another"}

    def test_ends_with_the_last_write_of_an_item(self, connection, client_of, fresh):
        keys = [{"pk": {"S": fresh("item")}, "sk": {"S": f"{n}"}} for n in range(4)]

        def count(key: dict[str, Any]) -> None:
            add = {"UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
            for _ in range(10):
                called.update_item(TableName=TABLE, Key=key, **add)

        with lagging(connection, seconds=0.1, is_drawn=True) as proxy:
            called = client_of(proxy)
            with ThreadPoolExecutor(8) as threads:
                list(threads.map(count, keys * 2))
            proxy.lag.caught_up()
            proxy.lag.seconds = inf  # so that reads do not meet the engine itself
            assert [get(called, key)["n"] for key in keys] == [{"N": "20"}] * 4

    def test_is_of_a_share_of_the_reads(self, connection, client_of, key):
        with lagging(connection, seconds=inf, replica_share=0.5) as proxy:
            called = client_of(proxy)
            put(called, key)
            seen = {get(called, key) is not None for _ in range(40)}
        assert seen == {True, False}

    def test_follows_a_write_whose_answer_was_lost(self, held, proxy, called, key):
        proxy.rules.append(Rule("reset after", operation="TransactWriteItems", times=1))
        assert fails(lambda: transact(called, key))
        assert get(called, key, ConsistentRead=True) == key
        assert get(called, key) is None
        held.release()
        assert get(called, key) == key

    def test_follows_a_write_that_the_engine_itself_did_not_answer(
        self, proxy, connection, client_of, key
    ):
        with FaultProxy(proxy.endpoint_url, lag=Lag(inf)) as lagging_proxy:
            called = client_of(lagging_proxy)
            assert get(called, key) is None
            proxy.rules.append(Rule("reset after", operation="PutItem", times=1))
            # Nor when the proxy wants to know what was written.
            proxy.rules.append(Rule("reset before", operation="GetItem", times=2))
            assert fails(lambda: put(called, key))
            lagging_proxy.lag.release()
            assert get(called, key) == key

    def test_sees_nothing_of_a_write_that_was_refused(self, held, called, key):
        put(called, key, title="old")
        held.release()
        condition = {"ConditionExpression": "attribute_not_exists(pk)"}
        with pytest.raises(ClientError, match="ConditionalCheckFailed"):
            called.put_item(TableName=TABLE, Item=key, **condition)
        with pytest.raises(ClientError, match="ValidationException"):
            called.put_item(TableName=TABLE, Item={"pk": key["pk"]})
        held.release()
        assert get(called, key)["title"] == {"S": "old"}

    def test_forgets_a_table_that_was_deleted(self, held, called, new_table, client, key):
        name = new_table()
        put(called, key, table=name)
        description = client.describe_table(TableName=name)["Table"]
        called.delete_table(TableName=name)
        with pytest.raises(ClientError, match="ResourceNotFound"):
            get(called, key, table=name)
        parts = ("KeySchema", "AttributeDefinitions")
        indexes = [
            {part: index[part] for part in ("IndexName", "KeySchema", "Projection")}
            for index in description["GlobalSecondaryIndexes"]
        ]
        called.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            GlobalSecondaryIndexes=indexes,
            **{part: description[part] for part in parts},
        )
        held.release()
        assert get(called, key, table=name) is None
        put(called, key, table=name)
        held.release()
        assert get(called, key, table=name) == key
