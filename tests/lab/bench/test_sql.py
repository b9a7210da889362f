"""``manage.py bench peers``: the site beside PostgreSQL, and a shop that knows nothing of it."""

import json
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from dynamo.engine.server import find
from dynamo.upkeep.pace import Progress
from lab.bench.pages import WrongAnswer
from lab.bench.run import Options, run_benchmarks, sections_of
from lab.sql_comparison import postgres
from lab.sql_comparison.postgres import PostgresMissing, require_programs
from tests.support.project import PROJECT
from tests.test_rooms import below, offenders

PAGE_SIZE = 4
OPTIONS = Options(
    parts=("peers",),
    comments=60,
    seasonal=1,
    orders=1,
    queued=1,
    pages=(1, 10),
    turns=1,
    seconds=0.1,
    imported=1,
)
QUIET = Progress(shown=False)
SQL_OF_THE_LAB = {"psycopg", "lab.sql_comparison.models"}
OPEN_THE_SITE = """
import json, sys, django
django.setup()
from django.core.management import call_command
from django.urls import get_resolver
get_resolver().url_patterns
call_command("check", stdout=sys.stderr)
import lab.bench.run
print(json.dumps(list(sys.modules)))
"""


@pytest.fixture(scope="module")
def programs():
    if find(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    try:
        return require_programs()
    except PostgresMissing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def found(programs, django_db_blocker):
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setattr("lab.bench.sql.WARM_UP", 0)
        patch.setattr(settings, "PAGE_SIZE", PAGE_SIZE)
        return run_benchmarks(OPTIONS, progress=QUIET)


@pytest.fixture
def without_postgres(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(postgres, "DEBIAN", tmp_path)


@pytest.mark.real_engine
class TestPeers:
    def test_are_timed_on_both_sides_at_each_depth(self, found):
        pages = found.where(part="peers", metric="page.median_ms").by("list", "page")
        assert list(pages)[:4] == [
            ("product page", 1),
            ("no filter", 1),
            ("no filter", 10),
            ("no filter", 15),
        ]
        assert all(one.names("reader") == ["site", "sql"] for one in pages.values())

    def test_are_reported_with_ratios_and_the_limit_of_the_product_page(self, found):
        (section,) = sections_of(found)
        text = section.markdown(folder="benchmarks")
        assert "## The same comments in PostgreSQL" in text
        assert "| product page | 1 |" in text
        assert "| page ÷ SQL |" in text
        assert "| whole page ÷ SQL's | 1 |" in text

    def test_are_not_timed_where_sql_answers_otherwise(
        self, programs, django_db_blocker, monkeypatch
    ):
        monkeypatch.setattr(settings, "PAGE_SIZE", PAGE_SIZE)
        monkeypatch.setattr("lab.sql_comparison.models.POSITIVE", (1,))
        with django_db_blocker.unblock(), pytest.raises(WrongAnswer, match="shown by SQL"):
            run_benchmarks(OPTIONS, progress=QUIET)


@pytest.mark.real_engine
class TestWithoutPostgres:
    def test_the_part_is_skipped_with_a_sentence(self, without_postgres, tmp_path):
        printed, told = StringIO(), StringIO()
        call_command("bench", "peers", output=tmp_path, stdout=printed, stderr=told)
        assert "The part peers is skipped: PostgreSQL is not installed here" in told.getvalue()
        assert "postgresql-15" in told.getvalue()
        assert list(tmp_path.iterdir()) == []


class TestTheShop:
    def test_has_no_sql_database(self):
        assert set(settings.DATABASES) <= {"default"}  # Django's own placeholder
        assert connections["default"].settings_dict["ENGINE"] == "django.db.backends.dummy"

    def test_imports_nothing_of_sql_even_to_run_other_benchmarks(self):
        opened = subprocess.run(
            [sys.executable, "-c", OPEN_THE_SITE],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        )
        modules: list[Any] = json.loads(opened.stdout)
        assert SQL_OF_THE_LAB.isdisjoint(modules)
        assert offenders(below("dynamo", "shop", "comments", "demo", "config"), "psycopg") == []
