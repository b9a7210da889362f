"""Commands behind a slow and a throttling database: they end well, and every row is there."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from comments.keys import COMMENT
from comments.models import TABLE as COMMENTS
from comments.search.models import WordItem
from dynapages.engine.fault_proxy import FaultProxy
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.command_line import ended, start_manage
from tests.support.comments.outage import own_engine

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.real_engine]

ROWS = 120
SLOW_CALL = 3.5
"""Seconds of a call: more than a page waits for."""
SLOW_FOR = 20.0
"""Seconds until the database is as fast as usual."""
TAKES_TURNS = ("throttled", "rate exceeded", "unprocessed", "partly unprocessed")


@contextmanager
def slow(endpoint_url: str) -> Iterator[FaultProxy]:
    """A proxy each of whose calls takes long, for a while."""
    with FaultProxy(endpoint_url, call_seconds=SLOW_CALL) as proxy:
        recovery = Timer(SLOW_FOR, setattr, (proxy, "call_seconds", 0.0))
        recovery.start()
        yield proxy
        recovery.cancel()


@contextmanager
def throttling(endpoint_url: str) -> Iterator[FaultProxy]:
    """A proxy that throttles most calls: a page's three attempts are seldom enough."""
    with FaultProxy(endpoint_url, rate=0.7, kinds=TAKES_TURNS, seed=1) as proxy:
        yield proxy


@pytest.fixture(params=[slow, throttling], ids=["slow", "throttling"])
def troubled(request) -> Iterator[Any]:
    """An engine with all tables, whose calls go through a proxy on a bad day."""
    with own_engine() as engine:
        create_missing([WordItem], client=client())
        with request.param(engine.endpoint_url) as proxy:
            yield proxy


def run(proxy: FaultProxy, *arguments: object, search: bool = True) -> dict[str, Any]:
    """Run a command behind the proxy; return what it counts."""
    process = start_manage(
        *arguments,
        "--json",
        DYNAMODB_ENDPOINT_URL=proxy.endpoint_url,
        COMMENT_SEARCH="1" if search else "0",
    )
    code, out, err = ended(process)
    assert code == 0, err
    notices = [line for line in err.splitlines() if "The database is slow" in line]
    assert len(notices) <= 2
    counts: dict[str, Any] = json.loads(out)
    return counts


def write_csv(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def comments_csv(tmp_path) -> Path:
    rows: list[dict[str, object]] = []
    for number in range(ROWS):
        rows.append(
            {
                "id": f"r{number}",
                "product_id": f"p{number % 7}",
                "language": "en",
                "rating": number % 5 + 1,
                "created_at": f"2024-01-{number % 28 + 1:02}T10:00:00Z",
                "body": f"This kettle number{number} boils water quickly",
            }
        )
    return write_csv(tmp_path / "comments.csv", rows)


def is_in_order() -> bool:
    """Whether every count, key and posting is as it is derived anew."""
    process = start_manage(
        "check_integrity",
        "--json",
        DYNAMODB_ENDPOINT_URL=client().meta.endpoint_url,
        COMMENT_SEARCH="1",
    )
    code, out, err = ended(process)
    assert code == 0, err + out
    return bool(json.loads(out)["differences"] == 0)


def number_of(table: str, sort_key: str) -> int:
    """The number of items of a table with a sort key."""
    pages = (
        client()
        .get_paginator("scan")
        .paginate(
            TableName=table,
            FilterExpression="sk = :sk",
            ExpressionAttributeValues={":sk": {"S": sort_key}},
            Select="COUNT",
        )
    )
    return sum(page["Count"] for page in pages)


class TestOnABadDay:
    def test_comments_are_all_imported_with_their_words(self, troubled, comments_csv):
        assert run(troubled, "import_comments", comments_csv)["new"] == ROWS
        assert number_of(COMMENTS, COMMENT) == ROWS
        assert is_in_order()

    def test_words_are_all_written_when_search_is_switched_on(self, troubled, comments_csv):
        run(troubled, "import_comments", comments_csv, search=False)
        run(troubled, "check_integrity", "--model", "words", "--repair")
        assert is_in_order()

    def test_orders_are_all_imported(self, troubled, tmp_path):
        rows: list[dict[str, object]] = []
        for number in range(ROWS):
            rows.append(
                {
                    "order_id": f"o{number}",
                    "customer": f"c{number % 9}",
                    "placed_at": f"2024-02-{number % 28 + 1:02}T10:00:00Z",
                    "status": "DELIVERED",
                    "product_id": f"q{number % 5}",
                    "product_name": f"Thing {number % 5}",
                    "quantity": 1,
                    "unit_price": "9.50",
                    "currency": "EUR",
                }
            )
        path = write_csv(tmp_path / "orders.csv", rows)
        assert run(troubled, "import_orders", path)["orders"]["created"] == ROWS
        assert is_in_order()

    def test_products_are_all_imported(self, troubled, tmp_path):
        rows = [{"id": f"t{number}", "name": f"Thing {number}"} for number in range(ROWS)]
        path = write_csv(tmp_path / "products.csv", rows)
        assert run(troubled, "import_products", path)["products"]["new"] == ROWS
        assert is_in_order()

    def test_pickup_points_are_all_imported(self, troubled, tmp_path):
        rows: list[dict[str, object]] = []
        for number in range(ROWS):
            latitude = 40 + number / 100
            rows.append({"id": f"x{number}", "name": "X", "latitude": latitude, "longitude": 4})
        path = write_csv(tmp_path / "points.csv", rows)
        assert run(troubled, "import_pickup_points", path)["points"]["new"] == ROWS
        assert is_in_order()

    def test_the_sample_shop_is_all_loaded(self, troubled):
        # It makes many calls one after another: half of them throttled is enough.
        troubled.rate = min(troubled.rate, 0.5)
        assert run(troubled, "load_sample", "--comments", ROWS)["written"] >= ROWS
        assert number_of(COMMENTS, COMMENT) >= ROWS
        assert is_in_order()
