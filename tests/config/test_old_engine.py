"""Engines from before September 2022, which take 10 or 25 actions in a transaction."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError

from dynapages.process import client
from dynapages.writes import put, write_transaction
from tests.support.comments.outage import connected

TOO_FEW = "The database takes fewer than 100 actions in a transaction; DynamoDB Local takes 100"


class _OldEngine(BaseHTTPRequestHandler):
    """Refuses long transactions as DynamoDB Local did; the others are about no table."""

    most = 25
    code = "ResourceNotFoundException"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code, message = self.code, "Cannot do operations on a non-existent table"
        if len(asked.get("TransactItems", ())) > self.most:
            code = "ValidationException"
            message = (
                "1 validation error detected: Value '[…]' at 'transactItems' failed to satisfy "
                f"constraint: Member must have length less than or equal to {self.most}"
            )
        kind = f"com.amazonaws.dynamodb.v20120810#{code}"
        body = json.dumps({"__type": kind, "message": message}).encode()
        self.send_response(400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def answering(**behaviour: int | str) -> Iterator[None]:
    handler = type("Engine", (_OldEngine,), behaviour)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with connected(f"http://127.0.0.1:{server.server_address[1]}"):
            yield
        server.shutdown()


@pytest.fixture(params=[10, 25])
def old_engine(request):
    with answering(most=request.param):
        yield


@pytest.fixture
def one_row(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,product_id,language,rating,created_at\n1,p,en,5,2024-01-01\n")
    return file


class TestAnOldEngine:
    def test_is_found_by_the_check_of_databases(self, old_engine):
        with pytest.raises(SystemCheckError, match=TOO_FEW) as raised:
            call_command("check", databases=["default"])
        assert "config.engine" in str(raised.value)

    def test_is_refused_by_create_tables(self, old_engine):
        with pytest.raises(CommandError, match=TOO_FEW):
            call_command("create_tables")

    def test_is_not_asked_by_other_checks_nor_where_it_is_amazons(self, old_engine, settings):
        call_command("check")
        settings.DYNAMODB_IS_AN_ENGINE = False
        call_command("check", databases=["default"])

    def test_ends_an_import_without_the_advice_to_run_it_again(
        self, old_engine, monkeypatch, tmp_path, one_row
    ):
        def write(*_: object, **__: object) -> None:
            write_transaction(client(), [put("t", {"pk": {"S": str(n)}}) for n in range(26)])

        monkeypatch.setattr("comments.data.writer.BulkWriter.put", write)
        monkeypatch.setattr("shop.for_comments.PRODUCTS.add_missing", lambda *_, **__: 0)
        with pytest.raises(CommandError, match=TOO_FEW) as raised:
            # No checkpoint is read: there are no tables.
            call_command(
                "import_comments", one_row, rejects=tmp_path / "rejected.csv", from_start=True
            )
        assert "again" not in str(raised.value)


class TestAnEngineWithoutAnOperation:
    def test_ends_an_import_without_the_advice_to_run_it_again(self, tmp_path, one_row):
        unknown = "UnknownOperationException"
        with (
            answering(code=unknown),
            pytest.raises(CommandError, match=unknown) as raised,
        ):
            call_command("import_comments", one_row, rejects=tmp_path / "rejected.csv")
        assert "again" not in str(raised.value)


@pytest.mark.fallback
class TestTheEngineOfTheseTests:
    def test_is_recent_enough(self, tables):
        call_command("check", databases=["default"])
