"""Spans and metrics of pages, in the memory of OpenTelemetry's SDK."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.conf import settings
from django.test import Client, RequestFactory

from config.wsgi import application
from dynamo.calls.client import build_client, client, current_connection, instrument
from dynamo.telemetry.observers import observe
from dynamo.web import shedding
from dynamo.writes.background import BackgroundWrites
from lab.storm.proxy import Fault, FaultyProxy
from tests.support.comments.loading import load
from tests.support.comments.outage import connected
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import made_product, someone
from tests.support.project import PROJECT

pytest.importorskip("opentelemetry.sdk", reason="requirements-telemetry.txt is not installed")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from dynamo.telemetry.otel import Telemetry

pytestmark = pytest.mark.usefixtures("tables")
TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass(frozen=True)
class Collected:
    exporter: InMemorySpanExporter
    reader: InMemoryMetricReader

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    @property
    def request(self) -> ReadableSpan:
        (span,) = (span for span in self.spans if span.kind is SpanKind.SERVER)
        return span

    @property
    def calls(self) -> list[ReadableSpan]:
        return [span for span in self.spans if span.kind is SpanKind.CLIENT]

    def points(self, name: str) -> list[Any]:
        found = self.reader.get_metrics_data()
        return [
            point
            for resource in (found.resource_metrics if found else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def collected() -> Iterator[Collected]:
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers, meters = TracerProvider(), MeterProvider([reader])
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    Telemetry(tracers, meters).watch()
    yield Collected(exporter, reader)
    observe(None)
    instrument(None)
    tracers.shutdown()
    meters.shutdown()


@pytest.fixture(scope="module")
def product(tables: None) -> str:
    made = made_product()
    load(numbered_comments(made, count=30, languages=("de", "en")))
    return made


def units_of(call: ReadableSpan) -> float:
    told = (call.attributes or {}).get("aws.dynamodb.consumed_capacity", ())
    return sum(json.loads(each)["CapacityUnits"] for each in told)


class TestTheSpansOfAPage:
    def test_are_one_tree(self, client: Client, collected: Collected, product: str) -> None:
        client.get(f"/products/{product}/")
        request = collected.request
        assert request.name == "GET /products/<id:product_id>/"
        assert len(collected.calls) > 1
        assert {call.parent.span_id for call in collected.calls if call.parent} == {
            request.context.span_id
        }

    def test_have_the_units_that_the_page_shows(
        self, client: Client, collected: Collected, product: str
    ) -> None:
        page = client.get(f"/products/{product}/comments/de.en/1.2/")
        total = page.context["explanation"].total
        assert sum(map(units_of, collected.calls)) == total.capacity_units
        assert collected.request.attributes["dynashop.capacity_units"] == total.capacity_units
        assert len(collected.calls) == total.calls

    def test_are_named_by_the_conventions(
        self, client: Client, collected: Collected, product: str
    ) -> None:
        client.get(f"/products/{product}/comments/en/~/")
        query = next(call for call in collected.calls if call.name == "DynamoDB.Query")
        told = dict(query.attributes or {})
        assert told.pop("aws.dynamodb.consumed_capacity")
        assert told.pop("aws.dynamodb.limit")
        assert told.pop("aws.dynamodb.count")
        assert told.pop("aws.dynamodb.scanned_count")
        told.pop("aws.request_id", None)  # moto's is no text
        table = f"{settings.DYNAMODB_TABLE_PREFIX}comments"
        assert told == {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": "Query",
            "db.collection.name": table,
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
            "rpc.method": "Query",
            "aws.dynamodb.table_names": (table,),
            "aws.dynamodb.index_name": told["aws.dynamodb.index_name"],
            "aws.dynamodb.scan_forward": False,
        }
        request = dict(collected.request.attributes or {})
        assert request["http.request.method"] == "GET"
        assert (
            request["http.route"]
            == "/products/<id:product_id>/comments/<str:languages>/<str:ratings>/"
        )
        assert request["http.response.status_code"] == 200

    def test_tell_nothing_of_a_person(self, collected: Collected, product: str) -> None:
        somebody = someone("wanda-geheim")
        somebody.get(f"/users/{somebody.username}/")
        somebody.get("/orders/?after=wanda")
        somebody.has_written(product)
        told = " ".join(span.to_json() for span in collected.spans)
        assert len(collected.calls) > 3
        assert "wanda" not in told
        assert product not in told

    def test_are_of_another_trace_where_a_proxy_is_trusted_alone(
        self, client: Client, collected: Collected, settings
    ) -> None:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
        for proxies in (0, 1):
            settings.TRUSTED_PROXIES = proxies
            client.get("/rankings/most-loved/", headers=headers)
        traces = [
            f"{span.context.trace_id:032x}" == TRACE
            for span in collected.spans
            if span.kind is SpanKind.SERVER
        ]
        assert traces == [False, True]

    def test_end_when_the_last_part_was_sent(self, collected: Collected) -> None:
        staff = someone("sheets", is_staff=True)
        answer = staff.browser.get("/staff/orders.csv")
        list(answer.streaming_content)
        names = [span.name for span in collected.spans]
        assert "GET /staff/orders.csv" in names
        sheet = next(span for span in collected.spans if span.name == "GET /staff/orders.csv")
        below = [call for call in collected.calls if call.parent == sheet.context]
        assert all(call.end_time <= sheet.end_time for call in below)
        assert below


class TestACallThatFails:
    def repeated(self, collected: Collected, kind: Fault) -> ReadableSpan:
        with FaultyProxy(settings.DYNAMODB_ENDPOINT_URL, rate=1.0) as proxy:
            proxy.kinds = (kind,)
            with connected(proxy.endpoint_url), pytest.raises(Exception):  # noqa: B017, PT011 - which one is told elsewhere
                client().list_tables()
        return collected.calls[-1]

    def test_is_an_error_with_its_attempts(self, collected: Collected) -> None:
        span = self.repeated(collected, "server error")
        assert span.status.status_code is StatusCode.ERROR
        assert span.attributes["http.request.resend_count"] == 2
        (retries,) = collected.points("dynashop.dynamodb.retries")
        assert (retries.value, retries.attributes) == (2, {"db.operation.name": "ListTables"})
        assert collected.points("dynashop.dynamodb.throttles") == []

    def test_because_it_was_throttled_counts_each_attempt(self, collected: Collected) -> None:
        span = self.repeated(collected, "throttled")
        assert [event.name for event in span.events] == ["throttled"] * 3
        (throttles,) = collected.points("dynashop.dynamodb.throttles")
        assert (throttles.value, throttles.attributes) == (3, {"db.operation.name": "ListTables"})

    def test_by_its_condition_is_told_by_its_code(self, collected: Collected) -> None:
        with pytest.raises(ClientError):
            client().describe_table(TableName="none-of-ours")
        (span,) = collected.calls
        assert span.attributes["error.type"] == "ResourceNotFoundException"

    def test_is_counted_in_every_client(self, collected: Collected) -> None:
        build_client(current_connection()).list_tables()
        assert [call.name for call in collected.calls] == ["DynamoDB.ListTables"]


class TestTheMetrics:
    def test_have_the_units_of_a_list_by_its_plan(
        self, client: Client, collected: Collected, product: str
    ) -> None:
        page = client.get(f"/products/{product}/comments/de.en/1.2/")
        explanation = page.context["explanation"]
        (units,) = collected.points("dynashop.list.capacity_units")
        assert units.attributes == {
            "dynashop.list": "comments",
            "dynashop.plan": explanation.plan,
        }
        assert (units.count, units.sum) == (1, explanation.capacity_units)

    def test_have_the_time_of_requests_by_route_and_status(
        self, client: Client, collected: Collected
    ) -> None:
        client.get("/rankings/most-loved/")
        client.get("/no/such/page/")
        told = [point.attributes for point in collected.points("http.server.request.duration")]
        assert told == [
            {
                "http.request.method": "GET",
                "http.response.status_code": 200,
                "http.route": "/rankings/most-loved/",
            },
            {"http.request.method": "GET", "http.response.status_code": 404},
        ]

    def test_have_one_name_for_all_unknown_methods(
        self, client: Client, collected: Collected
    ) -> None:
        for method in ("FUZZ", "BREW"):
            client.generic(method, "/")
        (point,) = collected.points("http.server.request.duration")
        assert point.attributes["http.request.method"] == "_OTHER"

    def test_have_how_many_writes_wait(self, collected: Collected) -> None:
        queue: BackgroundWrites[int] = BackgroundWrites(lambda _values: None, name="a test's")
        queue.runs_by_itself = False
        queue.put(1)
        queue.put(2)
        lengths = {
            point.attributes["queue"]: point.value
            for point in collected.points("dynashop.queue.length")
        }
        assert lengths["a test's"] == 2
        assert {"The activity log", "The letters to users"} < lengths.keys()

    def test_count_requests_that_were_refused(
        self, collected: Collected, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shedding.Slots, "take", lambda _slots: False)
        list(application(RequestFactory().get("/").environ, lambda *_: None))
        (point,) = collected.points("dynashop.requests.shed")
        assert point.value == 1


def run_site(tmp_path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of the site's own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env={
            "VAR_DIR": str(tmp_path),
            "SECRET_KEY": "k" * 50,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DYNAMODB_ENDPOINT_URL": settings.DYNAMODB_ENDPOINT_URL,
            "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


ASK = """
import sys
{before}
from config.wsgi import application
from django.test import RequestFactory
environ = RequestFactory().get("/accounts/login/", headers={{"host": "localhost"}}).environ
statuses = []
answer = application(environ, lambda status, headers: statuses.append(status))
print(statuses[0], sorted(name for name in sys.modules if name.startswith("opentelemetry"))[:1])
answer.close()
"""
BLOCKED = 'sys.modules["opentelemetry"] = None'


class TestASite:
    def test_without_the_packages_works(self, tmp_path) -> None:
        done = run_site(tmp_path, ASK.format(before=BLOCKED))
        assert (done.returncode, done.stdout) == (0, "200 OK ['opentelemetry']\n"), done.stderr

    def test_that_is_not_told_to_imports_none_of_them(self, tmp_path) -> None:
        done = run_site(tmp_path, ASK.format(before=""))
        assert (done.returncode, done.stdout) == (0, "200 OK []\n"), done.stderr

    def test_does_not_start_with_a_switch_and_no_packages(self, tmp_path) -> None:
        done = run_site(tmp_path, ASK.format(before=BLOCKED), TELEMETRY="1")
        assert done.returncode == 4
        assert "config.E048: TELEMETRY is on, but OpenTelemetry is not installed." in done.stderr

    def test_whose_collector_is_away_answers_and_ends(self, tmp_path) -> None:
        collector = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
        done = run_site(tmp_path, ASK.format(before=""), TELEMETRY="1", **collector)
        assert done.returncode == 0
        assert done.stdout == "200 OK ['opentelemetry']\n"
