"""The attempts of a call, against an engine behind a proxy that makes faults."""

from time import monotonic, sleep
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dynapages.calls.client import FAILURES, PAUSE, Breaker, Connection, build_client
from dynapages.calls.faults import Throttled, Unauthorized, Unreachable, fault_in
from dynapages.calls.pool import seconds_left, time_budget
from dynapages.calls.transport import Damaged
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.engine.faults import DAMAGED_BODIES
from dynapages_testing.chance import unique

TABLE = unique("dynapages-test")
_KEY = {"pk": {"S": "DAMAGED_BODIES"}, "sk": {"S": "DAMAGED_BODIES"}}
_TABLE, _ITEM = {"TableName": TABLE}, {"TableName": TABLE, "Key": _KEY}
OPERATIONS: dict[str, dict[str, Any]] = {
    "BatchGetItem": {"RequestItems": {TABLE: {"Keys": [_KEY]}}},
    "BatchWriteItem": {"RequestItems": {TABLE: [{"PutRequest": {"Item": _KEY}}]}},
    "DeleteItem": _ITEM,
    "DescribeTable": _TABLE,
    "DescribeTimeToLive": _TABLE,
    "GetItem": _ITEM,
    "ListTables": {},
    "PutItem": {**_TABLE, "Item": _KEY},
    "Query": {
        **_TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": _KEY["pk"]},
    },
    "Scan": {**_TABLE, "Limit": 1},
    "TransactWriteItems": {"TransactItems": [{"Put": {**_TABLE, "Item": _KEY}}]},
    "UpdateItem": {
        **_ITEM,
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
    },
}
"""What the library and what is built on it call, but for those that make tables."""


@pytest.fixture(scope="module")
def running(connection):
    with FaultProxy(connection.endpoint_url) as proxy:
        yield proxy


@pytest.fixture
def proxy(running):
    """The proxy, without any fault."""
    running.rules.clear()
    running.stall_seconds = 20.0
    running.bodies, running.has_checksums = DAMAGED_BODIES, True
    running.met.clear()
    return running


PATIENCE = 30.0
"""Seconds for an answer that comes, however busy the machine is."""
LIBRARY_TRANSPORT = False
"""How the calls of this module are sent; see `transport`."""


@pytest.fixture(autouse=True, params=[True, False], ids=["direct", "by botocore"])
def transport(request, monkeypatch):
    """Make each test by either transport."""
    monkeypatch.setattr(f"{__name__}.LIBRARY_TRANSPORT", request.param)


def client_of(proxy: FaultProxy, *, attempts: int = 3, read_seconds: float = 0.5) -> Any:
    return build_client(
        Connection(
            region="us-east-1",
            endpoint_url=proxy.endpoint_url,
            access_key="tests",
            secret_key="tests",
            read_seconds=read_seconds,
            attempts=attempts,
            library_transport=LIBRARY_TRANSPORT,
        )
    )


def fails(proxy: FaultProxy, budget: float = 60.0, **limits: Any) -> BaseException:
    called = client_of(proxy, **limits)  # which takes time, and none of the budget
    with time_budget(budget), pytest.raises(Exception) as raised:  # noqa: PT011 - its fault is looked at
        called.list_tables()
    return raised.value


def times_met(proxy: FaultProxy, expected: int) -> int:
    """How often the proxy has met a call.

    On a busy machine it may begin with one only when the client has waited for its answer in vain.
    """
    until = monotonic() + PATIENCE
    while proxy.met.total() < expected and monotonic() < until:
        sleep(0.01)
    return proxy.met.total()


class TestACallThatFails:
    @pytest.mark.parametrize(
        ("kind", "fault"),
        [
            ("throttled", Throttled),
            ("server error", Unreachable),
            ("front end", Unreachable),
            ("reset before", Unreachable),
            ("reset after", Unreachable),
            ("stalled", Unreachable),
            ("dripping", Unreachable),
            ("truncated", Damaged),
            ("wrong checksum", Damaged),
            ("damaged", Damaged),
        ],
    )
    def test_is_repeated_and_then_told(self, proxy, kind, fault):
        proxy.rules.append(Rule(kind))
        assert isinstance(fault_in(fails(proxy)), fault)
        assert times_met(proxy, 3) == 3

    @pytest.mark.parametrize(
        "kind", ["throttled", "reset before", "truncated", "front end", "damaged"]
    )
    def test_is_answered_when_the_next_attempt_is(self, proxy, kind):
        proxy.rules.append(Rule(kind))
        called = client_of(proxy)

        def recover(**_: object) -> None:
            proxy.rules.clear()

        called.meta.events.register("response-received.dynamodb.*", recover)
        assert "TableNames" in called.list_tables()
        assert proxy.met.total() == 1

    def test_is_not_repeated_when_it_was_wrong(self, proxy):
        calls: list[object] = []
        called = client_of(proxy)
        called.meta.events.register("before-send.dynamodb.*", lambda **_: calls.append(1))
        with pytest.raises(ClientError, match="ResourceNotFoundException"):
            called.describe_table(TableName=unique("nothing"))
        assert len(calls) == 1

    def test_is_not_repeated_with_an_expired_token(self, proxy):
        proxy.rules.append(Rule("expired token"))
        assert isinstance(fault_in(fails(proxy)), Unauthorized)
        assert proxy.met.total() == 1

    def test_leaves_the_throttling_of_a_batch_to_its_caller(self, proxy):
        proxy.rules.append(Rule("throttled"))
        with pytest.raises(ClientError):
            client_of(proxy).batch_get_item(RequestItems={"things": {"Keys": []}})
        assert proxy.met.total() == 1


