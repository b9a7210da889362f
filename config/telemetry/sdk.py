"""OpenTelemetry's SDK: spans and metrics are sent to a collector, by threads in the background.

Where to, how often and how many, say the standard's own variables, such as
OTEL_EXPORTER_OTLP_ENDPOINT, which the SDK reads. Pages never wait for a collector.
"""

import atexit
from collections.abc import Mapping
from threading import Event, Lock, Thread
from uuid import uuid4

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from config.telemetry.requests import set_observer
from config.telemetry.spans import CallSpans, Instruments, Queue, RequestSpans
from dynapages.process import on_every_client

SERVICE = "dynashop"
AT_EXIT_SECONDS = 2.0
"""How long the end of a process waits for what is still to be sent."""
_started = Lock()
"""Is acquired once, and never released."""


def start(queues: Mapping[str, Queue]) -> None:
    """Send spans and metrics of this process from now on; a second time does nothing.

    Call it in the process that serves: its threads do not survive a fork.
    """
    if not _started.acquire(blocking=False):
        return
    resource = _resource()
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    _close_at_exit(tracers, meters)
    tracer = tracers.get_tracer(SERVICE)
    instruments = Instruments(meters.get_meter(SERVICE), queues)
    set_observer(RequestSpans(tracer, instruments).observe)
    on_every_client(CallSpans(tracer, instruments).attach)


def _resource() -> Resource:
    """Return who sends: each process for itself, or their sums would replace one another."""
    ours = Resource.create({"service.name": SERVICE, "service.instance.id": str(uuid4())})
    return ours.merge(OTELResourceDetector().detect())


def _close_at_exit(tracers: TracerProvider, meters: MeterProvider) -> None:
    # The SDK would wait up to 30 seconds. The thread is begun now, because at the exit of a
    # process no other can be.
    ends = Event()

    def close() -> None:
        ends.wait()
        tracers.shutdown()
        meters.shutdown()

    thread = Thread(target=close, name="telemetry", daemon=True)
    thread.start()

    def end() -> None:
        ends.set()
        thread.join(AT_EXIT_SECONDS)

    atexit.register(end)
