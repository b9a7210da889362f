"""The log has a line for each request, which tells nothing of who made it."""

import io
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client, RequestFactory

from config.telemetry.requests import RequestRecord
from config.web import shedding
from dynapages.calls import Call, Throttled, Unavailable, metered
from dynapages.calls.faults import BUSY
from dynapages.django.csv_lists import csv_response
from shop.activity.recording import LOG
from tests.support.activity.making import made_entry
from tests.support.comments.writers import someone
from tests.support.config.addresses import Belongings, address, belongings, browser_of, routes
from tests.support.config.api import NOBODY, ROOT, operations, program_of
from tests.support.config.environments import run_python, settings_of
from tests.support.config.logs import request_lines, written_log
from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT
from tests.support.work import finish_what_waits, forget_what_waits

pytestmark = pytest.mark.usefixtures("tables")
DOCUMENT = PROJECT / "docs" / "operations.md"


@pytest.fixture(scope="module")
def owned(tables):
    return belongings(someone("owner"))


@pytest.fixture
def log():
    with written_log(as_json=True) as written:
        yield written


def line_of(log: io.StringIO, response: Any) -> dict[str, Any]:
    """The one line of the request that was answered."""
    response.close()
    (line,) = request_lines(log)
    assert line["status"] == response.status_code
    return line


def doubled_put() -> Call:
    """A put that an engine counts double, and Amazon DynamoDB does not."""
    return Call("TransactWriteItems", "a", None, "list", 2.0, 0, None, engine_units=1.0)


class TestTheLine:
    def test_tells_of_a_list_and_of_its_cost(self, log, owned):
        with metered() as meter:
            path = f"/products/{owned.product_id}/comments/de.en/1.2.5/?order=oldest&before=end"
            line = line_of(log, Client().get(path))
        assert (line["view"], line["method"], line["list"]) == ("comments:list", "GET", "comments")
        shape = {"languages": 2, "ratings": 3, "order": "oldest", "page": "last"}
        assert line["shape"] == shape
        assert line["plan"] in {"by_language_and_rating", "by_rating", "by_language", "all"}
        assert line["calls"] == meter.calls > 0
        assert line["rounds"] == meter.rounds
        assert line["units"] == meter.units > 0
        assert 0 < line["ms"] < 60_000
        assert line.keys().isdisjoint({"late", "shed", "fault", "trace"})

    def test_tells_what_amazon_takes_only_where_an_engine_has_counted_more(self):
        record = RequestRecord("POST", status=200)
        assert "amazon_units" not in record.fields()
        record.meter.log.append(doubled_put())
        assert (record.fields()["units"], record.fields()["amazon_units"]) == (2.0, 1.0)

    def test_is_readable_without_json_too(self, owned):
        with written_log() as written:
            Client().get(f"/products/{owned.product_id}/")
        line = written.getvalue()
        told = r"request: view=comments:product method=GET status=200 list=comments plan=\w+ "
        told += r"shape=languages:0,ratings:0,order:newest,page:first calls=\d+ rounds=\d units="
        assert re.search(told, line)

    def test_tells_of_orders_in_numbers(self, log, owned):
        browser = browser_of("owner", {"owner": owned.owner})
        line = line_of(log, browser.get("/orders/?status=SHIPPED&from=2023-01-01"))
        assert (line["list"], line["plan"]) == ("orders", "orders_by_status")
        assert line["shape"] == {"statuses": 1, "days": 1, "open": 0, "page": "first"}

    def test_has_the_fields_that_the_document_explains(self):
        section = DOCUMENT.read_text().partition("| field |")[2].partition("\n\n")[0]
        told = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
        full = RequestRecord(
            "GET",
            view="a",
            status=200,
            list="a",
            plan="a",
            shape={"page": "first"},
            fault="a",
            is_late=True,
            is_shed=True,
            trace="a",
        )
        full.meter.log.append(doubled_put())
        assert [*full.fields()] == told


def called(method: str, path: str) -> tuple[int, str]:
    """Call an operation without a key; return the status, and the view that is logged."""
    with written_log(as_json=True) as log:
        response = Client().generic(method, path, "{}", content_type="application/json")
        line = line_of(log, response)
    return response.status_code, line.get("view", "")


