"""Spans and metrics of the site, kept in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from config.telemetry.requests import set_observer
from config.telemetry.spans import CallSpans, Instruments, Queue, RequestSpans
from dynapages.calls import Connection
from dynapages.process import connected, current_connection, on_every_client


@dataclass(frozen=True)
class Told:
    """What was told of the requests and calls within a block."""

    exporter: InMemorySpanExporter
    reader: InMemoryMetricReader

    @property
    def requests(self) -> list[ReadableSpan]:
        return self._of(SpanKind.SERVER)

    @property
    def calls(self) -> list[ReadableSpan]:
        return self._of(SpanKind.CLIENT)

    def metrics(self) -> dict[str, list[Any]]:
        """The points of each metric, by its name."""
        data = self.reader.get_metrics_data()
        return {
            metric.name: list(metric.data.data_points)
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def _of(self, kind: SpanKind) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.kind is kind]


@contextmanager
def telemetry(
    connection: Connection | None = None, queues: dict[str, Queue] | None = None
) -> Iterator[Told]:
    """Record all that the site does in the block, on its own DynamoDB or on another."""
    told = Told(InMemorySpanExporter(), InMemoryMetricReader())
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(told.exporter))
    meters = MeterProvider([told.reader], shutdown_on_exit=False)
    tracer = tracers.get_tracer("tests")
    instruments = Instruments(meters.get_meter("tests"), queues or {})
    with connected(connection or current_connection()):
        on_every_client(CallSpans(tracer, instruments).attach)
        before = set_observer(RequestSpans(tracer, instruments).observe)
        try:
            yield told
        finally:
            set_observer(before)
            meters.shutdown()
            tracers.shutdown()
