"""Spans and metrics by OpenTelemetry, and a site that has nothing of it."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, ClassVar
from urllib.request import urlopen

import pytest
from botocore.client import BaseClient
from django.conf import settings
from django.test import Client

from config.telemetry.requests import RequestRecord, observed
from demo.processes import DemoConfig, serving
from dynapages.calls import Call, metered
from dynapages.engine.fault_proxy import FaultProxy, Rule
from dynapages.process import client, current_connection
from tests.support.comments.writers import someone
from tests.support.config.addresses import belongings, browser_of
from tests.support.config.environments import run_python
from tests.support.config.logs import request_lines, written_log
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")
DOCUMENT = PROJECT / "docs" / "operations.md"
WHERE = "OpenTelemetry is not installed: requirements-telemetry.txt"


@pytest.fixture
def told():
    pytest.importorskip("opentelemetry.sdk", reason=WHERE)
    with import_module("tests.support.config.telemetry").telemetry() as told:
        yield told


@pytest.fixture(scope="module")
def owned(tables):
    return belongings(someone("owner"))


def units_in(spans: list[Any]) -> float:
    consumed = (one for span in spans for one in span.attributes["aws.dynamodb.consumed_capacity"])
    return sum(json.loads(one)["CapacityUnits"] for one in consumed)


class TestTheSpansOfAPage:
    def test_are_one_tree_with_the_capacity_units_of_its_meter(self, told, owned):
        with metered() as meter:
            Client().get(f"/products/{owned.product_id}/comments/de.en/1.2.5/")
        (request,) = told.requests
        assert request.parent is None
        assert {call.parent.span_id for call in told.calls} == {request.context.span_id}
        assert units_in(told.calls) == meter.units > 0
        assert request.attributes["dynashop.capacity_units"] == meter.units
        assert len(told.calls) == meter.calls > 1

    def test_are_as_many_while_an_instrumentor_sees_the_same_calls(self, told, owned, monkeypatch):
        calls: list[str] = []
        own: Any = BaseClient._make_api_call

        def make_api_call(self: Any, operation: str, parameters: Any) -> Any:
            calls.append(f"DynamoDB.{operation}")
            return own(self, operation, parameters)

        monkeypatch.setattr(BaseClient, "_make_api_call", make_api_call)
        Client().get(f"/products/{owned.product_id}/comments/de.en/1.2.5/")
        assert sorted(call.name for call in told.calls) == sorted(calls) != []

    def test_have_what_amazon_takes_only_where_an_engine_has_counted_more(self, told):
        for engine_units in (0.0, 1.0):
            record = RequestRecord("POST")
            put = Call("TransactWriteItems", "a", None, "list", 2.0, 0, None)
            record.meter.log.append(replace(put, engine_units=engine_units))
            with observed(record) as sent:
                sent()
        alike, different = (request.attributes for request in told.requests)
        assert "dynashop.amazon_units" not in alike
        assert different["dynashop.capacity_units"] == 2.0
        assert different["dynashop.amazon_units"] == 1.0

    def test_are_named_by_the_conventions(self, told, owned):
        Client().get(f"/products/{owned.product_id}/")
        (request,) = told.requests
        assert request.name == "GET comments:product"
        assert request.attributes["http.route"] == "/products/<id:product_id>/"
        assert request.attributes["http.response.status_code"] == 200
        query = next(call for call in told.calls if call.name == "DynamoDB.Query")
        assert query.attributes["db.system.name"] == "aws.dynamodb"
        assert query.attributes["db.operation.name"] == "Query"
        assert query.attributes["aws.dynamodb.table_names"] == (
            f"{settings.DYNAMODB_TABLE_PREFIX}comments",
        )
        root = Path(import_module("opentelemetry.semconv").__path__[0])
        known = "".join(path.read_text() for path in root.rglob("*_attributes.py"))
        used = {name for span in (*told.requests, *told.calls) for name in span.attributes}
        unknown = {name for name in used if f'"{name}"' not in known}
        assert {name for name in unknown if not name.startswith("dynashop.")} == set()

    def test_are_named_for_the_operation_of_the_api_by_its_route(self, told, owned):
        Client().put(f"/api/v1/comments/{owned.comment_id}")
        (request,) = told.requests
        assert request.name == "PUT api:comments_edit"
        assert request.attributes["http.route"] == "/api/v1/comments/<path:comment_id>"
        assert request.attributes["http.response.status_code"] == 401

    def test_are_found_by_the_line_of_the_log(self, told):
        with written_log(as_json=True) as log:
            Client().get("/docs/how-it-works/")
        (line,) = request_lines(log)
        assert line["trace"] == f"{told.requests[0].context.trace_id:032x}"

    def test_have_nothing_of_the_visitor(self, told, owned):
        browser = browser_of("owner", {"owner": owned.owner}, REMOTE_ADDR="203.0.113.77")
        browser.get(f"/orders/{owned.order_id}/?near=lampshades")
        browser.get(f"/users/{owned.owner.username}/")
        text = "".join(span.to_json() for span in (*told.requests, *told.calls))
        secrets = (owned.owner.username, owned.order_id, "lampshades", "203.0.113.77")
        assert [secret for secret in secrets if secret in text] == []

    def test_end_with_the_error_of_a_page_that_failed(self, told, monkeypatch, owned):
        def fail(*_: object, **__: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr("comments.views.read_comments_page", fail)
        Client(raise_request_exception=False).get(f"/products/{owned.product_id}/")
        (request,) = told.requests
        assert not request.status.is_ok
        assert request.attributes["error.type"] == "500"
        assert request.name == "GET comments:product"


BEGUN = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}


@pytest.mark.parametrize("proxies", [0, 1])
def test_a_trace_that_was_begun_before_goes_on_behind_a_trusted_proxy(told, settings, proxies):
    settings.TRUSTED_PROXIES = proxies
    Client().get("/docs/how-it-works/", headers=BEGUN)
    goes_on = f"{told.requests[0].context.trace_id:032x}" == "a" * 32
    assert goes_on is bool(proxies)


class TestACallThatIsThrottled:
    def test_is_counted_with_its_retries_by_table_and_operation(self):
        pytest.importorskip("opentelemetry.sdk", reason=WHERE)
        telemetry = import_module("tests.support.config.telemetry").telemetry
        table = f"{settings.DYNAMODB_TABLE_PREFIX}comments"
        rules = [Rule("rate exceeded")]
        with FaultProxy(settings.DYNAMODB_ENDPOINT_URL, rules=rules) as proxy:
            elsewhere = replace(current_connection(), endpoint_url=proxy.endpoint_url, attempts=3)
            with telemetry(elsewhere) as told:
                with pytest.raises(Exception, match="ThrottlingException"):
                    client().get_item(TableName=table, Key={"pk": {"S": "a"}, "sk": {"S": "a"}})
                metrics = told.metrics()
        (call,) = told.calls
        assert call.attributes["error.type"] == "ThrottlingException"
        assert call.attributes["dynashop.throttles"] == 3
        (retries,), (throttles,) = (
            metrics[f"dynashop.dynamodb.{kind}"] for kind in ("retries", "throttles")
        )
        assert (retries.value, throttles.value) == (2, 3)
        for point in (retries, throttles):
            assert point.attributes["db.collection.name"] == table
            assert point.attributes["db.operation.name"] == "GetItem"


class TestTheMetrics:
    def test_have_the_units_by_list_and_plan_and_the_time_by_route_and_status(self, told, owned):
        with metered() as meter:
            Client().get(f"/products/{owned.product_id}/comments/~/~/")
        metrics = told.metrics()
        (point,) = metrics["dynashop.request.capacity"]
        assert dict(point.attributes) == {"dynashop.list": "comments", "dynashop.plan": "all"}
        assert (point.count, point.sum) == (1, meter.units)
        (point,) = metrics["http.server.request.duration"]
        route = "/products/<id:product_id>/comments/<str:languages>/<str:ratings>/"
        assert point.attributes["http.route"] == route
        assert point.attributes["http.response.status_code"] == 200

    def test_count_what_was_late_and_what_was_shed(self, told, settings, owned):
        settings.PAGE_SECONDS = 0
        Client().get(f"/products/{owned.product_id}/")
        with observed(RequestRecord("GET", status=503, is_shed=True)) as sent:
            sent()
        (late,), (shed,) = (told.metrics()[f"dynashop.requests.{how}"] for how in ("late", "shed"))
        assert (late.value, shed.value) == (1, 1)
        assert dict(late.attributes) == {"http.route": "/products/<id:product_id>/"}

    def test_have_the_length_of_a_queue(self):
        pytest.importorskip("opentelemetry.sdk", reason=WHERE)
        queue = Waiting()
        with import_module("tests.support.config.telemetry").telemetry(
            queues={"emails": queue}
        ) as told:
            metrics = told.metrics()
        (length,), (lost,) = metrics["dynashop.queue.length"], metrics["dynashop.queue.lost"]
        assert (length.value, lost.value) == (7, 2)
        assert dict(length.attributes) == {"dynashop.queue": "emails"}

    def test_are_those_that_the_document_explains(self):
        section = DOCUMENT.read_text().partition("| metric |")[2].partition("\n\n")[0]
        explained = set(re.findall(r"^\| `([\w.]+)`", section, re.MULTILINE))
        source = (PROJECT / "config" / "telemetry" / "spans.py").read_text()
        assert explained == set(re.findall(r'^ +"([a-z_]+(?:\.[a-z_]+)+)",', source, re.MULTILINE))


class Waiting:
    """A queue with seven values, which has lost two."""

    lost = 2

    def __len__(self) -> int:
        return 7


NOT_INSTALLED = """
import sys
sys.modules["opentelemetry"] = None
"""
PATIENT = f"""
from config.telemetry import sdk
sdk.AT_EXIT_SECONDS = {PATIENCE}
"""
OPEN = """
import sys, os
from wsgiref.util import setup_testing_defaults
from config.wsgi import application

