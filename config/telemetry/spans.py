"""Spans of OpenTelemetry: one for each request, and below it one for each call to DynamoDB.

The names are those of its semantic conventions for HTTP servers, for database clients and for
DynamoDB; what they have no name for begins with ``dynashop``. No span has a path, a query, a key or
a value of an item.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from botocore.exceptions import ClientError
from botocore.model import OperationModel
from opentelemetry.context import Context, attach, detach
from opentelemetry.metrics import Meter, Observation
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from config.telemetry.requests import OnSent, RequestRecord
from dynapages.calls import Throttled, fault_in, request_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


DURATION_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
"""In seconds, as the conventions give them."""
UNIT_BOUNDS = (0, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
"""In capacity units."""
SYSTEM = "aws.dynamodb"
REQUEST_ATTRIBUTES = {
    "IndexName": "aws.dynamodb.index_name",
    "Limit": "aws.dynamodb.limit",
    "ScanIndexForward": "aws.dynamodb.scan_forward",
    "ConsistentRead": "aws.dynamodb.consistent_read",
}
"""Attributes of spans, by the parameters of a call."""
RESPONSE_ATTRIBUTES = {
    "Count": "aws.dynamodb.count",
    "ScannedCount": "aws.dynamodb.scanned_count",
}
UNPROCESSED = ("UnprocessedItems", "UnprocessedKeys")
_WATCHED = "dynamo_watched"
"""Where botocore's context of a call has its `_Call`."""
_propagator = TraceContextTextMapPropagator()


class Queue(Protocol):
    """What a metric of a queue in the background needs; `shop.background` has it."""

    lost: int

    def __len__(self) -> int: ...


class Instruments:
    """All metrics of a process; ``queues`` are those of its writes in the background."""

    def __init__(self, meter: Meter, queues: Mapping[str, Queue]) -> None:
        self.requests = meter.create_histogram(
            "http.server.request.duration",
            unit="s",
            description="Duration of requests",
            explicit_bucket_boundaries_advisory=DURATION_BOUNDS,
        )
        self.calls = meter.create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of calls to DynamoDB, with their retries",
            explicit_bucket_boundaries_advisory=DURATION_BOUNDS,
        )
        self.units = meter.create_histogram(
            "dynashop.request.capacity",
            unit="{unit}",
            description="Capacity units of a request",
            explicit_bucket_boundaries_advisory=UNIT_BOUNDS,
        )
        self.shed = meter.create_counter(
            "dynashop.requests.shed", unit="{request}", description="Requests refused as too many"
        )
        self.late = meter.create_counter(
            "dynashop.requests.late", unit="{request}", description="Requests out of their time"
        )
        self.retries = meter.create_counter(
            "dynashop.dynamodb.retries", unit="{attempt}", description="Calls that were repeated"
        )
        self.throttles = meter.create_counter(
            "dynashop.dynamodb.throttles", unit="{answer}", description="Answers that throttled"
        )
        meter.create_observable_gauge(
            "dynashop.queue.length",
            [_callback(queues, len)],
            unit="{value}",
            description="Values that wait to be written in the background",
        )
        meter.create_observable_counter(
            "dynashop.queue.lost",
            [_callback(queues, _lost)],
            unit="{value}",
            description="Values that were never written",
        )

    def record_request(self, record: RequestRecord, attributes: Mapping[str, Any]) -> None:
        """Record a request that was answered; ``attributes`` are those of its duration."""
        self.requests.record(record.milliseconds / 1000, attributes)
        if record.is_shed:
            self.shed.add(1)
            return
        list_attributes = {"dynashop.list": record.list, "dynashop.plan": record.plan}
        self.units.record(record.meter.units, list_attributes)
        if record.is_late:
            self.late.add(1, {"http.route": record.route})


def _lost(queue: Queue) -> int:
    return queue.lost


