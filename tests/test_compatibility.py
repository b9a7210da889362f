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
            "DYNAMODB_ENDPOINT_URL": engine.endpoint_url,
            "DYNAMODB_TABLE_PREFIX": "old-",
            "PAGE_SIZE": "3",
            "SECRET_KEY": "tests" * 10,
            "VAR_DIR": str(folder),
        }


def run(*command: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=PROJECT, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def pages_as_recorded() -> list[object]:
    recorded: list[object] = json.loads((OLD / "pages.json").read_text())
    return recorded


class TestAnOldDatabase:
    @pytest.mark.parametrize("model", ["indexes", "sets"])
    def test_shows_the_same_at_the_same_urls(self, old_shop, model):
        env = old_shop | {"COMMENTS_READ_MODEL": model}
        shown = json.loads(run("-m", "tests.support.old_database.visit", env=env))
        assert shown == pages_as_recorded()

    @pytest.mark.parametrize("model", ["indexes", "sets"])
    def test_holds_what_this_code_would_write(self, old_shop, model):
        env = old_shop | {"COMMENTS_READ_MODEL": model}
        found = json.loads(run("manage.py", "check_integrity", "--json", env=env))
        assert found["found"] == []

    def test_has_the_tables_that_the_models_declare(self, old_shop):
        env = old_shop | {"COMMENTS_READ_MODEL": "sets"}
        done = json.loads(run("manage.py", "create_tables", "--json", env=env))["done"]
        made = [line for line in done if line.startswith(("old-shop", "old-comment"))]
        assert [line.partition(": ")[2] for line in made] == ["active"] * 3


class TestTheRecord:
    def test_holds_pages_by_old_tokens_of_every_kind_of_list(self):
        urls = [url for url, *_ in pages_as_recorded()]
        for start in ("/products/", "/users/", "/orders/", "/staff/activity/"):
            for direction in ("after=", "before="):
                assert any(url.startswith(start) and direction in url for url in urls)
