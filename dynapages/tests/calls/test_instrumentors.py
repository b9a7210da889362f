"""Programs that make spans of botocore's calls see each call once, by either transport."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.endpoint import Endpoint
from botocore.exceptions import ClientError

from dynapages.calls import instrumentors
from dynapages.calls.client import build_client
from dynapages.calls.costs import cost
from dynapages.calls.faults import Throttled, fault_in
from dynapages.calls.meter import metered
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages_testing.chance import unique

TABLE = unique("dynapages-test")
KEY = {"pk": {"S": "A"}, "sk": {"S": "1"}}


class Wrapped:
    """A method of botocore's that an instrumentor replaced; ``spans`` are the names of its calls.

    As wrapt's wrappers do, it has the attributes of what it wraps.
    """

    def __init__(self, method: Any) -> None:
        self.__wrapped__ = method
        self.spans: list[str] = []

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self
        return partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __call__(self, instance: object, *args: Any, **kwargs: Any) -> Any:
        self.spans.append(str(args[0]))
        return self.__wrapped__(instance, *args, **kwargs)


@pytest.fixture(scope="module", autouse=True)
def table(new_table):
    return new_table(TABLE)


@pytest.fixture(params=[True, False], ids=["direct", "by botocore"])
def transport(request, connection):
    """A connection by either transport."""
    return replace(connection, library_transport=request.param)


@pytest.fixture
def wrapped(monkeypatch):
    """The method that OpenTelemetry, AWS X-Ray and Datadog replace."""
    wrapper = Wrapped(BaseClient._make_api_call)
    monkeypatch.setattr(BaseClient, "_make_api_call", wrapper)
    return wrapper


class TestAnInstrumentor:
    def test_sees_each_call_once(self, transport, wrapped):
        client = build_client(transport)
        client.put_item(TableName=TABLE, Item=KEY)
        assert client.get_item(TableName=TABLE, Key=KEY)["Item"] == KEY
        assert wrapped.spans == ["PutItem", "GetItem"]

    def test_sees_the_calls_of_a_client_that_was_there_before_it(self, transport, monkeypatch):
        client = build_client(transport)
        client.list_tables()
        wrapper = Wrapped(BaseClient._make_api_call)
        monkeypatch.setattr(BaseClient, "_make_api_call", wrapper)
        client.list_tables()
        assert wrapper.spans == ["ListTables"]

    def test_sees_a_call_of_three_attempts_once(self, transport, wrapped):
        with FaultProxy(transport.endpoint_url, rules=[Rule("throttled")]) as proxy:
            client = build_client(replace(transport, endpoint_url=proxy.endpoint_url))
            with pytest.raises(ClientError) as raised:
                client.get_item(TableName=TABLE, Key=KEY)
            assert proxy.met.total() == 3
        assert isinstance(fault_in(raised.value), Throttled)
        assert wrapped.spans == ["GetItem"]

    def test_leaves_the_meter_as_it_is(self, transport, wrapped):
        client = build_client(transport)
        with metered() as cost:
            client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True)
        assert (cost.calls, cost.units) == (1, 1.0)
        assert wrapped.spans == ["GetItem"]

    def test_of_endpoints_sees_each_attempt(self, transport, monkeypatch):
        """New Relic's."""
        wrapper = Wrapped(Endpoint.make_request)
        monkeypatch.setattr(Endpoint, "make_request", wrapper)
        build_client(transport).list_tables()
        assert wrapper.spans == ["OperationModel(name=ListTables)"]

    def test_that_adds_handlers_to_new_clients_is_called_by_them(self, transport, monkeypatch):
        """As older versions of Sentry's do."""
        created: list[str] = []
        own = BaseClient.__init__

        def with_a_handler(self: Any, *args: Any, **kwargs: Any) -> None:
            own(self, *args, **kwargs)
            self.meta.events.register(
                "request-created", lambda operation_name, **_: created.append(operation_name)
            )

        monkeypatch.setattr(BaseClient, "__init__", with_a_handler)
        build_client(transport).list_tables()
        assert created == ["ListTables"]


class TestWithoutAnInstrumentor:
    def test_none_is_taken_for_active(self):
        assert not instrumentors.are_active()

    def test_a_block_with_a_cost_is_none(self):
        with cost(at_most=0):
            assert not instrumentors.are_active()

    def test_one_is_active_also_within_a_block_with_a_cost(self, monkeypatch):
        monkeypatch.setattr(BaseClient, "_make_api_call", Wrapped(BaseClient._make_api_call))
        with cost(at_most=0):
            assert instrumentors.are_active()

    def test_one_that_has_ended_is_not_active(self, monkeypatch):
        with monkeypatch.context() as patched:
            patched.setattr(BaseClient, "_make_api_call", Wrapped(BaseClient._make_api_call))
            assert instrumentors.are_active()
        assert not instrumentors.are_active()

    def test_a_function_in_the_place_of_botocores_is_one(self, monkeypatch):
        def make_api_call(*_: object) -> None:
            """Make no call."""

        monkeypatch.setattr(BaseClient, "_make_api_call", make_api_call)
        assert instrumentors.are_active()
