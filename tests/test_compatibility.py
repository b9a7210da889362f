"""A database written by older code is read by this code: same items, same URLs, same page links.

``tests/support/old_database/shop.db.gz`` is a data file of dynoxide with the table prefix
``old-``, written in November 2026 by the code before its modules were moved into rooms: two
products; a user with an order each PLACED, SHIPPED, DELIVERED and CANCELED, and one with an open
order; twelve comments with votes, reports, a reply, a pick and a long text, one of them hidden and
one deleted; their copies for the read model ``sets``; the activity log of all that.
``pages.json`` holds what that code showed, by the script `tests.support.old_database.visit`.
"""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from dynamo.engine import DynoxideEngine, find
from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT

OLD = PROJECT / "tests" / "support" / "old_database"

pytestmark = pytest.mark.real_engine


@pytest.fixture(scope="module")
def old_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a command that works on a copy of the old database."""
    binary = find(PROJECT)
    if binary is None:
        pytest.skip("dynoxide is not installed")
    folder = tmp_path_factory.mktemp("old")
    path = folder / "shop.db"
    path.write_bytes(gzip.decompress((OLD / "shop.db.gz").read_bytes()))
    with DynoxideEngine(binary=binary, db_path=path, start_seconds=PATIENCE) as engine:
        yield {
            "PATH": os.environ["PATH"],
            "ACTIVITY_RETENTION_MONTHS": "120",
            "ALLOWED_HOSTS": "testserver",
            "COMMENTS_READ_MODEL": "sets",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DYNAMODB_ENDPOINT_URL": engine.endpoint_url,
            "DYNAMODB_TABLE_PREFIX": "old-",
            "PAGE_SIZE": "3",
            "SECRET_KEY": "tests" * 10,
            "VAR_DIR": str(folder),
        }


OF_COMMENTS = ("/products/", "/comments/", "/users/", "/rankings/", "/staff/comments/")
"""Pages that show comments; what else there is does not depend on how comments are read."""

LOOK = f"""
import json
from contextlib import redirect_stdout, suppress
from io import StringIO

import django
django.setup()
from django.core.management import call_command
from django.test import override_settings
from tests.support.old_database.visit import main

def said(action, *words, **options):
    out = StringIO()
    with redirect_stdout(out), suppress(SystemExit):
        action(*words, **options)
    return json.loads(out.getvalue())

def looked(**options):
    shown = said(main, **options)
    return {{"shown": shown, "check": said(call_command, "check_integrity", "--json")}}

tables = said(call_command, "create_tables", "--json")
with override_settings(COMMENTS_READ_MODEL="indexes"):
    indexes = looked()
sets = looked(below={OF_COMMENTS})
steps = [said(call_command, "migrate_items", "--json")["steps"] for _ in range(2)]
said(call_command, "run_stream", "--once", "--json")  # the copies of what was changed
left = said(call_command, "check_integrity", "--json")
found = {{"indexes": indexes, "sets": sets, "steps": steps, "left": left, "after": said(main)}}
print(json.dumps(found | {{"tables": tables}}))
"""
"""Visits pages and runs commands, all in one process: each start of one takes a second or two."""


@pytest.fixture(scope="module")
def found(old_shop: dict[str, str]) -> dict[str, Any]:
    """What was found of the old database, by read model."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=PROJECT,
        env=old_shop,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def pages_as_recorded() -> list[Any]:
    recorded: list[Any] = json.loads((OLD / "pages.json").read_text())
    return recorded


class TestAnOldDatabase:
    def test_shows_the_same_at_the_same_urls(self, found):
        assert found["indexes"]["shown"] == pages_as_recorded()

    def test_shows_the_same_comments_from_sets(self, found):
        recorded = [page for page in pages_as_recorded() if page[0].startswith(OF_COMMENTS)]
        assert found["sets"]["shown"] == recorded

    def test_holds_what_this_code_would_write_but_what_travels_since(self, found):
        for model in ("indexes", "sets"):
            kinds = {one["kind"] for one in found[model]["check"]["found"]}
            assert kinds == {
                *("marks", "name", "categories", "shelf", "purchase", "summary", "counts"),
            }

    def test_is_brought_over_by_migrating_its_items_once(self, found):
        first, second = found["steps"]
        assert {row["state"] for row in first} == {"finished"}
        assert {row["step"]: row["changed"] for row in first if row["changed"]} == {
            "purchase-keys": 3,
            "product-categories": 2,
            "shelves": 1,
            "order-summaries": 5,
            "listed-texts": 1,
            "listed-replies": 1,
            "ranks": 2,
            "months": 2,
        }
        assert second == []
        assert found["left"]["found"] == []

    def test_shows_the_same_after_that(self, found):
        assert found["after"] == pages_as_recorded()

    def test_has_the_tables_that_the_models_declare_and_gets_their_new_indexes(self, found):
        done = found["tables"]["done"]
        made = [line for line in done if line.startswith(("old-shop", "old-comment"))]
        assert [line.partition(": ")[2] for line in made] == [
            "adding the index by_status",
            "adding the index queue",
            *["active"] * 3,
        ]


class TestTheRecord:
    def test_holds_pages_by_old_tokens_of_every_kind_of_list(self):
        urls = [url for url, *_ in pages_as_recorded()]
        for start in ("/products/", "/users/", "/orders/", "/staff/activity/"):
            for direction in ("after=", "before="):
                assert any(url.startswith(start) and direction in url for url in urls)

    def test_holds_every_kind_of_page_of_comments(self):
        urls = [url for url, *_ in pages_as_recorded()]
        assert all(any(url.startswith(path) for url in urls) for path in OF_COMMENTS)