@pytest.fixture(scope="module")
def table(new_table):
    return new_table(TABLE)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("has_checksums", [True, False])
class TestAnAnswerThatIsNoJSONObject:
    @pytest.mark.parametrize("operation", OPERATIONS)
    def test_is_damaged_whatever_was_called(self, proxy, operation, has_checksums):
        proxy.rules.append(Rule("damaged"))
        proxy.has_checksums = has_checksums
        called = client_of(proxy, attempts=1, read_seconds=PATIENCE)
        for body in DAMAGED_BODIES:
            proxy.bodies = [body]
            with pytest.raises(Damaged):
                called._make_api_call(operation, OPERATIONS[operation])

    def test_is_damaged_where_it_tells_of_an_error(self, proxy, has_checksums):
        proxy.rules.append(Rule("damaged"))
        proxy.has_checksums = has_checksums
        for body in (*DAMAGED_BODIES, b"{}"):
            proxy.bodies = [body]
            with pytest.raises(Damaged):
                client_of(proxy, attempts=1, read_seconds=PATIENCE).describe_table(
                    TableName=unique("nothing")
                )

    def test_is_not_taken_for_an_empty_one_which_writes_have(self, proxy, has_checksums):
        proxy.rules.append(Rule("damaged"))
        proxy.has_checksums, proxy.bodies = has_checksums, [b"{}"]
        assert "Attributes" not in client_of(proxy, read_seconds=PATIENCE).put_item(
            **OPERATIONS["PutItem"]
        )
        assert proxy.met.total() == 1

    def test_of_a_front_end_is_said_in_its_sentence(self, proxy, has_checksums):
        proxy.rules.append(Rule("damaged"))
        proxy.has_checksums = has_checksums
        proxy.bodies = [b"<html>Not found</html>"]
        with pytest.raises(ClientError) as raised:
            client_of(proxy, attempts=1, read_seconds=PATIENCE).describe_table(
                TableName=unique("nothing")
            )
        assert (
            str(fault_in(raised.value)) == "What answers at the database's address is not DynamoDB."
        )


class TestATimeBudget:
    def test_bounds_all_attempts_together(self, proxy):
        proxy.rules.append(Rule("stalled"))
        proxy.stall_seconds = 5.0
        begun = monotonic()
        fault = fault_in(fails(proxy, 0.6, attempts=9, read_seconds=3.0))
        assert isinstance(fault, Unreachable)
        assert monotonic() - begun < 3  # one stalled attempt alone would take that long
        assert proxy.met.total() >= 2

    def test_bounds_an_answer_that_drips(self, proxy):
        proxy.rules.append(Rule("dripping"))
        begun = monotonic()
        fails(proxy, 0.6, read_seconds=3.0)
        assert monotonic() - begun < 3

    def test_makes_no_call_when_it_is_spent(self, connection):
        rules = [Rule("server error")]
        # By no other test, whose calls may be late.
        with FaultProxy(connection.endpoint_url, rules=rules) as unused:
            assert isinstance(fault_in(fails(unused, 0.0)), Unreachable)
            assert unused.met.total() == 0

    def test_can_only_be_shortened(self):
        with time_budget(1.0), time_budget(60.0):
            assert seconds_left() <= 1.0

    def test_is_over_with_its_block(self, client):
        with time_budget(0.0):
            pass
        assert client.list_tables()


class TestABreaker:
    def test_refuses_calls_after_failures_in_a_row_until_one_was_answered(self):
        now = [0.0]
        breaker = Breaker(clock=lambda: now[0])
        for answered in (*[False] * (FAILURES - 1), True, *[False] * FAILURES):
            breaker.enter()
            breaker.note(answered=answered)
        with pytest.raises(Unreachable):
            breaker.enter()
        now[0] = PAUSE + 0.1
        breaker.enter()
        with pytest.raises(Unreachable):  # one alone may try
            breaker.enter()
        breaker.note(answered=True)
        breaker.enter()
        breaker.enter()

    def test_spares_a_database_that_is_away(self, proxy):
        proxy.rules.append(Rule("reset before"))
        called = client_of(proxy, attempts=1)
        for _ in range(FAILURES + 5):
            with pytest.raises(Exception):  # noqa: B017, PT011 - whichever
                called.list_tables()
        assert times_met(proxy, FAILURES) == FAILURES