class TestARequestOfTheApi:
    @pytest.mark.parametrize("call", operations())
    def test_is_named_for_its_operation_though_its_key_is_missing(self, owned, call):
        method, _, path = call.partition(" ")
        for name in re.findall(r"\{(\w+)\}", path):
            path = path.replace(f"{{{name}}}", owned.arguments.get(name, "nothing"))
        _, view = called(method, f"{ROOT}{path}")
        assert view == f"api:{operations()[call]['operationId']}"

    def test_is_named_where_it_is_refused_for_its_key_or_its_values(self, log, owned):
        path = f"/products/{owned.product_id}/comments"
        assert NOBODY.post(path, {}).status_code == 401
        assert program_of(owned.owner.username).post(path, {}).status_code == 422
        names = [line["view"] for line in request_lines(log)]
        assert names == ["api:comments_post"] * 2

    def test_by_another_method_is_named_for_its_address(self, owned):
        status, view = called("DELETE", f"{ROOT}/products/{owned.product_id}")
        assert (status, view) == (405, "api:get_product")

    def test_is_named_alike_in_djangos_own_line(self, owned):
        with written_log() as written:
            Client().post(f"{ROOT}/products/{owned.product_id}/comments")
        assert "Unauthorized: api:comments_post" in written.getvalue()


def kinds_of(fault: type[Unavailable]) -> Iterator[type[Unavailable]]:
    for kind in fault.__subclasses__():
        yield kind
        yield from kinds_of(kind)


class TestTheFaults:
    def test_are_all_in_the_document(self):
        (row,) = re.findall(r"^\| `fault` \| (.*) \|$", DOCUMENT.read_text(), re.MULTILINE)
        ours = ("comments.", "dynapages.", "shop.")
        names = {
            kind.__name__ for kind in kinds_of(Unavailable) if kind.__module__.startswith(ours)
        }
        assert {*re.findall(r"`([A-Z]\w+)`", row)} == names


class TestAnAnswer:
    def test_that_is_not_sent_again_has_its_list(self, log, owned):
        path = f"/products/{owned.product_id}/comments/~/~/"
        etag = Client().get(path).headers["ETag"]
        log.seek(0)
        log.truncate()
        line = line_of(log, Client().get(path, headers={"If-None-Match": etag}))
        assert (line["status"], line["list"]) == (HTTPStatus.NOT_MODIFIED, "comments")

    def test_that_is_sent_piece_by_piece_is_told_of_at_its_end(self, log, monkeypatch, owned):
        in_pieces = partial(csv_response, at_a_time=1)
        monkeypatch.setattr("shop.activity.views.csv_response", in_pieces)
        for _ in range(3):
            LOG.put(made_entry(datetime.now(UTC)))
        assert LOG.flush(seconds=PATIENCE)
        staff = browser_of("staff", {"staff": someone("staff", is_staff=True)})
        response = staff.get("/staff/activity.csv")
        assert request_lines(log) == []
        rows = b"".join(response.streaming_content).splitlines()[1:]
        line = line_of(log, response)
        assert line["view"] == "activity_csv"
        assert line["rounds"] >= len(rows) >= 3

    def test_of_an_unknown_page_has_no_view(self, log):
        line = line_of(log, Client().get("/no-such-page/"))
        assert line["status"] == HTTPStatus.NOT_FOUND
        assert "view" not in line

    @pytest.mark.parametrize(
        ("fault", "status", "told"),
        [(ZeroDivisionError(), 500, None), (Throttled(BUSY), 503, "Throttled")],
        ids=["a bug", "the database"],
    )
    def test_that_failed_is_told_of(self, log, monkeypatch, owned, fault, status, told):
        monkeypatch.setattr("comments.views.read_comments_page", Mock(side_effect=fault))
        browser = Client(raise_request_exception=False)
        line = line_of(log, browser.get(f"/products/{owned.product_id}/"))
        assert (line["status"], line["view"], line.get("fault")) == (
            status,
            "comments:product",
            told,
        )

    def test_that_was_out_of_time_is_late(self, log, settings, owned):
        settings.PAGE_SECONDS = 0
        line = line_of(log, Client().get(f"/products/{owned.product_id}/"))
        assert (line["status"], line["late"], line["fault"]) == (503, True, "Unreachable")

    def test_to_one_too_many_is_shed(self, log, monkeypatch, settings):
        monkeypatch.setattr(shedding, "PAGE_WAITS", 0.01)
        settings.MAX_CONCURRENT_REQUESTS = 2
        full = shedding.Shedding(lambda *_: [])
        assert all(full._slots.acquire(is_form=False) for _ in range(2))
        full(RequestFactory().get("/orders/").environ, lambda *_: lambda _: None)
        (line,) = request_lines(log)
        assert (line["status"], line["shed"]) == (503, True)

    @pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/css/site.css"])
    def test_to_a_health_check_or_for_a_file_has_no_line(self, log, path):
        Client().get(path).close()
        assert request_lines(log) == []