environ = {"PATH_INFO": "/docs/how-it-works/"}
setup_testing_defaults(environ)
answer = application(environ, lambda status, headers: print(status))
b"".join(answer)
answer.close()
print(sorted(name for name in sys.modules if name.startswith("opentelemetry.sdk."))[:1])
"""


def run(code: str, **given: str) -> subprocess.CompletedProcess[str]:
    return run_python("-c", code, **os.environ | given)


class TestASiteWithoutIt:
    def test_works_where_it_is_not_installed(self):
        done = run(NOT_INSTALLED + OPEN)
        assert done.stdout.splitlines() == ["200 OK", "[]"], done.stderr

    def test_does_not_start_where_it_is_asked_for(self):
        done = run(NOT_INSTALLED + OPEN, OPENTELEMETRY="1")
        assert done.stdout == ""
        assert done.stderr.startswith("config.OPENTELEMETRY: ")


class _Collector(BaseHTTPRequestHandler):
    """Keeps what is sent to it."""

    sent: ClassVar[list[tuple[str, bytes]]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.sent.append((self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    _Collector.sent = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Collector) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", _Collector.sent
        server.shutdown()


def is_complete(sent: list[tuple[str, bytes]]) -> bool:
    """Whether a collector has got the span of a document, and its duration."""
    spans = [body for path, body in sent if path == "/v1/traces"]
    metrics = [body for path, body in sent if path == "/v1/metrics"]
    of_a_document = b"GET document" in b"".join(spans)
    return of_a_document and b"http.server.request.duration" in b"".join(metrics)


class TestACollector:
    @pytest.mark.slow
    def test_is_sent_to_by_processes_that_forked(self):
        pytest.importorskip("opentelemetry.sdk", reason=WHERE)
        with collector() as (url, sent):
            given = {"OPENTELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
            often = {"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_METRIC_EXPORT_INTERVAL": "100"}
            config = DemoConfig(spare_port(), os.environ | given | often)
            with serving(config) as site:
                until = monotonic() + PATIENCE
                # What a process answers while it begins to send may not be told of.
                while monotonic() < until and not is_complete(sent):
                    with urlopen(f"{config.address}docs/how-it-works/"):  # noqa: S310 - ours
                        sleep(0.2)
            assert is_complete(sent), site.output()

    def test_is_sent_what_is_left_at_the_end(self):
        pytest.importorskip("opentelemetry.sdk", reason=WHERE)
        with collector() as (url, sent):
            given = {"OPENTELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
            later = {"OTEL_BSP_SCHEDULE_DELAY": "600000", "OTEL_METRIC_EXPORT_INTERVAL": "600000"}
            done = run(PATIENT + OPEN, **given, **later)
            assert done.stdout.startswith("200 OK"), done.stderr
            assert is_complete(sent)


class TestACollectorThatIsAway:
    @pytest.mark.slow
    def test_breaks_no_page_and_holds_up_no_end(self):
        pytest.importorskip("opentelemetry.sdk", reason=WHERE)
        away = f"http://127.0.0.1:{spare_port()}"
        done = run(OPEN, OPENTELEMETRY="1", OTEL_EXPORTER_OTLP_ENDPOINT=away)
        assert done.returncode == 0
        assert done.stdout.splitlines()[0] == "200 OK"
        assert "opentelemetry.sdk" in done.stdout.splitlines()[1]
        assert "Traceback" not in done.stderr
