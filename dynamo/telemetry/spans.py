"""Spans of OpenTelemetry: one for each request, and below it one for each call to DynamoDB.

The names are those of its semantic conventions for HTTP servers, for database clients and for
DynamoDB; what they have no name for begins with ``dynashop``. No span has a path, a query, a key or
a value of an item.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from dynamo.telemetry.instruments import Instruments
from dynamo.telemetry.requests import RequestRecord, Told

_headers = TraceContextTextMapPropagator()


class RequestSpans:
    """An observer of requests, see `dynamo.telemetry.requests.observe_by`."""

    def __init__(self, tracer: Tracer, instruments: Instruments) -> None:
        self._tracer = tracer
        self._instruments = instruments

    @contextmanager
    def observe(self, record: RequestRecord) -> Iterator[Told]:
        """Begin the span of a request; it ends when its answer was sent."""
        parent = _headers.extract(record.trace_headers, context=Context())
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
        answered: dict[str, str | int] = {"http.response.status_code": record.status}
        if record.route:
            answered["http.route"] = record.route
        if record.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            answered["error.type"] = record.fault or str(record.status)
            span.set_status(StatusCode.ERROR)
        if record.view:
            span.update_name(f"{record.method} {record.view}")
        span.set_attributes(answered)
        span.set_attributes(_told(record))
        span.end()
        begun = {"http.request.method": record.method, "url.scheme": record.scheme}
        self._instruments.tell_request(record, begun | answered)


def _told(record: RequestRecord) -> dict[str, str | int | float | bool]:
    """Return what the log tells, but for what has a name in the conventions."""
    return {
        "dynashop.list": record.list,
        "dynashop.plan": record.plan,
        **{f"dynashop.shape.{name}": value for name, value in record.shape.items()},
        "dynashop.calls": record.meter.requests(),
        "dynashop.rounds": record.meter.rounds,
        "dynashop.capacity_units": record.meter.capacity_units(),
        "dynashop.late": record.is_late,
        "dynashop.shed": record.is_shed,
    }
