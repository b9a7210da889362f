"""The metrics of OpenTelemetry; docs/operations.md says what each is good for.

Their attributes have few values: names of lists, plans, tables, operations and patterns of URLs.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from opentelemetry.metrics import Meter, Observation

from dynamo.telemetry.requests import RequestRecord

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
"""The bounds that the conventions give for durations."""
UNITS = (0, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)


class Queue(Protocol):
    """What a metric of a queue in the background needs; `dynamo.writes.background` has it."""

    lost: int

    def __len__(self) -> int: ...


class Instruments:
    """All metrics of a process; ``queues`` are those of its writes in the background."""

    def __init__(self, meter: Meter, queues: Mapping[str, Queue]) -> None:
        self.requests = meter.create_histogram(
            "http.server.request.duration",
            unit="s",
            description="Duration of requests",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self.calls = meter.create_histogram(
            "db.client.operation.duration",
            unit="s",
            description="Duration of calls to DynamoDB, with their retries",
            explicit_bucket_boundaries_advisory=SECONDS,
        )
        self.units = meter.create_histogram(
            "dynashop.request.capacity",
            unit="{unit}",
            description="Capacity units of a request",
            explicit_bucket_boundaries_advisory=UNITS,
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
            [_reading(queues, len)],
            unit="{value}",
            description="Values that wait to be written in the background",
        )
        meter.create_observable_counter(
            "dynashop.queue.lost",
            [_reading(queues, lambda queue: queue.lost)],
            unit="{value}",
            description="Values that were never written",
        )

    def tell_request(self, record: RequestRecord, attributes: Mapping[str, Any]) -> None:
        """Measure a request that was answered; ``attributes`` are those of its duration."""
        self.requests.record(record.milliseconds / 1000, attributes)
        if record.is_shed:
            self.shed.add(1)
            return
        read = {"dynashop.list": record.list, "dynashop.plan": record.plan}
        self.units.record(record.meter.capacity_units(), read)
        if record.is_late:
            self.late.add(1, {"http.route": record.route})


def _reading(
    queues: Mapping[str, Queue], number_of: Callable[[Queue], int]
) -> Callable[[object], Iterator[Observation]]:
    def read(_options: object) -> Iterator[Observation]:
        for name, queue in queues.items():
            yield Observation(number_of(queue), {"dynashop.queue": name})

    return read
