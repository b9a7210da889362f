"""Spans and metrics by OpenTelemetry: imported only where the setting TELEMETRY is on.

Names follow its semantic conventions for HTTP, databases and AWS DynamoDB. Nothing in a span tells
of a person: no address of a page, no key, no value.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from http import HTTPMethod, HTTPStatus
from typing import TYPE_CHECKING, Any

from botocore.model import OperationModel
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from dynamo.calls.attempts import Answer, fault_of
from dynamo.calls.client import instrument
from dynamo.calls.faults import Throttled
from dynamo.telemetry.facts import RequestFacts
from dynamo.telemetry.observers import observe
from dynamo.writes.background import QUEUES

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SCOPE = "dynashop"
SERVICE = Resource({"service.name": SCOPE})
SPAN = "dynamo_span"
"""Where botocore's context of a call holds the call's span."""
_METHODS = frozenset(HTTPMethod)
_OTHER = "_OTHER"


@cache
def start() -> "Telemetry":
    """Send spans and metrics of this process to the collector that the environment names.

    That is ``OTEL_EXPORTER_OTLP_ENDPOINT`` and the other variables of OpenTelemetry's SDK. Threads
    of the SDK send them, which a fork would not copy: call it in the process that serves. What is
    left is sent when the process ends.
    """
    resource = Resource.create().merge(SERVICE).merge(OTELResourceDetector().detect())
    tracers = SdkTracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    telemetry = Telemetry(tracers, SdkMeterProvider([reader], resource=resource))
    telemetry.watch()
    return telemetry


class Telemetry:
    """Makes a span of each request and of each call to DynamoDB, and counts them."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider) -> None:
        self.tracer = tracers.get_tracer(SCOPE)
        meter = meters.get_meter(SCOPE)
        self.durations = meter.create_histogram(
            "http.server.request.duration", "s", "Duration of requests"
        )
        self.list_units = meter.create_histogram(
            "dynashop.list.capacity_units", "{unit}", "Capacity units of a page of a list"
        )
        self.refused = meter.create_counter(
            "dynashop.requests.shed", "{request}", "Requests refused because too many were there"
        )
        self.retries = meter.create_counter(
            "dynashop.dynamodb.retries", "{attempt}", "Attempts of calls after the first"
        )
        self.throttles = meter.create_counter(
            "dynashop.dynamodb.throttles", "{attempt}", "Attempts that DynamoDB throttled"
        )
        meter.create_observable_gauge(
            "dynashop.queue.length", [_lengths], "{value}", "Background writes that wait"
        )
        meter.create_observable_counter(
            "dynashop.queue.lost", [_losses], "{value}", "Background writes that were lost"
        )

    def watch(self) -> None:
        """Be told of all later requests and calls of the process."""
        observe(self)
        instrument(self.attach)

    def begin(self, method: str, parents: Mapping[str, str]) -> "ObservedSpan":
        """Begin the span of a request, in the trace that ``parents`` name."""
        name = method if method in _METHODS else "HTTP"
        return ObservedSpan(
            self,
            self.tracer.start_span(name, context=propagate.extract(parents), kind=SpanKind.SERVER),
        )

    def shed(self, facts: RequestFacts) -> None:
        """Count a request that was refused; it has no span."""
        self.refused.add(1, {"http.request.method": _method(facts)})

    def attach(self, client: "DynamoDBClient") -> None:
        """Make spans of every later call of a client."""
        events = client.meta.events
        events.register("before-parameter-build.dynamodb.*", self._begin_call)
        # Before `dynamo.calls.attempts`: botocore asks no other once one has answered.
        events.register_first("needs-retry.dynamodb.*", self._note_attempt)
        events.register("after-call.dynamodb.*", self._end_call)
        events.register("after-call-error.dynamodb.*", self._fail_call)

    def _begin_call(
        self, params: Mapping[str, Any], model: OperationModel, context: dict[str, Any], **_: object
    ) -> None:
        tables = sorted(set(_tables_in(params)))
        attributes: dict[str, Any] = {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": model.name,
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
            "rpc.method": model.name,
            "aws.dynamodb.table_names": tables,
        }
        named = {
            "aws.dynamodb.index_name": params.get("IndexName"),
            "aws.dynamodb.limit": params.get("Limit"),
            "aws.dynamodb.scan_forward": params.get("ScanIndexForward"),
            "aws.dynamodb.consistent_read": params.get("ConsistentRead"),
            "db.collection.name": tables[0] if len(tables) == 1 else None,
        }
        attributes |= {name: value for name, value in named.items() if value is not None}
        name = f"DynamoDB.{model.name}"
        context[SPAN] = self.tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)

    def _note_attempt(
        self,
        *,
        attempts: int,
        operation: OperationModel,
        response: Answer | None,
        caught_exception: Exception | None,
        request_dict: Mapping[str, Any],
        **_: object,
    ) -> None:
        labels = {"db.operation.name": operation.name}
        span = _span_in(request_dict["context"])
        if attempts > 1:
            self.retries.add(1, labels)
            span.set_attribute("http.request.resend_count", attempts - 1)
        if isinstance(fault_of(response, caught_exception), Throttled):
            self.throttles.add(1, labels)
            span.add_event("throttled", {"attempt": attempts})

    def _end_call(self, parsed: Mapping[str, Any], context: Mapping[str, Any], **_: object) -> None:
        span = _span_in(context)
        consumed = parsed.get("ConsumedCapacity", [])
        found = {
            "aws.request_id": parsed.get("ResponseMetadata", {}).get("RequestId"),
            "aws.dynamodb.count": parsed.get("Count"),
            "aws.dynamodb.scanned_count": parsed.get("ScannedCount"),
            "aws.dynamodb.consumed_capacity": [
                json.dumps(each)
                for each in (consumed if isinstance(consumed, list) else [consumed])
            ],
        }
        span.set_attributes({name: value for name, value in found.items() if value})
        if error := parsed.get("Error"):
            _fail(span, error.get("Code", _OTHER))
        span.end()

    def _fail_call(self, exception: Exception, context: Mapping[str, Any], **_: object) -> None:
        span = _span_in(context)
        _fail(span, type(exception).__name__)
        span.end()