def _callback(
    queues: Mapping[str, Queue], number_of: Callable[[Queue], int]
) -> Callable[[object], Iterator[Observation]]:
    """Return what the SDK calls for a number of each queue, whenever it sends metrics."""

    def read(_options: object) -> Iterator[Observation]:
        for name, queue in queues.items():
            yield Observation(number_of(queue), {"dynashop.queue": name})

    return read


# Requests


class RequestSpans:
    """An observer of requests, see `config.telemetry.requests.set_observer`."""

    def __init__(self, tracer: Tracer, instruments: Instruments) -> None:
        self._tracer = tracer
        self._instruments = instruments

    @contextmanager
    def observe(self, record: RequestRecord) -> Iterator[OnSent]:
        """Begin the span of a request; it ends when its answer was sent."""
        parent = _propagator.extract(record.trace_headers, context=Context())
        span = self._tracer.start_span(
            record.method,
            context=parent,
            kind=SpanKind.SERVER,
            attributes={"http.request.method": record.method, "url.scheme": record.scheme},
        )
        context = span.get_span_context()
        record.trace = f"{context.trace_id:032x}" if context.is_valid else ""
        token = attach(set_span_in_context(span, parent))
        try:
            yield partial(self._end, span, record)
        finally:
            detach(token)

    def _end(self, span: Span, record: RequestRecord) -> None:
        of_response: dict[str, str | int] = {"http.response.status_code": record.status}
        if record.route:
            of_response["http.route"] = record.route
        if record.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            of_response["error.type"] = record.fault or str(record.status)
            span.set_status(StatusCode.ERROR)
        if record.view:
            span.update_name(f"{record.method} {record.view}")
        span.set_attributes(of_response)
        span.set_attributes(_own_attributes(record))
        span.end()
        of_request = {"http.request.method": record.method, "url.scheme": record.scheme}
        self._instruments.record_request(record, of_request | of_response)


def _own_attributes(record: RequestRecord) -> dict[str, str | int | float | bool]:
    """Return what the log has of a request, but for what has a name in the conventions."""
    attributes: dict[str, str | int | float | bool] = {
        "dynashop.list": record.list,
        "dynashop.plan": record.plan,
        "dynashop.calls": record.meter.calls,
        "dynashop.rounds": record.meter.rounds,
        "dynashop.capacity_units": record.meter.units,
        "dynashop.late": record.is_late,
        "dynashop.shed": record.is_shed,
    }
    for name, value in record.shape.items():
        attributes[f"dynashop.shape.{name}"] = value
    if record.amazon_units is not None:
        attributes["dynashop.amazon_units"] = record.amazon_units
    return attributes


# Calls


@dataclass(slots=True)
class _Call:
    """A call to DynamoDB under way, with all its attempts."""

    span: Span
    operation: str
    tables: list[str]
    begun: float
    attempts: int = 0
    throttles: int = 0