def everything_of(owned: Belongings) -> dict[str, str]:
    """What is typed, or stands in addresses, and must be in no line."""
    return {
        "a name": owned.owner.username,
        "an order": owned.order_id,
        "a comment": owned.comment_id,
        "a product": owned.product_id,
        "an e-mail address": "somebody@example.com",
        "a password": "correct horse battery",
        "a token": "c8x1-3f2a9b7e6d5c4b3a2918",
        "searched words": "lampshades",
        "a place": "38.7109",
        "a network address": "203.0.113.77",
    }


def visit_everything(owned: Belongings, secret: dict[str, str]) -> None:
    """Open each page with all of it, as each role; and type it into forms."""
    known = {"owner": owned.owner, "staff": someone("staff", is_staff=True)}
    arguments = owned.arguments | {"token": secret["a token"]}
    query = {"q": secret["searched words"], "near": secret["a place"], "after": secret["a token"]}
    query |= {"next": f"/{secret['a name']}", "email": secret["an e-mail address"]}
    typed = dict.fromkeys(("username", "email", "body", "title"), secret["an e-mail address"])
    typed |= {"password": secret["a password"], "order_id": secret["an order"]}
    where = {"REMOTE_ADDR": secret["a network address"], "raise_request_exception": False}
    forget_what_waits()  # none of other tests are in the way
    for role in ("nobody", "owner", "staff"):
        browser = browser_of(role, known, **where)
        for route in routes():
            path = address(route, arguments)
            if "logout" in path or "close" in path:
                continue
            for asked in (browser.get(path, query), browser.post(path, typed)):
                asked.close()
    Client(**where).get(f"/{secret['an e-mail address']}/{secret['a name']}", query)
    finish_what_waits()


class TestTheSettings:
    @pytest.mark.parametrize(
        ("given", "level"), [({}, "INFO"), ({"REQUEST_LOG": "0"}, "WARNING")], ids=["on", "off"]
    )
    def test_switch_the_lines(self, tmp_path, given, level):
        logging_of = settings_of(tmp_path, DEBUG="1", **given)["LOGGING"]
        assert logging_of["loggers"]["request"]["level"] == level

    def test_write_all_lines_as_json(self, tmp_path):
        given = {"VAR_DIR": str(tmp_path), "DEBUG": "1", "LOG_FORMAT": "json", "REQUEST_LOG": "1"}
        done = run_python("-c", TWO_LINES, **os.environ | given)
        security, request = map(json.loads, done.stderr.splitlines())
        assert (security["logger"], security["event"]) == ("security", "sign-in")
        assert (request["logger"], request["view"]) == ("request", "document")


TWO_LINES = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.test import Client
from dynapages.django.access import log_event
log_event("sign-in", user="alice")
Client(headers={"host": "localhost"}).get("/docs/how-it-works/")
"""


class TestNoLine:
    def test_has_anything_personal(self, owned):
        secret = everything_of(owned)
        with written_log(in_both_forms=True) as written:
            visit_everything(owned, secret)
        # Sign-ins and decisions of staff name who did it, on purpose: see docs/accounts.md.
        of_security = re.compile(r'^\S+ INFO security:|"logger": "security"')
        lines = [line for line in written.getvalue().splitlines() if not of_security.search(line)]
        assert len(lines) > len(routes())
        told = [(kind, line) for kind, what in secret.items() for line in lines if what in line]
        assert told == []