@dataclass(frozen=True, slots=True)
class ObservedSpan:
    """The span of a request; its calls are spans below it."""

    telemetry: Telemetry
    span: Span

    def active(self) -> AbstractContextManager[object]:
        """Return a block whose spans are below this one."""
        return trace.use_span(self.span, record_exception=False, set_status_on_exception=False)

    def end(self, facts: RequestFacts) -> None:
        """End the span, and count the request."""
        labels: dict[str, Any] = {
            "http.request.method": _method(facts),
            "http.response.status_code": facts.status,
        }
        if facts.route:
            labels["http.route"] = f"/{facts.route}"
            self.span.update_name(f"{_method(facts)} /{facts.route}")
        if facts.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            labels["error.type"] = str(facts.status)
            self.span.set_status(Status(StatusCode.ERROR))
        told: dict[str, Any] = {
            "dynashop.view": facts.view,
            "dynashop.list": facts.list,
            "dynashop.plan": facts.plan,
            "dynashop.rounds": facts.rounds,
            "dynashop.capacity_units": facts.units,
        }
        self.span.set_attributes(
            {**labels, **{name: value for name, value in told.items() if value}}
        )
        self.span.end()
        self.telemetry.durations.record(facts.ms / 1000, labels)
        if facts.list:
            of_list = {"dynashop.list": facts.list, "dynashop.plan": facts.plan}
            self.telemetry.list_units.record(facts.list_units, of_list)


def _span_in(of_call: Mapping[str, Any]) -> Span:
    span: Span = of_call.get(SPAN, trace.INVALID_SPAN)
    return span


def _fail(span: Span, kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


def _method(facts: RequestFacts) -> str:
    return facts.method if facts.method in _METHODS else _OTHER


def _tables_in(params: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables of a call, of a batch or a transaction those of all its parts."""
    if "TableName" in params:
        yield params["TableName"]
    yield from params.get("RequestItems", {})
    for action in params.get("TransactItems", []):
        yield from (part["TableName"] for part in action.values())


def _lengths(_options: CallbackOptions) -> Iterable[Observation]:
    return [Observation(len(queue), {"queue": queue.name}) for queue in QUEUES]


def _losses(_options: CallbackOptions) -> Iterable[Observation]:
    return [Observation(queue.lost, {"queue": queue.name}) for queue in QUEUES]