@dataclass(frozen=True, slots=True)
class CallSpans:
    """The spans of the calls of a process."""

    tracer: Tracer
    instruments: Instruments

    def attach(self, client: "DynamoDBClient") -> None:
        """Watch every later call of a client, which must be metered already."""
        events = client.meta.events
        events.register("before-call.dynamodb.*", partial(self._begin, _server(client)))
        events.register("response-received.dynamodb.*", self._note_attempt)
        events.register("after-call.dynamodb.*", self._end)
        events.register("after-call-error.dynamodb.*", self._fail)

    def _begin(
        self,
        server: Mapping[str, str | int],
        model: OperationModel,
        context: dict[str, Any],
        **_: object,
    ) -> None:
        """Begin the span of a call; botocore keeps it in the ``context`` of the call."""
        parameters, operation = request_of(context), model.name
        tables = _tables(parameters)
        attributes: dict[str, Any] = {
            "db.system.name": SYSTEM,
            "db.operation.name": operation,
            "aws.dynamodb.table_names": tables,
            **_renamed(parameters, REQUEST_ATTRIBUTES),
            **server,
        }
        if len(tables) == 1:
            attributes["db.collection.name"] = tables[0]
        span = self.tracer.start_span(
            f"DynamoDB.{operation}", kind=SpanKind.CLIENT, attributes=attributes
        )
        context[_WATCHED] = _Call(span, operation, tables, perf_counter())

    def _note_attempt(
        self, parsed_response: Mapping[str, Any] | None, context: Mapping[str, Any], **_: object
    ) -> None:
        call: _Call | None = context.get(_WATCHED)
        if call is None:
            return
        call.attempts += 1
        if parsed_response is not None and _is_throttled(parsed_response):
            call.throttles += 1

    def _end(self, parsed: Mapping[str, Any], context: dict[str, Any], **_: object) -> None:
        call: _Call | None = context.pop(_WATCHED, None)
        if call is None:
            return
        span = call.span
        span.set_attributes(_renamed(parsed, RESPONSE_ATTRIBUTES))
        if request_id := parsed.get("ResponseMetadata", {}).get("RequestId"):
            span.set_attribute("aws.request_id", request_id)
        if consumed := parsed.get("ConsumedCapacity"):
            # A call to several tables has a list, another one an object.
            tables = consumed if isinstance(consumed, list) else [consumed]
            texts = [json.dumps(table) for table in tables]
            span.set_attribute("aws.dynamodb.consumed_capacity", texts)
        self._finish(call, parsed.get("Error", {}).get("Code", ""))

    def _fail(self, exception: BaseException, context: dict[str, Any], **_: object) -> None:
        call: _Call | None = context.pop(_WATCHED, None)
        if call is not None:
            self._finish(call, type(exception).__name__)

    def _finish(self, call: _Call, error: str) -> None:
        span, tables = call.span, ",".join(call.tables)
        retries = max(call.attempts - 1, 0)
        if error:
            span.set_status(StatusCode.ERROR)
            span.set_attribute("error.type", error)
        span.set_attributes({"dynashop.retries": retries, "dynashop.throttles": call.throttles})
        span.end()
        of_call = {
            "db.system.name": SYSTEM,
            "db.operation.name": call.operation,
            "db.collection.name": tables,
        }
        seconds = perf_counter() - call.begun
        failed = {"error.type": error} if error else {}
        self.instruments.calls.record(seconds, of_call | failed)
        if retries:
            self.instruments.retries.add(retries, of_call)
        if call.throttles:
            self.instruments.throttles.add(call.throttles, of_call)


def _server(client: "DynamoDBClient") -> dict[str, str | int]:
    """Return the attributes of the server that a client calls."""
    address = urlsplit(client.meta.endpoint_url)
    attributes: dict[str, str | int] = {"server.address": address.hostname or ""}
    if address.port:
        attributes["server.port"] = address.port
    return attributes


def _renamed(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return those of the values that have a name, by that name."""
    return {name: values[key] for key, name in names.items() if key in values}


def _tables(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the tables that a call is about, sorted."""
    if "RequestItems" in parameters:  # of a batch
        return sorted(parameters["RequestItems"])
    names = set[str]()
    for transact_item in parameters.get("TransactItems", ()):
        names.update(action["TableName"] for action in transact_item.values())
    if "TableName" in parameters:
        names.add(parameters["TableName"])
    return sorted(names)


def _is_throttled(answer: Mapping[str, Any]) -> bool:
    """Return whether DynamoDB refused a call, or a part of it, because there were too many."""
    if any(answer.get(key) for key in UNPROCESSED):
        return True
    if "Error" not in answer:
        return False
    # Each reason of a cancelled transaction has the code of an error of its own.
    errors = [answer["Error"], *answer.get("CancellationReasons", ())]
    return any(_is_throttling(error.get("Code", "")) for error in errors)


def _is_throttling(code: str) -> bool:
    return isinstance(fault_in(ClientError({"Error": {"Code": code}}, "")), Throttled)
